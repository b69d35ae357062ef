//! Descriptors: their numbers, targets, flags and offsets. macOS keeps the same over `execve`.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, RawFd};

use nix::fcntl::{Flock, FlockArg, OFlag};
use nix::libc;
use nix::unistd::pipe2;

use super::Twin;
use crate::support::pty::Pty;
use crate::support::start::Start;

/// The numbers of the descriptors that a report lists.
fn open(report: &str) -> Vec<RawFd> {
    let numbers = report.lines().filter_map(|line| line.strip_prefix("fd ")?.split_once(':')?.0.parse().ok());
    let mut numbers: Vec<_> = numbers.collect();
    numbers.dedup();
    numbers
}

/// X19: a leaked descriptor, or one whose number has moved, breaks socket activation.
#[test]
fn descriptors_3_and_7_open() {
    let twin = Twin::new();
    let [three, seven] = [3, 7].map(|number| File::open(twin.sandbox.write(format!("file{number}"), "text")).unwrap());
    let report = twin.is_the_same(|start| start.open_at(3, &three).open_at(7, &seven));
    assert_eq!(open(&report), [0, 1, 2, 3, 7]);
}

#[test]
fn a_descriptor_open_for_appending_with_its_offset_and_lock() {
    let twin = Twin::new();
    let mut file = File::options().append(true).open(twin.sandbox.write("log", "text")).unwrap();
    file.write_all(b" and more").unwrap();
    let file = Flock::lock(file, FlockArg::LockExclusive).unwrap();
    let report = twin.is_the_same(|start| start.open_at(3, &*file));
    assert!(report.contains("fd 3: pos: 13\n") && report.contains("fd 3: lock: 1: FLOCK"), "{report}");
}

#[test]
fn a_descriptor_of_a_high_number() {
    let twin = Twin::new();
    let file = File::open(twin.sandbox.write("file", "")).unwrap();
    let report = twin.is_the_same(|start| start.open_at(150, &file));
    assert_eq!(open(&report), [0, 1, 2, 150]);
}

#[test]
fn a_directory_a_socket_and_a_fifo() {
    let twin = Twin::new();
    let directory = File::open(twin.sandbox.path("work")).unwrap();
    let (socket, _other) = std::os::unix::net::UnixStream::pair().unwrap();
    let (read, write) = pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).unwrap();
    twin.is_the_same(|start| start.open_at(3, &directory).open_at(4, &socket).open_at(5, &read).open_at(6, &write));
}

#[test]
fn standard_descriptors_closed() {
    for (closed, left) in [(&[0][..], &[1, 2][..]), (&[1], &[0, 2]), (&[2], &[0, 1]), (&[0, 1, 2], &[])] {
        let close = |start| closed.iter().fold(start, |start: Start<'_>, &number| start.closed(number));
        assert_eq!(open(&Twin::new().is_the_same(close)), left);
    }
}

/// What the first open of ours gets is then a number that a shell would use for output.
#[test]
fn descriptors_0_to_2_closed_and_3_open() {
    let twin = Twin::new();
    let file = File::open(twin.sandbox.write("file", "")).unwrap();
    assert_eq!(open(&twin.is_the_same(|start| start.open_at(3, &file).closed(0).closed(1).closed(2))), [3]);
}

#[test]
fn standard_input_a_pipe() {
    let (read, mut write) = std::io::pipe().unwrap();
    write.write_all(b"not to be read").unwrap();
    let report = Twin::new().is_the_same(|start| start.open_at(0, &read));
    assert!(report.contains("fd 0: pipe:["), "{report}");
    let mut waiting = 0;
    // SAFETY: FIONREAD writes an int, and gets one of ours.
    nix::errno::Errno::result(unsafe { libc::ioctl(read.as_raw_fd(), libc::FIONREAD, &mut waiting) }).unwrap();
    assert_eq!(waiting, 14, "something was read");
}

#[test]
fn standard_input_a_file() {
    let twin = Twin::new();
    let mut file = File::open(twin.sandbox.write("input", "0123456789")).unwrap();
    file.seek(SeekFrom::Start(4)).unwrap();
    let report = twin.is_the_same(|start| start.open_at(0, &file));
    assert!(report.contains("fd 0: pos: 4\n"), "{report}");
}

#[test]
fn standard_input_a_terminal_of_somebody_else() {
    let pty = Pty::new();
    let report = Twin::new().is_the_same(|start| start.open_at(0, &pty.slave));
    assert!(report.contains("fd 0: /dev/pts/"), "{report}");
}

/// Without a reader and with SIGPIPE at its default a single byte of ours would be the end.
#[test]
fn outputs_a_pipe_that_nobody_reads() {
    let twin = Twin::new();
    let (read, write) = pipe2(OFlag::O_CLOEXEC).unwrap();
    drop(read);
    twin.is_the_same(|start| start.open_at(1, &write).open_at(2, &write));
}

#[test]
fn outputs_a_full_device() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    Twin::new().is_the_same(|start| start.open_at(1, &full).open_at(2, &full));
}

#[test]
fn the_limit_of_descriptors_close_to_what_is_open() {
    let twin = Twin::new();
    let limit = nix::sys::resource::Resource::RLIMIT_NOFILE;
    twin.is_the_same(|start| start.step(move || nix::sys::resource::setrlimit(limit, 6, 6)));
}
