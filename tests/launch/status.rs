//! Exit statuses: the command's own; 126 and 127 as a shell has them; 125 for a failure of ours; and the one line that says
//! why.

use super::search::path;
use crate::support::{CANARY, Outcome, Sandbox};
use std::os::unix::process::ExitStatusExt;

#[test]
fn the_status_is_the_commands_own() {
    let sandbox = Sandbox::new();
    for status in [0, 1, 2, 42, 125, 126, 127, 255] {
        let outcome = sandbox.hx(["sh", "-c", &format!("exit {status}")]).run();
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (status, ""));
    }
}

#[test]
fn death_by_signal_is_seen_as_that_signal() {
    let sandbox = Sandbox::new();
    // None that a shell or nohup ignores for what it starts in the background.
    for (name, number) in [("TERM", 15), ("KILL", 9), ("ALRM", 14), ("PIPE", 13)] {
        let outcome = sandbox.hx(["sh", "-c", &format!("kill -{name} $$")]).run();
        assert_eq!(outcome.status.signal(), Some(number), "{outcome:?}");
    }
}

#[test]
fn it_is_126_when_a_file_of_that_name_was_there() {
    let sandbox = Sandbox::new();
    sandbox.write("plain/tool", "#!/bin/sh\n");
    sandbox.mkdir("directory/tool");
    sandbox.mkdir("empty");
    for places in [&["plain"][..], &["empty", "plain", "empty"], &["plain", "gone"], &["directory"]] {
        sandbox.hx(["tool"]).env("PATH", path(&sandbox, places)).run().fails(126, &["tool"]);
    }
}

#[test]
fn it_is_127_when_no_such_file_was_there() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    sandbox.mkdir("empty");
    for places in [&["empty"][..], &["gone"], &["file"], &["empty", "file", "gone"]] {
        sandbox.hx(["tool"]).env("PATH", path(&sandbox, places)).run().fails(127, &["tool"]);
    }
    sandbox.hx(["./tool"]).run().fails(127, &["./tool"]);
    sandbox.hx(["/no/such/tool"]).run().fails(127, &["/no/such/tool"]);
}

#[test]
fn a_missing_interpreter_is_127_and_named() {
    let sandbox = Sandbox::new();
    sandbox.script("bin/tool", "#!/no/such/interpreter -x\n");
    sandbox.hx(["tool"]).env("PATH", path(&sandbox, &["bin"])).run().fails(127, &["/no/such/interpreter"]);
    sandbox.hx(["../bin/tool"]).run().fails(127, &["/no/such/interpreter"]);
}

#[test]
fn what_cannot_be_started_is_126_with_the_systems_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("work/plain", "#!/bin/sh\n");
    sandbox.mkdir("work/directory");
    for (word, reason) in [
        ("./plain", "Permission denied"),
        ("./directory", ""),
        ("./directory/", ""),
        ("./plain/x", "Not a directory"),
        ("plain/", "Not a directory"),
        ("/", ""),
    ] {
        sandbox.hx([word]).run().fails(126, &[word, reason]);
    }
}

#[test]
fn chdir_to_nowhere_is_an_error() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("file", "").display().to_string();
    for place in ["/no/such/place", &file, ""] {
        sandbox.hx(["-C", place, "true"]).run().fails(125, &["--chdir"]);
    }
}

/// Starts `true` in a block of `size` bytes beside BIGGEST, where the kernel takes 128 KiB in all. Nothing when that is too
/// much even for our own start: then the message is the shell's.
fn with_block_of(sandbox: &Sandbox, size: usize) -> Option<Outcome> {
    let home = format!("HOME={}", sandbox.real().display());
    let block = [home, format!("BIGGEST={CANARY}{}", "x".repeat(70_000)), format!("REST={}", "y".repeat(size))];
    let outcome = sandbox.builder(["/usr/bin/true"]).raw_block(block).after_sh("ulimit -s 512").run();
    outcome.stderr.lines().all(|line| line.starts_with("hermes-exec: ")).then_some(outcome)
}

#[test]
fn a_block_that_our_own_variables_make_too_large_names_the_largest_and_the_limit() {
    let sandbox = Sandbox::with_builder();
    // The largest block with which we ourselves can be started; the command gets HERMES_HOME and its like on top.
    let (mut fits, mut refused) = (0_usize, 70_000);
    with_block_of(&sandbox, fits).expect("we can be started at all").ok();
    while refused - fits > 1 {
        let middle = fits.midpoint(refused);
        match with_block_of(&sandbox, middle) {
            Some(_) => fits = middle,
            None => refused = middle,
        }
    }
    let outcome = with_block_of(&sandbox, fits).unwrap().fails(126, &["BIGGEST"]);
    assert!(outcome.stderr.chars().any(|c| c.is_ascii_digit()), "the limit: {outcome:?}");
}

#[test]
fn errors_have_one_line_and_at_most_one_hint() {
    let sandbox = Sandbox::with_builder();
    for args in [&["no-such-command"][..], &["/etc"], &["-p", "nobody", "true"], &["--no-such-option"], &["FOO=1"]] {
        let outcome = sandbox.hx(args).run();
        let code = outcome.code();
        assert!((125..=127).contains(&code), "{outcome:?}");
        outcome.fails(code, &[]);
    }
}

#[test]
fn control_characters_in_the_command_word_are_escaped() {
    let outcome = Sandbox::new().hx(["no\x1b[31m\nsuch\rcommand"]).run().fails(127, &["such"]);
    let lines: Vec<_> = outcome.stderr.lines().collect();
    assert!(lines[0].bytes().all(|byte| byte >= b' '), "{outcome:?}");
}
