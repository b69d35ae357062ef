//! Starts a program in a state that no shell and no [`std::process::Command`] can make: an environment block of any bytes,
//! signals blocked and pending, descriptors closed, a terminal of its own. Before `execve` the child first takes on a plain
//! state that owes nothing to the test process, then does the steps that were asked for, in their order.

use std::ffi::{CString, OsStr, c_char};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, pipe};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid};

/// How long a program of a test may take before the test counts as hung. Nothing depends on how fast it is.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// One thing that the child does before it executes the program.
type Step<'a> = Box<dyn Fn() -> nix::Result<()> + 'a>;

/// A start to be made, more than once if wanted.
pub struct Start<'a> {
    block: Vec<CString>,
    dir: PathBuf,
    steps: Vec<Step<'a>>,
    out: File,
    err: File,
}

impl<'a> Start<'a> {
    /// Starts in `dir` with an empty block. Descriptor 0 is `/dev/null`, 1 and 2 are files that are read in the end.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        let file = || tempfile::tempfile_in(super::room()).unwrap();
        Self::with_outputs(dir, file(), file())
    }

    /// The same with other descriptors 1 and 2.
    pub fn with_outputs(dir: impl Into<PathBuf>, out: impl Into<OwnedFd>, err: impl Into<OwnedFd>) -> Self {
        let (out, err) = (out.into().into(), err.into().into());
        Self { block: Vec::new(), dir: dir.into(), steps: Vec::new(), out, err }
    }

    /// The environment block, entry by entry.
    pub fn block(mut self, entries: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        self.block = entries.into_iter().map(|entry| c_string(entry.as_ref())).collect();
        self
    }

    /// Writes standard output and standard error to these files.
    pub fn outputs(mut self, out: &File, err: &File) -> Self {
        (self.out, self.err) = (out.try_clone().unwrap(), err.try_clone().unwrap());
        self
    }

    /// Another working directory.
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = dir.into();
        self
    }

    /// Does something in the child. It must not panic, nor take a lock.
    pub fn step(mut self, step: impl Fn() -> nix::Result<()> + 'a) -> Self {
        self.steps.push(Box::new(step));
        self
    }

    /// Ignores a signal.
    pub fn ignored(self, signal: Signal) -> Self {
        self.step(move || {
            // SAFETY: to ignore a signal runs no code.
            unsafe { nix::sys::signal::signal(signal, SigHandler::SigIgn) }.map(drop)
        })
    }

    /// Blocks a signal.
    pub fn blocked(self, signal: Signal) -> Self {
        self.step(move || {
            let set: SigSet = [signal].into_iter().collect();
            sigprocmask(SigmaskHow::SIG_BLOCK, Some(&set), None)
        })
    }

    /// Closes a descriptor.
    pub fn closed(self, number: RawFd) -> Self {
        // SAFETY: in the child, where nothing that runs before `execve` uses it.
        self.step(move || Errno::result(unsafe { libc::close(number) }).map(drop))
    }

    /// Makes descriptor `number` this open file. The file must stay open until the start.
    pub fn open_at(self, number: RawFd, file: &impl AsRawFd) -> Self {
        // Held far above the numbers that tests ask for: the file itself may stand at one of them, closed by `execve`.
        // SAFETY: makes a new descriptor, which nobody else owns.
        let held = unsafe {
            let held = Errno::result(libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 500)).unwrap();
            OwnedFd::from_raw_fd(held)
        };
        self.with_file(number, held)
    }

    /// As [`Start::open_at`], of a file that the start keeps open.
    pub fn with_file(self, number: RawFd, file: impl Into<OwnedFd>) -> Self {
        let file = file.into();
        // SAFETY: as above.
        self.step(move || Errno::result(unsafe { libc::dup2(file.as_raw_fd(), number) }).map(drop))
    }

    /// Becomes this uid and gid, without other groups.
    pub fn uid(self, uid: u32) -> Self {
        self.groups(&[]).step(move || become_user(uid))
    }

    /// Has these groups beside its own.
    pub fn groups(self, groups: &[u32]) -> Self {
        let groups = groups.to_vec();
        self.step(move || set_groups(&groups))
    }

    /// Starts the program with these arguments, its own name the first of them.
    ///
    /// # Errors
    /// That of `execve` or of a step.
    pub fn spawn(
        &self,
        program: &Path,
        argv: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<Child<'_, 'a>, Errno> {
        let program = c_string(program.as_os_str().as_bytes());
        let argv: Vec<CString> = argv.into_iter().map(|arg| c_string(arg.as_ref().as_bytes())).collect();
        let (argv, block) = (pointers(&argv), pointers(&self.block));
        let (mut told, tell) = pipe().unwrap();
        let start = super::STARTS.read().unwrap_or_else(PoisonError::into_inner);
        let pid = start_process(&mut || {
            // Out of the way of the descriptors that a test asks for; closed by `execve`, which tells the parent.
            let tell = fcntl(&tell, FcntlArg::F_DUPFD_CLOEXEC(200)).unwrap_or(-1);
            let prepared = catch_unwind(AssertUnwindSafe(|| self.prepare())).unwrap_or(Err(Errno::ECANCELED));
            let errno = prepared.err().unwrap_or_else(|| {
                // SAFETY: the parent keeps what the pointers lead to until it is told.
                unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), block.as_ptr()) };
                Errno::last()
            });
            let number = (errno as i32).to_ne_bytes();
            // SAFETY: the bytes are ours; the process ends without running anything else of the test.
            unsafe {
                libc::write(tell, number.as_ptr().cast(), number.len());
                libc::_exit(99)
            }
        })?;
        drop(tell);
        let mut errno = Vec::new();
        told.read_to_end(&mut errno).unwrap();
        drop(start);
        let child = Child { start: self, pid, ended: false };
        match <[u8; 4]>::try_from(errno) {
            Ok(errno) => Err(Errno::from_raw(i32::from_ne_bytes(errno))),
            Err(_) => Ok(child),
        }
    }

    /// Starts the program, waits for its end, and returns how it ended and what it wrote.
    #[track_caller]
    pub fn run(&self, program: &Path, argv: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ended {
        match self.spawn(program, argv) {
            Ok(child) => child.ended(),
            Err(errno) => panic!("{}: {errno}", program.display()),
        }
    }

    /// What the child does before it executes the program.
    fn prepare(&self) -> nix::Result<()> {
        for signal in Signal::iterator() {
            // SAFETY: the default action is no code of ours. It cannot be set for SIGKILL and SIGSTOP, nor need be.
            let _ = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
        }
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
        nix::unistd::chdir(&self.dir)?;
        // Closed by `execve`, not here: one of the steps may put a file at its number.
        let null = File::open("/dev/null").map_err(|_| Errno::ENXIO)?.into_raw_fd();
        for (number, file) in [null, self.out.as_raw_fd(), self.err.as_raw_fd()].into_iter().enumerate() {
            // SAFETY: in the child, where nothing else uses descriptors 0 to 2.
            Errno::result(unsafe { libc::dup2(file, number as RawFd) })?;
        }
        // Whatever the test command was started with stays behind.
        // SAFETY: marks descriptors only (close_range(2)).
        #[cfg(target_os = "linux")]
        Errno::result(unsafe {
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
        })?;
        self.steps.iter().try_for_each(|step| step())
    }
}

