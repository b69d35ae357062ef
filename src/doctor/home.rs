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
use crate::plan::home::{HOME_PLACEHOLDER, HomePlan, Redirect, UNLINKED};
use crate::plan::profile::layout::{expand, is_profile_shaped, root_of};
use crate::plan::profile::{ACTIVE_PROFILE, Selection, linked, stale};
use crate::text::{escaped, escaped_path, os_message, shell_quoted_path};
use crate::world::{FILE_LIMIT, FileText, is_directory};

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let mut checks: Vec<Diagnostic> = active_profile(case).into_iter().collect();
    let Some(selection) = &case.plan.selection else { return checks };
    checks.extend(inherited_hermes_home(selection, case));
    checks.extend(inherited_home(selection, case));
    let Some(home) = &case.plan.home else { return checks };
    let dir =
        selection.profile.as_ref().map(|profile| shell_quoted_path(&profile.dir.join("home"))).unwrap_or_default();
    let unlink = format!("rm {dir} && {} -- true", case.rerun_command);
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
    let root = &case.root.as_ref()?.spelled;
    let path = root.join(ACTIVE_PROFILE);
    let bytes = match world.text_of_no_link(&path, FILE_LIMIT) {
        FileText::Found { bytes, .. } => bytes,
        FileText::Link => {
            let Failure { message, cure, .. } = linked(&path);
            return Some(Diagnostic::warning("active-profile", message).cure(cure.unwrap_or_default()));
        }
        _ => return None,
    };
    let word = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii().to_ascii_lowercase();
    let name = Path::new(OsStr::from_bytes(&word));
    let is_name = name.components().count() == 1 && !word.contains(&b'/');
    let is_deleted = world.lstat(&root.join("profiles/.deleted").join(name)).is_ok();
    let is_there = is_name && is_directory(world, &root.join("profiles").join(name)) && !is_deleted;
    let is_stale = !word.is_empty() && word != b"default" && !is_there;
    is_stale.then(|| Diagnostic::warning("active-profile", stale(&path)).cure("hermes -p default profile use default"))
}

/// HERMES_HOME may lead nowhere although an option had the last word here: other programs go by it.
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
    let cure = || format!("export HOME={}", real.map_or_else(|| case.own_home(), shell_quoted_path));
    let message = format!("HOME is {}, in a profile's home", escaped_path(home));
    if homes_above(&canonical).len() > 1 {
        return Some(Diagnostic::problem("home-nested", format!("{message}, which lies in another one")).cure(cure()));
    }
    if selection.real.home_is_a_profiles {
        return Some(match real {
            Some(real) => Diagnostic::note("home-nested", format!("{message}; your own is {}", escaped_path(real))),
            None => Diagnostic::problem("home-nested", format!("{message}, and your own home is not known"))
                .cure(format!("export HERMES_REAL_HOME={HOME_PLACEHOLDER}")),
        });
    }
    let is_inside = canonical.starts_with(selection.root.as_ref()?.canonical.join("profiles"));
    is_inside.then(|| {
        let message = format!("HOME is {}, in a profile's directory", escaped_path(home));
        Diagnostic::warning("home-nested", message).cure(format!("export HOME={}", case.own_home()))
    })
}

fn directory(home: &HomePlan, redirect: &Redirect, unlink: Option<&str>, case: &Case<'_>) -> Diagnostic {
    let path = escaped_path(&redirect.home);
    if redirect.make {
        let message = format!("{path} is not there yet; the first run makes it");
        return match home.choice.mode {
            HomeMode::Profile => Diagnostic::warning("home", message).cure(format!("{} -- true", case.rerun_command)),
            _ => Diagnostic::note("home", message),
        };
    }
    let Err(error) = case.input.world.writable(&redirect.home) else {
        return Diagnostic::ok("home", format!("HOME becomes {path}"));
    };
    let message =
        format!("{path} is not writable ({}): programs that keep state there hang or fail", os_message(&error));
    let (uid, place) = (case.input.uid, shell_quoted_path(&redirect.home));
    let cure = if let Some(unlink) = unlink {
        unlink.to_owned()
    } else if error.kind() == io::ErrorKind::ReadOnlyFilesystem {
        format!("{} --home real --doctor", case.rerun_command)
    } else if case.owner(&redirect.home) == Some(uid) {
        format!("chmod u+rwx {place}")
    } else {
        format!("sudo chown {uid} {place} && chmod u+rwx {place}")
    };
    Diagnostic::problem("home", message).cure(cure)
}

/// Entries of somebody else in the home: what root left there once, the profile's user cannot change.
fn owners(redirect: &Redirect, case: &Case<'_>) -> Option<Diagnostic> {
    let world = case.input.world;
    let owner = world.stat(&redirect.home).ok()?.uid;
    let foreign = |path: &PathBuf| world.lstat(path).is_ok_and(|stat| stat.uid != owner);
    let names = world.names(&redirect.home);
    let entries: Vec<_> = names.iter().map(|name| redirect.home.join(name)).filter(foreign).collect();
    let first = entries.first()?;
    let message = format!("{} of another owner in the home, such as {}", entries.len(), escaped_path(first));
    let cure = format!("{}chown -R -h {owner} {}", case.sudo(None), shell_quoted_path(&redirect.home));
    Some(Diagnostic::warning("home-owner", message).cure(cure))
}

/// Why nothing is linked at all.
fn unshared(home: &HomePlan, selection: &Selection, unlink: Option<&str>, case: &Case<'_>) -> Option<Diagnostic> {
    let finding = home.findings.iter().find(|finding| finding.id == UNLINKED)?;
    if case.plan.items.is_empty() {
        return None;
    }
    let cure = if let Some(unlink) = unlink {
        unlink.to_owned()
    } else if let Some(uid) = selection.real.owner_without_home {
        format!("sudo -u '#{uid}' {} --doctor", case.rerun_command)
    } else {
        format!("export HERMES_REAL_HOME={HOME_PLACEHOLDER}")
    };
    Some(finding.clone().cure(cure))
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
    let sudo = case.sudo(None);
    let cure = match runtime {
        Some(runtime) => format!("{sudo}install -d -m 700 -o {uid} {}", runtime.display()),
        // The same directory by a shorter path.
        None => {
            let name = selection.profile.as_ref().map_or("default", |profile| &profile.name);
            let short = selection.real.path()?.join(format!(".gnupg-{name}"));
            let [dir, short] = [&dir, &short].map(|path| shell_quoted_path(path));
            format!("mkdir -p -m 700 {dir} && ln -sfn {dir} {short} && export GNUPGHOME={short}")
        }
    };
    Some(Diagnostic::warning("gpg-socket", message).cure(cure))
}
