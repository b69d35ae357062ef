//! The schema of the policy file, `man/hermes-exec.schema.json`, has the keys of the program.

use std::collections::BTreeSet;

use serde_json::Value;

use super::with_policy;

/// The keys that the program says it knows, at the top or in a program's entry.
pub fn known(text: &str) -> BTreeSet<String> {
    let outcome = with_policy(text).builder(["true"]).run().fails(125, &["valid keys here: "]);
    let keys = outcome.stderr.split_once("valid keys here: ").unwrap().1;
    keys.trim_end().split(", ").map(str::to_owned).collect()
}

fn keys_of(properties: &Value) -> BTreeSet<String> {
    properties.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn schema_and_program_have_the_same_keys() {
    let schema: Value = serde_json::from_str(include_str!("../../../man/hermes-exec.schema.json")).expect("JSON");
    assert_eq!(keys_of(&schema["properties"]), known(r#"{"no such key at all": 1}"#));
    let entry = known(r#"{"programs": {"gh": {"no such key at all": 1}}}"#);
    let programs = &schema["properties"]["programs"]["additionalProperties"];
    assert_eq!(keys_of(&programs["properties"]), entry);
    for object in [&schema, programs] {
        assert_eq!(object["additionalProperties"], false);
    }
}
