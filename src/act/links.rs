//! Carries out what a [`HomePlan`] says: creates the home and its links. Every step is relative to an open directory and
//! follows no link below the profile, so that whatever is planted there cannot lead a write elsewhere. It never creates a
//! profile, and never touches a file or a directory that exists.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat, readlinkat, renameat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstatat, mkdirat};
use nix::unistd::{Gid, Uid, UnlinkatFlags, fchownat, symlinkat, unlinkat};

use crate::error::Failure;
use crate::plan::Unlink;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::home::links::State;
use crate::plan::home::{HomePlan, Redirect, cannot_make};
use crate::text::escaped_path;
use crate::world::World;

/// Gets the home ready. Returns findings about links that could not be created; the command runs without them. Errors:
/// 125 when the home itself cannot be created, or is not the one any more that the plan is about.
pub fn prepare(plan: &HomePlan) -> anyhow::Result<Vec<Diagnostic>> {
    let wants = |state| matches!(state, State::Create | State::Replace);
    let links: Vec<_> = plan.links.iter().filter(|link| wants(link.state)).collect();
    let Some(redirect) = plan.redirect.as_ref().filter(|redirect| redirect.make || !links.is_empty()) else {
        return Ok(Vec::new());
    };
    let home = HomeDir::open_home(redirect)?;
    let mut findings = Vec::new();
    for link in links {
        let Some(target) = &link.target else { continue };
        let made = home.link(&link.place, target, link.state == State::Replace);
        if let Err(errno) = made {
            let [place, target] = [&redirect.home.join(&link.place), target].map(|path| escaped_path(path));
            findings.push(Diagnostic::warning("link", format!("{place} is not linked to {target}: {}", errno.desc())));
        }
    }
    Ok(findings)
}

/// Removes our links from the home. Returns what to tell, a line each. Errors: 125 when a link of ours cannot be
/// removed.
pub fn unlink(plan: &Unlink, world: &dyn World) -> anyhow::Result<Vec<String>> {
    let (redirect, context) = (&plan.redirect, plan.context(world));
    if redirect.make {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    for place in &plan.places {
        let path = redirect.home.join(place);
        // Without following links on the way: what lies behind a linked directory is not in the home.
        let Ok(home) = HomeDir::open_home(redirect) else { continue };
        let Ok(dir) = home.parent(place, false) else { continue };
        let Some(name) = place.file_name() else { continue };
        let Ok(text) = readlinkat(&dir, name) else { continue };
        let text = PathBuf::from(text);
        if !context.is_ours(place, &text) {
            lines.push(format!("left: {} -> {}", escaped_path(&path), escaped_path(&text)));
            continue;
        }
        match unlinkat(&dir, name, UnlinkatFlags::NoRemoveDir) {
            Ok(()) => lines.push(format!("removed: {} -> {}", escaped_path(&path), escaped_path(&text))),
            // Another process was faster.
            Err(Errno::ENOENT) => {}
            Err(errno) => {
                let path = escaped_path(&path);
                let failure = Failure::new(format!("{path} cannot be removed: {}", errno.desc()));
                return Err(failure.hint(format!("remove it by hand: rm {path}")).into());
            }
        }
    }
    Ok(lines)
}

/// The open home, and to whom new entries belong.
struct HomeDir {
    home: OwnedFd,
    owner: Option<(Uid, Gid)>,
}

/// To make entries in a directory one need not be allowed to list it, and on Linux need not ask.
#[cfg(target_os = "linux")]
const O_PATH_OR_RDONLY: OFlag = OFlag::O_PATH;
#[cfg(not(target_os = "linux"))]
const O_PATH_OR_RDONLY: OFlag = OFlag::O_RDONLY;
const DIRECTORY: OFlag = O_PATH_OR_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);
const PRIVATE: Mode = Mode::S_IRWXU;
/// So many names for a temporary are tried.
const ATTEMPTS: u32 = 100;

impl HomeDir {
    /// Opens the home by its parts below the profile directory, made before where that is the plan. What the plan saw may
    /// have been deleted or exchanged since: a directory that is another one now is not entered.
    fn open_home(redirect: &Redirect) -> Result<Self, Failure> {
        let owner = redirect.owner.map(|(uid, gid)| (Uid::from_raw(uid), Gid::from_raw(gid)));
        let mut dir = open_profile(redirect).map_err(|errno| changed(&redirect.profile_dir, errno))?;
        let below = redirect.home.strip_prefix(&redirect.profile_dir);
        for part in below.map_err(|_| changed(&redirect.home, Errno::EXDEV))?.components() {
            dir = open_or_create_dir(&dir, part.as_os_str(), redirect.make, owner).map_err(|errno| {
                match redirect.make {
                    true => cannot_make(&redirect.home, errno.desc()),
                    false => changed(&redirect.home, errno),
                }
            })?;
        }
        Ok(Self { home: dir, owner })
    }

    /// The open directory in which a place lies, made where it is missing and `make` says so.
    fn parent(&self, place: &Path, make: bool) -> Result<OwnedFd, Errno> {
        let mut dir = self.home.as_fd().try_clone_to_owned().map_err(|_| Errno::EMFILE)?;
        let parents = place.parent().into_iter().flat_map(Path::components);
        for part in parents.filter(|part| matches!(part, Component::Normal(_))) {
            dir = open_or_create_dir(&dir, part.as_os_str(), make, self.owner)?;
        }
        Ok(dir)
    }

