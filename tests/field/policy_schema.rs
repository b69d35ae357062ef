//! The schema of the policy file, by the reference implementation of JSON Schema: it takes what the program takes,
//! and refuses what an editor can know to be wrong.

use serde_json::Value;

use crate::schema::violations;
use crate::support::Sandbox;

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
    let lines = include_str!("../data/policies.txt").lines().filter(|line| !line.starts_with('#'));
    let judged: Vec<_> = lines.map(|line| line.split_once(' ').expect("a judgement and a file")).collect();
    let pairs: Vec<(Value, Value)> =
        judged.iter().map(|(_, text)| (schema.clone(), serde_json::from_str(text).expect(text))).collect();
    for ((judgement, text), violation) in judged.iter().zip(violations(&pairs)) {
        let right = *judgement == "right";
        assert_eq!(violation.is_empty(), right, "the schema on {text}: {violation}");
        assert_eq!(is_taken(text), right, "the program on {text}");
    }
}
