//! What `--json` prints, held against the schemas in `tests/data` by the reference implementation of JSON Schema.

use serde_json::Value;

use crate::documents::{self, Document};
use crate::installed;
use crate::support::Sandbox;

/// Reads schema and document from each line, and prints a line with the first violation, or an empty one.
const VALIDATE: &str = r#"
import json, sys
from jsonschema import Draft202012Validator as Validator
for line in sys.stdin:
    schema, document = json.loads(line)
    Validator.check_schema(schema)
    violation = next(Validator(schema).iter_errors(document), None)
    print("" if violation is None else f"{violation.json_path} {violation.message}".replace("\n", " "))
"#;

/// The first violation of each document; empty where there is none.
pub fn violations(documents: &[(Value, Value)]) -> Vec<String> {
    let sandbox = Sandbox::new();
    let lines: String = documents.iter().map(|pair| serde_json::to_string(pair).unwrap() + "\n").collect();
    let input = sandbox.write("documents", lines);
    let script = format!("exec \"$0\" -c \"$1\" <{}", input.display());
    let python = installed("jsonschema/bin/python");
    let outcome = sandbox.hx(["-c", &script, python, VALIDATE]).program("/bin/sh").run().ok();
    let violations: Vec<_> = outcome.out().lines().map(str::to_owned).collect();
    assert_eq!(violations.len(), documents.len(), "a line for each: {outcome:?}");
    violations
}

fn schema(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_document_fits_its_schema() {
    let mut all = documents::explained();
    all.extend(documents::doctors());
    all.extend(documents::doctors_of_all());
    all.push(documents::catalogue());
    let pairs: Vec<_> = all.iter().map(|document| (schema(document.schema), document.value())).collect();
    for (Document { title, text, .. }, violation) in all.iter().zip(violations(&pairs)) {
        assert_eq!(violation, "", "{title}: {text}");
    }
}

/// The schemas would notice.
#[test]
fn altered_documents_do_not_fit() {
    let mut pairs = Vec::new();
    let explain = schema("explain.schema.json");
    let mut add = |title: &str, pointer: &str, value: Option<Value>| {
        let all = documents::explained();
        let mut document = all.iter().find(|document| document.title == title).unwrap().value();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
        match value {
            Some(value) => drop(parent.insert(key.to_owned(), value)),
            None => drop(parent.remove(key).expect("what is taken out was there")),
        }
        pairs.push((explain.clone(), document));
    };
    for key in
        ["schema", "profile", "home", "links", "grants", "variables", "path", "command", "seal", "warnings", "findings"]
    {
        add("rules", &format!("/{key}"), None);
    }
    for pointer in ["/profile/source", "/home/real", "/variables/0/group", "/links/0/target", "/command/path"] {
        add("rules", pointer, None);
    }
    for (pointer, value) in [
        ("/schema", 2.into()),
        ("/more", "x".into()),
        ("/variables/0/value", "x".into()),
        ("/variables/0/action", "stays".into()),
        ("/variables/0/rule", 12.into()),
        ("/links/0/state", "made".into()),
        ("/home/mode", "other".into()),
        ("/home/to", "relative".into()),
        ("/profile/name", "../x".into()),
        ("/command/status", "failed".into()),
        ("/command/path", Value::Null),
        ("/warnings", "text".into()),
    ] {
        add("rules", pointer, Some(value));
    }
    add("no such command", "/error/status", Some(1.into()));
    add("no such command", "/error/message", Some("two\nlines".into()));
    let doctor = schema("doctor.schema.json");
    let check = |level: &str, id: &str| {
        let check = serde_json::json!({"id": id, "level": level, "message": "m", "hint": null, "cure": null});
        (doctor.clone(), serde_json::json!({"schema": 1, "checks": [check]}))
    };
    assert_eq!(violations(&[check("ok", "home"), check("note", "home")]), ["", ""]);
    pairs.extend([check("problem", "home"), check("warning", "home"), check("bad", "home"), check("ok", "unknown")]);
    for (violation, (_, document)) in violations(&pairs).iter().zip(&pairs) {
        assert_ne!(violation, "", "{document:#}");
    }
}
