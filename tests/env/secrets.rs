//! Secret words in names, and passwords in URLs. The shapes of keys are in the transcript `keys`.

use hermes_exec::plan::env::secrets::*;

#[test]
fn a_secret_word_stands_between_underscores() {
    for name in ["KEY", "MY_KEY", "my_api_key", "Some_Pat_Here", "X_PASS", "A__AUTH", "DISCORD_WEBHOOK", "MYSQL_PWD"] {
        assert!(has_secret_word(name.as_bytes()), "{name}");
    }
    for name in ["KEYMAP", "TOKENIZERS_PARALLELISM", "SSH_ASKPASS", "PATH", "AUTHOR", "MONKEY", "", "PWD", "OLDPWD"] {
        assert!(!has_secret_word(name.as_bytes()), "{name}");
    }
    assert!(!has_secret_word(b"PWD_FILE"));
}

#[test]
fn settings_are_names_with_a_secret_word() {
    for name in include_str!("../../src/plan/catalogue/settings.txt").lines() {
        assert!(has_secret_word(name.as_bytes()), "{name}");
    }
}

#[test]
fn a_url_with_a_password() {
    for value in [
        "postgres://user:secret@db/name", "https://:/ https://u:p@h", "a=1;url=redis://u:p@ss@host:6379", "://u:p@",
        "redis://:secret@host", "x://a://u:p@",
    ] {
        assert!(has_credentials_in_url(value.as_bytes()), "{value}");
    }
    for value in [
        "https://user@host/", "https://user:@host/", "https://host:8080/a:b@c", "https://host:8080 mail:a@b",
        "git@github.com:u/r", "u:p@host", "http:/u:p@h", "://@:", "",
    ] {
        assert!(!has_credentials_in_url(value.as_bytes()), "{value}");
    }
}
