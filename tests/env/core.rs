//! Core names, secret words, and the shapes of keys.

use hermes_exec::plan::env::core::{has_secret_word, is_provider_key};

#[test]
fn keys_are_told_from_model_names_and_sentences() {
    for key in [
        "sk-ant-api03-abcdefgh", "sk-proj-0123456789ab", "sk-or-v1-0123456789a", "gsk_0123456789abcdef",
        "xai-0123456789abcdefABCDEF0123456789", "hf_0123456789abcdefABCDEF0123456789",
    ] {
        assert!(is_provider_key(key.as_bytes()), "{key}");
    }
    for other in [
        "xai-grok-2-vision-1212",
        "xai-grok-2-vision-1212-and-a-long-long-suffix",
        "hf_hub:timm/vit_base_patch16_224.augreg_in21k_ft_in1k",
        "sk-ant-",
        "sk-ant-is the prefix of a key",
        "nvapi-NOTLONGENOUGH1",
        "pplx-all-lower-case-but-with-digits-0123456789",
        "r8_ALL_UPPER_CASE_BUT_WITHOUT_ANY_DIGIT",
        "",
    ] {
        assert!(!is_provider_key(other.as_bytes()), "{other}");
    }
}

#[test]
fn a_secret_word_stands_between_underscores() {
    for name in ["KEY", "MY_KEY", "my_api_key", "Some_Pat_Here", "X_PASS", "A__AUTH"] {
        assert!(has_secret_word(name.as_bytes()), "{name}");
    }
    for name in ["KEYMAP", "TOKENIZERS_PARALLELISM", "SSH_ASKPASS", "PATH", "AUTHOR", "MONKEY", ""] {
        assert!(!has_secret_word(name.as_bytes()), "{name}");
    }
}
