//! Signals and the terminal. hermes-exec is gone when the command runs, so every signal to the pid is the command's,
//! and the waiting parent sees the command's own end. Before that no handler of ours is ever there.

// It traces, which nix knows for glibc.
#[cfg(target_env = "gnu")]
mod start;
mod terminal;

use std::path::Path;

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;

use crate::support::start::{Child, PATIENCE, Start, example};
use crate::support::{BINARY, Sandbox};

/// The signals that people and supervisors send.
const SENT: [Signal; 5] = [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGUSR1];

/// A plain start that writes no core file.
fn plain(sandbox: &Sandbox) -> Start<'_> {
    let block = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".into(), "OPENAI_API_KEY=x".into()];
    Start::new(sandbox.path("work")).block(block).step(|| setrlimit(Resource::RLIMIT_CORE, 0, 0))
}

/// Waits until the process executes the program of this name.
#[track_caller]
fn runs(child: &Child<'_, '_>, name: &str) {
    let start = std::time::Instant::now();
    let comm = || std::fs::read_to_string(format!("/proc/{}/comm", child.pid)).unwrap_or_default();
    while comm().trim_end() != name {
        assert!(start.elapsed() < PATIENCE, "{name} is not started");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// X05: forwarded twice, swallowed or orphaned: none of that without a process in between.
#[test]
fn a_signal_to_the_pid_reaches_the_command() {
    let sandbox = Sandbox::with_builder();
    let probe = example("probe");
    let start = plain(&sandbox);
    let child = start
        .spawn(Path::new(BINARY), ["hermes-exec", "-p", "builder", "--", probe.to_str().unwrap(), "await"])
        .unwrap();
    child.has_written("ready\n");
    let mut expected = String::from("ready\n");
    for signal in SENT.into_iter().filter(|&signal| signal != Signal::SIGTERM).chain([Signal::SIGTERM]) {
        child.signal(signal);
        expected.push_str(&format!("{signal}\n"));
        child.has_written(&expected);
    }
    let ended = child.ended();
    assert_eq!(ended.code(), 43, "the status of a program that cleans up: {ended:?}");
    assert_eq!(String::from_utf8(ended.out).unwrap(), expected, "each signal arrives once");
}

/// X06: not an exit status of 128 and more.
#[test]
fn the_waiting_parent_sees_death_by_signal() {
    let sandbox = Sandbox::with_builder();
    for signal in SENT.into_iter().chain([Signal::SIGKILL, Signal::SIGPIPE, Signal::SIGALRM, Signal::SIGSEGV]) {
        let start = plain(&sandbox);
        let child = start.spawn(Path::new(BINARY), ["hermes-exec", "-p", "builder", "sleep", "1000"]).unwrap();
        runs(&child, "sleep");
        let pid = child.pid;
        child.signal(signal);
        assert_eq!(child.ended().status, WaitStatus::Signaled(pid, signal, false));
        let left = std::fs::exists(format!("/proc/{pid}")).unwrap();
        assert!(!left, "something is left of {pid}");
    }
}
