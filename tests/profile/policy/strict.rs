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
fn every_fault_is_named_with_its_place() {
    let rows = include_str!("../../data/policy-errors.txt").lines().filter(|line| line.contains('»'));
    let mut number = 0;
    for row in rows.filter(|row| !row.starts_with('#')) {
        let row = row.replace('¶', "\n").replace('⇥', "\t").replace("CANARY", CANARY);
        let mut parts = row.split(" => ");
        let text = parts.next().unwrap();
        let (absent, said): (Vec<&str>, Vec<&str>) = parts.partition(|words| words.starts_with('!'));
        let outcome = wrong(text, &said);
        assert!(!absent.iter().any(|words| outcome.stderr.contains(&words[1..])), "{text}: {outcome:?}");
        number += 1;
    }
    assert!(number > 80, "{number} rows");
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
}

#[test]
fn what_is_no_json() {
    wrong("«\u{feff}»{}", &[]);
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
