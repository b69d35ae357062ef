//! What is read of a `config.yaml`.

use std::collections::BTreeSet;

use hermes_exec::plan::files::config::{Config, DEEPEST, LONGEST, MOST, read};

use super::transcript::unescape;

fn set(names: &[&str]) -> BTreeSet<Vec<u8>> {
    names.iter().map(|name| name.as_bytes().to_vec()).collect()
}

#[test]
fn each_file_of_the_table_says_what_it_says() {
    let rows = include_str!("../data/configs.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let mut number = 0;
    for row in rows {
        let (text, said) = row.split_once(" => ").unwrap_or_else(|| panic!("{row:?} has no =>"));
        let mut words = said.split_whitespace();
        let kind = words.next();
        let names: Vec<_> = words.collect();
        let mut expected = Config::default();
        match kind {
            Some("declares") => expected.declared = set(&names),
            Some("passes") => expected.passthrough = set(&names),
            Some("mode") => expected.home_mode = Some(names[0].to_owned()),
            None | Some("an") => {}
            Some(other) => panic!("{other:?} in {row}"),
        }
        let found = read(&unescape(text));
        assert_eq!(found, if said == "an error" { Err(found.clone().unwrap_err()) } else { Ok(expected) }, "{row}");
        number += 1;
    }
    assert!(number > 35, "{number} rows");
}

#[test]
fn a_name_that_is_too_long_is_none() {
    for (name, is_one) in [("K".repeat(LONGEST), true), ("K".repeat(LONGEST + 1), false)] {
        let declared = read(format!("x: &x {name}\nkey_env: *x").as_bytes()).unwrap_or_default().declared;
        assert_eq!(declared, if is_one { set(&[&name]) } else { set(&[]) });
    }
}

/// What would cost a hundred times its size, or more. A file that goes on line by line may hold any number.
#[test]
fn what_is_too_large_or_too_deep_is_said() {
    let large = |text: &str| read(format!("# key_env\n[{}]", text.repeat(MOST / 2)).as_bytes());
    for text in ["[],", "'',"] {
        assert_eq!(large(text), Err("contains a collection that is too large".into()));
    }
    let deep = format!("key_env: A\nl:\n  {}", "- ".repeat(DEEPEST));
    assert_eq!(read(deep.as_bytes()), Err("collections are nested too deeply".into()));
    let long = format!("key_env: A\nl:\n{}", "- ['::,,', {a: b}]\n".repeat(MOST / 8));
    assert_eq!(read(long.as_bytes()).map(|config| config.declared), Ok(set(&["A"])));
}

#[test]
fn cycles_laughs_depth_and_rubbish_are_no_harm() {
    for text in [
        "a: &a\n  env_passthrough: *a\n  terminal: *a\nterminal: *a\n".to_owned(),
        format!("key_env: {}", "[".repeat(10_000)),
        format!("key_env: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        "key_env: \"never closed".into(),
        "? env_passthrough\n: - *nobody".into(),
        "key_env: a: b: c\n\t- x".into(),
    ] {
        if let Ok(config) = read(text.as_bytes()) {
            assert!(config.passthrough.is_empty(), "{text:.40}");
        }
    }
}
