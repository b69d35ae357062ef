//! One name in an open directory: creates, replaces or removes a link there. Other processes may change the directory at any
//! time: what turns out not to be one of our links is put back, and no file is ever removed or replaced. An entry is removed
//! only under a temporary name of ours, and only after it has been checked there.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{OFlag, readlinkat};
use nix::sys::stat::{Mode, SFlag};
use nix::unistd::{Pid, UnlinkatFlags, getpgid, symlinkat, unlinkat};

use super::owner::{Owner, give};
use crate::sys::rename::{Flag, rename};
use crate::text::escaped;

/// How many temporary names are tried, and how often an entry is put back.
const ATTEMPTS: u32 = 100;

pub enum Trouble {
    Call(Errno),
    /// The file system supports neither of the two renames: nothing was changed.
    CannotExchange,
    /// A file of the user's could not be put back, and is next to its place under this name.
    Kept(OsString),
}

impl From<Errno> for Trouble {
    fn from(errno: Errno) -> Self {
        Self::Call(errno)
    }
}

impl Trouble {
    pub fn words(&self) -> String {
        match self {
            Self::Call(errno) => errno.desc().to_owned(),
            Self::CannotExchange => "this file system cannot exchange two names, so nothing was changed".to_owned(),
            Self::Kept(name) => {
                format!(
                    "the file that was saved there meanwhile is kept next to it as {}",
                    escaped(name.as_encoded_bytes())
                )
            }
        }
    }

    /// Something else exists there, and was left alone.
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Call(Errno::EEXIST))
    }
}

/// Creates a link. Errors: EEXIST if anything exists there.
pub fn create(dir: &OwnedFd, name: &OsStr, target: &Path, owner: Owner) -> Result<(), Errno> {
    symlinkat(target, dir, name)?;
    give(dir, name, SFlag::S_IFLNK, owner)
}

/// Replaces a link. Errors: ENOENT if nothing exists there, EEXIST if something other than a link does.
pub fn replace(dir: &OwnedFd, name: &OsStr, target: &Path, owner: Owner) -> Result<(), Trouble> {
    let seen = match readlinkat(dir, name) {
        Err(Errno::EINVAL) => return Err(Errno::EEXIST.into()),
        text => text?,
    };
    let temporary = create_temporary(dir, target, owner)?;
    if let Err(trouble) = exchange(dir, &temporary, name) {
        let _ = unlinkat(dir, temporary.as_os_str(), UnlinkatFlags::NoRemoveDir);
        return Err(trouble);
    }
    match readlinkat(dir, temporary.as_os_str()) {
        // If this fails, the temporary is removed by a later run.
        Ok(text) if text == seen || text == target.as_os_str() => {
            let _ = unlinkat(dir, temporary.as_os_str(), UnlinkatFlags::NoRemoveDir);
            Ok(())
        }
        Err(Errno::ENOENT) => Ok(()),
        _ => {
            put_back(dir, temporary, name, &|text| text == target.as_os_str())?;
            Err(Errno::EEXIST.into())
        }
    }
}

/// Removes a link whose text `is_ours`. False: nothing exists there, or something else, which stays.
pub fn take_away(dir: &OwnedFd, name: &OsStr, is_ours: &dyn Fn(&OsStr) -> bool) -> Result<bool, Trouble> {
    let Some(aside) = move_aside(dir, name)? else { return Ok(false) };
    match readlinkat(dir, aside.as_os_str()) {
        Ok(text) if is_ours(&text) => match unlinkat(dir, aside.as_os_str(), UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => Ok(true),
            Err(errno) => {
                put_back(dir, aside, name, is_ours)?;
                Err(errno.into())
            }
        },
        Err(Errno::ENOENT) => Ok(false),
        _ => put_back(dir, aside, name, is_ours).map(|()| false),
    }
}

/// Removes temporary links left by processes that have died. Such a process may in fact be alive, in another container that
/// shares the directory: if its temporary has changed meanwhile, it is put back. Returns the names of entries that are not
/// links and stay: files of the user's that such a process was about to put back.
pub fn sweep(dir: &OwnedFd) -> Vec<OsString> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let Ok(mut list) = Dir::openat(dir, ".", flags, Mode::empty()) else { return Vec::new() };
    let names = list.iter().flatten().map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    let left: Vec<OsString> = names.filter(|name| is_of_dead_process(name)).collect();
    left.into_iter()
        .filter(|name| match readlinkat(dir, name.as_os_str()) {
            Ok(_) => take_away(dir, name, &|_| true).is_err(),
            Err(errno) => errno == Errno::EINVAL,
        })
        .collect()
}

