//! The text of a file. Its type is checked before it is opened for reading: opening a FIFO wakes its writer, and opening a
//! device can rewind a tape or start a watchdog.
#![forbid(unsafe_code)]

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;

use super::{FileText, Kind, Stat, is_missing};
use crate::text::os_message;

/// The first bytes of a regular file, at most `limit` of them.
pub(super) fn text(path: &Path, limit: usize, follows: bool) -> FileText {
    read(path, limit, follows).unwrap_or_else(|error| match error.kind() {
        _ if is_missing(&error) => FileText::Missing,
        io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied => FileText::Unreadable(os_message(&error)),
        _ => FileText::Failed(os_message(&error)),
    })
}

/// The first bytes of a file known to be regular. Never blocks, even if something else has replaced it meanwhile.
pub(super) fn head(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; limit];
    let filled = fill(&mut for_reading(OFlag::empty()).open(path)?, &mut bytes)?;
    bytes.truncate(filled);
    Ok(bytes)
}

fn read(path: &Path, limit: usize, follows: bool) -> io::Result<FileText> {
    let links = if follows { OFlag::empty() } else { OFlag::O_NOFOLLOW };
    let (place, meta) = look(path, links)?;
    if meta.is_symlink() {
        return Ok(FileText::Link);
    }
    if !meta.is_file() {
        return Ok(FileText::Unreadable("not a regular file".into()));
    }
    let length = usize::try_from(meta.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(limit)];
    if length > 0 {
        let mut file = open(place, path, links, &meta)?;
        let filled = fill(&mut file, &mut bytes)?;
        bytes.truncate(filled);
    }
    Ok(FileText::Found { is_cut: length > limit, bytes, stat: stat(&meta) })
}

/// The metadata of a path, and on Linux a descriptor that refers to it without opening it (open(2), O_PATH).
#[cfg(target_os = "linux")]
fn look(path: &Path, links: OFlag) -> io::Result<(Option<File>, Metadata)> {
    // musl counts O_PATH as an access mode, which `OpenOptions` masks out of custom flags.
    let open = || nix::fcntl::open(path, OFlag::O_PATH | OFlag::O_CLOEXEC | links, nix::sys::stat::Mode::empty());
    let place: File = loop {
        match open() {
            Err(Errno::EINTR) => {}
            result => break result?.into(),
        }
    };
    let meta = place.metadata()?;
    Ok((Some(place), meta))
}

#[cfg(not(target_os = "linux"))]
fn look(path: &Path, links: OFlag) -> io::Result<(Option<File>, Metadata)> {
    Ok((None, if links.is_empty() { fs::metadata(path)? } else { fs::symlink_metadata(path)? }))
}

/// Opens the file that `look` saw, and no other that has replaced it meanwhile: by its descriptor (proc_pid_fd(5)) or,
/// without a descriptor or `/proc`, by its path and a second check.
fn open(place: Option<File>, path: &Path, links: OFlag, seen: &Metadata) -> io::Result<File> {
    let held = place.map(|place| for_reading(OFlag::empty()).open(format!("/proc/self/fd/{}", place.as_raw_fd())));
    match held {
        Some(Err(error)) if is_missing(&error) => {}
        Some(held) => return held,
        None => {}
    }
    let file = for_reading(links).open(path)?;
    let meta = file.metadata()?;
    if (meta.dev(), meta.ino()) == (seen.dev(), seen.ino()) { Ok(file) } else { Err(Errno::ESTALE.into()) }
}

/// Waits neither for a writer nor for the holder of a lease (F_SETLEASE(2const)).
fn for_reading(links: OFlag) -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY | links).bits());
    options
}

fn fill(file: &mut File, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

pub(super) fn kind(file_type: fs::FileType) -> Kind {
    match file_type {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_file() => Kind::File,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    }
}

pub(super) fn stat(meta: &fs::Metadata) -> Stat {
    let kind = kind(meta.file_type());
    Stat { kind, identity: (meta.dev(), meta.ino()), uid: meta.uid(), gid: meta.gid(), mode: meta.mode() & 0o7777 }
}
