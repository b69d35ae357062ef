//! `--explain --only NAME`: "why is GH_TOKEN not there?" gets one line, with the rule and the option that changes it.

use super::own_venv;
use crate::support::{Outcome, Run, Sandbox, bytes};

fn only(sandbox: &Sandbox, options: &[&str], name: &str) -> Run {
    let run = sandbox.hx([&["-n", "-p", "builder", "--only", name], options, &["true"]].concat());
    [("GH_TOKEN", "x"), ("VIRTUAL_ENV", "/x"), ("EDITOR", "vi")].iter().fold(run, |run, (n, v)| run.env(n, v))
}

/// The one line of an answer.
#[track_caller]
fn line(run: Run) -> String {
    let text = run.run().ok().out();
    assert_eq!(text.lines().count(), 1, "{text:?}");
    text
}

#[test]
fn one_line_says_what_by_which_rule_and_why() {
    let sandbox = Sandbox::with_builder();
    for (options, name, words) in [
        (&[][..], "GH_TOKEN", &["removed", "rule 4", "credentials", "github"][..]),
        (&[], "VIRTUAL_ENV", &["removed", "rule 6", "python-venv"]),
        (&["--unset", "EDIT*"], "EDITOR", &["removed", "rule 2", "--unset"]),
        (&[], "EDITOR", &["kept", "rule 11"]),
        (&["--keep", "GH_*"], "GH_TOKEN", &["kept", "rule 3", "--keep"]),
        (&["--inherit-credentials=github"], "GH_TOKEN", &["kept", "rule 4", "github"]),
        (&[], "HOME", &["set", "rule 0", "profile's home"]),
        (&["--set", "EDITOR=canary"], "EDITOR", &["set", "rule 1", "--set EDITOR=VALUE"]),
        (&["--minimal"], "LS_COLORS", &["removed", "rule 10"]),
        (&[], "NOT_THERE", &["not set"]),
    ] {
        let line = line(only(&sandbox, options, name).env("LS_COLORS", "x"));
        assert!(line.starts_with(&format!("{name} is ")), "{line}");
        for word in words {
            assert!(line.contains(word), "{name} {options:?}, {word:?}: {line}");
        }
        assert!(!line.contains("canary"), "{line}");
    }
}

/// The option that the line names does what it says.
#[test]
fn the_option_that_is_named_changes_it() {
    let sandbox = Sandbox::with_builder();
    let venv = own_venv(&sandbox);
    let start = |options: &[&str], command: &[&str]| {
        let run = sandbox.hx([&["-p", "builder"], options, command].concat()).env("GH_TOKEN", "x");
        let path = format!("{}/bin:/usr/bin:/bin", venv.display());
        run.env("VIRTUAL_ENV", &venv).env("PATH", path).env("EDITOR", "vi").env("XDG_CACHE_HOME", sandbox.real())
    };
    for (name, option, now) in [
        ("GH_TOKEN", "--inherit-credentials=github", "kept"),
        ("GH_TOKEN", "--keep GH_TOKEN", "kept"),
        ("VIRTUAL_ENV", "--keep VIRTUAL_ENV", "kept"),
        ("XDG_CACHE_HOME", "--keep XDG_CACHE_HOME", "kept"),
        ("PATH", "--keep PATH", "kept"),
        ("EDITOR", "--unset EDITOR", "removed"),
        ("HOME", "--set HOME=", "set"),
        ("NEW", "--set NEW=", "set"),
    ] {
        let before = line(start(&["-n", "--only", name], &["true"]));
        assert!(before.contains(option), "{option}: {before}");
        assert!(!before.contains(&format!(" is {now} by rule 1 ")), "{before}");
        let options: Vec<_> = option.split(' ').collect();
        let after = line(start(&[&options[..], &["-n", "--only", name]].concat(), &["true"]));
        assert!(after.contains(&format!("{name} is {now} by rule")), "{option}: {after}");
    }
}

