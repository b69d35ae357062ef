//! The mode: where it comes from, and what HOME becomes.

use super::{env, home_of};
use crate::support::Sandbox;

#[test]
fn auto_takes_the_home_of_a_named_profile_and_that_of_the_default_profile_only_when_it_is_there() {
    let sandbox = Sandbox::with_builder();
    let real = sandbox.real().display().to_string();
    assert_eq!(home_of(sandbox.hx(env(&["-p", "builder"]))), sandbox.home().display().to_string());
    assert_eq!(home_of(sandbox.hx(env(&[]))), real);
    assert_eq!(home_of(sandbox.hx(env(&["-p", "default"]))), real);
    assert!(!sandbox.root().join("home").exists());
    let home = sandbox.mkdir("real/.hermes/home").display().to_string();
    assert_eq!(home_of(sandbox.hx(env(&[]))), home);
    assert_eq!(home_of(sandbox.hx(env(&["-p", "default", "--home", "auto"]))), home);
}

#[test]
fn the_mode_comes_from_the_option_then_from_our_variable_then_from_that_of_the_terminal() {
    // The profile is `default` without a home: `profile` redirects, `real` and `auto` do not.
    for (option, ours, terminal, redirected) in [
        (Some("profile"), Some("real"), Some("real"), true),
        (Some("real"), Some("profile"), Some("profile"), false),
        (Some("auto"), Some("profile"), Some("profile"), false),
        (None, Some("profile"), Some("real"), true),
        (None, Some("auto"), Some("profile"), false),
        (None, Some("real"), Some("profile"), false),
        (None, Some(""), Some("profile"), true),
        (None, Some(" "), None, false),
        (None, None, Some("profile"), true),
        (None, None, Some("real"), false),
        (None, None, None, false),
    ] {
        let sandbox = Sandbox::new();
        let options = option.map_or(vec![], |mode| vec!["--home", mode]);
        let mut run = sandbox.hx(env(&options));
        for (name, value) in [("HERMES_EXEC_HOME_MODE", ours), ("TERMINAL_HOME_MODE", terminal)] {
            if let Some(value) = value {
                run = run.env(name, value);
            }
        }
        let expected = if redirected { sandbox.root().join("home") } else { sandbox.real() };
        assert_eq!(home_of(run), expected.display().to_string(), "{option:?} {ours:?} {terminal:?}");
    }
}

/// hermes-agent#48037, PR#46075: the setting holds below Hermes, which hands it on, and did not from a shell or cron.
#[test]
fn w30_terminal_home_mode_of_config_yaml_is_the_same_from_everywhere() {
    let sandbox = Sandbox::with_builder();
    let config = "real/.hermes/profiles/builder/config.yaml";
    let home = |run: crate::support::Run| home_of(run);
    let real = sandbox.real().display().to_string();
    let of_profile = sandbox.home().display().to_string();
    for (word, expected) in [("real", &real), ("Host", &real), ("profile", &of_profile), ("auto", &of_profile)] {
        sandbox.write(config, format!("terminal:\n  home_mode: {word}\n"));
        assert_eq!(&home(sandbox.hx(env(&["-p", "builder"]))), expected, "{word}");
    }
    // It is the last to be asked.
    sandbox.write(config, "terminal: {home_mode: real}\n");
    let start = |options: &[&str]| sandbox.hx(env(&[&["-p", "builder"], options].concat()));
    assert_eq!(home(start(&["--home", "profile"])), of_profile);
    assert_eq!(home(start(&[]).env("HERMES_EXEC_HOME_MODE", "auto")), of_profile);
    assert_eq!(home(start(&[]).env("TERMINAL_HOME_MODE", "profile")), of_profile);
    assert_eq!(home(start(&[]).env("TERMINAL_HOME_MODE", "auto")), real, "which says nothing");
    sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", r#"{"home": "profile"}"#);
    assert_eq!(home(start(&[])), of_profile);
    std::fs::remove_file(sandbox.path("real/.hermes/profiles/builder/hermes-exec.json")).unwrap();
    let explained = sandbox.hx(["-n", "-p", "builder"]).run().ok().out();
    assert!(explained.contains("mode real (from config.yaml)"), "{explained}");
}

#[test]
fn terminal_home_mode_has_aliases_and_other_values_say_nothing() {
    for value in ["profile", "isolated", "profile_home", "profile-home"] {
        let sandbox = Sandbox::new();
        let home = home_of(sandbox.hx(env(&[])).env("TERMINAL_HOME_MODE", value));
        assert_eq!(home, sandbox.root().join("home").display().to_string(), "{value}");
    }
    for value in ["real", "host", "user", "real_home", "real-home"] {
        let sandbox = Sandbox::with_builder();
        let home = home_of(sandbox.hx(env(&["-p", "builder"])).env("TERMINAL_HOME_MODE", value));
        assert_eq!(home, sandbox.real().display().to_string(), "{value}");
    }
    for value in ["auto", "", "anything", "/x"] {
        let sandbox = Sandbox::with_builder();
        let home = home_of(sandbox.hx(env(&["-p", "builder"])).env("TERMINAL_HOME_MODE", value));
        assert_eq!(home, sandbox.home().display().to_string(), "{value}");
    }
}

