//! Descriptors that refer to a directory or an entry while opening as little of it as the system allows, so that the entry
//! that is checked is the one that is changed. All differences between systems are here.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::unistd::{Gid, Uid};

/// Opens a directory in which entries are created, even one that may not be listed (open(2): O_PATH; on macOS O_SEARCH).
pub const DIRECTORY: OFlag = ENTER.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
const ENTER: OFlag = OFlag::O_PATH;
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
const ENTER: OFlag = OFlag::from_bits_retain(nix::libc::O_SEARCH);

/// Opens the entry itself, even a link (open(2): O_PATH; on macOS O_SYMLINK, which does open a file).
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
const ENTRY: OFlag = OFlag::O_PATH.union(OFlag::O_NOFOLLOW);
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
const ENTRY: OFlag = OFlag::from_bits_retain(nix::libc::O_SYMLINK).union(OFlag::O_NONBLOCK).union(OFlag::O_NOCTTY);

pub fn entry(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(dir, name, ENTRY | OFlag::O_CLOEXEC, Mode::empty())
}

/// Changes the owner of the entry.
pub fn give(held: &OwnedFd, (uid, gid): (Uid, Gid)) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    return nix::unistd::fchownat(held, "", Some(uid), Some(gid), nix::fcntl::AtFlags::AT_EMPTY_PATH);
    #[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
    return nix::unistd::fchown(held, Some(uid), Some(gid));
}
