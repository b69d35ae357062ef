//! openai/codex#3064: what is removed in silence is taken for a login problem. `-v` on a run says it, names only.

use crate::support::{Run, Sandbox};

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
        "hermes-exec: removed GH_TOKEN (rule 4, github: ",
        "hermes-exec: removed VIRTUAL_ENV (rule 6, python-venv: ",
        "hermes-exec: removed LS_COLORS (rule 2, ",
        "hermes-exec: removed ANTHROPIC_API_KEY (rule 4, anthropic: ",
        "hermes-exec: set HOME (rule 0, ",
        "hermes-exec: set NEW (rule 1, ",
    ] {
        assert_eq!(outcome.stderr.matches(line).count(), 1, "{line:?}: {}", outcome.stderr);
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
    let announced = document["variables"].as_array().unwrap().iter().filter(|variable| variable["action"] != "kept");
    let announced: Vec<_> = announced
        .map(|variable| format!("{} {}", variable["action"].as_str().unwrap(), variable["name"].as_str().unwrap()))
        .collect();
    let told = start(&sandbox, &["-v"]).run().stderr;
    let told: Vec<_> = told
        .lines()
        .filter(|line| line.contains("(rule "))
        .map(|line| line.trim_start_matches("hermes-exec: ").split(" (").next().unwrap())
        .collect();
    assert_eq!(told, announced);
}
