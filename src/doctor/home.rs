//! The checks on HOME and HERMES_HOME as they were inherited, and on the profile's home.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::case::Case;
use crate::cli::HomeMode;
use crate::error::Failure;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::home::{HomePlan, Redirect, UNLINKED};
use crate::plan::profile::layout::{expand, is_profile_shaped, root_of};
use crate::plan::profile::{ACTIVE_PROFILE, Selection, hermes, linked, stale};
use crate::plan::remedy::{Remedy, as_root};
use crate::text::{escaped, escaped_path, os_message, shell_quoted_path};
use crate::world::{FILE_LIMIT, FileText, is_directory};

/// Only the user knows it.
const SAY_REAL_HOME: &str = "say where your home is: export HERMES_REAL_HOME=DIRECTORY";

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let mut checks: Vec<Diagnostic> = active_profile(case).into_iter().collect();
    let Some(selection) = &case.plan.selection else { return checks };
    checks.extend(inherited_hermes_home(selection, case));
    checks.extend(inherited_home(selection, case));
    let Some(home) = &case.plan.home else { return checks };
    let dir =
        selection.profile.as_ref().map(|profile| shell_quoted_path(&profile.dir.join("home"))).unwrap_or_default();
    let unlink = format!("rm {dir} && {}", case.any_run());
    let Some(redirect) = &home.redirect else {
        checks.push(match home.findings.first() {
            Some(finding) => finding.clone().cure(unlink),
            None => Diagnostic::ok("home", "HOME is not redirected"),
        });
        return checks;
    };
    // A link that points out of the profile is not ours to fix: its target may be anybody's.
    let is_own = redirect.home.starts_with(&redirect.profile_dir);
    let unlink = (!is_own).then_some(unlink.as_str());
    checks.push(directory(home, redirect, unlink, case));
    checks.extend(is_own.then(|| owners(redirect, case)).flatten());
    checks.extend(unshared(home, selection, unlink, case));
    checks.extend(gpg_socket(redirect, selection, case));
    checks
}

/// `active_profile` may name a profile that is gone, also where another source decides today.
fn active_profile(case: &Case<'_>) -> Option<Diagnostic> {
    let world = case.input.world;
    if case.plan.error.as_ref().is_some_and(|failure| failure.subject == "active-profile") {
        return None;
    }
    let root = &case.root.as_ref()?.spelled;
    let path = root.join(ACTIVE_PROFILE);
    let bytes = match world.text_of_no_link(&path, FILE_LIMIT) {
        FileText::Found { bytes, .. } => bytes,
        FileText::Link => {
            let Failure { message, cure, .. } = linked(&path);
            return Some(Diagnostic::warning("active-profile", message).remedy(Remedy { hint: None, cure }));
        }
        _ => return None,
    };
    let word = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii().to_ascii_lowercase();
    let name = Path::new(OsStr::from_bytes(&word));
    let is_name = name.components().count() == 1 && !word.contains(&b'/');
    let is_deleted = world.lstat(&root.join("profiles/.deleted").join(name)).is_ok();
    let is_there = is_name && is_directory(world, &root.join("profiles").join(name)) && !is_deleted;
    let is_stale = !word.is_empty() && word != b"default" && !is_there;
    is_stale.then(|| {
        let use_default = hermes("profile use default", case.options, case.input);
        Diagnostic::warning("active-profile", stale(&path)).remedy(use_default)
    })
}

/// HERMES_HOME may name nothing although an option had the last word here: other programs go by it.
fn inherited_hermes_home(selection: &Selection, case: &Case<'_>) -> Option<Diagnostic> {
    let world = case.input.world;
    let value = OsStr::from_bytes(case.input.environ.given(b"HERMES_HOME")?);
    let path = expand(value, selection.real.path()).unwrap_or_default();
    let tombstone = || root_of(&path).join("profiles/.deleted").join(path.file_name().unwrap_or_default());
    let what = if !path.is_absolute() {
        "is relative"
    } else if !is_directory(world, &path) {
        "is not a directory"
    } else if is_profile_shaped(&path) && world.lstat(&tombstone()).is_ok() {
        "belongs to a deleted profile"
    } else {
        return None;
    };
    let message = format!("HERMES_HOME {what}: {}", escaped(value.as_bytes()));
    Some(Diagnostic::warning("hermes-home", message).cure("unset HERMES_HOME"))
}

