//! The command line.

use crate::support::{BINARY, CANARY, Sandbox, bytes};

/// What `printf` is given, each argument in angle brackets.
const PRINTF: [&str; 2] = ["printf", "<%s>"];

#[test]
fn options_end_at_the_first_word_that_is_none_and_the_rest_is_passed() {
    let sandbox = Sandbox::new();
    let own = ["-p", "nobody", "--help", "-V", "--no-such-option", "--", "a", "--", "-n"];
    for (options, rest) in [(&[][..], &own[..]), (&[], &["", "a", ""]), (&["-q", "--"], &["--", "a", "--", "b"])] {
        let outcome = sandbox.hx(options.iter().chain(&PRINTF).chain(rest)).run().ok();
        assert_eq!(outcome.out(), rest.iter().map(|word| format!("<{word}>")).collect::<String>());
    }
}

#[test]
fn what_is_looked_for_as_the_command() {
    let sandbox = Sandbox::new();
    for (words, command) in [
        (&["--", "--", "x"][..], "--"),
        (&["--", "-p", "x"], "-p"),
        (&["--", "--help"], "--help"),
        (&["-", "--help"], "-"),
        (&["-q", "-"], "-"),
        (&[""], ""),
        (&["--", "", "x"], ""),
    ] {
        sandbox.hx(words).run().fails(127, &[command]);
    }
}

#[test]
fn a_command_may_be_called_like_an_option() {
    let sandbox = Sandbox::new();
    for name in ["--", "--help", "-n", "-"] {
        sandbox.script(format!("bin/{name}"), "#!/bin/sh\necho \"ran $1\"\n");
        let run = sandbox.hx(["--", name, "--version"]).env("PATH", sandbox.path("bin"));
        assert_eq!(run.run().ok().out(), "ran --version\n", "{name}");
    }
}

#[test]
fn arguments_need_not_be_utf8() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.hx([bytes(b"printf"), bytes(b"%s"), bytes(b"\xff\xa3\x01 x")]).run().ok();
    assert_eq!(outcome.stdout, b"\xff\xa3\x01 x");
}

#[test]
fn an_assignment_is_the_command_and_the_hint_names_the_option() {
    let sandbox = Sandbox::new();
    for args in [&["FOO=1", "env"][..], &["--", "FOO=1", "env"], &["-q", "FOO=", "env"], &["=", "env"]] {
        let outcome = sandbox.hx(args).run().fails(127, &[]);
        assert!(outcome.stderr.lines().nth(1).is_some_and(|hint| hint.contains("--set")), "{outcome:?}");
    }
    sandbox.script("bin/FOO=1", "#!/bin/sh\necho ran\n");
    assert_eq!(sandbox.hx(["FOO=1"]).env("PATH", sandbox.path("bin")).run().ok().out(), "ran\n");
    let plain = sandbox.hx(["no-such-command"]).run().fails(127, &["no-such-command"]);
    assert!(!plain.stderr.contains("--set"), "{plain:?}");
}

#[test]
fn the_value_of_a_mistaken_assignment_is_not_printed() {
    // The command word may be named; a secret in it is the user's own doing, but need not be repeated.
    let outcome = Sandbox::new().hx([&format!("KEY={CANARY}"), "env"]).run();
    assert_eq!(outcome.code(), 127);
}

#[test]
fn a_misspelt_option_is_an_error_and_never_the_command() {
    let sandbox = Sandbox::with_builder();
    let before = sandbox.listing();
    for option in ["--profil", "--shar", "--quite", "-z", "-Z", "--P", "--set-x", "---", "-qz", "--Home", "--profile-"]
    {
        sandbox.script(format!("work/bin/{option}"), "#!/bin/sh\necho ran\n");
        let run = sandbox.hx([option, "builder", "true"]).env("PATH", sandbox.path("work/bin"));
        run.run().fails(125, &[]);
    }
    std::fs::remove_dir_all(sandbox.path("work/bin")).unwrap();
    assert_eq!(sandbox.listing(), before);
    sandbox.hx(["--profil", "builder", "true"]).run().fails(125, &["--profil"]);
}

#[test]
fn of_an_option_given_twice_the_last_wins() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("other");
    let root = sandbox.root().display().to_string();
    for options in [
        ["-p", "other", "-p", "builder"],
        ["--profile", "nobody", "-p", "builder"],
        ["--profile=../x", "-pother", "--profile", "builder"],
    ] {
        let outcome = sandbox.hx(options.iter().chain(&["printenv", "HERMES_PROFILE"])).run().ok();
        assert_eq!(outcome.out(), "builder\n", "{options:?}");
    }
    let home = |options: &[&str]| {
        let args = ["-p", "builder"].iter().chain(options).chain(&["printenv", "HOME"]);
        sandbox.hx(args).run().ok().out()
    };
    assert_eq!(home(&["--home", "real", "--home=profile"]), format!("{}\n", sandbox.home().display()));
    assert_eq!(home(&["--home", "profile", "--home=real"]), format!("{}\n", sandbox.real().display()));
    assert_eq!(home(&["--hermes-home", "/no/such", "--hermes-home", &root]), format!("{}\n", sandbox.home().display()));
    let last = |args: &[&str]| sandbox.hx(args).run().ok().out();
    assert_eq!(last(&["-C", "/no/such", "-C", "/usr", "pwd"]), "/usr\n");
    assert_eq!(last(&["-a", "one", "--argv0=two", "sh", "-c", "echo $0"]), "two\n");
    assert_eq!(last(&["-q", "-q", "--quiet", "echo", "x"]), "x\n");
}

