//! What any program may expect of its environment: `--minimal` passes these, and no guess about a value or a name that
//! somebody declared takes one of them away.
#![forbid(unsafe_code)]

use crate::plan::pattern;

/// The core names, exactly; with `*` where it is a family.
const CORE: [&str; 60] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "SHLVL", "TERM", "COLORTERM", "LANG", "LANGUAGE",
    "LC_*", "TZ", "TMPDIR", "TMP", "TEMP", "EDITOR", "VISUAL", "PAGER", "NO_COLOR", "FORCE_COLOR", "CI", "COLUMNS",
    "LINES", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_*", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK",
    "SSH_AGENT_PID", "GPG_TTY", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy",
    "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "NODE_EXTRA_CA_CERTS", "__CF_USER_TEXT_ENCODING",
    "HERMES_HOME", "HERMES_PROFILE", "HERMES_REAL_HOME", "HERMES_TENANT", "HERMES_KANBAN_*", "HERMES_SESSION_*",
    "HERMES_DELEGATED_CHILD_CONTEXT", "HERMES_EXEC_*", "TERMINAL_*",
];

pub fn is_core(name: &[u8]) -> bool {
    CORE.iter().any(|core| pattern::matches(core.as_bytes(), name))
}

/// Words that make a name a secret's, between underscores and in any case.
const SECRET_WORDS: [&str; 16] = [
    "KEY", "KEYS", "APIKEY", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS",
    "CREDENTIAL", "CREDENTIALS", "AUTH", "PAT", "COOKIE",
];

/// Does the name have a secret word in it?
pub fn has_secret_word(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'_')
        .any(|part| SECRET_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes())))
}

/// Is the value the key of a model provider, by its shape? Model names share some of the prefixes
/// (`xai-grok-2-vision-1212`), but not the length, the digits and the mixed case.
pub fn is_provider_key(value: &[u8]) -> bool {
    const CERTAIN: [&str; 5] = ["sk-ant-", "sk-proj-", "sk-or-v1-", "sk-svcacct-", "gsk_"];
    const LIKELY: [&str; 5] = ["xai-", "pplx-", "nvapi-", "r8_", "hf_"];
    let starts =
        |prefixes: &[&'static str]| prefixes.iter().find(|prefix| value.starts_with(prefix.as_bytes())).copied();
    if starts(&CERTAIN).is_some() {
        return value.len() >= 20 && !value.iter().any(u8::is_ascii_whitespace);
    }
    let Some(prefix) = starts(&LIKELY) else { return false };
    let rest = &value[prefix.len()..];
    value.len() >= 32
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && rest.iter().any(u8::is_ascii_digit)
        && rest.iter().any(u8::is_ascii_uppercase)
}
