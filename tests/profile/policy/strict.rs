//! What is wrong in a file stops the run, with the place and the closest known word, and without a value.

use super::{OF_PROFILE, with_policy};
use crate::support::{CANARY, Outcome, Sandbox};

/// Runs with a policy file in which one word stands between `«` and `»`. The error names the file, the line and a column at
/// that word: inside it, or next to it; nothing is started and nothing made.
#[track_caller]
fn wrong(marked: &str, words: &[&str]) -> Outcome {
    let (before, rest) = marked.split_once('«').expect("a mark");
    let (word, after) = rest.split_once('»').expect("a mark");
    let text = format!("{before}{word}{after}");
    let sandbox = with_policy(&text);
    let listing = sandbox.listing();
    let outcome = sandbox.builder(["touch", "made"]).run().fails(125, words);
    assert_eq!(sandbox.listing(), listing, "{marked}");

    let start = format!("hermes-exec: error: {}:", sandbox.path(OF_PROFILE).display());
    let place = outcome.stderr.strip_prefix(&start).unwrap_or_else(|| panic!("{start:?} is not in front: {outcome:?}"));
    let mut numbers = place.split(':').map(|number| number.parse::<usize>().expect("line and column"));
    let (line, column) = (numbers.next().unwrap(), numbers.next().unwrap());
    let first = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    assert_eq!(line, before.matches('\n').count() + 1, "{marked}: {outcome:?}");
    assert!((first - 1..=first + word.len()).contains(&column), "{marked}: {outcome:?}");
    outcome
}

