//! What the keys do, and what holds for a program. More of it is in the page `keys` and the transcript `policy`.

use super::{OF_PROFILE, as_builder, with_policy};
use crate::support::{CANARY, Outcome, Run, Sandbox};
use std::collections::BTreeSet;
use std::fs;

/// A run of `env -0` as the profile `builder` with a policy and options, among credentials and other variables.
fn start(sandbox: &Sandbox, policy: &str, options: &[&str]) -> Run {
    sandbox.write(OF_PROFILE, policy);
    let run = sandbox.hx(as_builder(options)).secret_may_show();
    [
        ("OPENAI_API_KEY", CANARY),
        ("GITHUB_TOKEN", CANARY),
        ("VIRTUAL_ENV", "/venv"),
        ("EDITOR", "vi"),
        ("ONE_A", "1"),
        ("ONE_B", "1"),
        ("TWO_A", "2"),
    ]
    .into_iter()
    .fold(run, |run, (name, value)| run.env(name, value))
}

#[track_caller]
fn ran(sandbox: &Sandbox, policy: &str, options: &[&str]) -> Outcome {
    let outcome = start(sandbox, policy, options).run();
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{policy} {options:?}: {outcome:?}");
    outcome
}

/// A tree with everything that a key could change, so that a key without its effect is seen.
fn furnished() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    for place in ["real/.claude", "real/Library/Keychains", "real/.config/gh", "real/.ssh"] {
        sandbox.mkdir(place);
    }
    sandbox
}

#[test]
fn a_key_does_what_its_option_does() {
    for (policy, options) in [
        (r#"{"home": "real"}"#, &["--home", "real"][..]),
        (r#"{"home": "profile"}"#, &["--home", "profile"]),
        (r#"{"home": "auto"}"#, &["--home", "auto"]),
        (r#"{"share": ["keychain", "claude", ".config/gh", ".ssh"]}"#, &["--share", ".config/gh,.ssh"]),
        (r#"{"share": []}"#, &["--no-share", "all"]),
        (r#"{"share": ["claude"]}"#, &["--no-share", "keychain"]),
        (r#"{"keep": ["OPENAI_API_KEY"]}"#, &["--keep", "OPENAI_API_KEY"]),
        (r#"{"keep": ["*_TOKEN", "VIRTUAL_EN?"]}"#, &["--keep", "*_TOKEN", "--keep", "VIRTUAL_EN?"]),
        (r#"{"unset": ["ONE_*", "EDITO?"]}"#, &["--unset", "ONE_*", "-u", "EDITO?"]),
        (r#"{"set": {"NEW": "a=b ü", "ONE_A": ""}}"#, &["--set", "NEW=a=b ü", "--set", "ONE_A="]),
        (r#"{"set": {"HOME": "/mine", "HERMES_PROFILE": "x"}}"#, &["--set", "HOME=/mine", "--set", "HERMES_PROFILE=x"]),
        (r#"{"inherit_credentials": ["openai", "github"]}"#, &["--inherit-credentials=openai,github"]),
        (r#"{"inherit_credentials": []}"#, &[]),
        (r#"{"minimal": true}"#, &["--minimal"]),
        (r#"{"minimal": false}"#, &[]),
        (
            r#"{"minimal": true, "keep": ["ONE_?"], "set": {"NEW": "1"}, "inherit_credentials": ["openai"]}"#,
            &["--minimal", "--keep", "ONE_?", "--set", "NEW=1", "--inherit-credentials=openai"],
        ),
        ("{}", &[]),
    ] {
        let (by_file, by_option) = (furnished(), furnished());
        let place = |sandbox: &Sandbox, text: String| text.replace(sandbox.dir.to_str().unwrap(), "{dir}");
        let result = |sandbox: &Sandbox, outcome: Outcome| {
            fs::remove_file(sandbox.path(OF_PROFILE)).unwrap();
            (place(sandbox, outcome.out()), place(sandbox, format!("{:#?}", sandbox.listing())))
        };
        let of_file = result(&by_file, ran(&by_file, policy, &[]));
        let of_option = result(&by_option, ran(&by_option, "{}", options));
        assert_eq!(of_file, of_option, "{policy}");
        if !options.is_empty() && !matches!(options, ["--home", "profile" | "auto"]) {
            let none = furnished();
            assert_ne!(of_file, result(&none, ran(&none, "{}", &[])), "{policy} has no effect at all");
        }
    }
}

/// Every key but `programs` has an option, and every other option is about one run alone.
#[test]
fn every_key_but_programs_has_an_option_and_the_other_way_round() {
    let sandbox = with_policy(r#"{"no such key at all": 1}"#);
    let outcome = sandbox.builder(["true"]).run().fails(125, &["valid keys here: "]);
    let keys = outcome.stderr.split_once("valid keys here: ").unwrap().1.trim_end().to_owned();
    let keys: BTreeSet<_> = keys.split(", ").map(|key| key.replace('_', "-")).collect();

    let help = sandbox.hx(["--help"]).run().ok().out();
    let words = help.lines().filter(|line| line.trim_start().starts_with('-')).flat_map(str::split_whitespace);
    let long = words.filter_map(|word| word.strip_prefix("--"));
    let options: BTreeSet<_> = long
        .map(|word| word.split(['=', '[', ',', '<', ':']).next().unwrap().to_owned())
        .filter(|o| !o.is_empty())
        .collect();

    let programs = BTreeSet::from(["programs".to_owned()]);
    assert_eq!(&keys - &options, programs, "keys without an option");
    // Which profile and which file it is, what is asked for, and what is wanted of this one command.
    let one_run = [
        "all", "argv0", "catalogue", "chdir", "completions", "doctor", "dry-run", "explain", "help", "hermes-home",
        "json", "no-policy", "no-share", "only", "policy", "profile", "quiet", "shims", "unlink", "verbose", "version",
    ];
    let without: Vec<_> = (&options - &keys).into_iter().collect();
    assert_eq!(without, one_run, "options without a key");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: names that are not UTF-8")]
#[test]
fn a_program_that_is_no_word_of_json_is_looked_up_safely() {
    let sandbox = with_policy(r#"{"programs": {"ä": {"keep": ["ANTHROPIC_API_KEY"]}, "..": {}, "a b": {}}}"#);
    sandbox.link("/usr/bin/env", "work/ä");
    sandbox.builder(["./ä"]).secret_may_show().run().ok().var("ANTHROPIC_API_KEY");
    for word in ["", "/", ".", "..", "no\u{1}such"] {
        assert!(matches!(sandbox.builder([word]).run().code(), 126 | 127), "{word:?}");
    }
    let name = crate::support::bytes(b"./\xff");
    sandbox.link("/usr/bin/true", std::path::Path::new("work").join(name));
    sandbox.builder([name]).run().ok();
}
