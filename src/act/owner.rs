//! The ids with which entries are created. In another user's profile root creates them as that user: the owner never has to
//! be changed afterwards, a directory that is closed to that user stays closed, and a kill leaves nothing owned by root.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::sys::stat::{SFlag, fstat};
use nix::unistd::{Gid, Uid, UnlinkatFlags, unlinkat};

use super::hold;

/// The owner and group of the profile, if we run as root and it belongs to another user.
pub type Owner = Option<(Uid, Gid)>;

/// Runs `act` with the owner's ids. They apply to this thread's file access only (setfsuid(2)), so that no other process
/// gains the right to signal or trace this one. Root's supplementary groups are dropped for that time, since root's group
/// would open what is closed to the owner; the owner's own groups are not looked up, so that a place open to one of those
/// only stays closed. Changing these ids clears the parent-death signal (PR_SET_PDEATHSIG(2const)), which is set again.
/// Errors: EPERM if the ids cannot be changed, and those of `act`.
///
/// # Panics
/// If the caller's own ids cannot be restored: nothing may be started with other ids.
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
    // A second attempt, since memory may be short for a moment (setgroups(2), ENOMEM).
    let own_ids = (0..2).any(|_| take_on(Uid::effective(), Gid::effective()));
    let own_groups = groups.is_empty() || (0..2).any(|_| setgroups(&groups).is_ok());
    let own_signal = death_signal.is_none() || set_pdeathsig(death_signal).is_ok();
    assert!(own_ids && own_groups && own_signal, "the caller's own ids cannot be restored");
    result
}

/// Both calls return the previous id, whether or not they took effect; a second call shows the result.
#[cfg(target_os = "linux")]
fn take_on(uid: Uid, gid: Gid) -> bool {
    use nix::unistd::{setfsgid, setfsuid};

    setfsgid(gid);
    setfsuid(uid);
    setfsgid(gid) == gid && setfsuid(uid) == uid
}

/// Without such ids per thread, entries are created by the caller, and [`give`] changes their owner.
#[cfg(not(target_os = "linux"))]
pub fn as_owner<T, E: From<Errno>>(_: Owner, act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    act()
}

/// On Linux a new entry belongs to the owner already; elsewhere see [`give_away`].
pub fn give(dir: &OwnedFd, name: &OsStr, made: SFlag, owner: Owner) -> Result<(), Errno> {
    match owner {
        Some(ids) if cfg!(not(target_os = "linux")) => give_away(dir, name, made, ids),
        _ => Ok(()),
    }
}

/// Changes the owner of an entry that the caller has just created, by its descriptor, or else removes it. The directory's
/// owner may already have exchanged it for another entry of the caller's, which stays.
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
