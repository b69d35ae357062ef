//! The variables that any program may expect. `--minimal` keeps them, and no rule that guesses, by a declared name or the
//! shape of a value, removes one.
#![forbid(unsafe_code)]

use super::secrets;
use crate::plan::pattern;

/// Exact names, or with `*` for a family.
const CORE: [&str; 59] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "SHLVL", "TERM", "COLORTERM", "LANG", "LANGUAGE",
    "LC_*", "TZ", "TMPDIR", "TMP", "TEMP", "EDITOR", "VISUAL", "PAGER", "NO_COLOR", "FORCE_COLOR", "CI", "COLUMNS",
    "LINES", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_*", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK",
    "SSH_AGENT_PID", "GPG_TTY", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy",
    "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "NODE_EXTRA_CA_CERTS", "__CF_USER_TEXT_ENCODING",
    "HERMES_HOME", "HERMES_PROFILE", "HERMES_REAL_HOME", "HERMES_TENANT", "HERMES_KANBAN_*", "HERMES_SESSION_*",
    "HERMES_DELEGATED_CHILD_CONTEXT", "HERMES_EXEC_*",
];

/// Is this a core name? So are the settings of Hermes' terminal, except those that may be a password.
pub fn is_core(name: &[u8]) -> bool {
    CORE.iter().any(|core| pattern::matches(core.as_bytes(), name))
        || name.starts_with(b"TERMINAL_") && !secrets::has_secret_word(name)
}
