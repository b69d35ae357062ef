//! As whom entries are created. Root in a profile of another user creates them as that user, so that nothing is ever given
//! away, a place that is closed to that user refuses, and a kill in between leaves nothing of root's.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::sys::stat::{SFlag, fstat};
use nix::unistd::{Gid, Uid, UnlinkatFlags, unlinkat};

use super::hold;

/// The owner and group of the profile, where we run as root and they are somebody else's.
pub type Owner = Option<(Uid, Gid)>;

/// Does something to the file system with the owner's ids. They are this thread's, and nothing but access to files goes by
/// them (setfsuid(2)): nobody may signal or trace the process who could not before. Root's supplementary groups are laid off
/// too, or else root's group would open what is closed to the owner; the owner's own ones are not looked up, so that what is
/// open to one of those alone refuses. A change of these ids clears the parent-death signal (PR_SET_PDEATHSIG(2const)), which
/// is set again. Errors: EPERM where the ids cannot be taken on; and those of `act`.
///
/// # Panics
/// When the caller's own ids do not come back: nothing may be started with others.
#[cfg(target_os = "linux")]
pub fn as_owner<T, E: From<Errno>>(owner: Owner, act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    use nix::sys::prctl::{get_pdeathsig, set_pdeathsig};
    use nix::unistd::{getgroups, setgroups};

    let Some((uid, gid)) = owner else { return act() };
    let (groups, death_signal) = (getgroups()?, get_pdeathsig()?);
    if !groups.is_empty() {
        setgroups(&[])?;
    }
    let result = if take_on(uid, gid) { act() } else { Err(Errno::EPERM.into()) };
    // Memory may be short for a moment (setgroups(2), ENOMEM).
    let own_ids = (0..2).any(|_| take_on(Uid::effective(), Gid::effective()));
    let own_groups = groups.is_empty() || (0..2).any(|_| setgroups(&groups).is_ok());
    let own_signal = death_signal.is_none() || set_pdeathsig(death_signal).is_ok();
    assert!(own_ids && own_groups && own_signal, "the caller's own ids do not come back");
    result
}

/// Both calls return the id before, whether or not they took effect: a second one tells.
#[cfg(target_os = "linux")]
fn take_on(uid: Uid, gid: Gid) -> bool {
    use nix::unistd::{setfsgid, setfsuid};

    setfsgid(gid);
    setfsuid(uid);
    setfsgid(gid) == gid && setfsuid(uid) == uid
}

/// No thread has ids of its own for files here; what is created is given away by [`give`].
#[cfg(not(target_os = "linux"))]
pub fn as_owner<T, E: From<Errno>>(_: Owner, act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    act()
}

/// What was created on Linux is the owner's already. Elsewhere see [`give_away`].
pub fn give(dir: &OwnedFd, name: &OsStr, made: SFlag, owner: Owner) -> Result<(), Errno> {
    match owner {
        Some(ids) if cfg!(not(target_os = "linux")) => give_away(dir, name, made, ids),
        _ => Ok(()),
    }
}

/// Gives away what the caller has just created, by a hold on it, or takes it away again. The owner of the directory may have
/// exchanged it already for another entry of the caller's, which stays.
pub fn give_away(dir: &OwnedFd, name: &OsStr, made: SFlag, owner: (Uid, Gid)) -> Result<(), Errno> {
    let held = hold::entry(dir, name)?;
    let stat = fstat(&held)?;
    let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
    if kind != made || stat.st_uid != Uid::effective().as_raw() {
        return Err(Errno::ESTALE);
    }
    hold::give(&held, owner).inspect_err(|_| {
        let is_directory = made == SFlag::S_IFDIR;
        let how = if is_directory { UnlinkatFlags::RemoveDir } else { UnlinkatFlags::NoRemoveDir };
        let _ = unlinkat(dir, name, how);
    })
}
