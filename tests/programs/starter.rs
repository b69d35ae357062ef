//! A program for the tests that starts another again and again, as a shell does, and tells what each start came to.
//! `starter NUMBER PROGRAM [ARG]...` prints a line each: the exit status, and the most memory that the process held at any
//! time, in pages of 1 KiB. That figure begins with what the starting process holds, so this one is small on purpose.
//! `starter` alone is a command to start: it fails when it was handed more than three descriptors, or a secret.
#![allow(missing_docs, clippy::unwrap_used)]

use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::{ForkResult, execv, fork};

fn main() -> ExitCode {
    let mut args: Vec<CString> = std::env::args_os().map(|arg| CString::new(arg.into_vec()).unwrap()).collect();
    if args.len() == 1 {
        return check();
    }
    // What the test command was started with stays behind.
    // SAFETY: marks descriptors only (close_range(2)).
    #[cfg(target_os = "linux")]
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
    let argv = args.split_off(2);
    let number: usize = args[1].to_str().unwrap().parse().unwrap();
    for _ in 0..number {
        let (status, memory) = start(&argv);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{status} {memory}").and_then(|()| out.flush()).unwrap();
    }
    ExitCode::SUCCESS
}

fn start(argv: &[CString]) -> (i32, libc::c_long) {
    // SAFETY: this process has one thread.
    let child = match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let _ = execv(&argv[0], argv);
            // SAFETY: ends the process and nothing else.
            unsafe { libc::_exit(111) }
        }
        ForkResult::Parent { child } => child,
    };
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both places are ours and of the right type (wait4(2)).
    Errno::result(unsafe { libc::wait4(child.as_raw(), &mut status, 0, usage.as_mut_ptr()) }).unwrap();
    // SAFETY: all zero is a valid `rusage`, and wait4 has filled it.
    let usage = unsafe { usage.assume_init() };
    let status = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) };
    (status, usage.ru_maxrss)
}

fn check() -> ExitCode {
    // The fourth is that of the directory itself.
    if fs::read_dir("/proc/self/fd").unwrap().count() != 4 {
        return ExitCode::from(98);
    }
    let secret = std::env::vars_os().any(|(_, value)| value.to_string_lossy().contains("canary"));
    if secret { ExitCode::from(97) } else { ExitCode::SUCCESS }
}
