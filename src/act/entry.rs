//! One name in an open directory: a link is created there, exchanged for another, or taken away. Other processes may do what
//! they like there meanwhile: what turns out not to be a link of ours goes back to its place, and no file is ever removed or
//! replaced. Only what stands under a name of our own is removed, and only after a look at it there.
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

/// So many names for a temporary are tried, and so many times something is put back.
const ATTEMPTS: u32 = 100;

pub enum Trouble {
    Call(Errno),
    /// The file system knows neither of the two renames: nothing was touched.
    CannotExchange,
    /// Something of the user's that could not go back to its place, under this name beside it.
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
            Self::CannotExchange => "this file system cannot exchange two names, so nothing was touched".to_owned(),
            Self::Kept(name) => {
                format!("what was saved there meanwhile is kept beside it, as {}", escaped(name.as_encoded_bytes()))
            }
        }
    }

    /// Something else stands there, and was left alone.
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Call(Errno::EEXIST))
    }
}

/// Errors: EEXIST when anything stands there.
pub fn create(dir: &OwnedFd, name: &OsStr, target: &Path, owner: Owner) -> Result<(), Errno> {
    symlinkat(target, dir, name)?;
    give(dir, name, SFlag::S_IFLNK, owner)
}

/// Puts a link in the place of another. Errors: ENOENT when nothing stands there, EEXIST when something else does.
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
        // What is not removed for an error is a temporary, and removed by a later run.
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

/// Removes a link whose text `is_ours`. False: nothing stands there, or something else, which stays.
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

/// Removes the links that processes left under a temporary's name and that are dead by now. Such a process could also belong
/// to another container with the same directory, and be alive: what has become of its temporary meanwhile goes back. Returns
/// the names of what is not a link, and stays: something of a user's that such a process was about to put back.
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

/// The form of [`temporary_name`], of a process that is gone.
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

/// Creates the link under a name that is free. What has a name already may be anybody's, and stays.
fn create_temporary(dir: &OwnedFd, target: &Path, owner: Owner) -> Result<OsString, Errno> {
    for name in (0..ATTEMPTS).map(temporary_name) {
        match create(dir, &name, target, owner) {
            Err(Errno::EEXIST) => {}
            result => return result.map(|()| name),
        }
    }
    Err(Errno::EEXIST)
}

/// Gives an entry a name of ours that is free; none when it is gone.
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

/// Gives an entry its name back. A link of ours that stands there goes. What else has come there is newer and stays, and the
/// entry keeps the name that it has.
fn put_back(dir: &OwnedFd, aside: OsString, name: &OsStr, is_ours: &dyn Fn(&OsStr) -> bool) -> Result<(), Trouble> {
    for _ in 0..ATTEMPTS {
        match move_to_free(dir, &aside, name) {
            // Gone: another process has moved it elsewhere.
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
        // A link can be made again.
        Ok(_) => Ok(unlinkat(dir, aside.as_os_str(), UnlinkatFlags::NoRemoveDir)?),
        Err(Errno::ENOENT) => Ok(()),
        Err(_) => Err(Trouble::Kept(aside)),
    }
}

/// Exchanges two names in one step. Kernels of Linux before 3.15 and some file systems (NFS) do not know it.
fn exchange(dir: &OwnedFd, one: &OsStr, other: &OsStr) -> Result<(), Trouble> {
    rename_by(dir, one, other, Flag::Exchange)
}

/// Renames where the new name is free.
fn move_to_free(dir: &OwnedFd, name: &OsStr, free: &OsStr) -> Result<(), Trouble> {
    rename_by(dir, name, free, Flag::ToFree)
}

fn rename_by(dir: &OwnedFd, from: &OsStr, to: &OsStr, flag: Flag) -> Result<(), Trouble> {
    rename(dir, from, to, flag).map_err(|errno| match errno {
        Errno::EINVAL | Errno::ENOSYS | Errno::ENOTSUP => Trouble::CannotExchange,
        errno => errno.into(),
    })
}