/// Homes of profiles on the way to a path, outermost first, by the usual name of a root.
fn homes_above(path: &Path) -> Vec<&Path> {
    let is_home = |path: &&Path| {
        let mut parts = path.components().rev().map(Component::as_os_str);
        let (home, one, two, three) = (parts.next(), parts.next(), parts.next(), parts.next());
        let is_root = |part: Option<&OsStr>| part.is_some_and(|name| name.as_bytes().starts_with(b".hermes"));
        home == Some(OsStr::new("home")) && (is_root(one) || (two == Some(OsStr::new("profiles")) && is_root(three)))
    };
    let mut homes: Vec<_> = path.ancestors().filter(is_home).collect();
    homes.reverse();
    homes
}

/// HOME, or the root itself, in a profile's home: from a nested start, or from a shell that forgot where it came from.
fn inherited_home(selection: &Selection, case: &Case<'_>) -> Option<Diagnostic> {
    let input = case.input;
    if let Some(root) = &selection.root
        && let Some(outer) = homes_above(&root.canonical).first()
    {
        let message = format!("the Hermes root {} lies in a profile's home", escaped_path(&root.spelled));
        let outer = outer.ancestors().find(|path| path.file_name().is_some_and(|name| name != "home"))?;
        let outer = if is_profile_shaped(outer) { root_of(outer) } else { outer.to_owned() };
        let cure = format!("export HERMES_HOME={}", shell_quoted_path(&outer));
        return Some(Diagnostic::warning("home-nested", message).cure(cure));
    }
    let home = input.environ.given(b"HOME").map(|home| Path::new(OsStr::from_bytes(home)))?;
    let canonical = input.world.canonical(home).ok()?;
    let real = selection.real.path();
    let message = format!("HOME is {}, in a profile's home", escaped_path(home));
    if homes_above(&canonical).len() > 1 {
        return Some(
            Diagnostic::problem("home-nested", format!("{message}, which lies in another one"))
                .remedy(case.export_home(real)),
        );
    }
    if selection.real.home_is_a_profiles {
        return Some(match real {
            // So Hermes starts its commands.
            Some(real) => Diagnostic::ok("home-nested", format!("{message}; your real home is {}", escaped_path(real))),
            None => Diagnostic::problem("real-home", format!("{message}, and your real home is not known"))
                .hint(SAY_REAL_HOME),
        });
    }
    let is_inside = canonical.starts_with(selection.root.as_ref()?.canonical.join("profiles"));
    is_inside.then(|| {
        let message = format!("HOME is {}, in a profile's directory", escaped_path(home));
        Diagnostic::warning("home-nested", message).remedy(case.export_home(None))
    })
}

fn directory(home: &HomePlan, redirect: &Redirect, unlink: Option<&str>, case: &Case<'_>) -> Diagnostic {
    let path = escaped_path(&redirect.home);
    if redirect.make {
        let message = format!("{path} does not exist yet; the first run creates it");
        return match home.choice.mode {
            HomeMode::Profile => Diagnostic::warning("home", message).cure(case.any_run()),
            _ => Diagnostic::note("home", message),
        };
    }
    let Err(error) = case.input.world.writable(&redirect.home) else {
        return Diagnostic::ok("home", format!("HOME becomes {path}"));
    };
    let message =
        format!("{path} is not writable ({}): programs that keep state there hang or fail", os_message(&error));
    let (uid, place) = (case.input.uid, shell_quoted_path(&redirect.home));
    let remedy = if let Some(unlink) = unlink {
        Remedy::cure(unlink)
    } else if error.kind() == io::ErrorKind::ReadOnlyFilesystem {
        Remedy::hint("mount it writable, or leave HOME as it is: --home real")
    } else if case.owner(&redirect.home) == Some(uid) {
        Remedy::cure(format!("chmod u+rwx {place}"))
    } else {
        as_root(&format!("chown {uid} {place}"), case.input).then(&format!("chmod u+rwx {place}"))
    };
    Diagnostic::problem("home", message).remedy(remedy)
}

