//! Secret words in names, passwords in URLs, and the shapes of keys.

use hermes_exec::plan::env::secrets::*;

#[test]
fn keys_are_told_from_model_names_and_sentences() {
    for key in [
        "sk-ant-api03-abcdefgh", "sk-proj-0123456789ab", "sk-or-v1-0123456789a", "sk-admin-0123456789a",
        "gsk_0123456789abcdef", "csk-0123456789abcdef", "tgp_v1_0123456789abc", "tvly-dev-0123456789a",
        "lsv2_pt_0123456789ab", "sk-abcT3BlbkFJdef", "sk-0123456789abcdef0123456789ABCDEF",
        "xai-0123456789abcdefABCDEF0123456789", "ABSKQmVkcm9ja0FQSUtleS0xMjM0/+abcd==",
        "hf_abcdefghijklmnopqABCDEFGHIJKLMNOPQ", "fw_3ZabcdefghijklmnopqrST", " \t\"sk-ant-api03-abcdefgh\"\r\n",
        "'Bearer sk-ant-api03-abcdefgh'", "Bearer  sk-ant-api03-abcdefgh",
    ] {
        assert!(is_provider_key(key.as_bytes()), "{key}");
    }
    for other in [
        "xai-grok-2-vision-1212",
        "xai-grok-2-vision-1212-and-a-long-long-suffix",
        "hf_hub:timm/vit_base_patch16_224.augreg_in21k_ft_in1k",
        "hf_Meta-Llama-3-70B-Instruct-Q4_K_M",
        "hf_0123456789abcdefABCDEF0123456789",
        "hf_abcdefghijklmnopqabcdefghijklmnopq",
        "hf_ABCDEFGHIJKLMNOPQABCDEFGHIJKLMNOPQ",
        "gsk_gl_renderer_debug_shaders",
        "fw_3Zabcdefghijklmnopqrs",
        "fw_abcdefghijklmnopqrSTUV",
        "sk-ant-",
        "sk-ant-is the prefix of a key",
        "sk-0123456789abcdef0123456789abcde",
        "sk-0123456789abcdef0123456789abcdef0",
        "sk-0123456789abcdef0123456789abcdeg",
        "nvapi-NOTLONGENOUGH1",
        "pplx-all-lower-case-but-with-digits-0123456789",
        "r8_ALL_UPPER_CASE_BUT_WITHOUT_ANY_DIGIT",
        "ABSK-not-base64-Q4_K_M-0123456789abcdef",
        "\"sk-ant-api03-abcdefgh'",
        "\"\"sk-ant-api03-abcdefgh\"\"",
        "\"",
        "Bearer ",
        "",
    ] {
        assert!(!is_provider_key(other.as_bytes()), "{other}");
    }
}

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
