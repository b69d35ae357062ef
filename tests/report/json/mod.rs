//! What `--json` promises to programs: keys and words. Every form of document is held against the schemas in
//! `tests/data` by `tests/field`; the values are in the page `explain`, and that the plan is true is in `agreement`.

mod documents;

use std::collections::{BTreeMap, BTreeSet};

use documents::{Document, catalogue, doctors, doctors_of_all, explained};
use serde_json::Value;

use crate::support::Sandbox;

crate::pages! { explain }

/// The keys of an object, in the order in which they stand in the text.
fn keys(text: &str, indent: usize) -> Vec<&str> {
    let keys = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(&" ".repeat(indent))?.strip_prefix('"')?;
        rest.split_once("\": ").map(|(key, _)| key)
    });
    keys.collect()
}

/// The words that stand in `list[].key` of some document.
fn words<'a>(documents: &'a [Value], list: &str, key: &str) -> BTreeSet<&'a str> {
    let all = documents.iter().flat_map(|document| document[list].as_array().unwrap());
    all.map(|entry| entry[key].as_str().unwrap()).collect()
}

#[test]
fn a_document_is_one_object_and_a_line_end() {
    for document in explained().iter().chain(&doctors()).chain(&doctors_of_all()).chain([&catalogue()]) {
        document.value();
        assert!(document.text.ends_with('\n') && !document.text.ends_with("\n\n"), "{}", document.title);
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: Landlock")]
#[test]
fn keys_of_a_plan() {
    let always = [
        "schema", "profile", "home", "links", "grants", "variables", "path", "command", "seal", "warnings", "findings",
    ];
    for document in explained() {
        let value = document.value();
        assert_eq!(value["schema"], 1);
        let keys = keys(&document.text, 2);
        match value.get("error") {
            None => assert_eq!(keys, always, "{}", document.title),
            Some(_) => assert_eq!(keys, [&always[..], &["error"]].concat(), "{}", document.title),
        }
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: Landlock")]
#[test]
fn keys_of_its_parts() {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for document in explained() {
        let Value::Object(parts) = document.value() else { panic!("{}", document.text) };
        for (name, part) in parts {
            let entries = part.as_array().cloned().unwrap_or_else(|| vec![part]);
            for entry in entries.iter().filter_map(Value::as_object) {
                let keys: BTreeSet<_> = entry.keys().cloned().collect();
                let known = seen.entry(name.clone()).or_insert_with(|| keys.clone());
                assert_eq!(*known, keys, "{name} has always the same keys: {}", document.title);
            }
        }
    }
    for (name, keys) in [
        ("profile", &["dir", "name", "source"][..]),
        ("home", &["from", "mode", "real", "source", "to"]),
        ("links", &["item", "path", "state", "target"]),
        ("grants", &["by", "kind", "name"]),
        ("variables", &["action", "group", "name", "reason", "rule"]),
        ("path", &["moved"]),
        ("command", &["path", "status", "word"]),
        ("seal", &["holds", "level", "limits", "narrow", "reason", "rules", "secrets", "source"]),
        ("error", &["hint", "message", "status"]),
    ] {
        assert!(seen[name].iter().eq(keys), "{name}: {seen:?}");
    }
}

/// Every word that is promised occurs, and no other.
#[test]
fn words_of_a_plan() {
    let documents: Vec<_> = explained().iter().map(Document::value).collect();
    let states = ["create", "left", "present", "refused", "replace", "skipped", "source-missing"];
    assert!(words(&documents, "links", "state").into_iter().eq(states));
    assert!(words(&documents, "variables", "action").into_iter().eq(["edited", "kept", "removed", "set"]));
    assert!(words(&documents, "grants", "kind").into_iter().eq(["group", "share", "variable"]));
    let commands = documents.iter().filter_map(|document| document["command"]["status"].as_str());
    assert!(commands.collect::<BTreeSet<_>>().into_iter().eq(["cannot-run", "found", "not-found", "shim-loop"]));
    let modes = documents.iter().filter_map(|document| document["home"]["mode"].as_str());
    assert!(modes.collect::<BTreeSet<_>>().into_iter().eq(["auto", "profile", "real"]));
    let rules = documents.iter().flat_map(|document| document["variables"].as_array().unwrap());
    let rules: BTreeSet<_> = rules.map(|variable| variable["rule"].as_u64().unwrap()).collect();
    assert!(rules.into_iter().eq(0..=11), "every rule has decided somewhere");
}

#[test]
fn keys_of_the_checks() {
    for document in doctors() {
        assert_eq!(keys(&document.text, 2), ["schema", "checks"], "{}", document.title);
        let value = document.value();
        assert_eq!(value["schema"], 1);
        let number = value["checks"].as_array().unwrap().len();
        let wanted = ["id", "level", "message", "hint", "cure"].repeat(number);
        assert_eq!(keys(&document.text, 6), wanted, "{}", document.title);
    }
}

#[test]
fn the_catalogue_says_the_same_as_its_text() {
    let document = catalogue();
    let value = document.value();
    let rows = value.as_array().unwrap();
    let text = Sandbox::new().hx(["--catalogue"]).run().ok().out();
    assert_eq!(text.lines().count(), rows.len());
    for (line, row) in text.lines().zip(rows) {
        let row = row.as_object().unwrap();
        assert!(row.keys().eq(["name", "group", "by_name_only", "class", "secret", "reason"]), "{row:?}");
        for key in ["name", "group", "class", "reason"] {
            assert!(line.contains(row[key].as_str().unwrap()), "{key}: {line}");
        }
        assert!(row["secret"].is_boolean(), "{row:?}");
    }
    assert_eq!(keys(&document.text, 4)[..6], ["name", "group", "by_name_only", "class", "secret", "reason"]);
}

/// The schemas in `tests/data` describe every key that is printed, and no other; `tests/field` goes into the values.
#[test]
fn the_schemas_know_every_key() {
    for document in explained().iter().chain(&doctors()).chain(&doctors_of_all()).chain([&catalogue()]) {
        let path = format!("{}/tests/data/{}", env!("CARGO_MANIFEST_DIR"), document.schema);
        let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert_described(&document.value(), &schema, document.title);
    }
}

fn assert_described(value: &Value, schema: &Value, place: &str) {
    match value {
        Value::Object(object) => {
            let described = schema["properties"].as_object().unwrap_or_else(|| panic!("{place} is not described"));
            for (key, value) in object {
                let part = described.get(key).unwrap_or_else(|| panic!("{place}: {key} is not described"));
                assert_described(value, part, &format!("{place}: {key}"));
            }
            let required = schema["required"].as_array().unwrap();
            assert!(required.iter().all(|key| object.contains_key(key.as_str().unwrap())), "{place}: {object:?}");
            assert_eq!(schema["additionalProperties"], false, "{place} is closed");
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            list.iter().for_each(|entry| assert_described(entry, &schema["items"], place));
        }
        _ => {}
    }
}
