//! The test as a debugger (ptrace(2)): a program is held at the entry of each of its system calls, where the test does what
//! another process could do just then, lets the call fail, or ends the program.

use std::ffi::OsStr;
use std::path::Path;

use nix::libc::{self, c_long};
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::start::{Child, Ended, Start};

/// A program that is held at the entry of a system call, or at its start.
pub struct Held<'s, 'a> {
    child: Child<'s, 'a>,
    /// How it ended, or that it has executed the next program.
    over: Option<WaitStatus>,
}

impl<'s, 'a> Held<'s, 'a> {
    /// The start must have [`ptrace::traceme`] as its first step.
    #[track_caller]
    pub fn new(start: &'s Start<'a>, program: &Path, argv: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let child = start.spawn(program, argv).unwrap();
        let pid = child.pid;
        let first = waitpid(pid, None).unwrap();
        assert_eq!(first, WaitStatus::Stopped(pid, Signal::SIGTRAP), "it stops after its execve");
        let all = [Options::PTRACE_O_TRACESYSGOOD, Options::PTRACE_O_TRACEEXEC, Options::PTRACE_O_EXITKILL];
        ptrace::setoptions(pid, all.into_iter().collect()).unwrap();
        Self { child, over: None }
    }

    pub fn pid(&self) -> Pid {
        self.child.pid
    }

    /// Goes on to the next entry of a system call. Returns its number; none when the program has ended, or has executed
    /// another.
    #[track_caller]
    pub fn next_call(&mut self) -> Option<c_long> {
        let mut pass_on = None;
        loop {
            match self.go_on(pass_on.take()) {
                WaitStatus::PtraceSyscall(pid) => {
                    let info = ptrace::syscall_info(pid).unwrap();
                    if info.op == libc::PTRACE_SYSCALL_INFO_ENTRY {
                        // SAFETY: the kernel has filled the part of the union that `op` names (PTRACE_GET_SYSCALL_INFO).
                        return c_long::try_from(unsafe { info.u.entry.nr }).ok();
                    }
                }
                WaitStatus::Stopped(_, signal) => pass_on = Some(signal),
                status => {
                    self.over = Some(status);
                    return None;
                }
            }
        }
    }

    #[track_caller]
    fn go_on(&mut self, signal: Option<Signal>) -> WaitStatus {
        ptrace::syscall(self.child.pid, signal).unwrap();
        waitpid(self.child.pid, None).unwrap()
    }

    /// The call at whose entry the program is held is not made, and returns this error.
    #[cfg(target_arch = "x86_64")]
    #[track_caller]
    pub fn fail(&mut self, errno: nix::errno::Errno) {
        let pid = self.child.pid;
        let mut registers = ptrace::getregs(pid).unwrap();
        // No system call has this number (syscall_set_nr in the kernel's sources).
        registers.orig_rax = u64::MAX;
        ptrace::setregs(pid, registers).unwrap();
        let left = self.go_on(None);
        assert_eq!(left, WaitStatus::PtraceSyscall(pid), "the exit of the call that was not made");
        registers.rax = (-i64::from(errno as i32)).cast_unsigned();
        ptrace::setregs(pid, registers).unwrap();
    }

    /// Ends the program where it is.
    pub fn kill(self) {
        drop(self.child);
    }

    /// Kills the program where it is; [`Held::release`] sees its end.
    #[track_caller]
    pub fn end(&mut self) {
        self.child.signal(Signal::SIGKILL);
        self.over = Some(waitpid(self.child.pid, None).unwrap());
    }

    /// Lets it go, and waits for its end, or that of the program that it has executed.
    #[track_caller]
    pub fn release(self) -> Ended {
        self.release_with(None)
    }

    /// The same, with a signal that arrives then.
    #[track_caller]
    pub fn release_with(mut self, signal: Option<Signal>) -> Ended {
        match self.over.take() {
            Some(status @ (WaitStatus::Exited(..) | WaitStatus::Signaled(..))) => self.child.ended_with(status),
            _ => {
                ptrace::detach(self.child.pid, signal).unwrap();
                self.child.ended()
            }
        }
    }
}
