//! The schema of the policy file, by the reference implementation of JSON Schema: it takes what the program takes,
//! and refuses what an editor can know to be wrong.

use serde_json::Value;

use crate::schema::violations;
use crate::support::Sandbox;

/// Policy files that are right.
const RIGHT: [&str; 19] = [
    "{}",
    r#"{"home": "auto", "seal": "off", "minimal": true}"#,
    r#"{"home": "real", "seal": "files", "minimal": false}"#,
    r#"{"share": []}"#,
    r#"{"share": ["keychain", "claude", ".config/gh", "a b/ü", "..a", "a..", "a/..b", "./x", ".x/.y"]}"#,
    r#"{"keep": ["A", "A_*", "?", "", "A=B"], "unset": []}"#,
    r#"{"set": {"A": "", "B": "=1\n"}}"#,
    r#"{"set": {}}"#,
    r#"{"inherit_credentials": []}"#,
    r#"{"inherit_credentials": ["anthropic", "302ai", "claude-code", "anthropic"]}"#,
    r#"{"programs": {}}"#,
    r#"{"programs": {"gh": {}}}"#,
    r#"{"programs": {"gh": {"inherit_credentials": []}}}"#,
    r#"{"programs": {"gh": {"inherit_credentials": ["github"], "share": [".ssh"], "keep": ["A*"]}}}"#,
    r#"{"programs": {"a b": {}, "ü": {}, "..": {}, "x=y": {}}}"#,
    r#"{"keep": ["A", "A"]}"#,
    r#"{"home": "profile"}"#,
    r#"{"seal": "on"}"#,
    r#"{"programs": {"gh": {"unset": []}}}"#,
];

/// Policy files that are wrong, as a schema can tell.
const WRONG: [&str; 41] = [
    "[]",
    "null",
    "\"home\"",
    "1",
    r#"["auto"]"#,
    r#"{"hom": "auto"}"#,
    r#"{"$schema": "x"}"#,
    r#"{"": 1}"#,
    r#"{"home": "Auto"}"#,
    r#"{"home": null}"#,
    r#"{"home": []}"#,
    r#"{"seal": true}"#,
    r#"{"seal": "file"}"#,
    r#"{"minimal": "true"}"#,
    r#"{"minimal": 1}"#,
    r#"{"minimal": null}"#,
    r#"{"share": null}"#,
    r#"{"share": "claude"}"#,
    r#"{"share": [1]}"#,
    r#"{"share": [""]}"#,
    r#"{"share": ["."]}"#,
    r#"{"share": ["./."]}"#,
    r#"{"share": [".."]}"#,
    r#"{"share": ["/x"]}"#,
    r#"{"share": ["a/.."]}"#,
    r#"{"share": ["a/../b"]}"#,
    r#"{"share": ["../b"]}"#,
    r#"{"keep": "A"}"#,
    r#"{"keep": [null]}"#,
    r#"{"unset": {"A": true}}"#,
    r#"{"set": ["A=1"]}"#,
    r#"{"set": {"A": 1}}"#,
    r#"{"set": {"": "1"}}"#,
    r#"{"set": {"A=B": "1"}}"#,
    r#"{"inherit_credentials": "anthropic"}"#,
    r#"{"inherit_credentials": ["*"]}"#,
    r#"{"inherit_credentials": true}"#,
    r#"{"programs": []}"#,
    r#"{"programs": {"/usr/bin/gh": {}}}"#,
    r#"{"programs": {"gh": {"unset": {"A": true}}}}"#,
    r#"{"programs": {"gh": ["github"]}}"#,
];

/// Whether the program takes the file.
fn is_taken(text: &str) -> bool {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", text);
    // `-n`: a seal may not be possible here.
    let outcome = sandbox.hx(["-n", "-p", "builder"]).run();
    assert!(outcome.code() == 0 || outcome.stderr.contains("hermes-exec.json:"), "{text}: {outcome:?}");
    outcome.code() == 0
}

#[test]
fn the_schema_judges_as_the_program_does() {
    let schema: Value = serde_json::from_str(include_str!("../../man/hermes-exec.schema.json")).expect("JSON");
    let texts: Vec<&str> = RIGHT.into_iter().chain(WRONG).collect();
    let pairs: Vec<(Value, Value)> =
        texts.iter().map(|text| (schema.clone(), serde_json::from_str(text).expect(text))).collect();
    for (at, (text, violation)) in texts.iter().zip(violations(&pairs)).enumerate() {
        let right = at < RIGHT.len();
        assert_eq!(violation.is_empty(), right, "the schema on {text}: {violation}");
        assert_eq!(is_taken(text), right, "the program on {text}");
    }
}
