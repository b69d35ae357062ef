//! What is read of a `config.yaml`.

use std::collections::BTreeSet;

use hermes_exec::plan::files::config::{Config, DEEPEST, LONGEST, MOST, read};

fn set(names: &[&str]) -> BTreeSet<Vec<u8>> {
    names.iter().map(|name| name.as_bytes().to_vec()).collect()
}

#[track_caller]
fn declares(text: &str, names: &[&str]) {
    assert_eq!(read(text.as_bytes()).unwrap_or_default().declared, set(names), "{text}");
}

#[track_caller]
fn passes(text: &str, names: &[&str]) {
    assert_eq!(read(text.as_bytes()).unwrap_or_default().passthrough, set(names), "{text}");
}

#[test]
fn the_words_that_matter_are_found_also_through_an_alias() {
    let text = "x: &names [A, ' B ']\nterminal: {env_passthrough: *names}\ntools:\n  env_passthrough:\n    - C\n\
                providers:\n  - {name: p, key_env: P_KEY}\n  - deeper: {key_env: Q_KEY}\n\
                others: [{api_key_env: R_KEY}, {keyEnv: S_KEY}, {apiKeyEnv: T_KEY}, {key_envs: no, keyenv: no}]\n\
                secrets:\n  bitwarden: {access_token_env: BW}\n  onepassword: {env: {ONE: op://x, TWO: op://y}}\n";
    let config = read(text.as_bytes()).unwrap_or_default();
    assert_eq!(config.passthrough, set(&["A", "B", "C"]));
    assert_eq!(config.declared, set(&["P_KEY", "Q_KEY", "R_KEY", "S_KEY", "T_KEY", "BW", "ONE", "TWO"]));
    passes("a: &a A\nterminal: {env_passthrough: [*a, B, [*a, C], {D: E}]}", &["A", "B"]);
    passes("terminal: {env_passthrough: &l [A]}\ntools: {env_passthrough: *l}", &["A"]);
    passes("k: &k env_passthrough\nterminal: {*k : [A]}", &["A"]);
    declares("x: &x A\nk: &k key_env\nproviders: [{*k : *x}, {? {a: b} : c, key_env: B}]", &["A", "B"]);
    let long = "K".repeat(LONGEST);
    declares(&format!("x: &x {long}\nkey_env: *x"), &[&long]);
    declares(&format!("x: &x {long}K\nkey_env: *x"), &[]);
}

/// As in hermes-agent 0.19.0, and as a plugin's backend would have it.
#[test]
fn every_backend_below_secrets_declares_its_names() {
    declares("secrets:\n  onepassword: {service_account_token_env: A, account: B, env: {C: op://x}}", &["A", "C"]);
    declares(
        "secrets: {vault: {role: {id_env: A, name: B}, list: [{token_env: C}], env: {D: {path: x}}}}",
        &["A", "C", "D"],
    );
    declares("secrets: {token_env: A, env: {B: x}, environment: {C: x}, env_: {D: x}, tokenenv: E}", &["A", "B"]);
    declares("other: {token_env: A, env: {B: x}}\nmcp: {secrets: {token_env: C}}\nsecrets: {}", &[]);
    declares("- secrets: {token_env: A}", &[]);
}

/// With an alias in the place of a map, whatever has the form of a backend counts.
#[test]
fn secrets_that_stand_elsewhere_are_found() {
    declares("x: &x {vault: {token_env: A, env: {B: x}}}\nsecrets: *x", &["A", "B"]);
    declares("x: &x {token_env: A}\nsecrets: {vault: {<<: *x, env: {B: x}}}", &["A", "B"]);
    declares("x: &x {env: {A: x}}\nsecrets: {vault: {<<: [*x]}}", &["A"]);
    declares("x: &x {secrets: {vault: {token_env: A}}}\n<<: *x", &["A"]);
    declares("x: &x A\nsecrets: {vault: {token_env: *x, account: *x}}\ny: {z_env: B}", &["A"]);
}

#[test]
fn the_last_of_equal_keys_counts() {
    let mode = |text: &str| read(text.as_bytes()).unwrap_or_default().home_mode;
    passes("terminal: {env_passthrough: [A], env_passthrough: [B]}", &["B"]);
    passes("terminal: {env_passthrough: [A]}\nterminal: {cwd: x}\ntools: {env_passthrough: [C]}", &["C"]);
    passes("terminal: {env_passthrough: [A], env_passthrough: B}", &[]);
    assert_eq!(mode("terminal: {home_mode: real, home_mode: profile}").as_deref(), Some("profile"));
    assert_eq!(mode("terminal: {home_mode: real}\nterminal: {}"), None);
    assert_eq!(mode("terminal: {home_mode: real}\ntools: {}").as_deref(), Some("real"));
}

#[test]
fn the_home_mode_is_that_of_the_terminal() {
    let mode = |text: &str| read(text.as_bytes()).unwrap_or_default().home_mode;
    assert_eq!(mode("x: &x ' Real '\nterminal: {home_mode: *x}").as_deref(), Some("Real"));
    for text in
        ["home_mode: real", "tools: {home_mode: real}", "terminal: {home_mode: [real]}", "terminal: [home_mode]"]
    {
        assert_eq!(mode(text), None, "{text}");
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
fn a_file_without_the_words_is_not_parsed() {
    for text in ["[", "secrets: [", "env: [", "token_env: [", "terminal: {home: ["] {
        assert_eq!(read(text.as_bytes()), Ok(Config::default()), "{text}");
    }
    for text in ["home_mode: [", "secrets: {env: [", "x_env: {secrets: [", "keyEnv: [", "env_passthrough: ["] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
    }
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
    assert!(read(b"key_env: \xff").is_err());
    assert_eq!(read(b"\xff\xfe no word that matters"), Ok(Config::default()));
}
