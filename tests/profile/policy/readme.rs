//! The README's section on the policy file: its example is one, and its table and its schema have the keys of the program.

use super::{OF_PROFILE, with_policy};
use crate::support::readme::texts;
use serde_json::Value;
use std::collections::BTreeSet;

/// The keys that the program says it knows, at the top or in a program's entry.
fn known(text: &str) -> BTreeSet<String> {
    let outcome = with_policy(text).builder(["true"]).run().fails(125, &["valid keys here: "]);
    let keys = outcome.stderr.split_once("valid keys here: ").unwrap().1;
    keys.trim_end().split(", ").map(str::to_owned).collect()
}

fn keys_of(properties: &Value) -> BTreeSet<String> {
    properties.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_example_is_one() {
    let (example, _) = texts();
    let sandbox = with_policy(&example);
    sandbox.builder(["true"]).run().ok();
    assert!(sandbox.path(OF_PROFILE).exists());
    let keys: BTreeSet<String> = keys_of(&serde_json::from_str(&example).unwrap());
    assert!(keys.len() >= 4, "{keys:?}");
}

#[test]
fn schema_table_and_program_have_the_same_keys() {
    let (_, schema) = texts();
    let keys = known(r#"{"no such key at all": 1}"#);
    assert_eq!(keys_of(&schema["properties"]), keys);
    let entry = known(r#"{"programs": {"gh": {"no such key at all": 1}}}"#);
    let programs = &schema["properties"]["programs"]["additionalProperties"];
    assert_eq!(keys_of(&programs["properties"]), entry);
    for object in [&schema, programs] {
        assert_eq!(object["additionalProperties"], false);
    }
    let section = include_str!("../../../README.md").split_once("\n## Policy file\n").unwrap().1;
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let rows: BTreeSet<String> = rows.map(|(key, _)| key.to_owned()).take(keys.len()).collect();
    assert_eq!(rows, keys);
}
