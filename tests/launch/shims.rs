//! A shim on PATH that calls hermes-exec must not loop, and the guard that sees to it.

use crate::support::{BINARY, Outcome, Run, Sandbox};

/// A directory `shims` with a shim for `tool` of the given text, hermes-exec on PATH, and, when wanted, the real tool
/// behind it, which prints its arguments and the guard.
fn with_shim(text: &str, real: bool) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.script("shims/tool", text);
    sandbox.link(BINARY, "programs/hermes-exec");
    if real {
        sandbox.script("programs/tool", "#!/bin/sh\necho \"real $*\"\n");
    }
    sandbox
}

/// The start with that PATH.
fn start(sandbox: &Sandbox, args: &[&str]) -> Run {
    let path = format!("{}:{}:/usr/bin:/bin", sandbox.path("shims").display(), sandbox.path("programs").display());
    sandbox.hx(args).env("PATH", path)
}

/// Runs to the end; a loop is ended after some seconds of processor time.
fn ended(run: Run) -> Outcome {
    run.after_sh("ulimit -t 20").run()
}

const SHIM: &str = "#!/bin/sh\nexec hermes-exec -- tool \"$@\"\n";

#[test]
fn a_shim_reaches_the_real_tool() {
    let sandbox = with_shim(SHIM, true);
    assert_eq!(ended(start(&sandbox, &["tool", "a b", "c"])).ok().out(), "real a b c\n");
    let direct = start(&sandbox, &["tool", "x"]).program(sandbox.path("shims/tool"));
    assert!(ended(direct).ok().out().starts_with("real "));
}

#[test]
fn a_shim_without_interpreter_line_does_too() {
    let sandbox = with_shim("exec hermes-exec -- tool \"$@\"\n", true);
    assert_eq!(ended(start(&sandbox, &["tool", "x"])).ok().out(), "real x\n");
}

#[test]
fn a_shim_that_forks_does_too() {
    let sandbox = with_shim("#!/bin/sh\nhermes-exec -- tool \"$@\"\nexit $?\n", true);
    assert_eq!(ended(start(&sandbox, &["tool", "x"])).ok().out(), "real x\n");
}

#[test]
fn two_shims_before_one_tool_are_both_passed() {
    let sandbox = with_shim(SHIM, true);
    sandbox.script("more/tool", SHIM);
    let path = ["shims", "more", "programs"].map(|place| sandbox.path(place).display().to_string()).join(":");
    let run = sandbox.hx(["tool", "x"]).env("PATH", format!("{path}:/usr/bin:/bin"));
    assert_eq!(ended(run).ok().out(), "real x\n");
}

#[test]
fn a_shim_that_stands_alone_is_an_error() {
    for shim in [SHIM, "#!/bin/sh\nhermes-exec -- tool \"$@\"\nexit $?\n"] {
        let outcome = ended(start(&with_shim(shim, false), &["tool"]));
        outcome.fails(125, &["shim loop"]);
    }
}

#[test]
fn a_shim_that_calls_us_by_another_name_is_known() {
    let sandbox = with_shim("#!/bin/sh\nexec hx -- tool \"$@\"\n", true);
    let hx = sandbox.link(BINARY, "programs/hx");
    assert_eq!(ended(start(&sandbox, &["tool", "x"]).program(hx)).ok().out(), "real x\n");
}

#[test]
fn unsetting_the_guard_does_not_help_a_loop() {
    let sandbox = with_shim("#!/bin/sh\nexec hermes-exec --unset 'HERMES_EXEC_*' -- tool \"$@\"\n", true);
    assert_eq!(ended(start(&sandbox, &["tool", "x"])).ok().out(), "real x\n");
}

#[test]
fn the_guard_holds_pid_device_and_inode_of_the_shim() {
    use std::os::unix::fs::MetadataExt;
    let sandbox = with_shim("#!/bin/sh\n# hermes-exec\necho \"$$ $HERMES_EXEC_GUARD\"\n", false);
    let outcome = ended(start(&sandbox, &["tool"])).ok();
    let (pid, guard) = outcome.out().trim().split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let meta = sandbox.path("shims/tool").metadata().unwrap();
    assert_eq!(guard, format!("{pid}:{}:{}", meta.dev(), meta.ino()));
}

