//! How a level is said, and what `--explain` and `--doctor` say of it.

use super::{SECRETS, explained, full, shell, start};

/// Whether the command is in a seal: none, any, or one that closes files too.
fn level(options: &[&str]) -> &'static str {
    let sandbox = full();
    let script =
        "grep -q 'NoNewPrivs:.1' /proc/self/status && echo sealed; cat \"$HERMES_HOME/.env\" >/dev/null && echo read";
    match shell(&sandbox, options, script).out().as_str() {
        "read\n" => "off",
        "sealed\nread\n" => "on",
        "sealed\n" => "files",
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_level_is_a_word_behind_an_equals_sign_and_the_last_one_wins() {
    for (options, expected) in [
        (&[][..], "off"),
        (&["--seal=off"], "off"),
        (&["--seal"], "on"),
        (&["--seal=on"], "on"),
        (&["--seal=files"], "files"),
        (&["--seal=files", "--seal"], "on"),
        (&["--seal", "--seal=files"], "files"),
        (&["--seal=files", "--seal=off"], "off"),
    ] {
        assert_eq!(level(options), expected, "{options:?}");
    }
}

#[test]
fn other_words_are_refused_and_without_an_equals_sign_they_are_the_command() {
    let sandbox = full();
    for word in ["files", "off"] {
        start(&sandbox, &["--seal", word]).run().fails(127, &[word]);
    }
    for word in ["--seal=", "--seal=yes", "--seal=On", "--seal=file", "--seal=files,on"] {
        start(&sandbox, &[word, "true"]).run().fails(125, &["error: --seal"]);
    }
    start(&sandbox, &["--seal=yes", "true"]).run().fails(125, &["off, on, files"]);
}

#[test]
fn the_policy_file_has_a_key() {
    for (policy, option, level, source) in [
        (r#"{"seal": "off"}"#, "-q", "off", "policy file"),
        (r#"{"seal": "on"}"#, "-q", "on", "policy file"),
        (r#"{"seal": "files"}"#, "-q", "files", "policy file"),
        ("{}", "-q", "off", "default"),
        (r#"{"seal": "files"}"#, "--seal=off", "off", "--seal"),
        (r#"{"seal": "off"}"#, "--seal", "on", "--seal"),
        (r#"{"seal": "files"}"#, "--no-policy", "off", "default"),
    ] {
        let sandbox = full();
        sandbox.write("real/.hermes/hermes-exec.json", policy);
        sandbox.chown_all(super::USER);
        let seal = explained(&sandbox, &[option, "-p", "builder"]);
        assert_eq!((&seal["level"], &seal["source"]), (&level.into(), &source.into()), "{policy} {option}");
    }

    let sandbox = full();
    sandbox.write("real/.hermes/hermes-exec.json", "{\"seal\": \"files\"}");
    sandbox.chown_all(super::USER);
    assert_eq!(shell(&sandbox, &[], "cat \"$HERMES_HOME/.env\"").out(), "", "it is obeyed");
}

#[test]
fn the_key_is_read_strictly() {
    let sandbox = full();
    for (text, words) in [
        ("{\"seal\": \"fils\"}", &["level for seal", "'files'"][..]),
        ("{\"seal\": \"On\"}", &["level for seal", "'on'"]),
        ("{\"seal\": \"quite another\"}", &["off, on, files"]),
        ("{\"seal\": true}", &["wrong type", "string"]),
        ("{\"seal\": null}", &["wrong type", "string"]),
        ("{\"seal\": \"on\", \"seal\": \"on\"}", &["duplicate key 'seal'"]),
        ("{\"seals\": \"on\"}", &["unknown key", "'seal'"]),
        ("{\"programs\": {\"gh\": {\"seal\": \"on\"}}}", &["unknown key"]),
    ] {
        let file = sandbox.write("work/policy.json", text);
        sandbox.chown_all(super::USER);
        let outcome = start(&sandbox, &["--policy", "policy.json", "true"]).run();
        outcome.fails(125, &[&["policy.json:1:"], words].concat());
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn explain_says_what_a_seal_would_do() {
    let sandbox = full();
    let before = sandbox.listing();
    let seal = explained(&sandbox, &["-p", "builder"]);
    assert_eq!(seal["level"], "off");
    assert!(seal["holds"].is_null() && seal["rules"] == 0 && seal["limits"].as_array().unwrap().is_empty(), "{seal}");

    let seal = explained(&sandbox, &["-p", "builder", "--seal"]);
    assert_eq!(
        (seal["level"].as_str(), seal["holds"].as_bool(), seal["rules"].as_u64()),
        (Some("on"), Some(true), Some(1))
    );
    assert!(seal["reason"].is_null() && seal["secrets"].as_array().unwrap().is_empty(), "{seal}");
    assert!(seal["limits"].to_string().contains("sudo"), "{seal}");

    let seal = explained(&sandbox, &["-p", "builder", "--seal=files"]);
    assert_eq!((seal["level"].as_str(), seal["holds"].as_bool()), (Some("files"), Some(true)));
    assert_eq!(seal["secrets"].as_array().unwrap().len(), 3 * SECRETS.len(), "{seal}");
    let narrow: Vec<_> = seal["narrow"].as_array().unwrap().iter().filter_map(|dir| dir.as_str()).collect();
    for dir in ["real", "real/.hermes", "real/.hermes/profiles", "real/.hermes/profiles/other"] {
        assert!(narrow.contains(&super::text(&sandbox.path(dir))), "{dir}: {seal}");
    }
    assert!(narrow.contains(&"/"), "{seal}");
    sandbox.copied_binary();
    let after = sandbox.listing();
    assert!(after.keys().filter(|path| !path.ends_with("hermes-exec")).eq(before.keys()), "no effect");
}

#[test]
fn explain_says_it_to_people() {
    let sandbox = full();
    let explain = |option: &str| start(&sandbox, &["-n", "-p", "builder", option, "true"]).run().ok().out();
    assert!(!explain("-q").contains("Seal"));
    let on = explain("--seal");
    assert!(on.contains("Seal") && on.contains("on (from --seal): holds (rules of Landlock: 1)"), "{on}");
    assert!(on.contains("sudo") && on.contains("mount and pivot_root") && !on.contains("cannot be read"), "{on}");
    let files = explain("--seal=files");
    for words in [
        "files (from --seal): holds (rules of Landlock: ",
        "cannot be read: ",
        "and 6 more",
        "auth.json",
        "no file can be created directly in: /, ",
    ] {
        assert!(files.contains(words), "{words}: {files}");
    }
}

#[test]
fn doctor_says_whether_a_seal_would_hold() {
    let sandbox = full();
    let outcome = start(&sandbox, &["--doctor", "--json", "-p", "builder"]).run();
    let checks: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
    let all = checks.as_array().or_else(|| checks["checks"].as_array()).unwrap();
    let seal = all.iter().find(|check| check["id"] == "seal").unwrap();
    assert_eq!(seal["level"], "ok", "{seal}");
    let message = seal["message"].as_str().unwrap();
    assert!(message.contains("--seal would ") && message.contains("Hermes' 18 secret files"), "{seal}");
}
