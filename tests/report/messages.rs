//! What is printed and when: `-q`, `-v`, their variables, `-h`, `-V`, `-n`, and output that cannot be written.

use crate::support::{Outcome, Sandbox};

/// A run with a warning: HERMES_HOME and HERMES_PROFILE disagree.
fn with_a_warning(options: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("other");
    let mut run = sandbox.hx(options.iter().chain(&["true"])).env("HERMES_PROFILE", "other");
    for (name, value) in variables {
        run = run.env(name, value);
    }
    let outcome = run.env("HERMES_HOME", sandbox.profile("builder")).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    outcome
}

#[test]
fn quiet_silences_warnings_by_option_and_by_variable() {
    assert_ne!(with_a_warning(&[], &[]).stderr, "");
    for options in [["-q"], ["--quiet"]] {
        assert_eq!(with_a_warning(&options, &[]).stderr, "", "{options:?}");
    }
    for value in ["1", "true", "yes", "on", "x"] {
        assert_eq!(with_a_warning(&[], &[("HERMES_EXEC_QUIET", value)]).stderr, "", "{value}");
    }
    for value in ["0", "false", "no", "off", "", " "] {
        assert_ne!(with_a_warning(&[], &[("HERMES_EXEC_QUIET", value)]).stderr, "", "{value:?}");
    }
}

#[test]
fn quiet_does_not_silence_errors() {
    let sandbox = Sandbox::new();
    sandbox.hx(["-q", "-p", "nobody", "true"]).run().fails(125, &["nobody"]);
    sandbox.hx(["-q", "no-such-command"]).run().fails(127, &["no-such-command"]);
    sandbox.hx(["no-such-command"]).env("HERMES_EXEC_QUIET", "1").run().fails(127, &["no-such-command"]);
}

#[test]
fn verbose_names_what_changed_and_why_and_then_runs() {
    let sandbox = Sandbox::with_builder();
    let says = |outcome: Outcome| {
        assert_eq!((outcome.code(), outcome.out().as_str()), (0, "ran\n"), "{outcome:?}");
        assert!(outcome.stderr.lines().all(|line| line.starts_with("hermes-exec: ")), "{outcome:?}");
        ["ANTHROPIC_API_KEY", "VIRTUAL_ENV", "HERMES_PROFILE"].iter().all(|name| outcome.stderr.contains(name))
    };
    let start = |options: &[&str]| {
        let args = ["-p", "builder"].iter().chain(options).chain(&["echo", "ran"]);
        sandbox.hx(args).env("VIRTUAL_ENV", "/x").env("UNCHANGED", "1")
    };
    for option in ["-v", "--verbose"] {
        let outcome = start(&[option]).run();
        assert!(!outcome.stderr.contains("UNCHANGED"), "{outcome:?}");
        assert!(says(outcome), "{option}");
    }
    for value in ["1", "true", "yes", "x"] {
        assert!(says(start(&[]).env("HERMES_EXEC_VERBOSE", value).run()), "{value}");
    }
    for value in ["0", "false", "no", "off", "", " "] {
        assert_eq!(start(&[]).env("HERMES_EXEC_VERBOSE", value).run().stderr, "", "{value:?}");
    }
}