#[test]
fn an_unknown_key_and_the_closest_one() {
    for (text, close) in [
        (r#"{«"hom"»: "auto"}"#, "home"),
        (r#"{«"shares"»: []}"#, "share"),
        (r#"{«"Keep"»: []}"#, "keep"),
        (r#"{«"kepe"»: []}"#, "keep"),
        (r#"{«"unste"»: []}"#, "unset"),
        (r#"{«"sets"»: {}}"#, "set"),
        (r#"{«"inherit-credentials"»: []}"#, "inherit_credentials"),
        (r#"{«"inherit_credential"»: []}"#, "inherit_credentials"),
        (r#"{«"minimum"»: true}"#, "minimal"),
        (r#"{«"program"»: {}}"#, "programs"),
        ("{\n  \"keep\": [\"A\"],\n  «\"inheritcredentials\"»: []\n}\n", "inherit_credentials"),
        (r#"{"programs": {"gh": {«"inherit_credential"»: []}}}"#, "inherit_credentials"),
        ("{\"programs\": {\n\"gh\": {\"keep\": [],\n\t«\"shares\"»: []}}}", "share"),
    ] {
        let outcome = wrong(text, &["unknown key", &format!("did you mean '{close}'?")]);
        assert_eq!(outcome.stderr.lines().count(), 2, "{outcome:?}");
    }
}

#[test]
fn of_a_key_like_no_other_the_known_ones_are_listed() {
    wrong(r#"{«"credentials"»: []}"#, &["unknown key 'credentials'", "home", "inherit_credentials", "programs"]);
    wrong(r#"{«""»: []}"#, &["unknown key ''", "home"]);
}

/// A key that is one of the file's, at a place where it is none.
#[test]
fn a_program_has_keys_of_its_own() {
    for key in ["minimal", "seal", "programs"] {
        let text = format!("{{\"programs\": {{\"gh\": {{«\"{key}\"»: []}}}}}}");
        let outcome = wrong(&text, &["unknown key", "inherit_credentials"]);
        assert!(!outcome.stderr.contains(&format!("did you mean '{key}'")), "{outcome:?}");
    }
}

#[test]
fn a_key_that_stands_twice() {
    for text in [
        r#"{"keep": [], «"keep"»: []}"#,
        r#"{"home": "auto", "share": [], «"home"»: "auto"}"#,
        "{\"set\": {\"A\": \"1\",\n \"B\": \"2\", «\"A\"»: \"3\"}}",
        r#"{"programs": {"gh": {}, «"gh"»: {}}}"#,
        r#"{"programs": {"gh": {"keep": [], «"keep"»: []}}}"#,
        r#"{"keep": [], «"\u006beep"»: []}"#,
    ] {
        wrong(text, &["duplicate key"]);
    }
}

#[test]
fn an_unknown_group_and_the_closest_one() {
    for (text, close) in [
        (r#"{"inherit_credentials": [«"antropic"»]}"#, "anthropic"),
        (r#"{"inherit_credentials": ["openai", «"GitHub"»]}"#, "github"),
        ("{\"programs\": {\"claude\": {\"inherit_credentials\":\n[«\"claude_code\"»]}}}", "claude-code"),
    ] {
        wrong(text, &["unknown group", &format!("did you mean '{close}'?")]);
    }
    for text in [
        r#"{"inherit_credentials": [«"nothing-like-it"»]}"#,
        r#"{"inherit_credentials": [«""»]}"#,
        r#"{"inherit_credentials": [«"*"»]}"#,
        r#"{"inherit_credentials": [«"openai,anthropic"»]}"#,
        r#"{"inherit_credentials": [«" openai"»]}"#,
        r#"{"programs": {"claude": {"inherit_credentials": [«"all"»]}}}"#,
    ] {
        wrong(text, &["unknown group"]);
    }
}

#[test]
fn an_unknown_mode_or_level_and_the_closest_one() {
    wrong(r#"{"home": «"profil"»}"#, &["did you mean 'profile'?"]);
    wrong(r#"{"home": «"nowhere"»}"#, &["auto, profile, real"]);
    wrong(r#"{"home": «""»}"#, &["auto, profile, real"]);
    wrong(r#"{"seal": «"flies"»}"#, &["did you mean 'files'?"]);
    wrong(r#"{"seal": «"landlock"»}"#, &["off, on, files"]);
}

/// Every value of a type that it cannot have. `null` is one, and so is a list of the values of an object in their order.
#[test]
fn a_wrong_type() {
    let values = ["null", "true", "17", "-1.5e3", "\"canary\"", "[]", "{}"];
    for (key, fitting) in [
        ("home", &["\"canary\""][..]),
        ("share", &["[]"]),
        ("keep", &["[]"]),
        ("unset", &["[]"]),
        ("set", &["{}"]),
        ("inherit_credentials", &["[]"]),
        ("minimal", &["true"]),
        ("seal", &["\"canary\""]),
        ("programs", &["{}"]),
    ] {
        for value in values.iter().filter(|value| !fitting.contains(value)) {
            wrong(&format!("{{\"{key}\": «{}»}}", value.replace("canary", CANARY)), &["expected"]);
        }
    }
    for value in values.iter().filter(|value| **value != "{}") {
        wrong(&format!("«{}»", value.replace("canary", CANARY)), &["expected"]);
        wrong(&format!("{{\"programs\": {{\"gh\": «{}»}}}}", value.replace("canary", CANARY)), &["expected"]);
    }
    for value in values.iter().filter(|value| !value.starts_with('"')) {
        for key in ["share", "keep", "unset", "inherit_credentials"] {
            wrong(&format!("{{\"{key}\": [«{value}»]}}"), &["expected"]);
        }
        for key in ["share", "keep", "inherit_credentials"] {
            wrong(&format!("{{\"programs\": {{\"gh\": {{\"{key}\": [«{value}»]}}}}}}"), &["expected"]);
        }
        wrong(&format!("{{\"set\": {{\"A\": \"1\", \"B\": «{value}»}}}}"), &["expected"]);
    }
    for value in values.iter().filter(|value| **value != "[]") {
        for key in ["share", "keep", "inherit_credentials"] {
            wrong(&format!("{{\"programs\": {{\"gh\": {{\"{key}\": «{value}»}}}}}}"), &["expected"]);
        }
    }
    wrong(r#"«[["anthropic"]]»"#, &["expected"]);
    wrong(r#"{"programs": {"touch": «[["anthropic"]]»}}"#, &["expected"]);
}

#[test]
fn what_is_no_json() {
    for text in [
        "«»", "\n«»", "«{»", "{\"home\": \"auto\" «\"share\"»: []}", "{\"home\": \"auto\",«}»", "{«'home'»: \"auto\"}",
        "{«home»: \"auto\"}", "{\"keep\": [\"A\",«]»}", "{\"keep\": [\"A\"«}»", "{} «{}»", "{\"keep\": []} «x»",
        "{\"keep\": [] «// no comments\n»}", "{\"minimal\": «True»}", "{\"minimal\": «yes»}", "«\u{feff}»{}",
        "{\"keep\": [\"«\t»\"]}", "{\"keep\": [\"A\\«x»\"]}", "{\"keep\": [\"«\\ud800»\"]}",
    ] {
        wrong(text, &[]);
    }
    let sandbox = Sandbox::with_builder();
    let path = sandbox.write(OF_PROFILE, b"{\"keep\": [\n\"\xff\"]}");
    sandbox.builder(["true"]).run().fails(125, &[&format!("{}:2:", path.display())]);
    for text in [b"\x7fELF\x02\x01\x00\xff".to_vec(), b"\0".to_vec(), b"[".repeat(1 << 19), b"{\"a\":".repeat(200_000)]
    {
        sandbox.write(OF_PROFILE, text);
        let outcome = sandbox.builder(["true"]).run().fails(125, &[&format!("{}:1:", path.display())]);
        assert!(!outcome.stderr.contains("panic") && outcome.stderr.len() < 1000, "{outcome:?}");
    }
    let deep = format!("{{\"keep\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    sandbox.write(OF_PROFILE, deep);
    sandbox.builder(["true"]).run().fails(125, &["expected"]);
}

#[test]
fn a_name_or_a_value_that_cannot_be_set() {
    wrong(r#"{"set": {"A": "1", «"":  "2"», "B": "3"}}"#, &["cannot be set"]);
    wrong(r#"{"set": {«"A=B":  "2"», "B": "3"}}"#, &["cannot be set"]);
    wrong("{\"set\": {\"A\": \"1\",\n«\"A\\u0000\": \"2\"», \"B\": \"3\"}, \"keep\": []}", &["cannot be set"]);
    wrong(r#"{"set": {"A": "1", «"B": "a\u0000b"», "C": "3"}}"#, &["'B' cannot be set"]);
}

/// Who writes `--set`'s form into the file has a value in the place of a name.
#[test]
fn the_value_in_a_name_is_not_printed() {
    let assignment = format!("OPENAI_API_KEY={CANARY}");
    wrong(&format!("{{\"set\": {{«\"{assignment}\": \"\"»}}}}"), &["'OPENAI_API_KEY' cannot be set"]);
    wrong(&format!("{{\"set\": {{«\"={CANARY}\": \"\"»}}}}"), &["cannot be set"]);
    wrong(&format!("{{\"programs\": {{\"{assignment}\": {{}}, «\"{assignment}\"»: {{}}}}}}"), &["duplicate key"]);
    wrong(&format!("{{\"set\": «[\"{assignment}\"]»}}"), &["expected"]);
    wrong(&format!("{{\"set\": «\"{assignment}\"»}}"), &["expected"]);
    wrong(&format!("{{«\"{assignment}\"»: true}}"), &["unknown key"]);
    wrong(&format!("{{\"programs\": {{\"gh\": {{«\"{assignment}\"»: true}}}}}}"), &["unknown key"]);
}

#[test]
fn a_program_is_named_by_its_base_name() {
    wrong(r#"{"programs": {"a": {}, «"/usr/bin/gh": {}», "b": {}}}"#, &["base name", "gh"]);
    wrong(r#"{"programs": {«"./gh": {}»}}"#, &["base name"]);
    wrong(r#"{"programs": {«"": {}», "b": {}}}"#, &["base name"]);
}

#[test]
fn an_item_that_is_no_path_below_the_home() {
    for item in ["/etc", "", ".", "..", "a/../b", "../x"] {
        wrong(&format!("{{\"share\": [\"claude\", «\"{item}\"»]}}"), &["share"]);
        wrong(&format!("{{\"programs\": {{\"gh\": {{\"share\": [«\"{item}\"»]}}}}}}"), &["share"]);
    }
}

/// An entry for another program is as strict as that of this one.
#[test]
fn the_whole_file_is_read_whatever_runs() {
    wrong(r#"{"programs": {"another": {"inherit_credentials": [«"antropic"»]}}}"#, &["anthropic"]);
}

/// With a value in every place where a file is wrong, in every mode, none is printed. `fails` and the harness look for it.
#[test]
fn no_value_is_ever_printed() {
    let texts = [
        r#"{"set": {"A": "CANARY"}, "keep": "CANARY"}"#,
        r#"{"set": {"A": "CANARY", "B": 1}}"#,
        r#"{"set": {"A": ["CANARY"]}}"#,
        r#"{"set": {"A": "CANARY"} "B"}"#,
        r#"{"set": {"A": "CANARY"#,
        r#"{"set": {"A": "CANARY\q"}}"#,
        r#"{"set": {"A": "CANARY"}, "set": {}}"#,
        r#"{"set": {"A": "CANARY"}} CANARY"#,
        r#"{"home": "CANARY"}"#,
        r#"{"home": "CANARY, expected x at line 1 column 1"}"#,
        r#"{"minimal": "`CANARY`, expected CANARY"}"#,
        r#"{"inherit_credentials": ["CANARY"]}"#,
        r#"{"inherit_credentials": "CANARY"}"#,
        r#"{"share": ["/CANARY"]}"#,
        r#"{"share": {"CANARY": 1}}"#,
        r#"{"programs": {"gh": "CANARY"}}"#,
        r#"{"programs": {"gh": {"keep": {"CANARY": 1}}}}"#,
        "CANARY",
        "\"CANARY\"",
        "A=CANARY\nB=CANARY\n",
    ];
    for text in texts {
        let sandbox = with_policy(&text.replace("CANARY", CANARY));
        for options in [&["-p", "builder"][..], &["-p", "builder", "-v"], &["-p", "builder", "-q"]] {
            sandbox.hx([options, &["true"]].concat()).run().fails(125, &["hermes-exec.json:"]);
        }
        for options in [&["-n"][..], &["-n", "-v"], &["-n", "--json"]] {
            let outcome = sandbox.hx([&["-p", "builder"], options, &["true"]].concat()).run();
            assert_eq!(outcome.code(), 125, "{text}: {outcome:?}");
        }
        sandbox.hx(["-p", "builder", "--unlink"]).run().fails(125, &["hermes-exec.json:"]);
    }
}
