//! Paths of any depth and length: an answer, never a signal. One entry of the environment holds 128 KiB (`MAX_ARG_STRLEN`,
//! execve(2)), and so some 65,000 components.

use nix::sys::resource::{Resource, setrlimit};

use crate::support::start::{Ended, Start};
use crate::support::{Sandbox, binary};

/// A path of this many components.
fn deep(components: usize) -> String {
    "/a".repeat(components)
}

/// A start with a stack of 1 MiB, on which a recursion shows.
fn run(sandbox: &Sandbox, block: &[String], args: &[&str]) -> Ended {
    let plain = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".into()];
    let is_set = |entry: &&String| !block.iter().any(|set| set.split('=').next() == entry.split('=').next());
    let block: Vec<_> = plain.iter().filter(is_set).chain(block).collect();
    let limit = 1 << 20;
    let start =
        Start::new(sandbox.path("work")).block(block).step(move || setrlimit(Resource::RLIMIT_STACK, limit, limit));
    start.run(&binary(), [&["hermes-exec"], args].concat())
}

#[test]
fn w52_variables_with_thousands_of_components() {
    const NAMES: [&str; 16] = [
        "HERMES_HOME", "HOME", "HERMES_REAL_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR", "HERMES_MANAGED_DIR",
        "VIRTUAL_ENV", "UV_PROJECT", "UV_PYTHON", "UV_ENV_FILE", "NODE_PATH", "PYTHONPATH", "PATH",
        "CLAUDE_CONFIG_DIR", "HERMES_DATA_DIR_SUFFIX",
    ];
    let sandbox = Sandbox::with_builder();
    for name in NAMES {
        // Below PATH_MAX, just above it, and as long as an entry can be.
        for components in [2_000, 3_000, 60_000] {
            let entry = format!("{name}={}", deep(components));
            for args in
                [&["-p", "builder", "/bin/true"][..], &["-p", "builder", "--explain", "/bin/true"], &["--doctor"]]
            {
                let ended = run(&sandbox, std::slice::from_ref(&entry), args);
                assert!([0, 1, 125].contains(&ended.code()), "{name} {components} {args:?}: {:?}", ended.status);
            }
        }
    }
}

#[test]
fn w52_components_of_a_path_that_exists() {
    let sandbox = Sandbox::with_builder();
    // The same directory, by a path of thousands of components.
    for (components, code) in [(1_900, 0), (60_000, 125)] {
        let long = format!("{}{}", sandbox.root().display(), "/.".repeat(components));
        let ended = run(&sandbox, &[format!("HERMES_HOME={long}")], &["-p", "builder", "/bin/true"]);
        assert_eq!(ended.code(), code, "{components}: {}", ended.err);
    }
}

#[test]
fn w52_shared_items_with_thousands_of_components() {
    let sandbox = Sandbox::with_builder();
    for components in [3_000, 60_000] {
        let item = deep(components)[1..].to_owned();
        let ended = run(&sandbox, &[], &["-p", "builder", "--share", &item, "/bin/true"]);
        assert_eq!(ended.code(), 125, "{}", ended.err);
        assert!(ended.err.contains("--share") && ended.err.len() < 1_000, "{}", ended.err);
        sandbox.write("work/policy.json", format!(r#"{{"share": ["{item}"]}}"#));
        let ended = run(&sandbox, &[], &["-p", "builder", "--policy", "policy.json", "/bin/true"]);
        assert_eq!(ended.code(), 125, "{}", ended.err);
        assert!(ended.err.contains("policy.json:1:") && ended.err.len() < 1_000, "{}", ended.err);
    }
    let item = deep(1_000)[1..].to_owned();
    assert_eq!(run(&sandbox, &[], &["-p", "builder", "--share", &item, "/bin/true"]).code(), 0);
    // As much as a policy file can hold.
    sandbox.write("work/policy.json", format!(r#"{{"share": ["{}"]}}"#, &deep(500_000)[1..]));
    assert_eq!(run(&sandbox, &[], &["-p", "builder", "--policy", "policy.json", "/bin/true"]).code(), 125);
}
