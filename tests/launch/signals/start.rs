//! X23: what happens between the start of hermes-exec and that of the command. The test is the debugger (ptrace(2)): it looks
//! at the process at each system call, and sends signals there.

use std::path::Path;

use nix::libc::{self, c_long};
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus};
use nix::unistd::Pid;

use super::plain;
use crate::support::start::{Ended, Start, example};
use crate::support::tracer::Held;
use crate::support::{BINARY, Sandbox};

/// Steps through a start of hermes-exec, from its first instruction to the `execve` of the command. `look` is called at the
/// entry of each system call, with its number. Returns what came of the command, or of the process when it ended before; and
/// how many calls there were.
fn step(start: &Start<'_>, argv: &[&str], mut look: impl FnMut(Pid, usize, c_long)) -> (Ended, usize) {
    let mut held = Held::new(start, Path::new(BINARY), argv);
    let mut calls = 0;
    while let Some(call) = held.next_call() {
        look(held.pid(), calls, call);
        calls += 1;
    }
    (held.release(), calls)
}

fn traced(sandbox: &Sandbox) -> Start<'_> {
    plain(sandbox).step(ptrace::traceme)
}

/// A sandbox in which hermes-exec has everything to do: a home to make, links, files to read.
fn busy() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.write("real/.claude.json", "{}");
    sandbox.write("real/.hermes/.env", "SOME_TOKEN=x\n");
    sandbox.write("real/.hermes/profiles/builder/config.yaml", "terminal:\n  env_passthrough: [A]\n");
    sandbox
}

/// One line of `/proc/<pid>/status`.
fn status(pid: Pid, fact: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    text.lines().find(|line| line.starts_with(fact)).unwrap().to_owned()
}

/// System calls that change the state of the process, or make another.
const CHANGES_STATE: [c_long; 12] = [
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_sigaltstack,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_kill,
    libc::SYS_tgkill,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_prctl,
    libc::SYS_umask,
    libc::SYS_dup3,
];

const BUILDER: [&str; 5] = ["hermes-exec", "-p", "builder", "--", "true"];

#[test]
fn no_signal_state_is_touched_and_no_process_or_thread_is_made() {
    let sandbox = busy();
    let start = traced(&sandbox).ignored(Signal::SIGUSR1).blocked(Signal::SIGUSR2);
    let facts = ["SigBlk", "SigIgn", "SigCgt", "Threads", "Umask", "NoNewPrivs", "Uid", "Gid", "CapEff"];
    let mut before = None;
    let mut forbidden = Vec::new();
    let (ended, calls) = step(&start, &BUILDER, |pid, _, call| {
        let now = facts.map(|fact| status(pid, fact));
        assert!(now[2].ends_with("0000000000000000"), "a handler is there: {now:?}");
        assert_eq!(before.get_or_insert_with(|| now.clone()), &now);
        forbidden.extend(CHANGES_STATE.contains(&call).then_some(call));
    });
    assert_eq!(ended.code(), 0, "{ended:?}");
    assert!(calls > 10, "the start was not looked at: {calls} calls");
    // The one that refuses dumps.
    assert_eq!(forbidden, [libc::SYS_prctl], "system calls that change the state of the process");
    assert!(sandbox.home().join(".claude.json").exists(), "hermes-exec had nothing to do");
}

/// With its default action a signal ends the process at whatever point it comes.
#[test]
fn a_deadly_signal_is_deadly_at_every_system_call() {
    let all = {
        let sandbox = busy();
        step(&traced(&sandbox), &BUILDER, |_, _, _| {}).1
    };
    let sandbox = busy();
    for at in (0..all / 2).step_by(3) {
        let start = traced(&sandbox);
        let (ended, _) = step(&start, &BUILDER, |pid, call, _| {
            if call == at {
                kill(pid, Signal::SIGUSR1).unwrap();
            }
        });
        assert_eq!(ended.status, WaitStatus::Signaled(ended.pid, Signal::SIGUSR1, false), "at call {at}");
    }
}

/// Ignored signals stay without effect at every point, no call is interrupted for good, and the blocked one is pending when
/// the command starts.
#[test]
fn a_burst_of_signals_changes_nothing() {
    let sandbox = busy();
    let report = sandbox.path("report");
    let probe = example("probe");
    let start = traced(&sandbox).ignored(Signal::SIGUSR1).blocked(Signal::SIGUSR2);
    let argv = ["hermes-exec", "-p", "builder", "--", probe.to_str().unwrap(), "report", report.to_str().unwrap()];
    let (ended, calls) = step(&start, &argv, |pid, _, _| {
        for signal in
            [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGWINCH, Signal::SIGCHLD, Signal::SIGCONT, Signal::SIGURG]
        {
            kill(pid, signal).unwrap();
        }
    });
    assert!(calls > 10 && ended.err.is_empty(), "{ended:?}");
    assert_eq!(ended.code(), 0, "{ended:?}");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("SigCgt: 0000000000000000\n"), "{report}");
    let pending = report.lines().find_map(|line| line.strip_prefix("ShdPnd: ")).unwrap();
    assert_eq!(u64::from_str_radix(pending, 16).unwrap(), 1 << (Signal::SIGUSR2 as u32 - 1), "{report}");
}

/// Without a debugger: signals as fast as they can be sent, from the first moment on.
#[test]
fn a_burst_without_a_debugger() {
    let sandbox = busy();
    let probe = example("probe");
    let start = plain(&sandbox).ignored(Signal::SIGUSR1);
    for _ in 0..20 {
        let argv = ["hermes-exec", "-p", "builder", "--", probe.to_str().unwrap(), "await"];
        let child = start.spawn(Path::new(BINARY), argv).unwrap();
        for _ in 0..500 {
            child.signal(Signal::SIGUSR1);
            child.signal(Signal::SIGCONT);
        }
        child.signal(Signal::SIGKILL);
        let ended = child.ended();
        assert_eq!(ended.status, WaitStatus::Signaled(ended.pid, Signal::SIGKILL, false));
        assert_eq!(ended.err, "");
    }
    let child = start.spawn(Path::new(BINARY), ["hermes-exec", "-p", "builder", "--", "sh", "-c", "exit 5"]).unwrap();
    // As long as it is not waited for, its pid is nobody else's.
    for _ in 0..5000 {
        child.signal(Signal::SIGUSR1);
    }
    assert_eq!(child.ended().code(), 5);
}

/// Stopped and continued in the middle, as by Ctrl-Z before the command has started.
#[test]
fn stopped_and_continued_before_the_command_has_started() {
    let sandbox = busy();
    let start = plain(&sandbox);
    let mut child =
        start.spawn(Path::new(BINARY), ["hermes-exec", "-p", "builder", "--", "sh", "-c", "exit 5"]).unwrap();
    let pid = child.pid;
    child.signal(Signal::SIGTSTP);
    // The command is so short that it can be over already.
    let status = match child.change(WaitPidFlag::WUNTRACED) {
        WaitStatus::Stopped(_, signal) => {
            assert_eq!(signal, Signal::SIGTSTP);
            child.signal(Signal::SIGCONT);
            child.ended().status
        }
        status => status,
    };
    assert_eq!(status, WaitStatus::Exited(pid, 5));
}
