//! The first rule that matches decides. One row for each adjacent pair of the rules, and for the layers of the user's
//! own rules: a variable on which both rules of the pair have a word, and which of them wins.

use crate::support::explained::Explained;
use crate::support::{CANARY, Sandbox};

/// A variable on which two rules have a word.
struct Row {
    /// The rules that match, the first of which decides.
    rules: &'static [u64],
    /// The variable.
    name: &'static str,
    /// Its value; none where it is not in the block. `{real}` and `{home}` stand for the homes.
    value: Option<&'static str>,
    options: &'static [&'static str],
    /// `hermes-exec.json`, `.env` and `config.yaml` of the profile.
    files: [&'static str; 3],
    /// What comes of it.
    action: &'static str,
    /// Its value afterwards; none where it is gone.
    after: Option<&'static str>,
}

/// A key that rule 9 takes for one.
const KEY: &str = "sk-ant-canary-5up3r-s3cr3t";

const ROWS: [Row; 27] = [
    // What is computed gives way to the user's `set` and `unset` alone.
    Row {
        rules: &[1, 0],
        name: "HERMES_REAL_HOME",
        value: Some("/old"),
        options: &["--set", "HERMES_REAL_HOME=/mine"],
        files: ["{}", "", ""],
        action: "set",
        after: Some("/mine"),
    },
    Row {
        rules: &[1, 0],
        name: "HERMES_PROFILE",
        value: None,
        options: &[],
        files: [r#"{"set": {"HERMES_PROFILE": "mine"}}"#, "", ""],
        action: "set",
        after: Some("mine"),
    },
    Row {
        rules: &[2, 0],
        name: "HERMES_HOME",
        value: Some("{real}/.hermes"),
        options: &["--unset", "HERMES_HOME"],
        files: ["{}", "", ""],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[0, 3],
        name: "HOME",
        value: Some("{real}"),
        options: &["--keep", "HOME"],
        files: ["{}", "", ""],
        action: "set",
        after: Some("{home}"),
    },
    Row {
        rules: &[0, 10],
        name: "HERMES_REAL_HOME",
        value: None,
        options: &["--minimal"],
        files: ["{}", "", ""],
        action: "set",
        after: Some("{real}"),
    },
    Row {
        rules: &[1, 2],
        name: "X",
        value: Some("1"),
        options: &["--unset", "X", "--set", "X=2"],
        files: ["{}", "", ""],
        action: "set",
        after: Some("2"),
    },
    Row {
        rules: &[2, 3],
        name: "X",
        value: Some("1"),
        options: &["--unset", "X", "--keep", "X"],
        files: ["{}", "", ""],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[3, 4],
        name: "OPENAI_API_KEY",
        value: Some(CANARY),
        options: &["--keep", "OPENAI_API_KEY"],
        files: ["{}", "", ""],
        action: "kept",
        after: Some(CANARY),
    },
    Row {
        rules: &[2, 4],
        name: "OPENAI_API_KEY",
        value: Some(CANARY),
        options: &["--inherit-credentials=openai", "--unset", "OPENAI_*"],
        files: ["{}", "", ""],
        action: "removed",
        after: None,
    },
    // The catalogue stands above what an agent may have written.
    Row {
        rules: &[4, 5],
        name: "OPENAI_API_KEY",
        value: Some(CANARY),
        options: &[],
        files: ["{}", "", "terminal: {env_passthrough: [OPENAI_API_KEY]}"],
        action: "removed",
        after: None,
    },
    // A grant stands above every rule that comes after.
    Row {
        rules: &[4, 8, 9, 10],
        name: "OPENAI_API_KEY",
        value: Some(KEY),
        options: &["--inherit-credentials=openai", "--minimal"],
        files: ["{}", "OPENAI_API_KEY=1", "key_env: OPENAI_API_KEY"],
        action: "kept",
        after: Some(KEY),
    },
    Row {
        rules: &[5, 6],
        name: "VIRTUAL_ENV",
        value: Some("/venv"),
        options: &[],
        files: ["{}", "", "terminal: {env_passthrough: [VIRTUAL_ENV]}"],
        action: "kept",
        after: Some("/venv"),
    },
    Row {
        rules: &[5, 7],
        name: "XDG_CONFIG_HOME",
        value: Some("{real}/.config"),
        options: &[],
        files: ["{}", "", "terminal: {env_passthrough: [XDG_CONFIG_HOME]}"],
        action: "kept",
        after: Some("{real}/.config"),
    },
    Row {
        rules: &[5, 8, 9, 10],
        name: "ACME_KEY",
        value: Some(KEY),
        options: &["--minimal"],
        files: ["{}", "ACME_KEY=1", "terminal: {env_passthrough: [ACME_KEY]}"],
        action: "kept",
        after: Some(KEY),
    },
    // No name is a marker and an XDG directory. This is as near as it gets: a marker with a value to which rule 7 objects, and
    // on which rules 8 to 10 have a word.
    Row {
        rules: &[6, 8, 9, 10],
        name: "VIRTUAL_ENV",
        value: Some("{real}/.config"),
        options: &["--minimal"],
        files: ["{}", "", "key_env: VIRTUAL_ENV"],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[6, 9],
        name: "DIRENV_DIFF",
        value: Some(KEY),
        options: &[],
        files: ["{}", "", ""],
        action: "removed",
        after: None,
    },
    // Rule 8 spares core names; the others do not.
    Row {
        rules: &[7, 8],
        name: "XDG_CONFIG_HOME",
        value: Some("{real}/.config"),
        options: &["--minimal"],
        files: ["{}", "", "key_env: XDG_CONFIG_HOME"],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[8, 9],
        name: "ACME_KEY",
        value: Some(KEY),
        options: &[],
        files: ["{}", "ACME_KEY=1", ""],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[9, 10],
        name: "ACME",
        value: Some(KEY),
        options: &["--minimal"],
        files: ["{}", "", ""],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[8, 10],
        name: "ACME_KEY",
        value: Some("1"),
        options: &["--minimal"],
        files: ["{}", "ACME_KEY=1", ""],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[10, 11],
        name: "ACME",
        value: Some("1"),
        options: &["--minimal"],
        files: ["{}", "", ""],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[11],
        name: "ACME",
        value: Some("1"),
        options: &[],
        files: ["{}", "", ""],
        action: "kept",
        after: Some("1"),
    },
    // Rules 1 to 3 for the options, for the program's entry, for the rest of the file.
    Row {
        rules: &[3, 1],
        name: "X",
        value: Some("1"),
        options: &["--keep", "X"],
        files: [r#"{"set": {"X": "2"}, "unset": ["X"]}"#, "", ""],
        action: "kept",
        after: Some("1"),
    },
    Row {
        rules: &[2, 3, 1],
        name: "X",
        value: Some("1"),
        options: &["--unset", "X"],
        files: [r#"{"programs": {"env": {"keep": ["X"]}}, "set": {"X": "2"}}"#, "", ""],
        action: "removed",
        after: None,
    },
    Row {
        rules: &[3, 1, 2],
        name: "X",
        value: Some("1"),
        options: &[],
        files: [r#"{"programs": {"env": {"keep": ["X"]}}, "set": {"X": "2"}, "unset": ["X"]}"#, "", ""],
        action: "kept",
        after: Some("1"),
    },
    Row {
        rules: &[1, 2, 3],
        name: "X",
        value: Some("1"),
        options: &[],
        files: [r#"{"set": {"X": "2"}, "unset": ["X"], "keep": ["X"]}"#, "", ""],
        action: "set",
        after: Some("2"),
    },
    Row {
        rules: &[2, 3, 4],
        name: "OPENAI_API_KEY",
        value: Some(CANARY),
        options: &[],
        files: [r#"{"unset": ["OPENAI_*"], "keep": ["*"], "inherit_credentials": ["openai"]}"#, "", ""],
        action: "removed",
        after: None,
    },
];

#[test]
fn the_first_rule_that_matches_decides() {
    let mut wrong = Vec::new();
    for Row { rules, name, value, options, files, action, after } in &ROWS {
        let sandbox = Sandbox::with_builder();
        let placed = |text: &str| {
            let text = text.replace("{real}", sandbox.real().to_str().unwrap());
            text.replace("{home}", sandbox.home().to_str().unwrap())
        };
        for (file, text) in ["hermes-exec.json", ".env", "config.yaml"].iter().zip(files) {
            sandbox.write(format!("real/.hermes/profiles/builder/{file}"), text);
        }
        let value = value.map(placed);
        let variables: Vec<(&str, &str)> = value.iter().map(|value| (*name, value.as_str())).collect();
        let explained = Explained::new(&sandbox, &[&["-p", "builder"], *options].concat(), &variables);
        let found = explained.variable(name);
        if found != Some((action, rules[0])) {
            wrong.push(format!("{rules:?} {name}: {found:?}, and not {action} by rule {}", rules[0]));
        }
        // The run does what the plan says.
        let run = sandbox.hx([&["-p", "builder"], *options, &["--", "env", "-0"]].concat()).secret_may_show();
        let outcome = variables.iter().fold(run, |run, (name, value)| run.env(name, value)).run().ok();
        if outcome.var(name) != after.map(placed) {
            wrong.push(format!("{rules:?} {name}: {:?}, and not {after:?}", outcome.var(name)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// That the table has what it promises. 6 and 7 share no name: see the row of 6.
#[test]
fn each_adjacent_pair_has_a_row() {
    let has = |first, second| ROWS.iter().any(|row| row.rules[0] == first && row.rules.contains(&second));
    for pair in [(1, 0), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (7, 8), (8, 9), (9, 10), (10, 11)] {
        assert!(has(pair.0, pair.1), "{pair:?}");
    }
    let rules: std::collections::BTreeSet<_> = ROWS.iter().map(|row| row.rules[0]).collect();
    assert_eq!(rules, (0..=11).collect(), "each rule wins once");
}

/// Each row would come to something else without its first rule: a row in which the second rule says the same proves nothing
/// but the number.
#[test]
fn the_second_rule_would_decide_alone() {
    for (name, value, options, files, rule) in [
        ("OPENAI_API_KEY", CANARY, &["-p", "builder"][..], ["", ""], 4),
        ("ACME_PASSED", "1", &["-p", "builder"], ["", "terminal: {env_passthrough: [ACME_PASSED]}"], 5),
        ("VIRTUAL_ENV", "/venv", &["-p", "builder"], ["", ""], 6),
        ("XDG_CONFIG_HOME", "{real}/.config", &["-p", "builder"], ["", ""], 7),
        ("ACME_KEY", "1", &["-p", "builder"], ["ACME_KEY=1", ""], 8),
        ("ACME", "1", &["-p", "builder"], ["", "key_env: ACME"], 8),
        ("ACME", KEY, &["-p", "builder"], ["", ""], 9),
        ("ACME", "1", &["-p", "builder", "--minimal"], ["", ""], 10),
        ("ACME", "1", &["-p", "builder"], ["", ""], 11),
    ] {
        let sandbox = Sandbox::with_builder();
        sandbox.write("real/.hermes/profiles/builder/.env", files[0]);
        sandbox.write("real/.hermes/profiles/builder/config.yaml", files[1]);
        let value = value.replace("{real}", sandbox.real().to_str().unwrap());
        let explained = Explained::new(&sandbox, options, &[(name, &value)]);
        assert_eq!(explained.variable(name).map(|(_, rule)| rule), Some(rule), "{name}");
    }
}
