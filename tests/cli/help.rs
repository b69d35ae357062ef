//! The shape of the command line: what `-h` and `--help` print, and what is said of a word that was mistyped.

use clap::CommandFactory;
use hermes_exec::cli::Options;

use crate::support::{CANARY, Sandbox};

/// The options of clap that a text does not name, and the values that it does not.
fn left_out(text: &str) -> Vec<String> {
    let words: Vec<_> = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
    let mut command = Options::command();
    command.build();
    let mut all = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_positional()) {
        all.extend(arg.get_long().map(|name| format!("--{name}")));
        all.extend(arg.get_visible_aliases().unwrap_or_default().iter().map(|name| format!("--{name}")));
        all.extend(arg.get_short().map(|letter| format!("-{letter}")));
        if arg.get_action().takes_values() {
            all.extend(arg.get_possible_values().iter().map(|value| value.get_name().to_owned()));
        }
    }
    all.retain(|name| !words.contains(&name.as_str()));
    all
}

#[test]
fn the_short_help_is_one_screen_and_names_every_option() {
    let brief = Sandbox::new().hx(["-h"]).run().ok().out();
    // The last line of the screen is for the next prompt.
    assert!(brief.lines().count() <= 23, "{brief}");
    assert!(brief.lines().all(|line| line.chars().count() <= 80), "{brief}");
    assert_eq!(left_out(&brief), [""; 0], "{brief}");
}

#[test]
fn the_long_help_is_in_groups_with_examples_that_run() {
    let sandbox = Sandbox::with_builder();
    let help = sandbox.hx(["--help"]).run().ok().out();
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    assert_eq!(left_out(&help), [""; 0], "{help}");
    // Which of the two is asked for is not mistaken for words of the command or of another option.
    for (words, is_long) in [(&["-qh"][..], false), (&["-p", "x", "--help"], true), (&["-h", "--help"], false)] {
        assert_eq!(sandbox.hx(words).run().ok().out() == help, is_long, "{words:?}");
    }
    let headings = ["Profile and HOME", "Environment", "Sharing", "Sealing", "Inspecting", "Other", "Examples"];
    let places: Vec<_> = headings.iter().map(|heading| help.find(&format!("\n{heading}:\n")).expect(heading)).collect();
    assert!(places.is_sorted(), "{places:?}");
    for tool in ["uv", "claude", "gh"] {
        sandbox.script(format!("bin/{tool}"), format!("#!/bin/sh\necho \"{tool} $*\"\n"));
    }
    sandbox.link(crate::support::binary(), "bin/hermes-exec");
    let login = r#"{"claudeAiOauth": {"accessToken": "x", "refreshToken": "x", "expiresAt": 1}}"#;
    sandbox.write("real/.claude/.credentials.json", login);
    let examples: Vec<_> = help.lines().filter_map(|line| line.strip_prefix("  hermes-exec ")).collect();
    assert_eq!(examples.len(), 3, "{help}");
    for example in examples {
        let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
        let run = sandbox
            .hx(["-c", &format!("hermes-exec {example}")])
            .program("/bin/sh")
            .env("PATH", path)
            .no_env("ANTHROPIC_API_KEY");
        let outcome = run.run().ok();
        let word = example.rsplit_once("-- ").unwrap().1.split(' ').next().unwrap();
        assert!(outcome.out().contains(word), "{example}: {outcome:?}");
    }
}

#[test]
fn an_option_without_its_dashes() {
    let sandbox = Sandbox::new();
    for word in ["doctor", "explain", "help", "version", "catalogue", "shims"] {
        let outcome = sandbox.hx([word, "x"]).run().fails(127, &[word]);
        assert!(outcome.stderr.contains(&format!("hint: did you mean --{word}?")), "{outcome:?}");
    }
    // A command of this name is a command, and one that is installed elsewhere is meant.
    let doctor = sandbox.script("real/.local/bin/doctor", "#!/bin/sh\necho ran\n");
    sandbox.hx(["doctor"]).run().fails(127, &[doctor.to_str().unwrap()]);
    let run = sandbox.hx(["doctor"]).env("PATH", doctor.parent().unwrap());
    assert_eq!(run.run().ok().out(), "ran\n");
}

#[test]
fn a_bad_value_is_named_with_what_is_allowed() {
    let sandbox = Sandbox::new();
    for (words, told, hint) in [
        (
            &["--home", "profil"][..],
            "--home: 'profil' is not a valid value",
            "did you mean 'profile'? valid values: auto, profile, real",
        ),
        (&["--home=x"], "--home: 'x' is not a valid value", "hint: valid values: auto, profile, real"),
        (&["--seal=file"], "--seal: 'file' is not a valid value", "'files'? valid values: off, on, files"),
        (&["--markers", "some"], "--markers: 'some' is not a valid value", "valid values: all, own"),
        (&["--completions", "tcsh"], "--completions: 'tcsh' is not a valid value", "valid values: bash, zsh, fish"),
        (&["--share", "../x"], "--share: '../x' is not a path below the home", "keychain, claude"),
        (&["--inherit-credentials=antropic"], "unknown group 'antropic'", "did you mean 'anthropic'?"),
        // Whoever names a program means its login.
        (&["--inherit-credentials=gh"], "unknown group 'gh'", "did you mean 'github'?"),
        (&["--inherit-credentials=claude"], "unknown group 'claude'", "did you mean 'anthropic' or 'claude-code'?"),
        (&["--home", "a\u{1b}[m\nb"], r"'a\u{1b}[m\nb'", "valid values"),
    ] {
        let outcome = sandbox.hx(words.iter().chain(&["true"])).run();
        outcome.fails(125, &[told, hint]);
    }
    let long = "x".repeat(200);
    let outcome = sandbox.hx(["--home", &long, "true"]).run().fails(125, &[&long[..80]]);
    assert!(!outcome.stderr.contains(&long[..81]), "{outcome:?}");
}

/// A secret may have been put in the place of a word; `Run` fails when the planted one is printed.
#[test]
fn a_bad_value_that_may_be_a_secret_is_not_named() {
    let sandbox = Sandbox::with_builder();
    for key in [CANARY, "p4ssword", "sk-ant-abcdefghijklmnopqrst"] {
        for words in [
            &["--home", key][..],
            &[&format!("--home={key}")],
            &[&format!("--seal={key}")],
            &["--completions", key],
            &["--set", key],
            &["--set", &format!("={key}")],
            &[&format!("--inherit-credentials={key}")],
            &[&format!("--inherit-credentials=anthropic,{key}")],
            &[&format!("--share=/{CANARY}")],
            &["--share=/sk-ant-abcdefghijklmnopqrst"],
            &["--no-share=../sk-ant-abcdefghijklmnopqrst"],
            &[&format!("--no-share=../{CANARY}")],
            &[&format!("--no-such-option={key}")],
            &[&format!("--quiet={key}")],
            &[&format!("--explain={key}")],
        ] {
            let outcome = sandbox.hx(words.iter().chain(&["true"])).run().fails(125, &[]);
            assert!(!outcome.stderr.contains(key) && !outcome.stderr.contains("abcdefghij"), "{outcome:?}");
        }
    }
}

/// For who installed without a package.
#[test]
fn completions_are_printed() {
    let sandbox = Sandbox::new();
    for (shell, file) in [("bash", "hermes-exec.bash"), ("zsh", "_hermes-exec"), ("fish", "hermes-exec.fish")] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("completions").join(file);
        let outcome = sandbox.hx(["--completions", shell]).env("HERMES_PROFILE", "../x").run().ok();
        assert_eq!(outcome.out(), std::fs::read_to_string(path).unwrap());
    }
}
