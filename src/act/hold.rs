//! How a place in the file system is held: by a descriptor that opens as little of it as the system can do with, so that what
//! is looked at is what is then changed. All that differs between systems in that is here.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::unistd::{Gid, Uid};

/// A directory in which entries are created. To enter it one need not be allowed to list it, and on Linux and FreeBSD need not
/// ask (open(2): O_PATH; on macOS O_SEARCH).
pub const DIRECTORY: OFlag = ENTER.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
const ENTER: OFlag = OFlag::O_PATH;
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
const ENTER: OFlag = OFlag::from_bits_retain(nix::libc::O_SEARCH);

/// An entry itself, though it be a link (open(2): O_PATH; on macOS O_SYMLINK, which does open a file).
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
const ENTRY: OFlag = OFlag::O_PATH.union(OFlag::O_NOFOLLOW);
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
const ENTRY: OFlag = OFlag::from_bits_retain(nix::libc::O_SYMLINK).union(OFlag::O_NONBLOCK).union(OFlag::O_NOCTTY);

/// Holds an entry of a directory.
pub fn entry(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(dir, name, ENTRY | OFlag::O_CLOEXEC, Mode::empty())
}

/// Gives what is held to another owner.
pub fn give(held: &OwnedFd, (uid, gid): (Uid, Gid)) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    return nix::unistd::fchownat(held, "", Some(uid), Some(gid), nix::fcntl::AtFlags::AT_EMPTY_PATH);
    #[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
    return nix::unistd::fchown(held, Some(uid), Some(gid));
}
