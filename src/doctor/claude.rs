//! The checks on Claude Code's login: which one it will take, and whether that is the one the user means.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::case::Case;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::env::decision::{Decision, Rule};
use crate::plan::home::items::{ANTHROPIC, CLAUDE, CLAUDE_JSON, Item};
use crate::plan::home::links::{Link, State};
use crate::plan::reach::claude::{CONFIG_DIR, IN_ENVIRONMENT, Login, Places};
use crate::plan::remedy::Remedy;
use crate::text::escaped_path;

const KEY: &[u8] = b"ANTHROPIC_API_KEY";
const TOKEN: &[u8] = b"CLAUDE_CODE_OAUTH_TOKEN";

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    if case.claude.home.is_none() {
        return Vec::new();
    }
    let places = places(case);
    let found = places.as_ref().map_or(Login::Missing, |places| places.login(case.input.world));
    let is_stored = matches!(found, Login::Stored | Login::Account);
    [Some(login(found, places.as_ref(), case)), key(is_stored, case), token(is_stored, case)]
        .into_iter()
        .flatten()
        .collect()
}

/// A link from the home to its place in the real home, now or after the next run.
fn link<'a>(place: &str, case: &'a Case<'_>) -> Option<&'a Link> {
    let links = case.claude.home.iter().flat_map(|home| &home.links);
    links.filter(|link| link.state.leads_there()).find(|link| link.place == Path::new(place))
}

/// Where Claude Code looks for its login; none without a HOME.
fn places(case: &Case<'_>) -> Option<Places> {
    let child = &case.claude.env.child;
    let path = |name: &str| child.given(name.as_bytes()).map(|value| PathBuf::from(OsStr::from_bytes(value)));
    let home = path("HOME");
    let at = |place: &str| {
        let target = link(place, case).and_then(|link| link.target.clone());
        target.or_else(|| Some(home.as_ref()?.join(place)))
    };
    let (state, json) = match path(CONFIG_DIR) {
        Some(dir) => (dir.clone(), dir.join(CLAUDE_JSON)),
        None => (at(CLAUDE)?, at(CLAUDE_JSON)?),
    };
    Some(Places { state, json, more: at(ANTHROPIC).unwrap_or_default() })
}

/// Which login `claude` will take.
fn login(found: Login, places: Option<&Places>, case: &Case<'_>) -> Diagnostic {
    let child = &case.claude.env.child;
    let is_given = |name: &&&str| **name != CONFIG_DIR && child.given(name.as_bytes()).is_some();
    let with = |what: &str| Diagnostic::ok("claude-login", format!("claude logs in with {what}"));
    if let Some(name) = IN_ENVIRONMENT.iter().find(is_given) {
        return with(name);
    }
    // The value of a variable is not shown.
    let is_shown = child.given(CONFIG_DIR.as_bytes()).is_none();
    let shown = |path: &Path| if is_shown { escaped_path(path) } else { CONFIG_DIR.to_owned() };
    let state = places.map_or_else(|| "HOME, which is not set".to_owned(), |places| shown(&places.state));
    let what = match (found, places) {
        (Login::Stored, _) => return with(&format!("the login in {state}")),
        (Login::Account, Some(places)) => return with(&format!("the account in {}", shown(&places.json))),
        (Login::Helper, _) => return with(&format!("the apiKeyHelper of settings.json in {state}")),
        (Login::More, Some(places)) => return with(&format!("the login in {}", escaped_path(&places.more))),
        (Login::Empty, _) => format!("the login in {state} is empty"),
        (Login::Expired, _) => format!("the login in {state} has expired and cannot be refreshed"),
        (Login::Unread, _) => format!("the login in {state} cannot be read"),
        _ => format!("there is no login in {state}"),
    };
    let home = child.given(b"HOME").map(|home| Path::new(OsStr::from_bytes(home)).join("Library/Keychains"));
    if link("Library/Keychains", case).is_some() || home.is_some_and(|path| case.input.world.stat(&path).is_ok()) {
        return with("the keychain, if it has a login there");
    }
    let message = format!("claude is not logged in: {what}");
    if case.claude.command.as_ref().is_none_or(|command| command.program.is_err()) {
        return Diagnostic::ok("claude-login", format!("{message}; claude is not on PATH here"));
    }
    let check = match found {
        Login::Missing => Diagnostic::note("claude-login", message),
        _ => Diagnostic::warning("claude-login", message),
    };
    check.remedy(log_in(case))
}

fn log_in(case: &Case<'_>) -> Remedy {
    let child = &case.claude.env.child;
    let is_shared = case.claude.items.contains(&Item::Claude) && child.given(CONFIG_DIR.as_bytes()).is_none();
    match case.claude.home.iter().flat_map(|home| &home.links).find(|link| link.place == Path::new(CLAUDE)) {
        Some(link) if link.state == State::Left => Remedy::hint("see the check of its link"),
        // A login is stored where the links point to, and they are created once there is something in the real home.
        _ if is_shared => Remedy::cure(format!("{} --home real -- claude auth login", case.own_command)),
        _ => Remedy::cure(format!("{} -- claude auth login", case.rerun_command)),
    }
}

/// A key is billed by use, whatever subscription there is beside it.
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
        Diagnostic::ok("claude-key", message)
    })
}

/// The token is there for somebody, and `claude` uses another account.
fn token(is_stored: bool, case: &Case<'_>) -> Option<Diagnostic> {
    let is_gone = |decision: &Decision| decision.name == TOKEN && decision.is_removed_by(Rule::Catalogue);
    let is_gone = case.claude.env.decisions.iter().any(is_gone);
    // Where the policy file has decided for claude, there is no notice.
    let is_open = is_gone && link(".claude", case).is_some() && case.claude.notice.is_some();
    is_open.then(|| {
        let which = if is_stored { "which uses the login in .claude" } else { "which has no other login" };
        Diagnostic::warning("claude-token", format!("CLAUDE_CODE_OAUTH_TOKEN is set and not granted to claude, {which}"))
            .hint(
                "to decide it, unset it, or give claude an \"inherit_credentials\" in hermes-exec.json: [\"claude-code\"], or \
                 [] for no",
            )
    })
}
