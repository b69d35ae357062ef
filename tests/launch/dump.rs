//! What can be read of hermes-exec itself while it runs: its block holds every credential that it takes out.

use std::fs;
use std::path::Path;
use std::process::Command;

use nix::sys::ptrace::{self, Options};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus};

use crate::support::start::{Child, Start};
use crate::support::{CANARY, Sandbox, spawn};

/// A user without passwd entry.
const USER: u32 = 10301;

/// A sandbox of the user's, and a start with a credential in its block that may leave a core behind.
fn scene(sandbox: &Sandbox) -> Start<'static> {
    sandbox.chown_all(USER);
    let block =
        [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".into(), format!("OPENAI_API_KEY={CANARY}")];
    let unlimited = nix::sys::resource::RLIM_INFINITY;
    Start::new(sandbox.path("work"))
        .block(block)
        .step(move || setrlimit(Resource::RLIMIT_CORE, unlimited, unlimited))
        .uid(USER)
}

/// Goes on until `found` says that the child is where it is wanted; it stands in a system call then.
fn step_until(child: &mut Child<'_, '_>, found: impl Fn(&Path) -> bool) {
    let pid = child.pid;
    assert_eq!(child.change(WaitPidFlag::empty()), WaitStatus::Stopped(pid, Signal::SIGTRAP), "stops after its execve");
    ptrace::setoptions(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_EXITKILL).unwrap();
    loop {
        ptrace::syscall(pid, None).unwrap();
        assert_eq!(child.change(WaitPidFlag::empty()), WaitStatus::PtraceSyscall(pid), "the place was not reached");
        if found(format!("/proc/{pid}").as_ref()) {
            return;
        }
    }
}

/// Reads the file of a process as the user.
fn read_as_the_user(path: &Path) -> bool {
    use std::os::unix::process::CommandExt;
    let mut cat = Command::new("cat");
    let mut child = spawn(
        cat.arg(path).uid(USER).gid(USER).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()),
    );
    child.wait().unwrap().success()
}

/// Is it about to open Hermes' files?
fn opens(process: &Path) -> bool {
    let call = fs::read_to_string(process.join("syscall")).unwrap_or_default();
    // A call that names a file: the first thing that a start does with the outside.
    let number = call.split(' ').next().and_then(|number| number.parse::<i64>().ok());
    [nix::libc::SYS_statx, nix::libc::SYS_newfstatat, nix::libc::SYS_openat].map(Some).contains(&number)
}

#[test]
fn w52_its_environment_cannot_be_read_by_the_same_user() {
    let sandbox = Sandbox::with_builder();
    let binary = sandbox.copied_binary();
    let start = scene(&sandbox).step(ptrace::traceme);
    let mut child = start.spawn(&binary, ["hermes-exec", "-p", "builder", "--", "sleep", "0"]).unwrap();
    step_until(&mut child, opens);
    for file in ["environ", "mem", "maps", "auxv"] {
        let path = format!("/proc/{}/{file}", child.pid);
        assert!(!read_as_the_user(path.as_ref()), "{path} is open to the same user");
    }
}

/// `/proc/PID/status` says `CoreDumping` only while it does; what counts is what the kernel would leave behind.
#[test]
fn w52_a_crash_leaves_no_core() {
    let crash = |program: &Path, args: &[&str], held: bool| {
        let sandbox = Sandbox::with_builder();
        let program = if held { sandbox.copied_binary() } else { program.to_owned() };
        let start = scene(&sandbox);
        let start = if held { start.step(ptrace::traceme) } else { start };
        let mut child = start.spawn(&program, args).unwrap();
        let pid = child.pid;
        if held {
            step_until(&mut child, opens);
            ptrace::detach(pid, Signal::SIGSEGV).unwrap();
        } else {
            child.signal(Signal::SIGSEGV);
        }
        match child.change(WaitPidFlag::empty()) {
            WaitStatus::Signaled(_, Signal::SIGSEGV, core) => core,
            status => panic!("it did not crash: {status:?}"),
        }
    };
    assert!(!crash(Path::new(""), &["hermes-exec", "-p", "builder", "--", "sleep", "0"], true), "it left a core");
    // The other way round, so that the test is worth something: a plain program leaves one, where the machine allows cores.
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    if !pattern.trim().is_empty() {
        assert!(crash(Path::new("/bin/sleep"), &["sleep", "600"], false), "cores are off here: {pattern}");
    }
}
