//! The checks on HOME, on the profile's home and on its links.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::Check;
use crate::cli::HomeMode;
use crate::facts::{Facts, Kind, Text};
use crate::home::{HomePlan, Redirect};
use crate::message::{reason, shown, shown_path};
use crate::plan::Plan;
use crate::profile::{FILE_LIMIT, Selection};
use crate::shares::{Item, Link, State};

/// `sun_path` without its NUL (unix(7)); macOS has 104.
const SOCKET_PATH: usize = if cfg!(target_os = "macos") { 103 } else { 107 };

/// The checks.
pub fn checks(plan: &Plan, facts: &Facts<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    let Some(selection) = &plan.selection else { return checks };
    checks.extend(inherited_home(selection, facts));
    checks.extend(active_profile(selection, facts));
    let Some(home) = &plan.home else { return checks };
    let Some(redirect) = &home.redirect else {
        checks.push(Check::ok("home", "HOME is not redirected"));
        return checks;
    };
    checks.push(directory(home, redirect, facts));
    checks.extend(owners(redirect, facts));
    checks.extend(home.links.iter().map(|link| link_check(link, redirect, home, facts)));
    checks.extend(keychain(home));
    checks.extend(portability(home));
    checks.extend(gpg_socket(redirect, facts));
    checks
}

/// HOME as inherited: in a profile's home it is that of a nested start, or of a shell that forgot where it came from.
fn inherited_home(selection: &Selection, facts: &Facts<'_>) -> Option<Check> {
    let home = facts.environ.given(b"HOME").map(|home| Path::new(OsStr::from_bytes(home)))?;
    if !selection.real.home_is_a_profiles {
        return None;
    }
    let canonical = facts.files.canonical(home).ok()?;
    let parts: Vec<_> = canonical.components().map(Component::as_os_str).collect();
    let depth = parts.windows(3).filter(|window| window[0] == "profiles" && window[2] == "home").count();
    let message = format!("HOME is {}, in a profile's home", shown_path(home));
    Some(match selection.real.path() {
        None => Check::problem("home-nested", message, "set HERMES_REAL_HOME to your own home directory"),
        Some(_) if depth > 1 => {
            Check::problem("home-nested", format!("{message}, which lies in another one"), "start from a login shell")
        }
        Some(real) => Check::note("home-nested", format!("{message}; your own is {}", shown_path(real))),
    })
}

/// `active_profile` may name a profile that is gone, also where another source decides today.
fn active_profile(selection: &Selection, facts: &Facts<'_>) -> Option<Check> {
    let root = &selection.root.as_ref()?.spelled;
    let path = root.join("active_profile");
    let Text::Read(content) = facts.files.text(&path, FILE_LIMIT) else { return None };
    let word = content.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content.bytes).trim_ascii().to_ascii_lowercase();
    let dir = root.join("profiles").join(OsStr::from_bytes(&word));
    let is_there = word.is_empty() || word == b"default" || facts.files.stat(&dir).is_ok();
    let is_deleted = facts.files.lstat(&root.join("profiles/.deleted").join(OsStr::from_bytes(&word))).is_ok();
    (!is_there || (is_deleted && !word.is_empty())).then(|| {
        let message = format!("{} names the profile '{}', which is not there", shown_path(&path), shown(&word));
        Check::warning("active-profile", message, "hermes profile use NAME, with a profile that is there")
    })
}

fn directory(home: &HomePlan, redirect: &Redirect, facts: &Facts<'_>) -> Check {
    let path = shown_path(&redirect.home);
    if redirect.make {
        let message = format!("{path} is not there yet; the first run makes it");
        return match home.choice.mode {
            HomeMode::Profile => Check::warning("home", message, "run any command once: hermes-exec -- true"),
            _ => Check::note("home", message),
        };
    }
    match facts.files.writable(&redirect.home) {
        Ok(()) => Check::ok("home", format!("HOME becomes {path}")),
        Err(error) => Check::problem(
            "home",
            format!("{path} is not writable ({}): programs that keep state there hang or fail", reason(&error)),
            format!("chown {} {path} && chmod u+rwx {path}", facts.uid),
        ),
    }
}

