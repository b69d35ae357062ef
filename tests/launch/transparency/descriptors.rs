//! Descriptors: their numbers, targets, flags and offsets. Most are in `states-linux.txt`. macOS keeps the same over `execve`.

use std::fs::File;
use std::os::fd::RawFd;

use nix::fcntl::OFlag;
use nix::unistd::pipe2;

use super::Twin;
use crate::support::pty::Pty;

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
fn a_directory_a_socket_and_a_fifo() {
    let twin = Twin::new();
    let directory = File::open(twin.sandbox.path("work")).unwrap();
    let (socket, _other) = std::os::unix::net::UnixStream::pair().unwrap();
    let (read, write) = pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).unwrap();
    twin.is_the_same(|start| start.open_at(3, &directory).open_at(4, &socket).open_at(5, &read).open_at(6, &write));
}

#[test]
fn standard_input_a_terminal_of_somebody_else() {
    let pty = Pty::new();
    let report = Twin::new().is_the_same(|start| start.open_at(0, &pty.slave));
    assert!(report.contains("fd 0: /dev/pts/"), "{report}");
}
