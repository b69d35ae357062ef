//! A pseudo-terminal, and a test in the place of the person before it.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Instant;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

use super::start::{PATIENCE, Start};
use super::{CANARY, Run};

impl Run {
    /// Runs to the end with a terminal of 80 columns for standard output. Gives the exit status and what the terminal
    /// shows.
    ///
    /// # Panics
    /// When the planted secret shows up.
    pub fn on_terminal(self) -> (i32, String) {
        self.on_terminal_of(80)
    }

    /// The same with a terminal of so many columns; with 0 it does not say.
    ///
    /// # Panics
    /// When the planted secret shows up.
    pub fn on_terminal_of(self, columns: u16) -> (i32, String) {
        let pty = Pty::new();
        pty.resize(24, columns);
        let Pty { master, slave, .. } = pty;
        let start = self.start(slave, tempfile::tempfile_in(super::room()).unwrap());
        // What fills the terminal is read while the program runs; the end of the last writer is an error (EIO).
        let reader = std::thread::spawn(move || {
            let (mut seen, mut bytes) = (Vec::new(), [0; 4096]);
            while let Ok(count) = (&master).read(&mut bytes) {
                seen.extend_from_slice(&bytes[..count]);
            }
            seen
        });
        let code = start.run(Path::new(&self.program), self.argv()).code();
        drop(start);
        let screen = String::from_utf8(reader.join().unwrap()).expect("our reports are UTF-8").replace("\r\n", "\n");
        assert!(!screen.contains(CANARY), "the planted secret is on the terminal: {screen}");
        (code, screen)
    }
}

/// See above.
pub struct Pty {
    master: PtyMaster,
    /// The end that programs get.
    pub slave: File,
    seen: RefCell<Vec<u8>>,
}

impl Pty {
    /// A new terminal, 24 lines of 80 columns.
    pub fn new() -> Self {
        let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname_r(&master).unwrap();
        let slave = File::options().read(true).write(true).custom_flags(libc::O_NOCTTY).open(name).unwrap();
        let pty = Self { master, slave, seen: RefCell::default() };
        pty.resize(24, 80);
        pty
    }

    /// Another size; the kernel tells the foreground process group by SIGWINCH.
    pub fn resize(&self, lines: u16, columns: u16) {
        let size = libc::winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the request reads a `winsize`, and gets one.
        Errno::result(unsafe { libc::ioctl(self.master.as_raw_fd(), libc::TIOCSWINSZ, &size) }).unwrap();
    }

    /// Settings that no program would find by default.
    pub fn raw(&self) {
        let mut settings = tcgetattr(&self.slave).unwrap();
        cfmakeraw(&mut settings);
        tcsetattr(&self.slave, SetArg::TCSANOW, &settings).unwrap();
    }

    /// All settings, for comparison.
    pub fn settings(&self) -> String {
        format!("{:?}", tcgetattr(&self.slave).unwrap())
    }

    /// Makes the program the leader of a session with this terminal, at the given descriptors.
    pub fn controls<'a>(self, start: Start<'a>, numbers: &[RawFd]) -> Start<'a> {
        let (slave, numbers) = (self.slave.as_raw_fd(), numbers.to_vec());
        start.step(move || {
            // Held for as long as the program may run.
            let _terminal = &self;
            lead(slave, &numbers)
        })
    }

    /// As [`Pty::controls`], of a terminal that the test goes on using.
    pub fn leads<'a>(&self, start: Start<'a>) -> Start<'a> {
        let slave = self.slave.as_raw_fd();
        start.step(move || lead(slave, &[0, 1, 2]))
    }

    /// Types.
    pub fn types(&self, text: &str) {
        (&self.master).write_all(text.as_bytes()).unwrap();
    }

    /// Reads the screen up to and including `text`, and returns what came since the last call.
    #[track_caller]
    pub fn shows(&self, text: &str) -> String {
        let start = Instant::now();
        let mut seen = self.seen.borrow_mut();
        loop {
            if let Some(at) = seen.windows(text.len()).position(|window| window == text.as_bytes()) {
                let rest = seen.split_off(at + text.len());
                return String::from_utf8_lossy(&std::mem::replace(&mut *seen, rest)).into_owned();
            }
            assert!(start.elapsed() < PATIENCE, "{text:?} does not come: {}", String::from_utf8_lossy(&seen));
            let mut ready = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
            if poll(&mut ready, PollTimeout::from(100_u8)).unwrap() == 0 {
                continue;
            }
            let mut bytes = [0; 4096];
            match (&self.master).read(&mut bytes) {
                Ok(count) => seen.extend_from_slice(&bytes[..count]),
                Err(error) => panic!("{text:?} did not come, {error}: {}", String::from_utf8_lossy(&seen)),
            }
        }
    }
}

fn lead(slave: RawFd, numbers: &[RawFd]) -> nix::Result<()> {
    nix::unistd::setsid()?;
    // SAFETY: the request has an int for argument, and makes the terminal ours (TIOCSCTTY(2const)).
    Errno::result(unsafe { libc::ioctl(slave, libc::TIOCSCTTY, 0) })?;
    for &number in numbers {
        // SAFETY: in the child, where nothing else uses this descriptor.
        Errno::result(unsafe { libc::dup2(slave, number) })?;
    }
    Ok(())
}
