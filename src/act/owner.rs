//! As whom entries are created. Root in a profile of another user creates them as that user, so that nothing is ever given
//! away, a place that is closed to that user refuses, and a kill in between leaves nothing of root's.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::sys::stat::SFlag;
use nix::unistd::{Gid, Uid};

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

/// What was created as the owner is the owner's.
#[cfg(target_os = "linux")]
pub fn give(_: &OwnedFd, _: &OsStr, _: SFlag, _: Owner) -> Result<(), Errno> {
    Ok(())
}

/// No thread has ids of its own for files here; what is created is given away by [`give`].
#[cfg(not(target_os = "linux"))]
pub fn as_owner<T, E: From<Errno>>(_: Owner, act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    act()
}

/// Gives away what was just created, by its descriptor where it can be opened, or takes it away again. The owner may have
/// exchanged it already for another entry of root's, which stays.
#[cfg(not(target_os = "linux"))]
pub fn give(dir: &OwnedFd, name: &OsStr, made: SFlag, owner: Owner) -> Result<(), Errno> {
    use nix::fcntl::{AtFlags, OFlag, openat};
    use nix::sys::stat::{Mode, fstat, fstatat};
    use nix::unistd::{UnlinkatFlags, fchown, fchownat, unlinkat};

    let Some((uid, gid)) = owner else { return Ok(()) };
    let is_directory = made == SFlag::S_IFDIR;
    let kind = |mode| SFlag::from_bits_truncate(mode) & SFlag::S_IFMT;
    let is_new =
        |stat: nix::sys::stat::FileStat| kind(stat.st_mode) == made && stat.st_uid == Uid::effective().as_raw();
    let given = if is_directory {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let held = openat(dir, name, flags, Mode::empty())?;
        if !is_new(fstat(&held)?) {
            return Err(Errno::ESTALE);
        }
        fchown(&held, Some(uid), Some(gid))
    } else {
        if !is_new(fstatat(dir, name, AtFlags::AT_SYMLINK_NOFOLLOW)?) {
            return Err(Errno::ESTALE);
        }
        fchownat(dir, name, Some(uid), Some(gid), AtFlags::AT_SYMLINK_NOFOLLOW)
    };
    given.inspect_err(|_| {
        let _ = unlinkat(dir, name, if is_directory { UnlinkatFlags::RemoveDir } else { UnlinkatFlags::NoRemoveDir });
    })
}