/// Does the name have the form of [`temporary_name`], with the id of a process that no longer exists?
fn is_of_dead_process(name: &OsStr) -> bool {
    let parts = || name.to_str()?.strip_prefix(".hermes-exec.")?.strip_suffix(".tmp")?.split_once('.');
    let Some((pid, number)) = parts() else { return false };
    match (pid.parse(), number.parse::<u32>()) {
        (Ok(pid), Ok(_)) if pid > 0 => getpgid(Some(Pid::from_raw(pid))) == Err(Errno::ESRCH),
        _ => false,
    }
}

fn temporary_name(number: u32) -> OsString {
    format!(".hermes-exec.{}.{number}.tmp", std::process::id()).into()
}

/// Creates the link under a free temporary name. Existing entries may belong to anyone, and stay.
fn create_temporary(dir: &OwnedFd, target: &Path, owner: Owner) -> Result<OsString, Errno> {
    for name in (0..ATTEMPTS).map(temporary_name) {
        match create(dir, &name, target, owner) {
            Err(Errno::EEXIST) => {}
            result => return result.map(|()| name),
        }
    }
    Err(Errno::EEXIST)
}

/// Renames an entry to a free temporary name; `None` if it no longer exists.
fn move_aside(dir: &OwnedFd, name: &OsStr) -> Result<Option<OsString>, Trouble> {
    for aside in (0..ATTEMPTS).map(temporary_name) {
        match move_to_free(dir, name, &aside) {
            Ok(()) => return Ok(Some(aside)),
            Err(Trouble::Call(Errno::ENOENT)) => return Ok(None),
            Err(Trouble::Call(Errno::EEXIST)) => {}
            Err(trouble) => return Err(trouble),
        }
    }
    Err(Errno::EEXIST.into())
}

/// Renames an entry back. A link of ours that exists there is removed. Anything else there is newer and stays, and the entry
/// keeps its temporary name.
fn put_back(dir: &OwnedFd, aside: OsString, name: &OsStr, is_ours: &dyn Fn(&OsStr) -> bool) -> Result<(), Trouble> {
    for _ in 0..ATTEMPTS {
        match move_to_free(dir, &aside, name) {
            // ENOENT: another process has moved it elsewhere.
            Ok(()) | Err(Trouble::Call(Errno::ENOENT)) => return Ok(()),
            Err(Trouble::Call(Errno::EEXIST)) => {}
            Err(_) => break,
        }
        match exchange(dir, &aside, name) {
            Ok(()) => {}
            Err(Trouble::Call(Errno::ENOENT)) => continue,
            Err(_) => break,
        }
        match readlinkat(dir, aside.as_os_str()) {
            Ok(text) if is_ours(&text) => {
                let _ = unlinkat(dir, aside.as_os_str(), UnlinkatFlags::NoRemoveDir);
                return Ok(());
            }
            Err(Errno::ENOENT) => return Ok(()),
            _ => {
                let _ = exchange(dir, &aside, name);
                break;
            }
        }
    }
    match readlinkat(dir, aside.as_os_str()) {
        // A link can be recreated.
        Ok(_) => Ok(unlinkat(dir, aside.as_os_str(), UnlinkatFlags::NoRemoveDir)?),
        Err(Errno::ENOENT) => Ok(()),
        Err(_) => Err(Trouble::Kept(aside)),
    }
}

/// Exchanges two names atomically. Not supported by Linux before 3.15 and by some file systems (NFS).
fn exchange(dir: &OwnedFd, one: &OsStr, other: &OsStr) -> Result<(), Trouble> {
    rename_by(dir, one, other, Flag::Exchange)
}

/// Renames, if the new name is free.
fn move_to_free(dir: &OwnedFd, name: &OsStr, free: &OsStr) -> Result<(), Trouble> {
    rename_by(dir, name, free, Flag::ToFree)
}

fn rename_by(dir: &OwnedFd, from: &OsStr, to: &OsStr, flag: Flag) -> Result<(), Trouble> {
    rename(dir, from, to, flag).map_err(|errno| match errno {
        Errno::EINVAL | Errno::ENOSYS | Errno::ENOTSUP => Trouble::CannotExchange,
        errno => errno.into(),
    })
}
