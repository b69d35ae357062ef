//! Is `claude` logged in here, in the real home, or nowhere? A login is read only to check that it is one (Claude Code
//! 2.1.197).
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use super::{Reach, json};
use crate::plan::home::items::{ANTHROPIC, CLAUDE, CLAUDE_JSON, Item};
use crate::text::shell_quoted;
use crate::world::{FILE_LIMIT, FileText, World};

/// Each holds a login, says where one is, or makes `claude` get one from another service.
pub const IN_ENVIRONMENT: [&str; 16] = [
    // In Claude Code's own order.
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    // The others.
    "ANTHROPIC_CONFIG_DIR",
    "ANTHROPIC_FEDERATION_RULE_ID",
    "ANTHROPIC_IDENTITY_TOKEN_FILE",
    "ANTHROPIC_PROFILE",
    "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
    "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_GATEWAY",
    "CLAUDE_CODE_USE_MANTLE",
    CONFIG_DIR,
];

/// Says where Claude Code keeps its state; nobody knows from here whether a login is there.
pub const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

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
    let places =
        Places { state: at(Path::new(CLAUDE)), json: at(Path::new(CLAUDE_JSON)), more: at(Path::new(ANTHROPIC)) };
    // What cannot be read from here may be one.
    !matches!(places.login(reach.world), Login::Missing | Login::Empty | Login::Expired)
}

/// Where Claude Code looks for its login.
pub struct Places {
    /// Its state: `.claude`.
    pub state: PathBuf,
    /// `.claude.json`.
    pub json: PathBuf,
    /// `.config/anthropic`.
    pub more: PathBuf,
}

/// The login that Claude Code finds, or why it finds none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// In `.credentials.json`: with a refresh token, or not yet expired.
    Stored,
    /// `.claude.json` names an account. On macOS its token is in the keychain.
    Account,
    /// A command in `settings.json` that prints a key.
    Helper,
    /// In `.config/anthropic`.
    More,
    /// A file that cannot be read.
    Unread,
    Missing,
    /// `.credentials.json` has no login in it: a logout, or a full disk.
    Empty,
    /// Its login has expired, and there is no token to refresh it with.
    Expired,
}

impl Places {
    /// Only what is there is looked at: no value of it is kept.
    pub fn login(&self, world: &dyn World) -> Login {
        let stored = stored(&self.state, world);
        if matches!(stored, Login::Stored | Login::Unread) {
            return stored;
        }
        let says = |path: &Path, has: &dyn Fn(&[u8]) -> bool| match world.text(path, FILE_LIMIT) {
            FileText::Found { bytes, is_cut, .. } => is_cut || has(&bytes),
            FileText::Missing => false,
            _ => true,
        };
        // Beside a login that is of no use, the account is the one that it was for.
        if stored == Login::Missing && says(&self.json, &|text| has_object(text, b"\"oauthAccount\"")) {
            return Login::Account;
        }
        let has_helper = |text: &[u8]| text.windows(12).any(|word| word == b"apiKeyHelper");
        if says(&self.state.join("settings.json"), &has_helper) {
            return Login::Helper;
        }
        if world.stat(&self.more).is_ok() { Login::More } else { stored }
    }
}

/// What `.credentials.json` of a state directory has.
pub fn stored(state: &Path, world: &dyn World) -> Login {
    match world.text(&state.join(".credentials.json"), FILE_LIMIT) {
        FileText::Found { bytes, .. } => of_credentials(&bytes, world.now()),
        FileText::Missing => Login::Missing,
        _ => Login::Unread,
    }
}

/// A refresh token, or an expiry that is still to come, in milliseconds.
fn of_credentials(text: &[u8], now: u64) -> Login {
    let login = &json(text)["claudeAiOauth"];
    let can_be_refreshed = login["refreshToken"].as_str().is_some_and(|token| !token.is_empty());
    match login["expiresAt"].as_u64() {
        _ if can_be_refreshed => Login::Stored,
        Some(expires) if expires > now => Login::Stored,
        Some(_) => Login::Expired,
        None => Login::Empty,
    }
}

/// Has the text this key, with an object after it? A file with the history of every project is not parsed for that.
fn has_object(text: &[u8], key: &[u8]) -> bool {
    let mut places = text.windows(key.len()).enumerate().filter(|(_, word)| *word == key);
    places.any(|(at, _)| {
        let rest = text[at + key.len()..].trim_ascii_start();
        rest.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
    })
}