/// A child that does this and ends. Until it executes a program it has the memory of the test, and the calling thread waits:
/// as posix_spawn(3) does it, since to copy the page tables of this process takes longer than many a program runs.
#[cfg(target_os = "linux")]
fn start_process(child: &mut dyn FnMut() -> isize) -> nix::Result<Pid> {
    use nix::sched::{CloneFlags, clone};
    let flags = CloneFlags::CLONE_VM | CloneFlags::CLONE_VFORK;
    // SAFETY: the thread waits, so all that is borrowed lives; the child makes system calls and small allocations.
    unsafe { clone(Box::new(child), &mut vec![0; 256 << 10], flags, Some(libc::SIGCHLD)) }
}

#[cfg(not(target_os = "linux"))]
fn start_process(child: &mut dyn FnMut() -> isize) -> nix::Result<Pid> {
    use nix::unistd::{ForkResult, fork};
    // SAFETY: the child makes system calls and small allocations, which the C library allows after a fork with threads.
    match unsafe { fork() }? {
        ForkResult::Child => std::process::exit(child() as i32),
        ForkResult::Parent { child } => Ok(child),
    }
}

/// In the child the C library would change the identity of every thread of the test; the kernel changes that of the caller.
#[cfg(target_os = "linux")]
fn become_user(uid: u32) -> nix::Result<()> {
    // SAFETY: takes numbers only (setresgid(2), setresuid(2)).
    let become_id = |call| Errno::result(unsafe { libc::syscall(call, uid, uid, uid) });
    become_id(libc::SYS_setresgid)?;
    become_id(libc::SYS_setresuid).map(drop)
}

