//! The machine itself as a [`World`]: the file system, the password database, `/proc`.
#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::{AccessFlags, faccessat};

use super::cache::Cache;
use super::sealing::Sealing;
use super::{FileText, Kind, Stat, World, is_missing};
use crate::environ::split;
use crate::sys::passwd;
use crate::text::os_message;

/// This machine. Each question about a path is asked once.
#[derive(Default)]
pub struct System {
    stats: Cache<Stat>,
    lstats: Cache<Stat>,
    canonicals: Cache<PathBuf>,
    texts: Cache<PathBuf>,
}

impl System {
    /// `realpath(3)` by way of the parent directory, which is looked up once for all that is in it.
    fn canonical_below_parent(&self, path: &Path) -> io::Result<PathBuf> {
        let (Some(parent), Some(Component::Normal(name))) = (path.parent(), path.components().next_back()) else {
            return fs::canonicalize(path);
        };
        if !path.is_absolute() {
            return fs::canonicalize(path);
        }
        let path = self.canonical(parent)?.join(name);
        match self.link_text(&path) {
            // It exists, and is not a link.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(path),
            Err(error) => Err(error),
            Ok(_) => fs::canonicalize(&path),
        }
    }
}

fn kind(file_type: fs::FileType) -> Kind {
    match file_type {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_file() => Kind::File,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    }
}

fn stat(meta: &fs::Metadata) -> Stat {
    let kind = kind(meta.file_type());
    Stat { kind, identity: (meta.dev(), meta.ino()), uid: meta.uid(), gid: meta.gid(), mode: meta.mode() & 0o7777 }
}

/// `access(2)` for the effective uid, which is the one that `execve` and `mkdir` go by.
fn access(path: &Path, mode: AccessFlags) -> io::Result<()> {
    faccessat(AT_FDCWD, path, mode, AtFlags::AT_EACCESS).map_err(io::Error::from)
}

fn read(path: &Path, limit: usize) -> io::Result<FileText> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let mut file = fs::OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Ok(FileText::Unreadable("not a regular file".into()));
    }
    let length = usize::try_from(meta.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(limit)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(FileText::Found { is_cut: length > limit, bytes, stat: stat(&meta) })
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    [Errno::EMFILE, Errno::ENFILE].iter().any(|&errno| error.raw_os_error() == Some(errno as i32))
}

impl World for System {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.stats.get_or(path, || fs::metadata(path).map(|meta| stat(&meta)))
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.lstats.get_or(path, || fs::symlink_metadata(path).map(|meta| stat(&meta)))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.canonicals.get_or(path, || self.canonical_below_parent(path))
    }

    fn link_text(&self, path: &Path) -> io::Result<PathBuf> {
        self.texts.get_or(path, || fs::read_link(path))
    }

    fn writable(&self, path: &Path) -> io::Result<()> {
        access(path, AccessFlags::W_OK | AccessFlags::X_OK)
    }

    fn executable(&self, path: &Path) -> io::Result<()> {
        access(path, AccessFlags::X_OK)
    }

    fn text(&self, path: &Path, limit: usize) -> FileText {
        match read(path, limit) {
            Ok(text) => text,
            Err(error) if is_missing(&error) => FileText::Missing,
            Err(error) if is_out_of_descriptors(&error) => FileText::NoDescriptor(os_message(&error)),
            Err(error) => FileText::Unreadable(os_message(&error)),
        }
    }

    fn stream(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(limit as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn names(&self, path: &Path) -> Vec<OsString> {
        let mut names: Vec<_> =
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }

    fn entries(&self, path: &Path) -> io::Result<Vec<(OsString, Kind)>> {
        // What has vanished since, or cannot be examined, is not taken for a directory.
        let entry = |entry: fs::DirEntry| (entry.file_name(), entry.file_type().map_or(Kind::Other, kind));
        let mut entries: Vec<_> = fs::read_dir(path)?.map(|found| found.map(entry)).collect::<io::Result<_>>()?;
        entries.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        Ok(entries)
    }

    fn sealing(&self) -> Sealing {
        Sealing::gather()
    }

    fn parent_names(&self) -> Option<HashSet<Vec<u8>>> {
        let block = fs::read(format!("/proc/{}/environ", std::os::unix::process::parent_id())).ok()?;
        Some(block.split(|&byte| byte == 0).filter_map(split).map(|(name, _)| name.to_vec()).collect())
    }

    fn home_of(&self, uid: u32) -> Option<PathBuf> {
        passwd::home_of(uid)
    }

    fn home_of_user(&self, name: &OsStr) -> Option<PathBuf> {
        passwd::home_of_user(name)
    }
}
