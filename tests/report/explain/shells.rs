//! openai/codex#14774: a login shell, and a start file that a variable names, bring back what was removed. hermes-exec is
//! gone by then; `--explain` says so before.

use super::explained;
use crate::support::Sandbox;

const READS: &str = "start files, which may set removed variables again";

#[test]
fn login_and_interactive_shells_are_told() {
    let sandbox = Sandbox::with_builder();
    for (command, reads) in [
        (&["bash", "-l", "-c", "env"][..], true),
        (&["bash", "-lc", "env"], true),
        (&["bash", "--login", "-c", "env"], true),
        (&["bash", "-ic", "env"], true),
        (&["/bin/sh", "-l"], true),
        (&["sh"], true),
        (&["bash", "-c", "env"], false),
        (&["sh", "-c", "ls -l -i"], false),
        (&["sh", "script", "-l"], false),
        (&["env", "-i"], false),
        (&["ls", "-l"], false),
    ] {
        let text = sandbox.hx([&["-n", "--"], command].concat()).run().ok().out();
        assert_eq!(text.contains(READS), reads, "{command:?}: {text}");
    }
    // env(1)'s way to a login shell.
    let text = sandbox.hx(["-n", "-a", "-bash", "bash", "-c", "env"]).run().ok().out();
    assert!(text.contains(READS), "{text}");
}

#[test]
fn variables_that_name_a_start_file_are_told_by_name() {
    let sandbox = Sandbox::with_builder();
    let start = |options: &[&str], command: &[&str]| {
        let run = sandbox.hx([options, &["-n", "--"], command].concat());
        run.env("BASH_ENV", "/a/canary").env("ENV", "/another/canary").run().ok().out()
    };
    let text = start(&[], &["bash", "-c", "env"]);
    assert!(text.contains("BASH_ENV names a start file") && text.contains(" ENV names a start file"), "{text}");
    assert!(!text.contains("canary"), "{text}");
    let text = start(&["--unset", "BASH_ENV"], &["bash", "-c", "env"]);
    assert!(!text.contains("BASH_ENV names") && text.contains(" ENV names"), "{text}");
    assert!(!start(&[], &["true"]).contains("start file"), "only shells read them");
}

#[test]
fn the_note_is_for_programs_too() {
    let sandbox = Sandbox::with_builder();
    let json = explained(&sandbox, &["--json", "bash", "-lc"], &[]);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let findings = document["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding.as_str().unwrap().contains(READS)), "{json}");
}