/// Files of another user in the home: what root left there once, the profile's user cannot change.
fn owners(redirect: &Redirect, case: &Case<'_>) -> Option<Diagnostic> {
    let world = case.input.world;
    let owner = world.stat(&redirect.home).ok()?.uid;
    if ![0, owner].contains(&case.input.uid) {
        // The home itself is another user's, and whatever fixes that comes first.
        return None;
    }
    let foreign = |path: &PathBuf| world.lstat(path).is_ok_and(|stat| stat.uid != owner);
    let names = world.names(&redirect.home);
    let entries: Vec<_> = names.iter().map(|name| redirect.home.join(name)).filter(foreign).collect();
    let first = entries.first()?;
    let count = entries.len();
    let message = format!("owned by another user in the home: {count}, such as {}", escaped_path(first));
    let chown = format!("chown -R -h {owner} {}", shell_quoted_path(&redirect.home));
    Some(Diagnostic::warning("home-owner", message).remedy(as_root(&chown, case.input)))
}

/// Why nothing is linked at all.
fn unshared(home: &HomePlan, selection: &Selection, unlink: Option<&str>, case: &Case<'_>) -> Option<Diagnostic> {
    let finding = home.findings.iter().find(|finding| finding.id == UNLINKED)?;
    if case.plan.items.is_empty() {
        return None;
    }
    let remedy = if let Some(unlink) = unlink {
        Remedy::cure(unlink)
    } else if let Some(uid) = selection.real.owner_without_home {
        Remedy::hint(format!("run as that user: sudo -u '#{uid}' {} --doctor", case.rerun_command))
    } else {
        Remedy::hint(SAY_REAL_HOME)
    };
    Some(finding.clone().remedy(remedy))
}

/// Without a runtime directory gpg keeps its sockets in the home, and a path that is too long cannot be bound.
fn gpg_socket(redirect: &Redirect, selection: &Selection, case: &Case<'_>) -> Option<Diagnostic> {
    let (uid, world) = (case.input.uid, case.input.world);
    let most = world.facts().socket_path;
    let given = case.plan.env.child.given(b"GNUPGHOME");
    let dir = given.map_or_else(|| redirect.home.join(".gnupg"), |dir| PathBuf::from(OsStr::from_bytes(dir)));
    let socket = dir.join("S.gpg-agent.browser");
    let runtime = world.facts().runtime_dirs.map(|dirs| Path::new(dirs).join(uid.to_string()));
    let has_runtime = runtime.as_ref().is_some_and(|runtime| world.stat(runtime).is_ok());
    if socket.as_os_str().len() <= most || has_runtime {
        return None;
    }
    let socket = escaped_path(&socket);
    let message = format!("{socket} is too long for a socket ({most} bytes): gpg-agent will not start");
    let create = |runtime: PathBuf| as_root(&format!("install -d -m 700 -o {uid} {}", runtime.display()), case.input);
    // Without one, the same directory by a shorter path.
    let by_link = || {
        let name = selection.profile.as_ref().map_or("default", |profile| &profile.name);
        let short = selection.real.path()?.join(format!(".gnupg-{name}"));
        let [dir, short] = [&dir, &short].map(|path| shell_quoted_path(path));
        let link = format!("{{ test -L {short} || ln -s {dir} {short}; }}");
        Some(Remedy::cure(format!("mkdir -p -m 700 {dir} && {link} && export GNUPGHOME={short}")))
    };
    let remedy = runtime.map(create).filter(|remedy| remedy.cure.is_some()).or_else(by_link).unwrap_or_default();
    Some(Diagnostic::warning("gpg-socket", message).remedy(remedy))
}