#[test]
fn help_and_version_need_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("real/.hermes/active_profile", "../x");
    let before = sandbox.listing();
    for (option, words) in [
        ("-h", &["--profile", "--inherit-credentials", "--unlink", "COMMAND"][..]),
        ("--help", &["--profile", "--keep", "--chdir", "COMMAND"]),
        ("-V", &["hermes-exec", env!("CARGO_PKG_VERSION")]),
        ("--version", &["hermes-exec", env!("CARGO_PKG_VERSION")]),
    ] {
        for args in [vec![option], vec!["-p", "../x", option], vec!["--hermes-home", "relative", option, "true"]] {
            let run = sandbox.hx(&args).no_env("HOME").env("HERMES_HOME", "relative").env("HERMES_PROFILE", "../x");
            let outcome = run.env("HERMES_EXEC_HOME_MODE", "bad").no_env("PATH").run().ok();
            assert!(words.iter().all(|word| outcome.out().contains(word)), "{args:?}: {}", outcome.out());
        }
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn after_the_command_help_and_version_are_the_commands() {
    let sandbox = Sandbox::new();
    sandbox.script("bin/tool", "#!/bin/sh\necho \"tool $*\"\n");
    for args in [&["tool", "--help"][..], &["tool", "-V"], &["-q", "tool", "-h"], &["--", "tool", "--version"]] {
        let outcome = sandbox.hx(args).env("PATH", sandbox.path("bin")).run().ok();
        assert_eq!(outcome.out(), format!("tool {}\n", args[args.len() - 1]));
    }
}

#[test]
fn explain_prints_the_plan_and_does_nothing() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let before = sandbox.listing();
    for option in ["-n", "--explain", "--dry-run"] {
        let args = ["-p", "builder", option, "--inherit-credentials=openai", "touch", "made"];
        let outcome = sandbox.hx(args).run().ok();
        let home = sandbox.home().display().to_string();
        for word in ["builder", &home, "Grants", "openai", "ANTHROPIC_API_KEY", "/usr/bin/touch", ".claude"] {
            assert!(outcome.out().contains(word), "{option}: {word:?} is missing in {}", outcome.out());
        }
        assert!(!outcome.out().contains('\x1b'), "no colour where stdout is no terminal");
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn explain_exits_as_the_run_would() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("work/not-executable", "");
    for (args, code) in [
        (&["-n"][..], 0),
        (&["-n", "-p", "builder"], 0),
        (&["-n", "false"], 0),
        (&["-n", "no-such-command"], 127),
        (&["-n", "./not-executable"], 126),
        (&["-n", "-p", "nobody", "true"], 125),
    ] {
        let outcome = sandbox.hx(args).run();
        assert_eq!(outcome.code(), code, "{args:?}: {outcome:?}");
    }
}

#[test]
fn explain_lists_every_grant_under_grants() {
    let sandbox = Sandbox::with_builder();
    let args =
        ["-n", "-p", "builder", "--inherit-credentials=openai", "--keep", "ANTHROPIC_*", "--share", ".ssh", "true"];
    let text = sandbox.hx(args).run().ok().out();
    let grants = text.split_once("Grants").expect("a section of grants").1;
    for grant in ["openai", "ANTHROPIC_API_KEY", ".ssh"] {
        assert!(grants.contains(grant), "{grant} is missing: {text}");
    }
    let text = sandbox.hx(["-n", "-p", "builder", "--keep", "EDITOR", "true"]).env("EDITOR", "vi").run().ok().out();
    assert!(!text.contains("EDITOR"), "keeping what is kept anyway is no grant: {text}");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc and /dev/full")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let sandbox = Sandbox::with_builder();
    for args in [&["-h"][..], &["-V"], &["-n", "-p", "builder"]] {
        for prelude in ["exec >/dev/full", "exec >&-"] {
            sandbox.hx(args).after_sh(prelude).run().fails(125, &[]);
        }
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc and /dev/full")]
#[test]
fn messages_that_cannot_be_written_change_nothing() {
    let sandbox = Sandbox::with_builder();
    for prelude in ["exec 2>/dev/full", "exec 2>&-"] {
        let outcome = sandbox.hx(["-v", "-p", "builder", "echo", "ran"]).after_sh(prelude).run().ok();
        assert_eq!(outcome.out(), "ran\n");
        assert_eq!(sandbox.hx(["-p", "nobody", "true"]).after_sh(prelude).run().code(), 125);
        assert_eq!(sandbox.hx(["no-such-command"]).after_sh(prelude).run().code(), 127);
    }
}
