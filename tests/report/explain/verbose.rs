//! openai/codex#3064: what is removed in silence is taken for a login problem. `-v` on a run says it, names only.

use crate::support::{Outcome, Run, Sandbox};

/// The lines without our name, with single spaces.
fn told(outcome: &Outcome) -> Vec<String> {
    let lines = outcome.stderr.lines().map(|line| line.strip_prefix("hermes-exec: ").expect("our name"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn start(sandbox: &Sandbox, options: &[&str]) -> Run {
    let run = sandbox.hx([&["-p", "builder"], options, &["echo", "ran"]].concat());
    [("GH_TOKEN", "canary"), ("VIRTUAL_ENV", "/canary"), ("EDITOR", "canary"), ("LS_COLORS", "canary")]
        .iter()
        .fold(run, |run, (name, value)| run.env(name, value))
}

#[test]
fn every_change_is_one_line_with_its_rule() {
    let sandbox = Sandbox::with_builder();
    let outcome = start(&sandbox, &["-v", "--unset", "LS_*", "--set", "NEW=canary"]).run();
    assert_eq!((outcome.code(), outcome.out().as_str()), (0, "ran\n"), "{outcome:?}");
    for line in [
        "removed GH_TOKEN rule 4: credentials, github",
        "removed VIRTUAL_ENV rule 6: markers, python-venv",
        "removed LS_COLORS rule 2: --unset",
        "removed ANTHROPIC_API_KEY rule 4: credentials, anthropic",
        "set HERMES_REAL_HOME rule 0: the user's own home",
        "set NEW rule 1: --set",
    ] {
        assert_eq!(told(&outcome).iter().filter(|told| *told == line).count(), 1, "{line:?}: {}", outcome.stderr);
    }
    assert!(!outcome.stderr.contains("EDITOR"), "what stays is not told: {}", outcome.stderr);
    assert!(!outcome.stderr.contains("canary"), "no value: {}", outcome.stderr);
}

#[test]
fn findings_are_told_with_it_and_not_without() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.mkdir("real/.hermes/profiles/builder/home/.claude");
    let verbose = start(&sandbox, &["-v"]).run().stderr;
    assert!(verbose.contains("is not linked"), "{verbose}");
    start(&sandbox, &[]).run().ok();
}

/// `-v` and `-n` tell the same story.
#[test]
fn the_same_names_as_explain() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.hermes/profiles/builder/home");
    let document = start(&sandbox, &["-n", "--json"]).run().ok().out();
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let announced = document["variables"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|variable| variable["action"] != "kept" && variable["name"] != "HOME");
    let mut announced: Vec<_> = announced
        .map(|variable| format!("{} {}", variable["action"].as_str().unwrap(), variable["name"].as_str().unwrap()))
        .collect();
    let outcome = start(&sandbox, &["-v"]).run();
    let mut told: Vec<_> =
        told(&outcome).iter().filter_map(|line| Some(line.split_once(" rule ")?.0.to_owned())).collect();
    announced.sort();
    told.sort();
    assert_eq!(told, announced);
}

/// One screen, with the next prompt: what was removed and why, HOME and its links, the program.
#[test]
fn it_is_one_screen() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let start = |options: &[&str]| {
        let run = sandbox.hx([&["-v", "-p", "builder"], options, &["true"]].concat()).no_env("ANTHROPIC_API_KEY");
        let run = run.env("OPENAI_API_KEY", "x").env("GITHUB_TOKEN", "x").env("VIRTUAL_ENV", "/x");
        run.env("PATH", format!("{}:/usr/bin:/bin", sandbox.hermes_venv("agent/venv").join("bin").display())).run()
    };
    let outcome = start(&[]);
    let [real, home] = [sandbox.real().to_owned(), sandbox.home()].map(|path| path.display().to_string());
    let lines = told(&outcome);
    assert_eq!(
        lines,
        [
            "profile builder (from --profile), with a new home",
            &format!("HOME {real} -> {home}"),
            &format!("create .claude -> {real}/.claude"),
            &format!("create .claude.json -> {real}/.claude.json"),
            "removed GITHUB_TOKEN rule 4: credentials, github",
            "removed OPENAI_API_KEY rule 4: credentials, openai",
            "removed VIRTUAL_ENV rule 6: markers, python-venv",
            "edited PATH rule 11: Hermes' own directories moved to the end",
            "set HERMES_REAL_HOME rule 0: the user's own home",
            "set HERMES_HOME rule 0: the profile directory",
            "set HERMES_PROFILE rule 0: --profile",
            "set CLAUDE_CODE_PLUGIN_CACHE_DIR rule 0: shared with .claude",
            "set DISABLE_AUTOUPDATER rule 0: no updates from here",
            "set DISABLE_UPDATES rule 0: no updates from here",
            "run /usr/bin/true",
        ]
    );
    for line in outcome.stderr.lines().filter(|line| !line.contains('/')) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_eq!(told(&start(&[]))[2], lines[4], "what exists is not created again");
}

