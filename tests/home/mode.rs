//! The mode: where it comes from, and what HOME becomes.

use super::home_of;
use crate::support::Sandbox;

#[test]
fn auto_takes_the_home_of_a_named_profile_and_that_of_the_default_profile_only_when_it_is_there() {
    let sandbox = Sandbox::with_builder();
    sandbox.gives(&[("-p builder", "HOME={home}"), ("", "HOME={real}"), ("-p default", "HOME={real}")]);
    assert!(!sandbox.root().join("home").exists());
    sandbox.mkdir("real/.hermes/home");
    sandbox.gives(&[("", "HOME={root}/home"), ("-p default --home auto", "HOME={root}/home")]);
}

#[test]
fn the_mode_comes_from_the_option_then_from_our_variable_then_from_that_of_the_terminal() {
    // The profile is `default` without a home: `profile` redirects, `real` and `auto` do not.
    let sandbox = Sandbox::new();
    sandbox.gives(&[
        ("", "HOME={real}"),
        ("TERMINAL_HOME_MODE=real", "HOME={real}"),
        ("HERMES_EXEC_HOME_MODE=real TERMINAL_HOME_MODE=profile", "HOME={real}"),
        ("HERMES_EXEC_HOME_MODE=auto TERMINAL_HOME_MODE=profile", "HOME={real}"),
        ("HERMES_EXEC_HOME_MODE=profile TERMINAL_HOME_MODE=profile --home real", "HOME={real}"),
        ("HERMES_EXEC_HOME_MODE=profile TERMINAL_HOME_MODE=profile --home auto", "HOME={real}"),
    ]);
    assert_eq!(home_of(sandbox.line("").env("HERMES_EXEC_HOME_MODE", " ")), sandbox.placed("{real}"));
    for line in [
        "TERMINAL_HOME_MODE=profile",
        "HERMES_EXEC_HOME_MODE= TERMINAL_HOME_MODE=profile",
        "HERMES_EXEC_HOME_MODE=profile TERMINAL_HOME_MODE=real",
        "HERMES_EXEC_HOME_MODE=real TERMINAL_HOME_MODE=real --home profile",
    ] {
        Sandbox::new().gives(&[(line, "HOME={root}/home")]);
    }
}

/// hermes-agent#48037, PR#46075: the setting holds below Hermes, which hands it on, and did not from a shell or cron.
#[test]
fn w30_terminal_home_mode_of_config_yaml_is_the_same_from_everywhere() {
    let sandbox = Sandbox::with_builder();
    let config = "real/.hermes/profiles/builder/config.yaml";
    for (word, expected) in [("real", "{real}"), ("Host", "{real}"), ("profile", "{home}"), ("auto", "{home}")] {
        sandbox.write(config, format!("terminal:\n  home_mode: {word}\n"));
        sandbox.gives(&[("-p builder", &format!("HOME={expected}"))]);
    }
    // It is the last to be asked.
    sandbox.write(config, "terminal: {home_mode: real}\n");
    sandbox.gives(&[
        ("-p builder --home profile", "HOME={home}"),
        ("HERMES_EXEC_HOME_MODE=auto -p builder", "HOME={home}"),
        ("TERMINAL_HOME_MODE=profile -p builder", "HOME={home}"),
        // Which says nothing.
        ("TERMINAL_HOME_MODE=auto -p builder", "HOME={real}"),
    ]);
    let policy = sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", r#"{"home": "profile"}"#);
    sandbox.gives(&[("-p builder", "HOME={home}")]);
    std::fs::remove_file(policy).unwrap();
    let explained = sandbox.hx(["-n", "-p", "builder"]).run().ok().out();
    assert!(explained.contains("mode real (from config.yaml)"), "{explained}");
}

#[test]
fn terminal_home_mode_has_aliases_and_other_values_say_nothing() {
    for value in ["profile", "isolated", "profile_home", "profile-home"] {
        Sandbox::new().gives(&[(&format!("TERMINAL_HOME_MODE={value}"), "HOME={root}/home")]);
    }
    let sandbox = Sandbox::with_builder();
    for value in ["real", "host", "user", "real_home", "real-home"] {
        sandbox.gives(&[(&format!("TERMINAL_HOME_MODE={value} -p builder"), "HOME={real}")]);
    }
    for value in ["auto", "", "anything", "/x"] {
        sandbox.gives(&[(&format!("TERMINAL_HOME_MODE={value} -p builder"), "HOME={home}")]);
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
    sandbox.write(sandbox.home(), "a file");
    sandbox.gives(&[("-p builder --home real", "HOME={real}")]);
}

#[test]
fn with_mode_real_a_home_of_any_spelling_stays() {
    let sandbox = Sandbox::with_builder();
    sandbox.link("real", "way");
    for home in ["HOME={real}/", "HOME={real}//.", "HOME={dir}/way", "HOME=/no/such/home"] {
        for options in ["--home real", ""] {
            sandbox.gives(&[(&format!("HERMES_HOME={{root}} {home} {options}"), home)]);
        }
    }
}

#[test]
fn with_mode_real_a_home_that_is_none_becomes_the_real_home() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir(sandbox.home().join("deeper"));
    sandbox.mkdir("real/.hermes/profiles/other/home");
    sandbox.mkdir("work/relative");
    for home in ["", " ", "relative", ".", "{home}", "{home}/deeper", "{root}/profiles/other/home"] {
        for options in ["--home real", "-p default", "-p builder --home real"] {
            let run = sandbox.line(&format!("HERMES_HOME={{root}} HERMES_REAL_HOME={{real}} {options}"));
            assert_eq!(home_of(run.env("HOME", sandbox.placed(home))), sandbox.placed("{real}"), "{home:?} {options}");
        }
    }
    let unset = sandbox.line("HERMES_REAL_HOME={real} --home real").no_env("HOME");
    assert_eq!(home_of(unset), sandbox.placed("{real}"));
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn with_no_home_at_all_it_is_the_file_systems_root_with_a_warning() {
    // uid 54321 has no passwd entry.
    let sandbox = Sandbox::new();
    for home in [None, Some(""), Some("relative")] {
        for (options, warnings) in [("--home real", 1), ("-q --home real", 0)] {
            let run = sandbox.line(options).program(sandbox.copied_binary()).uid(54321);
            let run = if let Some(home) = home { run.env("HOME", home) } else { run.no_env("HOME") };
            let outcome = run.run();
            assert_eq!(outcome.code(), 0, "{outcome:?}");
            assert_eq!(outcome.var("HOME").as_deref(), Some("/"), "{home:?}");
            assert_eq!(outcome.stderr.lines().count(), warnings, "{outcome:?}");
            assert!(outcome.stderr.lines().all(|line| line.starts_with("hermes-exec: warning: ")), "{outcome:?}");
        }
    }
}
