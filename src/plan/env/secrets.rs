//! What looks like a secret: words in a name, a password in a URL, and the shape of a model provider's key.
#![forbid(unsafe_code)]

use crate::text::escaped;

/// Words that mark a name as a secret's, between underscores and in any case.
const SECRET_WORDS: [&str; 27] = [
    "KEY", "KEYS", "APIKEY", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS",
    "CREDENTIAL", "CREDENTIALS", "CREDS", "AUTH", "PAT", "COOKIE", "JWT", "DSN", "APITOKEN", "ACCESSTOKEN",
    "AUTHTOKEN", "AUTHKEY", "PRIVATEKEY", "PGPASSWORD", "SSHPASS", "WEBHOOK",
];

/// Does the name contain a secret word? `PWD` counts only as the last of several words: `MYSQL_PWD`, not `PWD` itself.
pub fn has_secret_word(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'_')
        .any(|part| SECRET_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes())))
        || name.last_chunk().is_some_and(|end: &[u8; 4]| end.eq_ignore_ascii_case(b"_PWD"))
}

/// Does the value contain a URL with a password, `://user:password@`? The user may be empty, as for Redis.
pub fn has_credentials_in_url(value: &[u8]) -> bool {
    let mut rest = value;
    while let Some(at) = rest.windows(3).position(|bytes| bytes == b"://") {
        rest = &rest[at + 3..];
        let end =
            rest.iter().position(|&byte| b"/?#".contains(&byte) || byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let user = rest[..end].iter().rposition(|&byte| byte == b'@').map_or(&[][..], |at| &rest[..at]);
        if user.iter().position(|&byte| byte == b':').is_some_and(|colon| colon + 1 < user.len()) {
            return true;
        }
    }
    false
}

/// A mistyped mode, group, item or the like, ready to print; `None` if it may be a secret: a part between slashes has the shape
/// of a key, or it contains a digit, as hardly any of those words does.
pub fn mistyped(word: &[u8]) -> Option<String> {
    const LONGEST: usize = 80;
    let may_be_secret = word.iter().any(u8::is_ascii_digit) || word.split(|&byte| byte == b'/').any(is_provider_key);
    (!may_be_secret).then(|| format!("'{}'", escaped(&word[..word.len().min(LONGEST)])))
}

/// Does the value have the shape of a model provider's key? Model names share some of the prefixes
/// (`xai-grok-2-vision-1212`, `hf_Meta-Llama-3-70B-Instruct`), but not the length, the digits and the mixed case.
pub fn is_provider_key(value: &[u8]) -> bool {
    const CERTAIN: [&str; 9] =
        ["sk-ant-", "sk-proj-", "sk-or-v1-", "sk-svcacct-", "sk-admin-", "csk-", "tgp_v1_", "tvly-", "lsv2_"];
    const LIKELY: [&str; 4] = ["xai-", "pplx-", "nvapi-", "r8_"];
    let key = bare(value);
    let after = |prefix: &str| key.strip_prefix(prefix.as_bytes());
    let is_long_word = key.len() >= 20 && !key.iter().any(u8::is_ascii_whitespace);
    if is_long_word && CERTAIN.iter().any(|prefix| after(prefix).is_some()) {
        return true;
    }
    // Names of GTK's renderer start like Groq's keys, but are in lower case (`gsk_gl_renderer_debug_shaders`).
    if let Some(rest) = after("gsk_") {
        return is_long_word && rest.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    }
    // OpenAI's keys contain its name in base64; DeepSeek's and others' are hexadecimal.
    if let Some(rest) = after("sk-") {
        return rest.windows(8).any(|bytes| bytes == b"T3BlbkFJ")
            || rest.len() == 32 && rest.iter().all(u8::is_ascii_hexdigit);
    }
    if let Some(rest) = LIKELY.iter().find_map(|prefix| after(prefix)) {
        return key.len() >= 32 && is_mixed(rest, b"_-");
    }
    // Amazon Bedrock's keys are base64 after the prefix.
    if let Some(rest) = after("ABSK") {
        return key.len() >= 32 && is_mixed(rest, b"+/=");
    }
    if let Some(rest) = after("hf_") {
        return rest.len() == 34 && has_both_cases(rest) && rest.iter().all(u8::is_ascii_alphanumeric);
    }
    after("fw_").is_some_and(|rest| rest.len() >= 22 && has_both_cases(rest) && is_mixed(rest, b""))
}

/// The value without what copying may leave around it: white space, a pair of quotes, and the `Bearer` of a request's
/// header.
fn bare(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    let value = match value {
        [first @ (b'"' | b'\''), inner @ .., last] if first == last => inner.trim_ascii(),
        _ => value,
    };
    match value.split_at_checked(7) {
        Some((word, key)) if word.eq_ignore_ascii_case(b"Bearer ") => key.trim_ascii(),
        _ => value,
    }
}

/// Only letters, digits and these bytes, with at least one digit and one upper-case letter?
fn is_mixed(text: &[u8], others: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphanumeric() || others.contains(byte))
        && text.iter().any(u8::is_ascii_digit)
        && text.iter().any(u8::is_ascii_uppercase)
}

fn has_both_cases(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_uppercase) && text.iter().any(u8::is_ascii_lowercase)
}