/// A link that is replaced is told, and not one that the user's own file is in the way of.
#[test]
fn links_are_told_that_it_makes() {
    let sandbox = Sandbox::with_builder();
    let home = "real/.hermes/profiles/builder/home";
    for item in [".new", ".moved", ".taken", ".same"] {
        sandbox.mkdir(format!("real/{item}"));
    }
    sandbox.link(sandbox.real().join("gone"), format!("{home}/.moved"));
    sandbox.link(sandbox.real().join(".same"), format!("{home}/.same"));
    sandbox.write(format!("{home}/.taken"), "");
    let options = ["-v", "--no-share", "all", "--share", ".new,.moved,.taken,.same,.missing"];
    let outcome = start(&sandbox, &options).run();
    let real = sandbox.real().display().to_string();
    let made = told(&outcome).into_iter().filter(|line| line.starts_with("create ") || line.starts_with("replace "));
    let mut made: Vec<_> = made.collect();
    made.sort();
    assert_eq!(made, [format!("create .new -> {real}/.new"), format!("replace .moved -> {real}/.moved")]);
}

/// Within a run of the same profile HOME stays, and nobody reads "from X to X".
#[test]
fn a_home_that_stays_is_one_line() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.hermes/profiles/builder/home");
    let run = |options: &[&str]| {
        start(&sandbox, options).env("HOME", sandbox.home()).env("HERMES_REAL_HOME", sandbox.real()).run()
    };
    let home = sandbox.home().display().to_string();
    assert_eq!(told(&run(&["-v"]))[1], format!("HOME {home}, as it is"));
    let text = run(&["-n"]).out();
    assert_eq!(super::section(&text, "HOME")[0], format!("{home}, as it is"), "{text}");
}

/// On a terminal or with `-v`, one line after the warnings and findings names the doctor's call for runs like this one.
#[test]
fn the_doctor_is_named_once_after_what_it_reports_on() {
    let sandbox = Sandbox::with_builder();
    for item in [".claude", ".ssh"] {
        sandbox.mkdir(format!("real/{item}"));
        sandbox.mkdir(format!("real/.hermes/profiles/builder/home/{item}"));
    }
    let hint = "hint: to see what fixes it: ";
    let run = |options: &[&str]| sandbox.hx([options, &["true"]].concat());
    let hints = |run: Run| -> Vec<String> {
        told(&run.run()).iter().filter_map(|line| line.strip_prefix(hint).map(str::to_owned)).collect()
    };
    let options = ["-v", "-p", "builder", "--share", ".ssh"];
    assert_eq!(hints(run(&options)), ["hermes-exec --doctor -p builder --share .ssh"]);
    let outcome = run(&options).run();
    let places: Vec<_> = ["warning: ", hint, "run "].map(|word| outcome.stderr.rfind(word)).into();
    assert!(places.is_sorted(), "{outcome:?}");
    assert_eq!(hints(run(&["-v"]).env("HERMES_PROFILE", "builder")), ["hermes-exec --doctor -p builder"]);
    // A quarrel of variables is seen by the doctor as long as no option settles it.
    let quarrel = run(&[]).env("HERMES_HOME", sandbox.profile("builder")).env("HERMES_PROFILE", "default");
    assert_eq!(hints(quarrel.clone().option("-v")), ["hermes-exec --doctor"]);
    assert_eq!(hints(quarrel), [""; 0], "the logs of workers have the warning alone");
    for quiet in [&["-q", "-p", "builder"][..], &["-v", "-p", "builder", "--no-share", "all"]] {
        assert_eq!(hints(run(quiet)), [""; 0], "{quiet:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_doctor_is_named_on_a_terminal() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.mkdir("real/.hermes/profiles/builder/home/.claude");
    let (_, screen) = sandbox.hx(["-p", "builder", "true"]).after_sh("exec 2>&1").on_terminal();
    assert_eq!(screen.matches("hermes-exec --doctor -p builder").count(), 1, "{screen}");
}
