//! Is `claude` logged in here, in the real home, or nowhere? A login is read only to check that it is one (Claude Code
//! 2.1.197).
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use super::{Reach, json};
use crate::plan::home::items::{ANTHROPIC, CLAUDE, CLAUDE_JSON, Item};
use crate::text::shell_quoted;
use crate::world::{FILE_LIMIT, FileText};

/// Each holds a login, says where one is, or makes `claude` get one from another service.
const IN_ENVIRONMENT: [&str; 16] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CONFIG_DIR",
    "ANTHROPIC_FEDERATION_RULE_ID",
    "ANTHROPIC_IDENTITY_TOKEN_FILE",
    "ANTHROPIC_PROFILE",
    "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_GATEWAY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CONFIG_DIR",
];

/// Arguments with which `claude` logs in, or needs no login: no notice.
const WITHOUT_LOGIN: [&str; 6] = ["setup-token", "login", "--version", "-v", "--help", "-h"];

/// The notice that `claude` is not logged in here. `words`: its arguments.
pub fn notice(words: &[std::ffi::OsString], profile: &str, reach: &Reach<'_>) -> Option<String> {
    let needs_none = |at: usize| words.get(at).is_some_and(|word| WITHOUT_LOGIN.iter().any(|known| word == known));
    let is_login = words.first().is_some_and(|word| word == "auth") && needs_none(1);
    if needs_none(0) || is_login || reach.is_given(&IN_ENVIRONMENT) || has_login(&|place| reach.here(place), reach) {
        return None;
    }
    if has_login(&|place| reach.there(place), reach) {
        let doctor = format!("hermes-exec -p {} --doctor", shell_quoted(profile.as_bytes()));
        return Some(format!("claude is not logged in here, but it is in the real home: see {doctor}"));
    }
    let is_shared = reach.items.contains(&Item::Claude);
    is_shared.then(|| "claude is not logged in; to log in: hermes-exec --home real -- claude auth login".to_owned())
}

fn has_login(at: &dyn Fn(&Path) -> PathBuf, reach: &Reach<'_>) -> bool {
    let text = |path: PathBuf| match reach.world.text(&path, FILE_LIMIT) {
        FileText::Found { bytes, is_cut, .. } => Ok((bytes, is_cut)),
        FileText::Missing => Err(false),
        // A file that cannot be read may be a login.
        _ => Err(true),
    };
    let stored = match text(at(&Path::new(CLAUDE).join(".credentials.json"))) {
        Ok((bytes, _)) => can_be_used(&bytes, reach.world.now()),
        Err(is_there) => is_there,
    };
    // On macOS the token is in the keychain.
    let account = || match text(at(Path::new(CLAUDE_JSON))) {
        Ok((bytes, is_cut)) => is_cut || has_object(&bytes, b"\"oauthAccount\""),
        Err(is_there) => is_there,
    };
    let helper = || match text(at(&Path::new(CLAUDE).join("settings.json"))) {
        Ok((bytes, is_cut)) => is_cut || bytes.windows(12).any(|word| word == b"apiKeyHelper"),
        Err(is_there) => is_there,
    };
    stored || account() || helper() || reach.is_there(&at(Path::new(ANTHROPIC)))
}

/// Is there a refresh token, or an expiry in the future? In milliseconds.
fn can_be_used(credentials: &[u8], now: u64) -> bool {
    let login = &json(credentials)["claudeAiOauth"];
    login["refreshToken"].as_str().is_some_and(|token| !token.is_empty())
        || login["expiresAt"].as_u64().is_some_and(|expires| expires > now)
}

/// Does the text contain this key, followed by an object? Not parsed, since the file holds the history of every project.
fn has_object(text: &[u8], key: &[u8]) -> bool {
    let mut places = text.windows(key.len()).enumerate().filter(|(_, word)| *word == key);
    places.any(|(at, _)| {
        let rest = text[at + key.len()..].trim_ascii_start();
        rest.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
    })
}