#[test]
fn what_no_option_grants_has_no_option() {
    let sandbox = Sandbox::with_builder();
    let line = line(only(&sandbox, &[], "_HERMES_FORCE_X").env("_HERMES_FORCE_X", "x"));
    assert!(line.contains("removed by rule 4") && !line.contains("--inherit-credentials"), "{line}");
}

#[test]
fn names_add_up_and_the_command_may_be_left_out() {
    let sandbox = Sandbox::with_builder();
    let args = ["-n", "-p", "builder", "--only", "GH_TOKEN", "--only", "EDITOR"];
    let text = sandbox.hx(args).env("GH_TOKEN", "x").env("EDITOR", "vi").run().ok().out();
    let names: Vec<_> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["GH_TOKEN", "EDITOR"]);
}

/// hermes-agent's tools get their grants by program: the answer depends on the command.
#[test]
fn the_answer_is_for_the_command() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(
        "real/.hermes/profiles/builder/hermes-exec.json",
        r#"{"programs": {"gh": {"inherit_credentials": ["github"]}}}"#,
    );
    sandbox.script("bin/gh", "#!/bin/sh\n");
    let ask = |command: &str| {
        let run = sandbox.hx(["-n", "-p", "builder", "--only", "GH_TOKEN", command]).env("GH_TOKEN", "x");
        line(run.env("PATH", format!("{}:/usr/bin:/bin", sandbox.path("bin").display())))
    };
    assert!(ask("gh").contains("is kept by rule 4"));
    assert!(ask("true").contains("is removed by rule 4"));
}

/// `--set =VALUE` or `--set A=B=VALUE` would be no help.
#[test]
fn what_cannot_be_a_name_is_refused() {
    let sandbox = Sandbox::with_builder();
    for word in ["", "A=B", "="] {
        sandbox.hx(["-n", "--only", "PATH", "--only", word]).run().fails(125, &["--only takes the name of a variable"]);
    }
}

#[test]
fn odd_names_are_escaped() {
    let sandbox = Sandbox::with_builder();
    let name = bytes(b"A\x1b[31m\xff");
    let outcome = sandbox.hx([bytes(b"-n"), bytes(b"--only"), name]).env(name, "x").run().ok();
    assert!(outcome.out().starts_with("A\\u{1b}[31m\\xff is kept"), "{outcome:?}");
}

/// Where the run fails before the rules are asked, nothing is said about a variable: it would not be true.
#[test]
fn a_run_that_fails_gives_no_answer() {
    let sandbox = Sandbox::with_builder();
    let args = ["-n", "-p", "nobody", "--only", "EDITOR", "true"];
    sandbox.hx(args).env("EDITOR", "vi").run().fails(125, &["nobody"]);
    // After them it can.
    let outcome: Outcome = only(&sandbox, &["no-such-command"], "EDITOR").run();
    assert_eq!(outcome.code(), 127, "{outcome:?}");
    assert!(outcome.out().starts_with("EDITOR is kept"), "{outcome:?}");
}

#[test]
fn only_goes_with_explain_as_text() {
    let sandbox = Sandbox::with_builder();
    for options in [&["--only", "X"][..], &["--only", "X", "--doctor"], &["-n", "--json", "--only", "X"]] {
        sandbox.hx([options, &["true"]].concat()).run().fails(125, &["--only"]);
    }
}

/// hermes-agent#14091, #90004: a skill says which variables it needs, and rule 8 removes them. The line says what gives them to
/// it, and that does.
#[test]
fn w36_what_a_skill_needs_is_named_with_the_setting_that_passes_it() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(sandbox.profile("builder").join(".env"), "NOTION_API_TOKEN=x\n");
    let ask = || line(only(&sandbox, &[], "NOTION_API_TOKEN").env("NOTION_API_TOKEN", "x"));
    let said = ask();
    assert!(said.contains("removed by rule 8") && said.contains("terminal.env_passthrough in config.yaml"), "{said}");
    let config = "terminal:\n  env_passthrough: [NOTION_API_TOKEN]\n";
    sandbox.write(sandbox.profile("builder").join("config.yaml"), config);
    assert!(ask().contains("kept by rule 5"), "{}", ask());
}
