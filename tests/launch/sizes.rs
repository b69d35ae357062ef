//! Arguments and environment up to the kernel's limits and beyond. Linux bounds one entry (131,071 bytes and its NUL) and the
//! sum (a quarter of the stack's limit); macOS only the sum, at 1 MiB. Both say E2BIG.

use std::path::Path;

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};

use crate::support::start::{Ended, Start};
use crate::support::{BINARY, CANARY, Sandbox};

/// The most that the kernel takes for one entry.
const MOST: usize = 131_071;

/// With this limit of the stack 256 KiB are for arguments and environment, so that a test need not fill megabytes.
fn with_small_limit(start: Start<'_>) -> Start<'_> {
    start.step(|| setrlimit(Resource::RLIMIT_STACK, 1 << 20, 1 << 20))
}

fn entry(name: &str, length: usize) -> Vec<u8> {
    let mut entry = format!("{name}={CANARY}").into_bytes();
    entry.resize(length, b'x');
    entry
}

fn block(sandbox: &Sandbox, more: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let home = format!("HOME={}", sandbox.real().display()).into_bytes();
    [home, b"PATH=/usr/bin:/bin".to_vec()].into_iter().chain(more).collect()
}

/// A profile whose directory has such a long path that HOME becomes longer by more than our own arguments take.
fn far_profile(sandbox: &Sandbox) -> Vec<Vec<u8>> {
    let root = sandbox.mkdir(format!("real/{}", vec!["x".repeat(200); 3].join("/")));
    sandbox.mkdir(root.join("profiles/builder"));
    [format!("HERMES_HOME={}", root.display()), "HERMES_PROFILE=builder".into()].map(String::into_bytes).into()
}

/// 126, the message names this variable, a number for its size and the limit, and no value.
#[track_caller]
fn is_too_big(ended: &Ended, variable: &str) {
    assert_eq!((ended.code(), ended.out.len()), (126, 0), "{ended:?}");
    assert!(ended.err.starts_with("hermes-exec: error: ") && ended.err.contains(variable), "{ended:?}");
    assert!(ended.err.contains("131,071") || ended.err.contains("131071"), "the limit is missing: {ended:?}");
    assert!(!ended.err.contains(CANARY), "a value is shown: {ended:?}");
    assert!(ended.err.lines().count() <= 2, "{ended:?}");
}

/// What GNU `env` says when it is the last one that the kernel accepts: its `-S` makes many arguments of one.
#[test]
fn env_itself_gives_126() {
    let sandbox = Sandbox::new();
    let split = format!("true {}", "x ".repeat(40_000));
    let start = with_small_limit(Start::new(sandbox.path("work")).block(block(&sandbox, [])));
    let ended = start.run(Path::new("/usr/bin/env"), ["env", "-S", &split]);
    assert_eq!(ended.code(), 126, "{ended:?}");
    assert!(ended.err.contains("Argument list too long"), "{ended:?}");
}

/// The largest filling with which the program of this call can be started.
fn largest(call: &[&str], filled: impl Fn(usize) -> Vec<Vec<u8>>, sandbox: &Sandbox) -> usize {
    let (mut fits, mut refused) = (100, MOST);
    while refused - fits > 1 {
        let middle = fits.midpoint(refused);
        let start = with_small_limit(Start::new(sandbox.path("work")).block(filled(middle)));
        match start.spawn(Path::new(call[0]), call) {
            Ok(_) => fits = middle,
            Err(errno) => {
                assert_eq!(errno, Errno::E2BIG);
                refused = middle;
            }
        }
    }
    fits
}

#[test]
fn an_environment_that_fits_until_we_add_to_it() {
    let sandbox = Sandbox::new();
    let profile = far_profile(&sandbox);
    let filled = |size| {
        block(
            &sandbox,
            [profile.clone(), vec![entry("LARGEST", 125_000), entry("MORE", 60_000), entry("FILLING", size)]].concat(),
        )
    };
    let call = [BINARY, "/bin/true"];
    let size = largest(&call, filled, &sandbox);
    let start = with_small_limit(Start::new(sandbox.path("work")).block(filled(size)));
    assert_eq!(start.run(Path::new("/bin/true"), ["/bin/true"]).code(), 0, "directly it fits");
    is_too_big(&start.run(Path::new(BINARY), call), "LARGEST");
    let less = with_small_limit(Start::new(sandbox.path("work")).block(filled(size - 4096)));
    assert_eq!(less.run(Path::new(BINARY), call).code(), 0, "with a page less it runs");
}

/// The same with a word that is searched for: E2BIG is no reason to try the next element of PATH.
#[test]
fn arguments_that_fit_until_we_add_to_the_environment() {
    let sandbox = Sandbox::new();
    let words = vec!["word"; 12_000];
    let call: Vec<&str> = [BINARY, "true"].into_iter().chain(words).collect();
    let profile = far_profile(&sandbox);
    let filled = |size| block(&sandbox, [profile.clone(), vec![entry("LARGEST", size)]].concat());
    let size = largest(&call, filled, &sandbox);
    let start = with_small_limit(Start::new(sandbox.path("work")).block(filled(size)));
    assert_eq!(start.run(Path::new("/bin/true"), &call[1..]).code(), 0, "directly it fits");
    is_too_big(&start.run(Path::new(BINARY), &call), "LARGEST");
}

/// Nobody can be started with it: neither `env` nor we, nor the command.
#[test]
fn a_variable_of_131072_bytes() {
    let sandbox = Sandbox::new();
    let start = Start::new(sandbox.path("work")).block(block(&sandbox, [entry("LARGE", MOST + 1)]));
    for program in ["/usr/bin/env", BINARY, "/bin/true"] {
        assert_eq!(start.spawn(Path::new(program), [program, "true"]).err(), Some(Errno::E2BIG), "{program}");
    }
    let start = Start::new(sandbox.path("work")).block(block(&sandbox, [entry("LARGE", MOST)]));
    for program in ["/usr/bin/env", BINARY] {
        assert_eq!(start.run(Path::new(program), [program, "true"]).code(), 0, "{program}");
    }
}

/// The guard is the one variable that grows in our hands.
#[test]
fn a_variable_that_grows_to_131072_bytes_in_our_hands() {
    let sandbox = Sandbox::new();
    sandbox.script("bin/tool", "#!/bin/sh\n# hermes-exec\necho ran\n");
    let with_guard = |length: usize| {
        let mut guard = b"HERMES_EXEC_GUARD=".to_vec();
        while guard.len() + 12 < length {
            guard.extend_from_slice(b"1:2:3,");
        }
        let rest = length - guard.len() - 4;
        guard.extend_from_slice(format!("1:2:{}", "4".repeat(rest)).as_bytes());
        assert_eq!(guard.len(), length);
        let path = format!("PATH={}", sandbox.path("bin").display()).into_bytes();
        let home = format!("HOME={}", sandbox.real().display()).into_bytes();
        Start::new(sandbox.path("work")).block([home, path, guard]).run(Path::new(BINARY), ["hermes-exec", "tool"])
    };
    assert_eq!(with_guard(MOST - 1000).code(), 0);
    is_too_big(&with_guard(MOST), "HERMES_EXEC_GUARD");
}

/// An argument has the same limit as an entry, so what `--set` gives always fits as an entry.
#[test]
fn a_value_that_is_set_as_large_as_an_argument_can_be() {
    let sandbox = Sandbox::new();
    let set = String::from_utf8(entry("LARGE", MOST)).unwrap();
    let run = |program: &str, options: &[&str]| {
        let call = [&[program], options, &["sh", "-c", "echo ${#LARGE}"]].concat();
        let ended = Start::new(sandbox.path("work")).block(block(&sandbox, [])).run(Path::new(program), call);
        (ended.code(), String::from_utf8(ended.out).unwrap())
    };
    assert_eq!(run(BINARY, &["--set", &set]), (0, "131065\n".into()));
    assert_eq!(run("/usr/bin/env", &[&set]), (0, "131065\n".into()));
}
