//! What `--json` promises to programs: keys and words. Every form of document is held against the schemas in
//! `tests/data` by `tests/field`; that the plan is true is in `agreement`.

mod documents;

use std::collections::{BTreeMap, BTreeSet};

use documents::{Document, catalogue, doctors, doctors_of_all, explained};
use serde_json::Value;

use crate::support::Sandbox;

/// The document of this title.
#[track_caller]
fn the(title: &str) -> Value {
    let all = explained();
    all.iter().find(|document| document.title == title).unwrap_or_else(|| panic!("no document {title}")).value()
}

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
fn the_rules_of_a_plan() {
    let document = the("rules");
    let variables = document["variables"].as_array().unwrap();
    for (name, action, rule, group) in [
        ("HOME", "set", 0, None),
        ("HERMES_REAL_HOME", "set", 0, None),
        ("GIVEN", "set", 1, None),
        ("GONE", "removed", 2, None),
        ("STAYS", "kept", 3, None),
        ("GH_TOKEN", "removed", 4, Some("github")),
        ("PASSED", "kept", 5, None),
        ("VIRTUAL_ENV", "removed", 6, Some("python-venv")),
        ("XDG_CACHE_HOME", "removed", 7, None),
        ("DECLARED_TOKEN", "removed", 8, None),
        ("SHAPED", "removed", 9, None),
        ("OTHER", "removed", 10, None),
        ("EDITOR", "kept", 11, None),
        // It carries the rule that kept it.
        ("PATH", "edited", 11, None),
    ] {
        let [variable] = variables.iter().filter(|variable| variable["name"] == name).collect::<Vec<_>>()[..] else {
            panic!("one {name}: {document:#}")
        };
        assert_eq!((&variable["action"], &variable["rule"]), (&action.into(), &rule.into()), "{variable}");
        assert_eq!(variable["group"].as_str(), group, "{variable}");
        assert!(!variable["reason"].as_str().unwrap().is_empty(), "{variable}");
    }
    let moved = document["path"]["moved"].as_array().unwrap();
    assert!(matches!(&moved[..], [one] if one.as_str().unwrap().ends_with("/agent/venv/bin")), "{moved:?}");
}

#[test]
fn links_with_their_states() {
    let document = the("links");
    let links = document["links"].as_array().unwrap();
    for (item, path, state) in [
        ("claude", ".claude", "present"),
        ("claude", ".claude.json", "create"),
        ("keychain", "Library/Keychains", "source-missing"),
        (".create", ".create", "create"),
        (".replace", ".replace", "replace"),
        (".left", ".left", "left"),
        (".hermes", ".hermes", "refused"),
        (".skipped", ".skipped", "skipped"),
        (".missing", ".missing", "source-missing"),
    ] {
        let link = links.iter().find(|link| link["path"] == path).unwrap_or_else(|| panic!("{path}: {document:#}"));
        assert_eq!((&link["item"], &link["state"]), (&item.into(), &state.into()), "{link}");
        let target = link["target"].as_str();
        assert_eq!(target.is_some(), !["source-missing", "skipped"].contains(&state), "{link}");
        assert!(target.is_none_or(|target| target.ends_with(&format!("/real/{path}"))), "{link}");
    }
    let findings = document["findings"].as_array().unwrap();
    for path in [".left", ".hermes", ".skipped"] {
        let is_told =
            findings.iter().any(|finding| finding.as_str().unwrap().contains(&format!("/{path} is not linked")));
        assert!(is_told, "{path}: {findings:?}");
    }
}

#[test]
fn grants_of_every_kind() {
    let grants = |title| {
        let document = the(title);
        let text = |grant: &Value, key: &str| grant[key].as_str().unwrap().to_owned();
        let all = document["grants"].as_array().unwrap().iter();
        all.map(|grant| [text(grant, "kind"), text(grant, "name"), text(grant, "by")].join(" "))
            .collect::<BTreeSet<_>>()
    };
    let of_options = ["group openai --inherit-credentials", "share .ssh --share", "variable GH_TOKEN --keep"];
    assert!(grants("grants").iter().eq(of_options));
    assert!(grants("every grant").iter().eq(["group * --inherit-credentials"]));
    let of_file = grants("grants of a file");
    for grant in ["group xai policy file", "variable GH_TOKEN policy file"] {
        assert!(of_file.contains(grant), "{of_file:?}");
    }
    assert!(grants("a fresh profile").is_empty());
}

#[test]
fn the_command_and_what_it_comes_to() {
    for (title, word, path, status, code) in [
        ("a fresh profile", "true", Some("/usr/bin/true"), "found", None),
        ("a shim", "tool", Some("/bin/tool"), "found", None),
        ("a shim loop", "tool", None, "shim-loop", Some(125)),
        ("no file to run", "/etc/passwd", None, "cannot-run", Some(126)),
        ("no such command", "no-such-command", None, "not-found", Some(127)),
    ] {
        let document = the(title);
        let command = &document["command"];
        assert_eq!((&command["word"], &command["status"]), (&word.into(), &status.into()), "{document:#}");
        assert_eq!(command["path"].is_string(), path.is_some(), "{document:#}");
        assert!(path.is_none_or(|path| command["path"].as_str().unwrap().ends_with(path)), "{document:#}");
        assert_eq!(document["error"]["status"].as_u64(), code, "{document:#}");
    }
    assert!(the("no command")["command"].is_null());
    let shim = the("a shim");
    let last = shim["variables"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["name"], &last["action"]), (&"HERMES_EXEC_GUARD".into(), &"set".into()), "{last}");
}

#[test]
fn the_homes() {
    let document = the("a fresh profile");
    let home = &document["home"];
    let real = home["real"].as_str().unwrap();
    assert!(real.ends_with("/real") && home["from"] == real, "{home}");
    assert_eq!(home["to"], format!("{real}/.hermes/profiles/builder/home"));
    assert_eq!((&home["mode"], &home["source"]), (&"auto".into(), &"default".into()));
    let none = the("no command");
    assert!(none["home"]["to"].is_null(), "HOME stays: {none:#}");
    assert!(the("no Hermes, no HOME")["home"]["from"].is_null());
    for (title, mode) in [("HERMES_EXEC_HOME_MODE", "real"), ("TERMINAL_HOME_MODE", "profile")] {
        let document = the(title);
        assert_eq!((&document["home"]["mode"], &document["home"]["source"]), (&mode.into(), &title.into()));
    }
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
