//! What is read of a `config.yaml`.

use std::collections::HashSet;

use hermes_exec::plan::files::config::{Config, read};

fn set(names: &[&str]) -> HashSet<Vec<u8>> {
    names.iter().map(|name| name.as_bytes().to_vec()).collect()
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
