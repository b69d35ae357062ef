//! Kernels that cannot seal, or not wholly, put in the place of this one by a seccomp filter: 125, never a silent run.

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;

use super::{USER, full, text};
use crate::support::Sandbox;
use crate::support::start::{Ended, Start};

/// The numbers of the system calls, the same on every architecture of Linux's generic table and on x86-64.
const CREATE_RULESET: u32 = 444;
const ADD_RULE: u32 = 445;
const RESTRICT_SELF: u32 = 446;

/// Makes a system call fail with this error (seccomp(2)).
fn fails_with(start: Start<'_>, call: u32, errno: Errno) -> Start<'_> {
    start.step(move || {
        prctl::set_no_new_privs()?;
        let statement = |code: u32, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf, k };
        let mut code = [
            // The number of the call is the first word of `seccomp_data`.
            statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
            statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, call),
            statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | errno as u32),
            statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: 4, filter: code.as_mut_ptr() };
        // SAFETY: the program is four valid instructions, and the kernel copies it (PR_SET_SECCOMP(2const)).
        let set = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) };
        Errno::result(set).map(drop)
    })
}

/// A start by the user in a new home, under a kernel on which this call fails.
fn run(sandbox: &Sandbox, call: u32, errno: Errno, args: &[&str]) -> Ended {
    let binary = sandbox.copied_binary();
    let block = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".into()];
    let plain = Start::new(sandbox.path("work")).block(block).uid(USER);
    fails_with(plain, call, errno).run(&binary, [&["hermes-exec"], args].concat())
}

fn fresh() -> Sandbox {
    let sandbox = full();
    std::fs::remove_dir_all(sandbox.home()).unwrap();
    sandbox
}

#[track_caller]
fn assert_refused(ended: &Ended, words: &[&str]) {
    assert_eq!((ended.code(), ended.out.as_slice()), (125, &b""[..]), "{ended:?}");
    assert!(ended.err.starts_with("hermes-exec: error: "), "{ended:?}");
    assert_eq!(ended.err.lines().count(), 2, "{ended:?}");
    assert!(words.iter().all(|word| ended.err.contains(word)), "{words:?}: {ended:?}");
}

/// The call that fails, how, what is said of it, and whether that comes before anything is made.
const FAULTS: [(u32, Errno, &[&str], bool); 5] = [
    (CREATE_RULESET, Errno::ENOSYS, &["no Landlock", "--seal=off"], true),
    (CREATE_RULESET, Errno::EOPNOTSUPP, &["disabled", "--seal=off"], true),
    (CREATE_RULESET, Errno::EPERM, &["filter", "--seal=off"], true),
    (ADD_RULE, Errno::ENOMEM, &["cannot be sealed", "memory", "--seal=off"], true),
    (RESTRICT_SELF, Errno::EPERM, &["cannot be sealed", "not permitted"], false),
];

/// Or with one that does not take the rules, or does not seal in the end.
#[test]
fn a_kernel_without_landlock() {
    for (call, errno, words, is_first) in FAULTS {
        let sandbox = fresh();
        for level in ["--seal", "--seal=on", "--seal=files"] {
            let ended = run(&sandbox, call, errno, &[level, "-p", "builder", "--", "echo", "ran"]);
            assert_refused(&ended, words);
            assert!(!is_first || !sandbox.home().exists(), "{level}: refused before anything was made");
        }
        let ended = run(&sandbox, call, errno, &["-p", "builder", "--", "echo", "ran"]);
        assert_eq!((ended.code(), ended.out.as_slice(), ended.err.as_str()), (0, &b"ran\n"[..], ""), "without a seal");
    }
}

#[test]
fn a_kernel_without_landlock_is_explained() {
    let sandbox = fresh();
    let ended =
        run(&sandbox, CREATE_RULESET, Errno::ENOSYS, &["-n", "--json", "--seal=files", "-p", "builder", "true"]);
    assert_eq!(ended.code(), 125, "as the run would: {ended:?}");
    let document: serde_json::Value = serde_json::from_slice(&ended.out).unwrap();
    assert_eq!(document["seal"]["level"], "files");
    assert_eq!(document["seal"]["holds"], false);
    assert!(document["seal"]["reason"].as_str().unwrap().contains("no Landlock"));
    assert_eq!(document["error"]["status"], 125);
    let ended = run(&sandbox, CREATE_RULESET, Errno::ENOSYS, &["-n", "--seal", "-p", "builder", "true"]);
    assert!(String::from_utf8_lossy(&ended.out).contains("is not possible: "), "{ended:?}");

    let ended = run(&sandbox, CREATE_RULESET, Errno::ENOSYS, &["--doctor", "-p", "builder"]);
    assert!(String::from_utf8_lossy(&ended.out).contains("no Landlock"), "{ended:?}");
}

/// The policy file asks for it, and is named.
#[test]
fn a_kernel_without_landlock_and_a_policy_file() {
    let sandbox = fresh();
    sandbox.write("real/.hermes/hermes-exec.json", "{\"seal\": \"on\"}");
    sandbox.chown_all(USER);
    let ended = run(&sandbox, CREATE_RULESET, Errno::ENOSYS, &["-p", "builder", "echo", "ran"]);
    assert_refused(&ended, &["policy file", "no Landlock"]);
    let ended = run(&sandbox, CREATE_RULESET, Errno::ENOSYS, &["--seal=off", "-p", "builder", "echo", "ran"]);
    assert_eq!((ended.code(), ended.out.as_slice()), (0, &b"ran\n"[..]), "{ended:?}");
    // What asks for no run asks for no seal.
    let ended = run(&sandbox, CREATE_RULESET, Errno::ENOSYS, &["--unlink", "-p", "builder"]);
    assert_eq!(ended.code(), 0, "{ended:?}");
}

/// A descriptor is needed for every directory on a path, one after the other.
#[test]
fn too_few_descriptors() {
    let sandbox = fresh();
    let binary = sandbox.copied_binary();
    let block = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".into()];
    let limit = nix::sys::resource::Resource::RLIMIT_NOFILE;
    let limited = |most| {
        let start = Start::new(sandbox.path("work")).block(&block).uid(USER);
        let start = start.step(move || nix::sys::resource::setrlimit(limit, most, most));
        start.run(&binary, ["hermes-exec", "--seal=files", "-p", "builder", "--", "echo", "ran"])
    };
    let ended = limited(4);
    assert_eq!(ended.code(), 125, "{ended:?}");
    assert_eq!(limited(8).out, b"ran\n", "{}", text(&binary));
}
