//! Rule 4: what grants credentials, group by group. That nothing else does is in the page `grants`.

use crate::support::{CANARY, Sandbox};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The groups that are granted by their name only.
const BY_NAME_ONLY: [&str; 6] =
    ["gateway", "github", "hermes-internal", "infrastructure", "messaging", "secret-manager"];

/// The rows of `--catalogue --json`.
fn catalogue(sandbox: &Sandbox) -> Vec<Value> {
    let outcome = sandbox.hx(["--catalogue", "--json"]).run().ok();
    serde_json::from_slice::<Vec<Value>>(&outcome.stdout).unwrap()
}

/// An example for each row, by group. No name of one group is an example of another's.
fn examples(sandbox: &Sandbox) -> BTreeMap<String, BTreeSet<String>> {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in catalogue(sandbox) {
        let name = row["name"].as_str().unwrap().replace('*', "EXAMPLE");
        groups.entry(row["group"].as_str().unwrap().to_owned()).or_default().insert(name);
    }
    groups
}

/// The names of the catalogue that pass with these options, of a block that has them all.
#[track_caller]
fn passed(sandbox: &Sandbox, options: &[&str]) -> BTreeSet<String> {
    let names: BTreeSet<String> = examples(sandbox).into_values().flatten().collect();
    let home = format!("HOME={}", sandbox.real().display());
    let block = names.iter().map(|name| format!("{name}={CANARY}")).chain([home]);
    let args = [options, &["--", "/usr/bin/env", "-0"]].concat();
    let outcome = sandbox.hx(args).raw_block(block).secret_may_show().run().ok();
    outcome.block().into_iter().map(|(name, _)| name).filter(|name| names.contains(name)).collect()
}

/// Names under `_HERMES_FORCE_` are never granted.
fn grantable(names: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().filter(|name| !name.starts_with("_HERMES_FORCE_")).cloned().collect()
}

#[test]
fn without_a_grant_nothing_of_the_catalogue_passes() {
    assert_eq!(passed(&Sandbox::new(), &[]), BTreeSet::new());
}

/// Each start grants those groups whose number has a certain bit, or those that have it not: no two groups are granted in the
/// same starts, so a name that passes with its own group alone belongs to it.
#[test]
fn every_group_is_granted_by_its_name_whole_and_alone() {
    let sandbox = Sandbox::new();
    let groups = examples(&sandbox);
    assert!((129..256).contains(&groups.len()), "each has a number of 8 bits: {}", groups.len());
    for (bit, value) in (0..8).flat_map(|bit| [(bit, 0), (bit, 1)]) {
        let granted =
            groups.iter().enumerate().filter(|(number, _)| number >> bit & 1 == value).map(|(_, group)| group);
        let options: Vec<_> = granted.clone().map(|(group, _)| format!("--inherit-credentials={group}")).collect();
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        let names = granted.flat_map(|(_, names)| names.clone()).collect();
        assert_eq!(passed(&sandbox, &options), grantable(&names), "{options:?}");
    }
}

#[test]
fn the_bare_option_grants_every_group_but_those_by_name_only() {
    let sandbox = Sandbox::new();
    let groups = examples(&sandbox);
    for group in BY_NAME_ONLY {
        assert!(groups.contains_key(group), "{group}");
    }
    let open = groups.iter().filter(|(group, _)| !BY_NAME_ONLY.contains(&group.as_str()));
    let open: BTreeSet<String> = open.flat_map(|(_, names)| names.clone()).collect();
    assert_eq!(passed(&sandbox, &["--inherit-credentials"]), open);
    let both = passed(&sandbox, &["--inherit-credentials", "--inherit-credentials=github"]);
    assert_eq!(&both - &open, groups["github"]);
    let everything = format!("--inherit-credentials={}", groups.keys().cloned().collect::<Vec<_>>().join(","));
    assert_eq!(passed(&sandbox, &[&everything]), grantable(&groups.into_values().flatten().collect()));
}

#[test]
fn the_catalogue_lists_names_groups_classes_and_reasons() {
    let sandbox = Sandbox::without_hermes();
    let rows = catalogue(&sandbox);
    assert!(rows.len() > 650, "{}", rows.len());
    let text = sandbox.hx(["--catalogue"]).run().ok().out();
    assert_eq!(text.lines().count(), rows.len());
    for (line, row) in text.lines().zip(&rows) {
        let keys: BTreeSet<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["by_name_only", "class", "group", "name", "reason", "secret"].into());
        assert!(row["secret"].is_boolean() && !row["reason"].as_str().unwrap().is_empty(), "{row}");
        let words: Vec<&str> = line.split_whitespace().collect();
        let group = row["group"].as_str().unwrap();
        assert_eq!((words[0], words[1]), (row["name"].as_str().unwrap(), group), "{line}");
        assert_eq!(words[2] == "by-name-only", BY_NAME_ONLY.contains(&group), "{line}");
        assert_eq!(row["by_name_only"], BY_NAME_ONLY.contains(&group), "{row}");
        assert!(
            line.contains(row["class"].as_str().unwrap()) && line.ends_with(row["reason"].as_str().unwrap()),
            "{line}"
        );
        assert!(!line.contains('\t') && !line.contains('\u{1b}'), "{line}");
    }
    // It is the same wherever and as whomever it is asked for.
    let run = sandbox
        .hx(["--catalogue", "--json"])
        .env("HERMES_HOME", "relative")
        .env("HERMES_PROFILE", "../x")
        .no_env("HOME");
    assert_eq!(serde_json::from_slice::<Vec<Value>>(&run.run().ok().stdout).unwrap(), rows);
}