/// Entries of somebody else in the home: what root left there once, the profile's user cannot change.
fn owners(redirect: &Redirect, facts: &Facts<'_>) -> Option<Check> {
    let owner = facts.files.stat(&redirect.home).ok()?.uid;
    let foreign = |path: &PathBuf| facts.files.lstat(path).is_ok_and(|stat| stat.uid != owner);
    let names = facts.files.names(&redirect.home);
    let entries: Vec<_> = names.iter().map(|name| redirect.home.join(name)).filter(foreign).collect();
    let first = entries.first()?;
    let message = format!("{} of another owner in the home, such as {}", entries.len(), shown_path(first));
    let cure = format!("chown -R -h {owner} {}", shown_path(&redirect.home));
    Some(Check::warning("home-owner", message, cure))
}

fn link_check(link: &Link, redirect: &Redirect, home: &HomePlan, facts: &Facts<'_>) -> Check {
    let place = redirect.home.join(&link.place);
    let path = shown_path(&place);
    let target = link.target.as_deref().map(shown_path).unwrap_or_default();
    match link.state {
        State::Present => Check::ok("link", format!("{path} -> {target}")),
        State::Create => Check::note("link", format!("{path} -> {target} will be made by the next run")),
        State::Replace => Check::note("link", format!("{path} -> {target} will be put in place of another link")),
        State::SourceMissing => {
            let dangling = facts.files.lstat(&place).is_ok_and(|stat| stat.kind == Kind::Link);
            let message = format!("{}: the real home has none", shown_path(&link.place));
            match dangling {
                true => Check::warning("link", format!("{message}, and {path} leads nowhere"), format!("rm {path}")),
                false => Check::ok("link", message),
            }
        }
        State::Skipped if link.finding.is_none() => {
            Check::note("link", format!("{} is not linked: see the other link of {}", path, link.item.name()))
        }
        State::Left | State::Refused | State::Skipped => {
            let message = link.finding.clone().unwrap_or_else(|| format!("{path} is not linked"));
            let is_file = facts.files.lstat(&place).is_ok_and(|stat| stat.kind == Kind::File);
            let sibling_is_linked = home
                .links
                .iter()
                .any(|other| other.item == link.item && other.place != link.place && other.state == State::Present);
            let cure = format!("mv {path} {path}.own && hermes-exec -- true");
            match is_file && sibling_is_linked {
                true => Check::problem("link", format!("{message}: it was a link, and was replaced by a file"), cure),
                false => Check::warning("link", message, cure),
            }
        }
    }
}

/// On macOS the keychain's directory is not enough: which keychain is the default one stands in a file of its own.
fn keychain(home: &HomePlan) -> Option<Check> {
    let link =
        |place: &str| home.links.iter().find(|link| link.item == Item::Keychain && link.place == Path::new(place));
    let (directory, plist) = (link("Library/Keychains")?, link("Library/Preferences/com.apple.security.plist")?);
    let is_split = directory.state == State::Present && matches!(plist.state, State::Left | State::Refused);
    is_split.then(|| {
        Check::warning(
            "keychain",
            "the keychains are linked, but not com.apple.security.plist, which names the default one",
            "hermes-exec -- true, after moving the file in the way; or let Claude Code use CLAUDE_CONFIG_DIR",
        )
    })
}

fn portability(home: &HomePlan) -> Option<Check> {
    let count = home.links.iter().filter(|link| link.state == State::Present).count();
    (count > 0).then(|| {
        Check::note(
            "profile-import",
            format!("{count} links in the home: `hermes profile import` refuses an archive with links"),
        )
        .cure("before an export: hermes-exec --unlink; the next run makes them again")
    })
}

/// Without a runtime directory gpg keeps its sockets in the home, and a path that is too long cannot be bound.
fn gpg_socket(redirect: &Redirect, facts: &Facts<'_>) -> Option<Check> {
    let socket = redirect.home.join(".gnupg/S.gpg-agent.browser");
    let runtime = PathBuf::from(format!("/run/user/{}", facts.uid));
    let is_long = socket.as_os_str().len() > SOCKET_PATH && facts.files.stat(&runtime).is_err();
    is_long.then(|| {
        let message = format!(
            "{} is too long for a socket (limit {SOCKET_PATH} bytes): gpg-agent will not start",
            shown_path(&socket)
        );
        Check::warning("gpg-socket", message, format!("mkdir -m 700 {}", shown_path(&runtime)))
    })
}
