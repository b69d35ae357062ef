//! What looks like a secret: words in a name, a password in a URL, the shape of a model provider's key.
#![forbid(unsafe_code)]

/// Words that make a name a secret's, between underscores and in any case.
const SECRET_WORDS: [&str; 27] = [
    "KEY", "KEYS", "APIKEY", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS",
    "CREDENTIAL", "CREDENTIALS", "CREDS", "AUTH", "PAT", "COOKIE", "JWT", "DSN", "APITOKEN", "ACCESSTOKEN",
    "AUTHTOKEN", "AUTHKEY", "PRIVATEKEY", "PGPASSWORD", "SSHPASS", "WEBHOOK",
];

/// Does the name have a secret word in it? `PWD` is one only as the last of several: `MYSQL_PWD`, not `PWD` itself.
pub fn has_secret_word(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'_')
        .any(|part| SECRET_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes())))
        || name.last_chunk().is_some_and(|end: &[u8; 4]| end.eq_ignore_ascii_case(b"_PWD"))
}

/// Does the value hold a URL with a password in it, `://user:password@`?
pub fn has_credentials_in_url(value: &[u8]) -> bool {
    let mut rest = value;
    while let Some(at) = rest.windows(3).position(|bytes| bytes == b"://") {
        rest = &rest[at + 3..];
        let end = rest.iter().position(|&byte| byte == b'/' || byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let user = rest[..end].iter().rposition(|&byte| byte == b'@').map_or(&[][..], |at| &rest[..at]);
        if user.iter().position(|&byte| byte == b':').is_some_and(|colon| colon > 0 && colon + 1 < user.len()) {
            return true;
        }
    }
    false
}

/// Is the value the key of a model provider, by its shape? Model names share some of the prefixes
/// (`xai-grok-2-vision-1212`, `hf_Meta-Llama-3-70B-Instruct`), but not the length, the digits and the mixed case.
pub fn is_provider_key(value: &[u8]) -> bool {
    const CERTAIN: [&str; 9] =
        ["sk-ant-", "sk-proj-", "sk-or-v1-", "sk-svcacct-", "sk-admin-", "csk-", "tgp_v1_", "tvly-", "lsv2_"];
    const LIKELY: [&str; 4] = ["xai-", "pplx-", "nvapi-", "r8_"];
    let key = bare(value);
    let behind = |prefix: &str| key.strip_prefix(prefix.as_bytes());
    let is_long_word = key.len() >= 20 && !key.iter().any(u8::is_ascii_whitespace);
    if is_long_word && CERTAIN.iter().any(|prefix| behind(prefix).is_some()) {
        return true;
    }
    // The names of GTK's renderer begin like Groq's keys, and are of lower case (`gsk_gl_renderer_debug_shaders`).
    if let Some(rest) = behind("gsk_") {
        return is_long_word && rest.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    }
    // OpenAI puts its name in base64 into its keys; DeepSeek's and others' are hexadecimal.
    if let Some(rest) = behind("sk-") {
        return rest.windows(8).any(|bytes| bytes == b"T3BlbkFJ")
            || rest.len() == 32 && rest.iter().all(u8::is_ascii_hexdigit);
    }
    if let Some(rest) = LIKELY.iter().find_map(|prefix| behind(prefix)) {
        return key.len() >= 32 && is_mixed(rest, b"_-");
    }
    // Amazon Bedrock's are of base64 behind the prefix.
    if let Some(rest) = behind("ABSK") {
        return key.len() >= 32 && is_mixed(rest, b"+/=");
    }
    if let Some(rest) = behind("hf_") {
        return rest.len() == 34 && has_both_cases(rest) && rest.iter().all(u8::is_ascii_alphanumeric);
    }
    behind("fw_").is_some_and(|rest| rest.len() >= 22 && has_both_cases(rest) && is_mixed(rest, b""))
}

/// The value without what a copy from elsewhere leaves around it: white space, a pair of quotes, and the word that stands
/// before a key in a request's header.
fn bare(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    let value = match value {
        [first @ (b'"' | b'\''), inner @ .., last] if first == last => inner.trim_ascii(),
        _ => value,
    };
    value.strip_prefix(b"Bearer ").unwrap_or(value).trim_ascii()
}

/// Letters, digits and these bytes alone, a digit and an upper-case letter among them?
fn is_mixed(text: &[u8], others: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphanumeric() || others.contains(byte))
        && text.iter().any(u8::is_ascii_digit)
        && text.iter().any(u8::is_ascii_uppercase)
}

fn has_both_cases(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_uppercase) && text.iter().any(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for name in
            ["KEY", "MY_KEY", "my_api_key", "Some_Pat_Here", "X_PASS", "A__AUTH", "DISCORD_WEBHOOK", "MYSQL_PWD"]
        {
            assert!(has_secret_word(name.as_bytes()), "{name}");
        }
        for name in ["KEYMAP", "TOKENIZERS_PARALLELISM", "SSH_ASKPASS", "PATH", "AUTHOR", "MONKEY", "", "PWD", "OLDPWD"]
        {
            assert!(!has_secret_word(name.as_bytes()), "{name}");
        }
        assert!(!has_secret_word(b"PWD_FILE"));
    }

    #[test]
    fn settings_are_names_with_a_secret_word() {
        for name in include_str!("../catalogue/settings.txt").lines() {
            assert!(has_secret_word(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn a_url_with_a_password() {
        for value in [
            "postgres://user:secret@db/name", "https://:/ https://u:p@h", "a=1;url=redis://u:p@ss@host:6379",
            "://u:p@", "x://a://u:p@",
        ] {
            assert!(has_credentials_in_url(value.as_bytes()), "{value}");
        }
        for value in [
            "https://user@host/", "https://user:@host/", "https://:secret@host/", "https://host:8080/a:b@c",
            "https://host:8080 mail:a@b", "git@github.com:u/r", "u:p@host", "http:/u:p@h", "://@:", "",
        ] {
            assert!(!has_credentials_in_url(value.as_bytes()), "{value}");
        }
    }
}
