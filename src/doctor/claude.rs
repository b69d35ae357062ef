//! The checks on Claude Code's login: which one it will take, and whether that is the one the user means.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::case::Case;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::env::decision::{Decision, Rule};
use crate::plan::home::items::{ANTHROPIC, Item};
use crate::plan::home::links::{Link, State};
use crate::text::escaped_path;
use crate::world::FileText;

const KEY: &[u8] = b"ANTHROPIC_API_KEY";
const TOKEN: &[u8] = b"CLAUDE_CODE_OAUTH_TOKEN";
/// Variables that are a login, in Claude Code's own order, and those that make it ask a cloud for one.
const LOGINS: [&str; 6] = [
    "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN",
];

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    if case.claude.home.is_none() {
        return Vec::new();
    }
    let dir = state_dir(case);
    // One that cannot be opened, or is empty, is none to Claude Code. What is in it is not read.
    let is_login = |dir: &Path| match case.input.world.text(&dir.join(".credentials.json"), 0) {
        FileText::Found { is_cut, .. } => is_cut,
        _ => false,
    };
    let stored = dir.filter(|(dir, _)| is_login(dir));
    let is_stored = stored.is_some();
    [Some(login(stored, case)), key(is_stored, case), token(case)].into_iter().flatten().collect()
}

/// A link that leads from the home to its place in the real home, now or after the next run.
fn link<'a>(place: &str, case: &'a Case<'_>) -> Option<&'a Link> {
    let links = case.claude.home.iter().flat_map(|home| &home.links);
    links.filter(|link| link.state.leads_there()).find(|link| link.place == Path::new(place))
}

/// The directory of Claude Code's state, and how to call it.
fn state_dir(case: &Case<'_>) -> Option<(PathBuf, String)> {
    let child = &case.claude.env.child;
    let path = |name: &[u8]| child.given(name).map(|value| PathBuf::from(OsStr::from_bytes(value)));
    if let Some(dir) = path(b"CLAUDE_CONFIG_DIR") {
        return Some((dir, "CLAUDE_CONFIG_DIR".into()));
    }
    let link = link(".claude", case).and_then(|link| link.target.clone());
    let dir = link.or_else(|| Some(path(b"HOME")?.join(".claude")))?;
    let name = escaped_path(&dir);
    Some((dir, name))
}

/// Which login `claude` will take.
fn login(stored: Option<(PathBuf, String)>, case: &Case<'_>) -> Diagnostic {
    let child = &case.claude.env.child;
    if let Some(name) = LOGINS.iter().find(|name| child.given(name.as_bytes()).is_some()) {
        return Diagnostic::ok("claude-login", format!("claude signs in by {name}"));
    }
    if let Some((_, name)) = stored {
        return Diagnostic::ok("claude-login", format!("claude signs in by the login in {name}"));
    }
    let home = child.given(b"HOME").map(|home| Path::new(OsStr::from_bytes(home)).join("Library/Keychains"));
    if link("Library/Keychains", case).is_some() || home.is_some_and(|path| case.input.world.stat(&path).is_ok()) {
        return Diagnostic::ok("claude-login", "claude signs in by the keychain, if it has a login there");
    }
    if let Some(dir) = link(ANTHROPIC, case).and_then(|link| link.target.as_deref()) {
        return Diagnostic::ok("claude-login", format!("claude signs in by the login in {}", escaped_path(dir)));
    }
    let place = state_dir(case).map(|(_, name)| format!(" in {name}")).unwrap_or_default();
    let check = Diagnostic::note("claude-login", format!("claude is not logged in: there is no login{place}"));
    let is_shared = case.claude.items.contains(&Item::Claude) && child.given(b"CLAUDE_CONFIG_DIR").is_none();
    match case.claude.home.iter().flat_map(|home| &home.links).find(|link| link.place == Path::new(".claude")) {
        // What is in the link's way is the matter, and the link's check has the cure.
        Some(link) if link.state == State::Left => check,
        // A login goes where the links lead, and they are made once there is something in the real home.
        _ if is_shared => check.cure("hermes-exec --home real -- claude auth login"),
        _ => check.cure(format!("{} -- claude auth login", case.rerun_command)),
    }
}

/// A key is billed by use, whatever subscription stands beside it.
fn key(stored: bool, case: &Case<'_>) -> Option<Diagnostic> {
    let (child, inherited) = (&case.claude.env.child, case.input.environ);
    if child.given(KEY).is_some() && (child.given(TOKEN).is_some() || stored) {
        let message = "claude gets ANTHROPIC_API_KEY beside the login of a subscription, and bills the key";
        return Some(Diagnostic::warning("claude-key", message).cure("unset ANTHROPIC_API_KEY"));
    }
    let both = inherited.given(KEY).is_some() && inherited.given(TOKEN).is_some();
    both.then(|| {
        let message =
            "ANTHROPIC_API_KEY and CLAUDE_CODE_OAUTH_TOKEN are set: without hermes-exec, claude bills the key";
        Diagnostic::note("claude-key", message).cure(format!("{} -- claude", case.rerun_command))
    })
}

/// The token is there for somebody, and `claude` uses another account.
fn token(case: &Case<'_>) -> Option<Diagnostic> {
    let is_gone = |decision: &Decision| decision.name == TOKEN && decision.is_removed_by(Rule::Catalogue);
    let is_gone = case.claude.env.decisions.iter().any(is_gone);
    // Where the policy file has decided for claude, there is no notice.
    let is_open = is_gone && link(".claude", case).is_some() && case.claude.notice.is_some();
    is_open.then(|| {
        let message = "CLAUDE_CODE_OAUTH_TOKEN is set and not granted to claude, which uses the login in .claude; to settle \
                       it, give claude an \"inherit_credentials\" in hermes-exec.json: [\"claude-code\"], or [] for no";
        let grant = format!("{} --inherit-credentials=claude-code -- claude", case.rerun_command);
        Diagnostic::warning("claude-token", message).cure(grant)
    })
}
