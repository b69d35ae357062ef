//! What can be read of hermes-exec itself while it runs: its block holds every credential that it takes out.

use std::fs;
use std::path::Path;
use std::process::Command;

use nix::libc::{SYS_newfstatat, SYS_openat, SYS_statx};
use nix::sys::ptrace;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;

use crate::support::start::Start;
use crate::support::tracer::Held;
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

/// A start that is held before it opens Hermes' files: a call that names a file is the first thing that it does with the
/// outside.
fn held<'s>(start: &'s Start<'static>, binary: &Path) -> Held<'s, 'static> {
    let mut held = Held::new(start, binary, ["hermes-exec", "-p", "builder", "--", "sleep", "0"]);
    while ![SYS_statx, SYS_newfstatat, SYS_openat].contains(&held.next_call().expect("the place is reached")) {}
    held
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

#[test]
fn w52_its_environment_cannot_be_read_by_the_same_user() {
    let sandbox = Sandbox::with_builder();
    let binary = sandbox.copied_binary();
    let start = scene(&sandbox).step(ptrace::traceme);
    let held = held(&start, &binary);
    for file in ["environ", "mem", "maps", "auxv"] {
        let path = format!("/proc/{}/{file}", held.pid());
        assert!(!read_as_the_user(path.as_ref()), "{path} is open to the same user");
    }
}

/// `/proc/PID/status` says `CoreDumping` only while it does; what counts is what the kernel would leave behind.
#[test]
fn w52_a_crash_leaves_no_core() {
    let sandbox = Sandbox::with_builder();
    let binary = sandbox.copied_binary();
    let start = scene(&sandbox).step(ptrace::traceme);
    let ended = held(&start, &binary).release_with(Some(Signal::SIGSEGV));
    assert_eq!(ended.status, WaitStatus::Signaled(ended.pid, Signal::SIGSEGV, false), "it left a core");
    // The other way round, so that the test is worth something: a plain program leaves one, where the machine allows cores.
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    if !pattern.trim().is_empty() {
        let start = scene(&sandbox);
        let child = start.spawn(Path::new("/bin/sleep"), ["sleep", "600"]).unwrap();
        child.signal(Signal::SIGSEGV);
        let ended = child.ended();
        let left = WaitStatus::Signaled(ended.pid, Signal::SIGSEGV, true);
        assert_eq!(ended.status, left, "cores are off here: {pattern}");
    }
}