#[test]
fn options_are_written_as_with_env() {
    let sandbox = Sandbox::with_builder();
    for options in [
        &["-pbuilder"][..],
        &["-p", "builder"],
        &["--profile", "builder"],
        &["--profile=builder"],
        &["-qpbuilder"],
        &["-qp", "builder"],
    ] {
        let outcome = sandbox.hx(options.iter().chain(&["printenv", "HERMES_PROFILE"])).run().ok();
        assert_eq!(outcome.out(), "builder\n", "{options:?}");
    }
    for options in [&["-uONE", "-u", "TWO"][..], &["--unset=ONE", "--unset", "TWO"]] {
        let args = options.iter().chain(&["sh", "-c", "echo ${ONE-}${TWO-}${THREE-}"]);
        let outcome = sandbox.hx(args).env("ONE", "1").env("TWO", "2").env("THREE", "3").run().ok();
        assert_eq!(outcome.out(), "3\n", "{options:?}");
    }
}

#[test]
fn an_option_without_its_value_is_an_error() {
    let sandbox = Sandbox::with_builder();
    for (option, long) in [
        ("-p", "--profile"),
        ("-u", "--unset"),
        ("-C", "--chdir"),
        ("-a", "--argv0"),
        ("--hermes-home", "--hermes-home"),
        ("--home", "--home"),
        ("--share", "--share"),
        ("--no-share", "--no-share"),
        ("--keep", "--keep"),
        ("--set", "--set"),
    ] {
        for spelled in [option, long] {
            let outcome = sandbox.hx([spelled]).run().fails(125, &[]);
            assert!(outcome.stderr.contains(option) || outcome.stderr.contains(long), "{outcome:?}");
        }
    }
    for option in ["--quiet=1", "--verbose=1", "-n=1", "--explain=x", "--unlink=x", "--help=x"] {
        sandbox.hx([option, "true"]).run().fails(125, &[]);
    }
}

#[test]
fn values_that_are_wrong_are_errors_and_change_nothing() {
    let sandbox = Sandbox::with_builder();
    let before = sandbox.listing();
    for args in [
        &["--home", ""][..],
        &["--home", "PROFILE"],
        &["--set", ""],
        &["--set", "NAME"],
        &["--set", "=value"],
        &["--inherit-credentials=no-such-group"],
        &["--inherit-credentials=anthropic,no-such-group"],
        &["--inherit-credentials=ANTHROPIC_API_KEY"],
        &["--profile", ""],
    ] {
        sandbox.hx(args.iter().chain(&["true"])).run().fails(125, &[args[0].split('=').next().unwrap()]);
    }
    for two_that_inspect in [["-n", "--unlink"], ["--unlink", "--dry-run"], ["--explain", "--unlink"]] {
        sandbox.hx(["-p", "builder"].iter().chain(&two_that_inspect)).run().fails(125, &[]);
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn an_empty_list_of_groups_grants_nothing() {
    let outcome = Sandbox::new().hx(["--inherit-credentials=", "sh", "-c", "echo ${ANTHROPIC_API_KEY-none}"]).run();
    assert_ne!(outcome.out(), format!("sk-ant-{CANARY}\n"));
}

#[test]
fn the_bare_grant_directly_before_the_name_of_a_group_is_an_error() {
    let sandbox = Sandbox::new();
    for group in ["github", "anthropic", "messaging"] {
        let outcome = sandbox.hx(["--inherit-credentials", group, "true"]).run();
        let outcome = outcome.fails(125, &["--inherit-credentials", group]);
        let hint = outcome.stderr.lines().nth(1).expect("a hint");
        assert!(hint.contains(&format!("={group}")) && hint.contains("--"), "{hint}");
        sandbox.hx(["--inherit-credentials", "--", group]).run().fails(127, &[group]);
    }
    let outcome = sandbox.hx(["--inherit-credentials", "printenv", "ANTHROPIC_API_KEY"]).secret_may_show().run().ok();
    assert_eq!(outcome.out(), format!("sk-ant-{CANARY}\n"));
    let outcome = sandbox.hx(["--inherit-credentials=github", "true"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
}

#[test]
fn without_a_command_there_is_a_usage_on_stderr() {
    let sandbox = Sandbox::with_builder();
    let before = sandbox.listing();
    for args in [&[][..], &["--"], &["-p", "builder"], &["-p", "builder", "--"], &["-v"], &["--keep", "X", "-q"]] {
        let outcome = sandbox.hx(args).run();
        assert_eq!(outcome.code(), 125, "{args:?}: {outcome:?}");
        assert_eq!(outcome.out(), "", "{args:?}");
        assert!(outcome.stderr.to_lowercase().contains("usage"), "{args:?}: {outcome:?}");
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn the_name_we_are_called_by_does_not_matter() {
    let sandbox = Sandbox::new();
    let link = sandbox.link(BINARY, "bin/another-name");
    let outcome = sandbox.hx(["sh", "-c", "echo $0"]).program(&link).run().ok();
    assert_eq!(outcome.out(), "sh\n");
    let outcome = sandbox.hx(["no-such-command"]).program(&link).run();
    outcome.fails(127, &["no-such-command"]);
}
