//! The order of the sources, and that only the one that wins is looked at.

use super::{env, profile_of, selected};
use crate::support::Sandbox;

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
    for (option, shaped, variable, active, expected) in [
        (true, true, true, true, "option"),
        (false, true, true, true, "shaped"),
        (false, false, true, true, "variable"),
        (false, false, false, true, "active"),
        (false, false, false, false, "default"),
        (true, false, false, true, "option"),
        (false, true, false, true, "shaped"),
    ] {
        let sandbox = with_profiles();
        if active {
            sandbox.write("real/.hermes/active_profile", "active");
        }
        let options = if option { vec!["--profile", "option"] } else { vec![] };
        let mut run = sandbox.hx(env(&options));
        if shaped {
            run = run.env("HERMES_HOME", sandbox.profile("shaped"));
        }
        if variable {
            run = run.env("HERMES_PROFILE", "variable");
        }
        let outcome = run.run();
        let case = format!("{option} {shaped} {variable} {active}: {outcome:?}");
        assert_eq!(outcome.code(), 0, "{case}");
        assert_eq!(profile_of(&sandbox, &outcome.var("HOME").unwrap()), expected, "{case}");
        let conflict = !option && shaped && variable;
        assert_eq!(outcome.stderr.starts_with("hermes-exec: warning: "), conflict, "{case}");
    }
}

#[test]
fn a_shaped_option_counts_like_the_variable_and_stands_before_it() {
    let sandbox = with_profiles();
    let shaped = sandbox.profile("shaped");
    let option = ["--hermes-home", shaped.to_str().unwrap()];
    assert_eq!(selected(&sandbox, sandbox.hx(env(&option))), "shaped");
    let run = sandbox.hx(env(&option)).env("HERMES_HOME", sandbox.profile("variable"));
    assert_eq!(selected(&sandbox, run), "shaped");
    let run = sandbox.hx(env(&[&option[..], &["-p", "option"]].concat()));
    assert_eq!(selected(&sandbox, run), "option");
}

#[test]
fn a_root_as_option_does_not_hide_hermes_profile() {
    let sandbox = with_profiles();
    let run = sandbox.hx(env(&["--hermes-home", sandbox.root().to_str().unwrap()]));
    assert_eq!(selected(&sandbox, run.env("HERMES_PROFILE", "variable")), "variable");
}

#[test]
fn only_the_source_that_wins_is_validated() {
    let sandbox = with_profiles();
    sandbox.write("real/.hermes/active_profile", "../not a name");
    let gone = sandbox.root().join("profiles/gone");
    let run = || sandbox.hx(env(&["-p", "option"])).env("HERMES_PROFILE", "../x");
    assert_eq!(selected(&sandbox, run()), "option");
    assert_eq!(selected(&sandbox, run().env("HERMES_HOME", gone)), "option");
    let run = sandbox.hx(env(&[])).env("HERMES_PROFILE", "variable");
    assert_eq!(selected(&sandbox, run), "variable");
    let run = sandbox.hx(env(&[])).env("HERMES_HOME", sandbox.profile("shaped"));
    assert_eq!(selected(&sandbox, run), "shaped");
}

#[test]
fn a_source_that_wins_and_is_wrong_is_not_passed_over() {
    let sandbox = with_profiles();
    sandbox.write("real/.hermes/active_profile", "active");
    let before = sandbox.listing();
    sandbox.hx(["-p", "gone", "true"]).env("HERMES_PROFILE", "variable").run().fails(125, &["gone"]);
    sandbox.hx(["true"]).env("HERMES_PROFILE", "gone").run().fails(125, &["gone"]);
    let shaped = sandbox.root().join("profiles/gone");
    sandbox.hx(["true"]).env("HERMES_HOME", shaped).env("HERMES_PROFILE", "variable").run();
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn empty_and_blank_sources_count_as_unset() {
    let sandbox = with_profiles();
    sandbox.write("real/.hermes/active_profile", " \n");
    for value in ["", " ", "\t\n"] {
        let run = sandbox.hx(env(&[])).env("HERMES_HOME", value).env("HERMES_PROFILE", value);
        assert_eq!(selected(&sandbox, run), "default", "{value:?}");
    }
}

#[test]
fn a_conflict_of_the_two_variables_is_a_warning_that_quiet_silences() {
    let sandbox = with_profiles();
    for (options, warned) in [(&[][..], true), (&["-q"], false)] {
        let run = sandbox.hx(env(options)).env("HERMES_HOME", sandbox.profile("shaped"));
        let outcome = run.env("HERMES_PROFILE", "variable").run();
        assert_eq!(profile_of(&sandbox, &outcome.var("HOME").unwrap()), "shaped");
        assert_eq!(outcome.stderr.starts_with("hermes-exec: warning: "), warned, "{outcome:?}");
        for name in ["shaped", "variable"] {
            assert_eq!(outcome.stderr.contains(name), warned, "{outcome:?}");
        }
        assert!(outcome.stderr.lines().count() <= 2, "{outcome:?}");
    }
}

#[test]
fn two_variables_that_agree_are_no_conflict() {
    let sandbox = with_profiles();
    let run = sandbox.hx(env(&[])).env("HERMES_HOME", sandbox.profile("shaped")).env("HERMES_PROFILE", "shaped");
    assert_eq!(selected(&sandbox, run), "shaped");
}

#[test]
fn a_root_beside_hermes_profile_is_no_conflict() {
    let sandbox = with_profiles();
    let run = sandbox.hx(env(&[])).env("HERMES_HOME", sandbox.root()).env("HERMES_PROFILE", "variable");
    assert_eq!(selected(&sandbox, run), "variable");
}

#[test]
fn without_hermes_the_command_is_sanitised_and_home_stays() {
    let sandbox = Sandbox::without_hermes();
    let before = sandbox.listing();
    let outcome = sandbox.hx(env(&[])).env("EDITOR", "vi").env("VIRTUAL_ENV", "/x").run().ok();
    let names: Vec<_> = outcome.block().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["EDITOR", "HOME", "PATH"], "std sorts what it hands on");
    assert_eq!(outcome.var("HOME").unwrap(), sandbox.real().display().to_string());
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn without_hermes_a_profile_that_is_named_is_an_error() {
    let sandbox = Sandbox::without_hermes();
    let before = sandbox.listing();
    sandbox.builder(["true"]).run().fails(125, &["builder"]);
    sandbox.hx(["true"]).env("HERMES_PROFILE", "builder").run().fails(125, &["builder"]);
    assert_eq!(sandbox.listing(), before);
}
