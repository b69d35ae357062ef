//! `--set-from` and `set_from`: values that are in no `argv` and in no other environment.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{CANARY, Run, Sandbox, binary};

fn private(sandbox: &Sandbox, rel: &str, text: impl AsRef<[u8]>) -> String {
    let path = sandbox.write(rel, text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path.display().to_string()
}

fn value_of(run: Run) -> Option<String> {
    run.secret_may_show().run().ok().var("KEY")
}

#[test]
fn one_newline_at_the_end_is_taken_off() {
    let sandbox = Sandbox::with_builder();
    for (text, value) in [("v\n", "v"), ("v", "v"), ("v\n\n", "v\n"), ("", ""), ("a=b c\n", "a=b c"), ("\n", "")] {
        let file = private(&sandbox, "key", text);
        let words = ["-p", "builder", "--set-from", &format!("KEY={file}"), "--", "/usr/bin/env", "-0"];
        assert_eq!(value_of(sandbox.hx(words)).as_deref(), Some(value), "{text:?}");
    }
}

#[test]
fn a_pipe_is_read_for_a_run_and_left_alone_by_explain() {
    let sandbox = Sandbox::with_builder();
    let binary = binary().display().to_string();
    let script = format!("printf '%s\\n' '{CANARY}' | \"$@\" --set-from KEY=/dev/fd/3 -- /usr/bin/env -0 3<&0");
    let run = sandbox.hx(["-c", &script, "sh", &binary]).program("/bin/sh");
    assert_eq!(value_of(run).as_deref(), Some(CANARY));
    let plan = "printf x | { \"$@\" -n --set-from KEY=/dev/fd/0 true >/dev/null; cat; }";
    let run = sandbox.hx(["-c", plan, "sh", &binary]).program("/bin/sh");
    assert_eq!(run.run().ok().out(), "x", "explain has not read it");
}

#[test]
fn what_cannot_be_a_value_is_an_error() {
    let sandbox = Sandbox::with_builder();
    let fails = |file: &str, words: &[&str]| {
        let run = sandbox.hx(["-p", "builder", "--set-from", &format!("KEY={file}"), "--", "/usr/bin/true"]);
        let outcome = run.run().fails(125, words);
        assert!(!outcome.stderr.contains("canary"), "{outcome:?}");
    };
    fails("/no/such/file", &["/no/such/file", "No such file"]);
    fails(sandbox.mkdir("dir").to_str().unwrap(), &["directory"]);
    fails(&private(&sandbox, "nul", b"canary\0x"), &["NUL"]);
    fails(&private(&sandbox, "large", "x".repeat(131_072 - "KEY=".len())), &["too large"]);
    fails(&private(&sandbox, "huge", "x".repeat(3_000_000)), &["too large"]);
    fails("/dev/fd/99", &["/dev/fd/99"]);
    let largest = private(&sandbox, "largest", "x".repeat(131_072 - "KEY=".len() - 1));
    sandbox.hx(["--set-from", &format!("KEY={largest}"), "--", "/usr/bin/true"]).run().ok();
    for word in ["KEY", "=x", "KEY="] {
        sandbox.hx(["--set-from", word, "--", "true"]).run().fails(125, &["--set-from needs NAME=FILE"]);
    }
}

#[test]
fn a_file_that_everybody_can_read_is_a_warning() {
    let sandbox = Sandbox::with_builder();
    let file = sandbox.write("key", "v");
    let outcome = sandbox.hx(["--set-from", &format!("KEY={}", file.display()), "--", "/usr/bin/true"]).run();
    assert_eq!(outcome.code(), 0);
    assert!(outcome.stderr.starts_with("hermes-exec: warning: ") && outcome.stderr.contains("world-readable"));
}

#[test]
fn a_relative_file_counts_from_before_chdir_and_the_later_of_two_wins() {
    let sandbox = Sandbox::with_builder();
    private(&sandbox, "work/key", "from work");
    let dir = sandbox.real().display().to_string();
    let env = ["--", "/usr/bin/env", "-0"];
    let start = |options: &[&str]| value_of(sandbox.hx([options, &env].concat()));
    assert_eq!(start(&["-C", &dir, "--set-from", "KEY=key"]).as_deref(), Some("from work"));
    assert_eq!(start(&["--set-from", "KEY=key", "--set", "KEY=1"]).as_deref(), Some("1"));
    assert_eq!(start(&["--set", "KEY=1", "--set-from", "KEY=key"]).as_deref(), Some("from work"));
}

#[test]
fn the_policy_file_has_the_same_for_all_and_for_one_program() {
    let sandbox = Sandbox::with_builder();
    private(&sandbox, "real/.hermes/profiles/builder/key", "of the profile");
    private(&sandbox, "real/token", "of the home");
    let policy =
        r#"{"set_from": {"KEY": "key"}, "programs": {"env": {"set_from": {"TOKEN": "~/token"}, "unset": ["A"]}}}"#;
    sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", policy);
    let outcome = sandbox.builder(["/usr/bin/env", "-0"]).env("A", "1").run().ok();
    assert_eq!(outcome.var("KEY").as_deref(), Some("of the profile"));
    assert_eq!(outcome.var("TOKEN").as_deref(), Some("of the home"));
    assert_eq!(outcome.var("A"), None);
    let only = sandbox.hx(["-n", "-p", "builder", "--only", "TOKEN", "env"]).run().ok().out();
    assert!(only.contains("set, for this program, in the policy file"), "{only}");
}
