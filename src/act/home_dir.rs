//! The open home of a profile. Every step is relative to an open directory and follows no link below the profile, so that
//! nothing planted there can redirect a write. It never creates a profile.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat, readlinkat};
use nix::sys::stat::{Mode, SFlag, mkdirat};
use nix::unistd::{Gid, Uid};

use super::entry::{self, Trouble};
use super::hold::DIRECTORY;
use super::owner::{Owner, as_owner, give};
use crate::error::Failure;
use crate::plan::home::{Redirect, cannot_create};
use crate::text::{escaped_path, shell_quoted_path};

const PRIVATE: Mode = Mode::S_IRWXU;

pub struct HomeDir {
    home: OwnedFd,
    owner: Owner,
}

impl HomeDir {
    /// Opens the home component by component below the profile directory, and creates it if that is planned. What the plan
    /// saw may have been deleted or replaced since: a different directory is not entered.
    pub fn open(redirect: &Redirect) -> Result<Self, Failure> {
        let owner = redirect.owner.map(|(uid, gid)| (Uid::from_raw(uid), Gid::from_raw(gid)));
        let mut dir = open_profile(redirect).map_err(|errno| changed(&redirect.profile_dir, errno))?;
        let below = redirect.home.strip_prefix(&redirect.profile_dir);
        for part in below.map_err(|_| changed(&redirect.home, Errno::EXDEV))?.components() {
            dir = open_or_create_dir(&dir, part.as_os_str(), redirect.make, owner).map_err(|errno| {
                match redirect.make {
                    true => cannot_create(&redirect.home, errno.desc()),
                    false => changed(&redirect.home, errno),
                }
            })?;
        }
        Ok(Self { home: dir, owner })
    }

    /// Opens the directory that contains a place, and creates it if it is missing and `make` is true.
    fn parent(&self, place: &Path, make: bool) -> Result<OwnedFd, Errno> {
        let mut dir = self.home.as_fd().try_clone_to_owned().map_err(errno_of)?;
        let parents = place.parent().into_iter().flat_map(Path::components);
        for part in parents.filter(|part| matches!(part, Component::Normal(_))) {
            dir = open_or_create_dir(&dir, part.as_os_str(), make, self.owner)?;
        }
        Ok(dir)
    }

    /// Creates a link, or replaces one if `replace` is true. False: another start was faster and created the same link.
    pub fn link(&self, place: &Path, target: &Path, replace: bool) -> Result<bool, Trouble> {
        let name = place.file_name().unwrap_or_default();
        let dir = self.parent(place, true)?;
        let made = as_owner(self.owner, || {
            match if replace { entry::replace(&dir, name, target, self.owner) } else { Err(Errno::ENOENT.into()) } {
                // Nothing exists there, or no longer.
                Err(Trouble::Call(Errno::ENOENT)) => Ok(entry::create(&dir, name, target, self.owner)?),
                result => result,
            }
        });
        match made {
            Err(trouble) if trouble.is_taken() && readlinkat(&dir, name).is_ok_and(|text| text == *target) => Ok(false),
            result => result.map(|()| true),
        }
    }

    /// Removes the link that [`HomeDir::link`] created, if it still exists.
    pub fn take_back(&self, place: &Path, target: &Path) -> Result<(), Trouble> {
        let name = place.file_name().unwrap_or_default();
        let dir = self.parent(place, false)?;
        as_owner(self.owner, || entry::take_away(&dir, name, &|text| text == target).map(drop))
    }

    /// The text of the link at a place; `None` if there is none, or if it cannot be reached without following another link.
    pub fn link_text(&self, place: &Path) -> Option<OsString> {
        readlinkat(self.parent(place, false).ok()?, place.file_name()?).ok()
    }

    /// Removes a link whose text `is_ours`; with the caller's own ids, since it creates nothing. See [`entry::take_away`].
    pub fn take_away(&self, place: &Path, is_ours: &dyn Fn(&OsStr) -> bool) -> Result<bool, Trouble> {
        entry::take_away(&self.parent(place, false)?, place.file_name().unwrap_or_default(), is_ours)
    }

    /// Removes what dead processes left in a directory below the home; with the caller's own ids. See [`entry::sweep`].
    pub fn sweep(&self, parent: &Path) -> Vec<OsString> {
        self.parent(&parent.join("x"), false).map_or_else(|_| Vec::new(), |dir| entry::sweep(&dir))
    }
}

fn open_profile(redirect: &Redirect) -> Result<OwnedFd, Errno> {
    let dir = File::from(openat(AT_FDCWD, &redirect.profile_dir, DIRECTORY, Mode::empty())?);
    let meta = dir.metadata().map_err(errno_of)?;
    if (meta.dev(), meta.ino()) == redirect.identity { Ok(dir.into()) } else { Err(Errno::ESTALE) }
}

/// What the plan saw no longer exists, or something else has replaced it.
fn changed(path: &Path, errno: Errno) -> Failure {
    let shown = escaped_path(path);
    Failure::new(format!("{shown} cannot be entered: {}", errno.desc())).hint(match errno {
        Errno::EACCES | Errno::EPERM => format!("check its owner and mode: ls -ld {}", shell_quoted_path(path)),
        _ => "if it was deleted or moved just now, run the command again".into(),
    })
}

fn errno_of(error: std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

/// Opens a directory below another without following a link. Creates it first if it is missing and `make` is true.
fn open_or_create_dir(dir: &OwnedFd, name: &OsStr, make: bool, owner: Owner) -> Result<OwnedFd, Errno> {
    let open = || openat(dir, name, DIRECTORY | OFlag::O_NOFOLLOW, Mode::empty());
    match open() {
        Err(Errno::ENOENT) if make => {}
        result => return result,
    }
    match as_owner(owner, || mkdirat(dir, name, PRIVATE)) {
        Ok(()) => give(dir, name, SFlag::S_IFDIR, owner)?,
        Err(Errno::EEXIST) => {}
        Err(errno) => return Err(errno),
    }
    open()
}