    fn link(&self, place: &Path, target: &Path, replace: bool) -> Result<(), Errno> {
        let name = place.file_name().unwrap_or_default();
        let dir = self.parent(place, true)?;
        let made = match if replace { self.replace(&dir, name, target) } else { Err(Errno::ENOENT) } {
            // Nothing stands there, or no longer.
            Err(Errno::ENOENT) => self.make_link(&dir, name, target),
            result => result,
        };
        match made {
            // Another start was faster; what it made is what we would have made, or else it is left alone.
            Err(Errno::EEXIST) if readlinkat(&dir, name).is_ok_and(|text| text == target.as_os_str()) => Ok(()),
            result => result,
        }
    }

    fn make_link(&self, dir: &OwnedFd, name: &OsStr, target: &Path) -> Result<(), Errno> {
        symlinkat(target, dir, name)?;
        chown_created(dir, name, SFlag::S_IFLNK, self.owner)
    }

    /// Puts a link in the place of another by one `rename`, if that is a link still.
    fn replace(&self, dir: &OwnedFd, name: &OsStr, target: &Path) -> Result<(), Errno> {
        let temporary = self.make_temporary(dir, target)?;
        let result = match fstatat(dir, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(stat) if kind(&stat) != SFlag::S_IFLNK => Err(Errno::EEXIST),
            Ok(_) => renameat(dir, temporary.as_os_str(), dir, name),
            Err(errno) => Err(errno),
        };
        if result.is_err() {
            let _ = unlinkat(dir, temporary.as_os_str(), UnlinkatFlags::NoRemoveDir);
        }
        result
    }

    /// Makes the link under a name that is free. What has a name already may be anybody's, and stays.
    fn make_temporary(&self, dir: &OwnedFd, target: &Path) -> Result<OsString, Errno> {
        let id = std::process::id();
        for number in 0..ATTEMPTS {
            let name = OsString::from(format!(".hermes-exec.{id}.{number}.tmp"));
            match self.make_link(dir, &name, target) {
                Ok(()) => return Ok(name),
                Err(Errno::EEXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::EEXIST)
    }
}

fn open_profile(redirect: &Redirect) -> Result<OwnedFd, Errno> {
    let dir = File::from(openat(AT_FDCWD, &redirect.profile_dir, DIRECTORY, Mode::empty())?);
    let meta = dir.metadata().map_err(errno_of)?;
    if (meta.dev(), meta.ino()) == redirect.identity { Ok(dir.into()) } else { Err(Errno::ESTALE) }
}

/// What the plan saw there is gone, or something else has come into its place.
fn changed(path: &Path, errno: Errno) -> Failure {
    Failure::new(format!("{} cannot be entered: {}", escaped_path(path), errno.desc()))
        .hint("if it was deleted or moved just now, run the command again")
}

fn errno_of(error: io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

/// Opens a directory below another without following a link, made before where it is missing.
fn open_or_create_dir(dir: &OwnedFd, name: &OsStr, make: bool, owner: Option<(Uid, Gid)>) -> Result<OwnedFd, Errno> {
    let open = || openat(dir, name, DIRECTORY | OFlag::O_NOFOLLOW, Mode::empty());
    match open() {
        Err(Errno::ENOENT) if make => {}
        result => return result,
    }
    match mkdirat(dir, name, PRIVATE) {
        Ok(()) => chown_created(dir, name, SFlag::S_IFDIR, owner)?,
        Err(Errno::EEXIST) => {}
        Err(errno) => return Err(errno),
    }
    open()
}

/// `lchown`s what we just made, where we run as root in somebody else's profile, or takes it away again. That somebody may
/// have exchanged it already for another entry of root's, which stays.
fn chown_created(dir: &OwnedFd, name: &OsStr, made: SFlag, owner: Option<(Uid, Gid)>) -> Result<(), Errno> {
    let Some((uid, gid)) = owner else { return Ok(()) };
    let (at, entry, flags) = hold(dir, name)?;
    let stat = fstatat(&at, entry, flags)?;
    if kind(&stat) != made || stat.st_uid != Uid::effective().as_raw() {
        return Err(Errno::ESTALE);
    }
    fchownat(&at, entry, Some(uid), Some(gid), flags).inspect_err(|_| {
        let is_directory = made == SFlag::S_IFDIR;
        let _ = unlinkat(dir, name, if is_directory { UnlinkatFlags::RemoveDir } else { UnlinkatFlags::NoRemoveDir });
    })
}

/// An entry of a directory for calls that are to be about the same one: on Linux opened, elsewhere by its name.
#[cfg(target_os = "linux")]
fn hold<'a>(dir: &OwnedFd, name: &OsStr) -> Result<(OwnedFd, &'a OsStr, AtFlags), Errno> {
    let itself = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    Ok((openat(dir, name, itself, Mode::empty())?, OsStr::new(""), AtFlags::AT_EMPTY_PATH))
}

#[cfg(not(target_os = "linux"))]
fn hold<'a>(dir: &OwnedFd, name: &'a OsStr) -> Result<(OwnedFd, &'a OsStr, AtFlags), Errno> {
    Ok((dir.try_clone().map_err(errno_of)?, name, AtFlags::AT_SYMLINK_NOFOLLOW))
}

fn kind(stat: &FileStat) -> SFlag {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT
}
