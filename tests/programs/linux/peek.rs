//! A program for the tests that tries every way into another process: `peek PID...` prints, for each process and each way, a
//! line with `open` or the error. The environment counts as open only where the planted key stands in it.
//! `peek rename FROM TO` and `peek exchange ONE OTHER` are rename(2), which mv(1) would follow by copying, and
//! `RENAME_EXCHANGE`; they print `done` or the error.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::RawFd;

use nix::errno::Errno;
use nix::libc::{self, c_long, c_void};

pub fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let flags = match args.first().map(String::as_str) {
        Some("rename") => 0,
        Some("exchange") => libc::RENAME_EXCHANGE,
        _ => return peek(&args),
    };
    let [from, to] = [1, 2].map(|at| CString::new(args[at].as_str()).expect("an argument holds no NUL"));
    let here = libc::AT_FDCWD;
    // SAFETY: both names end with NUL; not every C library has a function for it (renameat2(2)).
    let result = unsafe { libc::syscall(libc::SYS_renameat2, here, from.as_ptr(), here, to.as_ptr(), flags) };
    match Errno::result(result) {
        Ok(_) => println!("done"),
        Err(errno) => println!("{errno:?}"),
    }
}

fn peek(pids: &[String]) {
    for pid in pids {
        let Ok(number) = pid.parse::<libc::pid_t>() else { panic!("{pid} is no process id") };
        let entry = |name: &str| format!("/proc/{pid}/{name}");
        say(pid, "environ", environ(&entry("environ")));
        say(pid, "maps", fs::read(entry("maps")).map(drop));
        say(pid, "mem", fs::File::open(entry("mem")).map(drop));
        say(pid, "cwd", fs::read_link(entry("cwd")).map(drop));
        say(pid, "root", fs::metadata(entry("root/etc")).map(drop));
        say(pid, "exe", fs::read_link(entry("exe")).map(drop));
        say(pid, "fd", fs::read_dir(entry("fd")).and_then(|_| fs::read_link(entry("fd/0"))).map(drop));
        say(pid, "process_vm_readv", memory(number));
        say(pid, "pidfd_getfd", descriptor(number));
        say(pid, "ptrace", trace(number));
    }
}

fn say(pid: &str, way: &str, result: io::Result<()>) {
    match result {
        Ok(()) => println!("{pid} {way}: open"),
        Err(error) => println!("{pid} {way}: {:?}", Errno::from_raw(error.raw_os_error().unwrap_or_default())),
    }
}

fn environ(path: &str) -> io::Result<()> {
    let block = fs::read(path)?;
    let holds_key = block.split(|&byte| byte == 0).any(|entry| entry.starts_with(b"ANTHROPIC_API_KEY="));
    if holds_key { Ok(()) } else { Err(Errno::ENODATA.into()) }
}

/// Asks for an address at which nothing is: what is allowed fails with EFAULT.
fn memory(pid: libc::pid_t) -> io::Result<()> {
    let mut byte = [0_u8];
    let local = libc::iovec { iov_base: byte.as_mut_ptr().cast::<c_void>(), iov_len: 1 };
    let remote = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 1 };
    // SAFETY: one byte of ours is written at most.
    let read = unsafe { libc::process_vm_readv(pid, &local, 1, &remote, 1, 0) };
    match Errno::result(read) {
        Ok(_) | Err(Errno::EFAULT) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

fn descriptor(pid: libc::pid_t) -> io::Result<()> {
    // SAFETY: opens a descriptor, or fails (pidfd_open(2)).
    let process = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    // SAFETY: as above (pidfd_getfd(2)).
    let copied: c_long = unsafe { libc::syscall(libc::SYS_pidfd_getfd, process as RawFd, 0, 0) };
    Ok(Errno::result(copied).map(drop)?)
}

/// Attaches without stopping the process. It is let go when this one ends.
fn trace(pid: libc::pid_t) -> io::Result<()> {
    let none = std::ptr::null_mut::<c_void>();
    // SAFETY: this request reads and writes no memory of ours (ptrace(2), PTRACE_SEIZE).
    Ok(Errno::result(unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, none, none) }).map(drop)?)
}
