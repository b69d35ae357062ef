//! Rule 4: what grants credentials, and that nothing else does.

use crate::support::{CANARY, Run, Sandbox};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

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

#[test]
fn every_group_is_granted_by_its_name_whole_and_alone() {
    let sandbox = Sandbox::new();
    let groups = examples(&sandbox);
    assert!(groups.len() > 200, "{}", groups.len());
    for (group, names) in &groups {
        assert_eq!(passed(&sandbox, &[&format!("--inherit-credentials={group}")]), grantable(names), "{group}");
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

/// Credentials of groups granted by name only and of others, and what rules 8 and 9 remove.
const CREDENTIALS: [&str; 6] = [
    "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "GITHUB_TOKEN", "TELEGRAM_BOT_TOKEN",
    "HERMES_RPC_TOKEN",
];

fn with_credentials(run: Run) -> Run {
    CREDENTIALS.iter().fold(run, |run, name| run.env(name, CANARY))
}

/// None of [`CREDENTIALS`] passes. The harness sees to that as well: each of them holds the planted secret.
#[track_caller]
fn grants_nothing(run: Run, what: &str) {
    let outcome = with_credentials(run).run().ok();
    for name in CREDENTIALS {
        assert_eq!(outcome.var(name), None, "{what}");
    }
}

/// The long options, from the help.
fn options(sandbox: &Sandbox) -> Vec<String> {
    let help = sandbox.hx(["--help"]).run().ok().out();
    let words = help.split_whitespace().filter_map(|word| word.strip_prefix("--"));
    let names = words
        .map(|word| word.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')).next().unwrap());
    names
        .filter(|name| !name.is_empty())
        .map(|name| name.to_ascii_uppercase().replace('-', "_"))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

#[test]
fn no_variable_can_grant() {
    let sandbox = Sandbox::with_builder();
    let policy = sandbox.write(
        "elsewhere/hermes-exec.json",
        r#"{"inherit_credentials": ["anthropic", "openai", "github", "messaging", "hermes-internal"], "keep": ["*"]}"#,
    );
    let mut names = options(&sandbox);
    assert!(names.contains(&"INHERIT_CREDENTIALS".to_owned()) && names.len() > 20, "{names:?}");
    let others = [
        "ALLOW", "ARGS", "CATALOGUE", "CLAUDE", "CONFIG", "CREDENTIALS", "DEFAULTS", "ENV", "ENV_PASSTHROUGH", "FLAGS",
        "GRANT", "GRANTS", "GROUPS", "INHERIT", "OPTIONS", "OPTS", "PASS", "PASSTHROUGH", "POLICY_FILE", "PROGRAMS",
        "SHARES", "TRUST",
    ];
    names.extend(others.map(str::to_owned));
    let names = names.iter().flat_map(|name| {
        let prefixes = ["HERMES_EXEC", "HERMES", "TERMINAL", "HX", "_HERMES_FORCE_HERMES_EXEC"];
        prefixes.map(|prefix| format!("{prefix}_{name}"))
    });
    // These decide over the profile or the homes, and are checked: a bad one is an error.
    let selecting = ["HERMES_EXEC_HOME_MODE", "HERMES_HOME", "HERMES_PROFILE", "HERMES_EXEC_GUARD"];
    let names: Vec<String> = names.filter(|name| !selecting.contains(&name.as_str())).collect();
    let policy = policy.display().to_string();
    let values = [
        "1",
        "true",
        "yes",
        "all",
        "*",
        "anthropic",
        "openai,anthropic,github,messaging,hermes-internal",
        "ANTHROPIC_API_KEY",
        "--inherit-credentials",
        "--inherit-credentials=anthropic --keep=*",
        "[\"anthropic\"]",
        &policy,
    ];
    for options in [&[][..], &["-p", "builder"]] {
        for value in values {
            let run = sandbox.hx([options, &["-q", "/usr/bin/env", "-0"]].concat());
            let run = names.iter().fold(run, |run, name| run.env(name, value));
            grants_nothing(run, value);
        }
    }
    // One by one, too: a name may have undone what another did.
    for name in names.iter().filter(|name| name.starts_with("HERMES_EXEC_")) {
        for value in ["1", "anthropic", &policy] {
            grants_nothing(sandbox.hx(["-q", "/usr/bin/env", "-0"]).env(name, value), name);
        }
    }
}

/// The names that the program knows: two switches, a mode and the guard. A new one has to be looked at here.
#[test]
fn the_program_reads_no_other_variable_of_its_own() {
    fn sources(dir: &Path) -> String {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        let texts = entries
            .map(|path| if path.is_dir() { sources(&path) } else { fs::read_to_string(&path).unwrap_or_default() });
        texts.collect()
    }
    let text = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let names: BTreeSet<&str> = text
        .split("HERMES_EXEC_")
        .skip(1)
        .map(|rest| rest.split(|c: char| !(c.is_ascii_uppercase() || c == '_')).next().unwrap())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(names, ["GUARD", "HOME_MODE", "QUIET", "VERBOSE"].into());
}

/// Words of the child's command line are the child's.
#[test]
fn what_stands_behind_the_command_cannot_grant() {
    let sandbox = Sandbox::new();
    sandbox.link("/usr/bin/env", "bin/env");
    for args in [
        &["--", "/usr/bin/env", "-0", "--inherit-credentials"][..],
        &["/usr/bin/env", "-0", "--inherit-credentials=anthropic"],
        &["--", "--inherit-credentials", "/usr/bin/env"],
    ] {
        let outcome = with_credentials(sandbox.hx(args)).run();
        assert_ne!(outcome.code(), 0, "{outcome:?}");
    }
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
