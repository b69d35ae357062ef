//! The form of the report: text, JSON, the exit status, and outputs that cannot be written.

use super::{Report, Setup};
use crate::support::{Sandbox, without_numbers};

#[test]
fn text_says_the_same_as_json() {
    let setup = Setup::new();
    setup.sandbox.write("real/.hermes/active_profile", "gone\n");
    setup.sandbox.mkdir("real/.ssh");
    setup.sandbox.write("real/.hermes/profiles/builder/home/.ssh", "in the way");
    let run = setup.doctor(&["--share", ".ssh"]).env("GH_TOKEN", "x");
    let text = without_numbers(&run.clone().run().ok().out());
    let mut lines = text.lines();
    let mut says = |line: String| assert_eq!(lines.next(), Some(without_numbers(&line).as_str()), "{text}");
    let checks = Report::of(run).0;
    for check in &checks {
        says(format!("{:<9}{}: {}", check.level, check.id, check.message));
        if let Some(hint) = &check.hint {
            says(format!("         hint: {hint}"));
        }
        if let Some(cure) = &check.cure {
            says(format!("         cure: {cure}"));
        }
    }
    let notes = checks.iter().filter(|check| check.level == "note").count();
    assert_eq!(notes, 0, "{text}");
    says("no problem, 2 warnings, no note".to_owned());
    assert_eq!(lines.next(), None, "{text}");
}

/// `--doctor` reports, and exits with 1, where a run would exit with 125.
#[test]
fn where_a_run_would_fail() {
    let setup = Setup::new();
    for (id, options, words) in [
        ("profile", &["-p", "nobody"][..], &["'nobody'", "--profile"][..]),
        ("options", &["--inherit-credentials=nobody"], &["--inherit-credentials"]),
        ("options", &["--share", "/absolute"], &["--share"]),
        ("policy", &["--policy", "/no/where"], &["--policy"]),
        ("hermes-home", &["--hermes-home", "x/y"], &["--hermes-home"]),
    ] {
        setup.start(&[options, &["true"]].concat()).run().fails(125, words);
        let run = setup.start(&[options, &["--doctor"]].concat());
        let outcome = run.clone().run();
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (1, ""), "{outcome:?}");
        assert_eq!(Report::of(run).the(id, words).level, "problem");
    }
    // Only options that cannot be read are not reported about.
    setup.start(&["--doctor", "--no-such-option"]).run().fails(125, &["--no-such-option"]);
    setup.start(&["--doctor", "true"]).run().fails(125, &["--doctor"]);
}

#[test]
fn warnings_alone_exit_with_zero() {
    let setup = Setup::new();
    setup.sandbox.write("real/.hermes/active_profile", "gone\n");
    let outcome = setup.doctor(&[]).run().ok();
    assert!(outcome.out().contains("\nwarning  active-profile: "), "{outcome:?}");
}

#[test]
fn nothing_is_changed() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let before = sandbox.listing();
    for options in [&["--doctor"][..], &["--doctor", "-p", "builder"], &["--doctor", "-p", "builder", "--json", "-v"]] {
        sandbox.hx(options).run().ok();
    }
    assert_eq!(sandbox.listing(), before);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc and /dev/full")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let sandbox = Sandbox::with_builder();
    for options in [
        &["--doctor"][..],
        &["--doctor", "--json"],
        &["-p", "nobody", "--doctor"],
        &["-n", "--json"],
        &["-n", "--only", "HOME"],
        &["--catalogue"],
        &["--catalogue", "--json"],
    ] {
        for prelude in ["exec >/dev/full", "exec >&-"] {
            sandbox.hx(options).after_sh(prelude).run().fails(125, &["standard output"]);
        }
    }
}

/// The cure is for this call: it repeats the options that choose profile, HOME, links and policy.
#[test]
fn cures_repeat_the_options() {
    let setup = Setup::new();
    let policy = setup.sandbox.write("a policy", "{}").display().to_string();
    let root = setup.sandbox.root().display().to_string();
    setup.sandbox.mkdir("real/.config/gh");
    let run = setup.start(&[
        "--doctor", "--profile=builder", "--hermes-home", &root, "--home=profile", "--no-share", "keychain", "--share",
        ".config/gh,.new", "--policy", &policy, "--keep", "X",
    ]);
    let report = Report::of(run);
    let cure = report.the("link", &[".config/gh", "will be created"]).cure.clone().unwrap();
    let wanted = format!(
        "hermes-exec -p builder --hermes-home {root} --home profile --no-share keychain --share .config/gh \
         --share .new --policy '{policy}' -- true"
    );
    assert_eq!(cure, wanted);
    let report = Report::of(setup.doctor(&["--share", ".config/gh", "--no-policy"]));
    let cure = report.the("link", &[".config/gh"]).cure.clone().unwrap();
    assert_eq!(cure, "hermes-exec -p builder --share .config/gh --no-policy -- true");
}