#[cfg(target_os = "linux")]
fn set_groups(groups: &[u32]) -> nix::Result<()> {
    // SAFETY: reads as many numbers as it is told of (setgroups(2)).
    Errno::result(unsafe { libc::syscall(libc::SYS_setgroups, groups.len(), groups.as_ptr()) }).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn become_user(uid: u32) -> nix::Result<()> {
    nix::unistd::setgid(uid.into())?;
    nix::unistd::setuid(uid.into())
}

#[cfg(not(target_os = "linux"))]
fn set_groups(groups: &[u32]) -> nix::Result<()> {
    // SAFETY: reads as many numbers as it is told of (setgroups(2)).
    Errno::result(unsafe { libc::setgroups(groups.len() as _, groups.as_ptr()) }).map(drop)
}

/// A program that runs. It is killed when the test gives it up.
pub struct Child<'s, 'a> {
    start: &'s Start<'a>,
    /// Its process id.
    pub pid: Pid,
    ended: bool,
}

impl Child<'_, '_> {
    /// Its process id, for somebody else to wait for its end.
    pub fn left_alone(mut self) -> Pid {
        self.ended = true;
        self.pid
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid, signal).unwrap();
    }

    /// Waits for a change that `flags` ask for.
    ///
    /// # Panics
    /// When it does not come.
    #[track_caller]
    pub fn change(&mut self, flags: WaitPidFlag) -> WaitStatus {
        let start = Instant::now();
        let mut pause = Duration::from_micros(100);
        loop {
            match waitpid(self.pid, Some(flags | WaitPidFlag::WNOHANG)).unwrap() {
                WaitStatus::StillAlive => {}
                status @ (WaitStatus::Exited(..) | WaitStatus::Signaled(..)) => {
                    self.ended = true;
                    return status;
                }
                status => return status,
            }
            assert!(start.elapsed() < PATIENCE, "the program hangs: {}", self.written().1);
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(Duration::from_millis(5));
        }
    }

    /// Waits for its end.
    #[track_caller]
    pub fn ended(mut self) -> Ended {
        let status = self.change(WaitPidFlag::empty());
        self.ended_with(status)
    }

    /// What came of it, when its end was seen already.
    pub fn ended_with(mut self, status: WaitStatus) -> Ended {
        self.ended = true;
        let (out, err) = self.written();
        Ended { pid: self.pid, status, out, err }
    }

    /// Waits until it has written this to standard output.
    #[track_caller]
    pub fn has_written(&self, text: &str) {
        let start = Instant::now();
        while !String::from_utf8_lossy(&self.written().0).contains(text) {
            assert!(start.elapsed() < PATIENCE, "{text:?} does not come: {:?}", self.written());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn written(&self) -> (Vec<u8>, String) {
        let err = contents(&self.start.err);
        (contents(&self.start.out), String::from_utf8(err).expect("our messages are UTF-8"))
    }
}

impl Drop for Child<'_, '_> {
    fn drop(&mut self) {
        if !self.ended {
            let _ = kill(self.pid, Signal::SIGKILL);
            let _ = waitpid(self.pid, None);
        }
    }
}

/// What came of a start.
#[derive(Debug)]
pub struct Ended {
    /// The process id that it had.
    pub pid: Pid,
    /// As the waiting parent sees it.
    pub status: WaitStatus,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: String,
}

impl Ended {
    /// The exit status.
    #[track_caller]
    pub fn code(&self) -> i32 {
        match self.status {
            WaitStatus::Exited(_, code) => code,
            _ => panic!("no exit: {self:?}"),
        }
    }
}

/// The whole file; the offset, which the child shares, is read past and put back.
fn contents(file: &File) -> Vec<u8> {
    use std::os::unix::fs::FileExt;
    let length = file.metadata().unwrap().len();
    let mut bytes = vec![0; usize::try_from(length).unwrap()];
    file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

/// Empties a file that is used again.
pub fn emptied(mut file: &File) {
    file.set_len(0).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
}

/// A program that cargo built beside the tests, from the `[[example]]` of that name. Cargo leaves examples as they are when
/// it is asked for tests by name.
pub fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let made = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    let changed = ["", "linux"].map(|dir| made(&sources.join(dir).join(name).with_extension("rs")));
    assert!(
        made(&path) >= changed.into_iter().max().flatten(),
        "{} is missing or old: run `cargo build --examples`",
        path.display()
    );
    path
}

/// The test process itself, the caller of every program it starts.
pub fn caller() -> Pid {
    getpid()
}

/// What `execve` takes: a pointer for each text, and a null pointer.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([null()]).collect()
}

fn c_string(bytes: &[u8]) -> CString {
    CString::new(bytes).expect("no NUL byte in an argument or entry")
}
