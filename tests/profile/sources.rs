//! The order of the sources, and that only the one that wins is looked at.

use super::{profile_of, selected, selects};
use crate::support::Sandbox;
use std::fs;

/// A sandbox in which each source can name a profile of its own.
fn with_profiles() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["option", "shaped", "variable", "active"] {
        sandbox.profile(name);
    }
    sandbox
}

#[test]
fn the_first_source_that_is_given_wins() {
    let sandbox = with_profiles();
    selects(&sandbox, "default", &[""]);
    let active = sandbox.write("real/.hermes/active_profile", "active");
    selects(&sandbox, "active", &[""]);
    for _ in 0..2 {
        selects(
            &sandbox,
            "option",
            &[
                "HERMES_HOME={root}/profiles/shaped HERMES_PROFILE=variable --profile option",
                "--profile option",
                "--hermes-home {root}/profiles/shaped -p option",
            ],
        );
        selects(
            &sandbox,
            "shaped",
            &[
                "HERMES_HOME={root}/profiles/shaped",
                "--hermes-home {root}/profiles/shaped",
                "HERMES_HOME={root}/profiles/variable --hermes-home {root}/profiles/shaped",
                // Two variables that agree are no conflict.
                "HERMES_HOME={root}/profiles/shaped HERMES_PROFILE=shaped",
            ],
        );
        selects(
            &sandbox,
            "variable",
            &[
                "HERMES_PROFILE=variable",
                "HERMES_PROFILE=variable --hermes-home {root}",
                "HERMES_PROFILE=variable HERMES_HOME={root}",
            ],
        );
        // And once more with a file that is not even a name: only the source that wins is validated.
        fs::write(&active, "../not a name").unwrap();
    }
    selects(
        &sandbox,
        "option",
        &["HERMES_PROFILE=../x -p option", "HERMES_PROFILE=../x HERMES_HOME={root}/profiles/gone -p option"],
    );
}

#[test]
fn a_source_that_wins_and_is_wrong_is_not_passed_over() {
    let sandbox = with_profiles();
    sandbox.write("real/.hermes/active_profile", "active");
    sandbox.refuses(&[
        ("HERMES_PROFILE=variable -p gone", "gone"),
        ("HERMES_PROFILE=gone", "gone"),
        ("HERMES_HOME={root}/profiles/gone HERMES_PROFILE=variable", "gone"),
    ]);
}

#[test]
fn empty_and_blank_sources_count_as_unset() {
    let sandbox = with_profiles();
    sandbox.write("real/.hermes/active_profile", " \n");
    for value in ["", " ", "\t\n"] {
        let run = sandbox.line("").env("HERMES_HOME", value).env("HERMES_PROFILE", value);
        assert_eq!(selected(&sandbox, run), "default", "{value:?}");
    }
}

#[test]
fn a_conflict_of_the_two_variables_is_a_warning_that_quiet_silences() {
    let sandbox = with_profiles();
    for (option, warned) in [("", true), ("-q", false)] {
        let line = format!("HERMES_HOME={{root}}/profiles/shaped HERMES_PROFILE=variable {option}");
        let outcome = sandbox.line(&line).run();
        assert_eq!(profile_of(&sandbox, &outcome.var("HOME").unwrap()), "shaped");
        assert_eq!(outcome.stderr.starts_with("hermes-exec: warning: "), warned, "{outcome:?}");
        for name in ["shaped", "variable"] {
            assert_eq!(outcome.stderr.contains(name), warned, "{outcome:?}");
        }
        assert!(outcome.stderr.lines().count() <= 2, "{outcome:?}");
    }
}

#[test]
fn without_hermes_the_command_is_sanitised_and_home_stays_unless_a_profile_is_named() {
    let sandbox = Sandbox::without_hermes();
    let before = sandbox.listing();
    let outcome = sandbox.line("EDITOR=vi VIRTUAL_ENV=/x").run().ok();
    let names: Vec<_> = outcome.block().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["EDITOR", "HOME", "PATH"], "std sorts what it hands on");
    assert_eq!(outcome.var("HOME").unwrap(), sandbox.real().display().to_string());
    assert_eq!(sandbox.listing(), before);
    sandbox.refuses(&[("-p builder", "builder"), ("HERMES_PROFILE=builder", "builder")]);
}