#[test]
fn a_bad_mode_is_an_error_and_of_a_variable_it_is_not_repeated() {
    let sandbox = Sandbox::with_builder();
    let before = sandbox.listing();
    for bad in ["isolated", "prof"] {
        sandbox.hx(["--home", bad, "true"]).run().fails(125, &["--home", bad]);
        let variable = sandbox.hx(["true"]).env("HERMES_EXEC_HOME_MODE", bad).run();
        let variable = variable.fails(125, &["HERMES_EXEC_HOME_MODE"]);
        assert!(!variable.stderr.contains(&format!("'{bad}'")), "{variable:?}");
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn mode_real_does_not_look_at_the_home() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.hermes/profiles/builder/home", "a file");
    let home = home_of(sandbox.hx(env(&["-p", "builder", "--home", "real"])));
    assert_eq!(home, sandbox.real().display().to_string());
}

#[test]
fn with_mode_real_a_home_of_any_spelling_stays() {
    let sandbox = Sandbox::with_builder();
    sandbox.link("real", "way");
    let real = sandbox.real().display().to_string();
    for home in
        [format!("{real}/"), format!("{real}//."), sandbox.path("way").display().to_string(), "/no/such/home".into()]
    {
        for options in [vec!["--home", "real"], vec![]] {
            let run = sandbox.hx(env(&options)).env("HERMES_HOME", sandbox.root()).env("HOME", &home);
            assert_eq!(home_of(run), home, "{options:?}");
        }
    }
}

#[test]
fn with_mode_real_a_home_that_is_none_becomes_the_real_home() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.hermes/profiles/builder/home/deeper");
    sandbox.mkdir("real/.hermes/profiles/other/home");
    sandbox.mkdir("work/relative");
    let profile = |rel: &str| sandbox.root().join("profiles").join(rel).display().to_string();
    let homes = [
        "".into(),
        " ".into(),
        "relative".into(),
        ".".into(),
        profile("builder/home"),
        profile("builder/home/deeper"),
        profile("other/home"),
    ];
    for home in homes {
        for options in [vec!["--home", "real"], vec!["-p", "default"], vec!["-p", "builder", "--home", "real"]] {
            let run = sandbox.hx(env(&options)).env("HERMES_HOME", sandbox.root()).env("HOME", &home);
            let run = run.env("HERMES_REAL_HOME", sandbox.real());
            assert_eq!(home_of(run), sandbox.real().display().to_string(), "{home:?} {options:?}");
        }
    }
    let unset = sandbox.hx(env(&["--home", "real"])).no_env("HOME").env("HERMES_REAL_HOME", sandbox.real());
    assert_eq!(home_of(unset), sandbox.real().display().to_string());
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn with_no_home_at_all_it_is_the_file_systems_root_with_a_warning() {
    // uid 54321 has no passwd entry.
    let sandbox = Sandbox::new();
    for home in [None, Some(""), Some("relative")] {
        let run = sandbox.hx(env(&["--home", "real"])).program(sandbox.copied_binary()).uid(54321);
        let run = if let Some(home) = home { run.env("HOME", home) } else { run.no_env("HOME") };
        let outcome = run.run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        assert_eq!(outcome.var("HOME").as_deref(), Some("/"), "{home:?}");
        assert!(outcome.stderr.starts_with("hermes-exec: warning: "), "{outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn quiet_silences_that_warning() {
    let sandbox = Sandbox::new();
    let run = sandbox.hx(env(&["-q", "--home", "real"])).program(sandbox.copied_binary()).uid(54321);
    assert_eq!(home_of(run.no_env("HOME")), "/");
}

#[test]
fn hermes_home_is_exported_when_its_value_had_to_be_expanded() {
    let sandbox = Sandbox::with_builder();
    for (value, expected) in [("~/.hermes", sandbox.root()), ("~/.hermes/profiles/builder", sandbox.profile("builder"))]
    {
        let outcome = sandbox.hx(env(&[])).env("HERMES_HOME", value).run().ok();
        assert_eq!(outcome.var("HERMES_HOME").unwrap(), expected.display().to_string());
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_refused_real_home_does_not_reach_a_redirected_command() {
    // Nothing is acceptable: the value of HERMES_REAL_HOME is removed, not repeated.
    let sandbox = Sandbox::with_builder();
    sandbox.chown_all(54321);
    let run = sandbox.hx(env(&["--hermes-home", sandbox.root().to_str().unwrap(), "-p", "builder"]));
    let run = run.program(sandbox.copied_binary()).uid(54321);
    let outcome = run.no_env("HOME").env("HERMES_REAL_HOME", "/no/such/home").run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert_eq!(outcome.var("HERMES_REAL_HOME"), None, "{outcome:?}");
    assert_eq!(outcome.var("HOME").unwrap(), sandbox.home().display().to_string());
}