#[test]
fn the_guard_adds_to_what_is_there() {
    let sandbox = with_shim("#!/bin/sh\n# hermes-exec\necho \"$HERMES_EXEC_GUARD\"\n", false);
    let outcome = ended(start(&sandbox, &["tool"]).env("HERMES_EXEC_GUARD", "1:2:3,4:5:6")).ok();
    assert!(outcome.out().starts_with("1:2:3,4:5:6,"), "{outcome:?}");
    assert_eq!(outcome.out().trim().split(',').count(), 3);
}

#[test]
fn nothing_else_gets_a_guard() {
    let sandbox = with_shim("#!/bin/sh\necho \"guard ${HERMES_EXEC_GUARD-none}\"\n", false);
    let far = format!("#!/bin/sh\necho \"guard ${{HERMES_EXEC_GUARD-none}}\"\n{}\n# hermes-exec\n", "#".repeat(5000));
    sandbox.script("shims/far", far);
    sandbox.script("shims/caller", "#!/bin/sh\n# hermes-exec\necho \"guard ${HERMES_EXEC_GUARD-none}\"\n");
    let by_path = sandbox.path("shims/caller").display().to_string();
    for args in [
        &["tool"][..],
        &["far"],
        &["sh", "-c", "echo \"guard ${HERMES_EXEC_GUARD-none}\""],
        &[&by_path],
        &["../shims/caller"],
    ] {
        assert_eq!(ended(start(&sandbox, args)).ok().out(), "guard none\n", "{args:?}");
    }
}

#[test]
fn a_guard_that_does_not_parse_is_dropped() {
    let sandbox = with_shim(SHIM, true);
    sandbox.script("shims/caller", "#!/bin/sh\n# hermes-exec\necho \"$HERMES_EXEC_GUARD\"\n");
    for guard in ["bad", "1:2", "1:2:3:4", ",", "-1:2:3", "bad:2:3", "1:2:3,bad", "99999999999999999999:1:1"] {
        let tool = start(&sandbox, &["tool", "x"]).env("HERMES_EXEC_GUARD", guard);
        assert_eq!(ended(tool).ok().out(), "real x\n", "{guard:?}");
        let caller = ended(start(&sandbox, &["caller"]).env("HERMES_EXEC_GUARD", guard)).ok().out();
        let numbers = |entry: &str| entry.split(':').filter(|part| part.parse::<u64>().is_ok()).count() == 3;
        assert!(caller.trim().split(',').all(numbers), "{guard:?} is handed on: {caller}");
    }
}

#[test]
fn a_shim_is_passed_over_with_our_own_pid_or_sixteen_times_with_any() {
    use std::os::unix::fs::MetadataExt;
    let sandbox = with_shim("#!/bin/sh\n# hermes-exec\necho shim\n", true);
    let meta = sandbox.path("shims/tool").metadata().unwrap();
    let entry = format!("1:{}:{}", meta.dev(), meta.ino());
    for (times, expected) in [(1, "shim\n"), (15, "shim\n"), (16, "real \n"), (17, "real \n")] {
        let guard = vec![entry.as_str(); times].join(",");
        let outcome = ended(start(&sandbox, &["tool"]).env("HERMES_EXEC_GUARD", guard)).ok();
        assert_eq!(outcome.out(), expected, "{times} times");
    }
    let guard = format!("$$:{}:{}", meta.dev(), meta.ino());
    let outcome = ended(start(&sandbox, &["tool"]).after_sh(&format!("export HERMES_EXEC_GUARD=\"{guard}\""))).ok();
    assert_eq!(outcome.out(), "real \n", "the shell's pid is ours");
}

/// The kernel hands on one word behind the interpreter, which may be the command.
#[test]
fn a_first_line_that_names_its_command() {
    let sandbox = Sandbox::new();
    let script = sandbox.script("script", format!("#!{} /bin/sh\necho hi\n", sandbox.copied_binary().display()));
    assert_eq!(sandbox.hx([script.to_str().unwrap()]).run().ok().out(), "hi\n");
    let script = sandbox.script("option", format!("#!{} -v\necho hi\n", sandbox.copied_binary().display()));
    sandbox.hx([script.to_str().unwrap()]).run().fails(125, &["without a command in an endless loop"]);
}
