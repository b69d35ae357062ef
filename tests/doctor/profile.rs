//! What selects the profile: `active_profile`, HERMES_HOME, HERMES_PROFILE, and what every run warns of.

use super::{Report, Setup, fires_and_is_cured, hinted};

#[test]
fn profile_that_is_not_there() {
    let setup = Setup::new();
    let unknown = || setup.start(&["--doctor", "-p", "nobody"]);
    let report = Report::of(unknown());
    let check = report.the("profile", &["'nobody'"]);
    assert!(check.hint.as_ref().unwrap().starts_with("known profiles: default, builder"), "{check:?}");
    assert_eq!(check.cure.as_deref(), Some("hermes -p default profile create nobody"));
    // Without Hermes' own command there is no cure.
    std::fs::remove_file(setup.sandbox.path("tools/hermes")).unwrap();
    hinted(unknown().env("PATH", setup.sandbox.path("tools")), "profile", "problem", &["'nobody'"]);
    hinted(setup.start(&["--doctor", "-p", "../x"]), "profile", "problem", &["--profile"]);
    assert_eq!(Report::of(setup.doctor(&[])).the("profile", &["builder", "--profile"]).level, "ok");
}

#[test]
fn active_profile_that_is_stale() {
    let setup = Setup::new();
    for text in ["gone\n", "\u{feff}Gone\r\n", "../builder", "a/b", "x".repeat(300).as_str()] {
        // Where it decides the profile, where another source does, and where neither is there.
        for (options, level) in
            [(&["--doctor"][..], 1), (&["--doctor", "-p", "builder"], 0), (&["--doctor", "-p", "no"], 1)]
        {
            setup.sandbox.write("real/.hermes/active_profile", text);
            let run = setup.start(options);
            assert_eq!(run.clone().run().code(), level, "{options:?}");
            let check = Report::of(run.clone()).the("active-profile", &["active_profile"]).clone();
            fires_and_is_cured(&run, "active-profile", &check.level, &["active_profile"]);
        }
    }
    setup.sandbox.write("real/.hermes/active_profile", "gone\n");
    let says = ["active_profile names a profile that does not exist"];
    fires_and_is_cured(&setup.start(&["--doctor"]), "active-profile", "problem", &says);
    // A profile with a tombstone beside it.
    setup.sandbox.write("real/.hermes/active_profile", "builder\n");
    setup.sandbox.write("real/.hermes/profiles/.deleted/builder", "");
    fires_and_is_cured(&setup.start(&["--doctor"]), "active-profile", "problem", &["deleted", "active_profile"]);
}

#[test]
fn active_profile_that_is_good() {
    let setup = Setup::new();
    for text in ["builder\n", " Builder \r\n", "default", "", "\n"] {
        setup.sandbox.write("real/.hermes/active_profile", text);
        Report::of(setup.start(&["--doctor"])).lacks("active-profile");
        Report::of(setup.doctor(&[])).lacks("active-profile");
    }
}

#[test]
fn hermes_home_that_names_nothing() {
    let setup = Setup::new();
    let root = setup.sandbox.root();
    setup.sandbox.profile("old");
    setup.sandbox.write("real/.hermes/profiles/.deleted/old", "");
    for (value, word) in [
        ("relative/dir".into(), "relative"),
        (".".into(), "relative"),
        ("/no/where".into(), "not a directory"),
        ("~/nowhere".into(), "not a directory"),
        (root.join("profiles/gone"), "'gone'"),
        (root.join("profiles/old"), "deleted"),
    ] {
        // Where it decides, a run fails; where an option has the last word, others still go by it.
        fires_and_is_cured(&setup.start(&["--doctor"]).env("HERMES_HOME", &value), "hermes-home", "problem", &[word]);
        let root = root.to_str().unwrap();
        let overruled = setup.start(&["--doctor", "--hermes-home", root, "-p", "builder"]).env("HERMES_HOME", &value);
        fires_and_is_cured(&overruled, "hermes-home", "warning", &["HERMES_HOME"]);
    }
    // The profile's directory is gone, and --profile names another of the same root.
    let run = setup.doctor(&[]).env("HERMES_HOME", root.join("profiles/gone"));
    fires_and_is_cured(&run, "hermes-home", "warning", &["not a directory"]);
}

#[test]
fn hermes_home_that_is_good() {
    let setup = Setup::new();
    let root = setup.sandbox.root();
    setup.sandbox.link(&root, "elsewhere");
    for value in [root.clone(), root.join("profiles/builder"), "~/.hermes".into(), setup.sandbox.path("elsewhere")] {
        for options in [&["--doctor"][..], &["--doctor", "-p", "builder"]] {
            let report = Report::of(setup.start(options).env("HERMES_HOME", &value));
            report.lacks("hermes-home");
            report.is_quiet("profile");
        }
    }
}

#[test]
fn what_every_run_warns_of() {
    let setup = Setup::new();
    setup.sandbox.profile("other");
    let home = setup.sandbox.profile("builder");
    let run = setup.start(&["--doctor"]).env("HERMES_HOME", home).env("HERMES_PROFILE", "other");
    fires_and_is_cured(&run, "profile", "warning", &["HERMES_PROFILE", "'other'"]);

    let config = setup.sandbox.write("real/.hermes/profiles/builder/config.yaml", "env_passthrough: [\n");
    let hint = hinted(setup.doctor(&[]), "config", "warning", &["config.yaml"]);
    assert_eq!(hint, format!("to edit it: \"${{EDITOR:-vi}}\" {}", config.display()));
}
