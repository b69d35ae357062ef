//! Signals: ignored all at once, pending, and an alarm. Those that a shell ignores or blocks are in `states-linux.txt`. macOS keeps the same over `execve` (its execve(2)).

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::getpid;

use super::Twin;

/// Does this mask of `/proc/self/status` hold the signal?
fn holds(report: &str, mask: &str, signal: Signal) -> bool {
    let line = report.lines().find_map(|line| line.strip_prefix(mask)?.strip_prefix(": "));
    u64::from_str_radix(line.unwrap(), 16).unwrap() & (1 << (signal as u32 - 1)) != 0
}

#[test]
fn every_signal_ignored_at_once() {
    Twin::new().is_the_same(|start| {
        let can_be = Signal::iterator().filter(|signal| !matches!(signal, Signal::SIGKILL | Signal::SIGSTOP));
        can_be.fold(start, |start, signal| start.ignored(signal))
    });
}

#[test]
fn signals_pending_for_the_process_and_for_the_thread_while_blocked() {
    let report = Twin::new().is_the_same(|start| {
        start.blocked(Signal::SIGTERM).blocked(Signal::SIGUSR1).step(|| {
            kill(getpid(), Signal::SIGTERM)?;
            // SAFETY: sends a blocked signal to this thread; no handler runs.
            Errno::result(unsafe { libc::raise(libc::SIGUSR1) }).map(drop)
        })
    });
    assert!(holds(&report, "ShdPnd", Signal::SIGTERM) && holds(&report, "SigPnd", Signal::SIGUSR1), "{report}");
}

#[test]
fn a_real_time_signal_pending_twice() {
    Twin::new().is_the_same(|start| {
        start.step(|| {
            // SAFETY: the set is ours; a blocked signal is queued, no handler runs.
            unsafe {
                let mut set: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&mut set);
                libc::sigaddset(&mut set, libc::SIGRTMIN() + 3);
                Errno::result(libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()))?;
                Errno::result(libc::kill(libc::getpid(), libc::SIGRTMIN() + 3))?;
                Errno::result(libc::kill(libc::getpid(), libc::SIGRTMIN() + 3)).map(drop)
            }
        })
    });
}

/// An alarm that was set before runs on.
#[test]
fn an_alarm_that_is_set() {
    let report = Twin::new().is_the_same(|start| {
        start.step(|| {
            nix::unistd::alarm::set(1000);
            Ok(())
        })
    });
    assert!(report.contains("an alarm is set: true\n"), "{report}");
}
