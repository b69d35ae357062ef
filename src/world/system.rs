//! The machine itself as a [`World`]: the file system, the password database, `/proc`.
#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::unistd::{AccessFlags, faccessat};

use super::cache::Cache;
use super::file::{self, kind, stat};
use super::sealing::Sealing;
use super::{FileText, Kind, Stat, World};
use crate::environ::split;
use crate::sys::{self, passwd};

/// This machine. Each question about a path is asked once.
#[derive(Default)]
pub struct System {
    stats: Cache<Stat>,
    lstats: Cache<Stat>,
    canonicals: Cache<PathBuf>,
    texts: Cache<PathBuf>,
}

impl System {
    /// `realpath(3)` by way of the directories above, each of which is looked up once for everything in it. Not recursive: a
    /// path can have thousands of components.
    fn canonical_from_above(&self, path: &Path) -> io::Result<PathBuf> {
        let is_open = |path: &Path| matches!(path.components().next_back(), Some(Component::Normal(_)));
        let Some(parent) = path.parent().filter(|_| path.is_absolute() && is_open(path)) else {
            return fs::canonicalize(path);
        };
        let is_unknown = |above: &&Path| is_open(above) && !self.canonicals.knows(above);
        let unknown: Vec<_> = parent.ancestors().take_while(is_unknown).collect();
        let above = unknown.last().map_or(Some(parent), |last| last.parent()).unwrap_or(parent);
        let mut canonical = self.canonicals.get_or(above, || fs::canonicalize(above));
        for below in unknown.iter().rev() {
            canonical = canonical.and_then(|above| self.canonical_in(&above, below));
            self.canonicals.keep(below, &canonical);
        }
        self.canonical_in(&canonical?, path)
    }

    /// Resolves the last component of a path. `dir` is its directory, canonical.
    fn canonical_in(&self, dir: &Path, path: &Path) -> io::Result<PathBuf> {
        let path = dir.join(path.file_name().unwrap_or_default());
        match self.lstat(&path)?.kind {
            Kind::Link => fs::canonicalize(&path),
            _ => Ok(path),
        }
    }
}

/// `access(2)` for the effective uid, as `execve` and `mkdir` use it. EPERM counts as success: container engines returned it
/// for a system call they did not know (moby#41704), and `execve` and `mkdir` decide anyway.
fn access(path: &Path, mode: AccessFlags) -> io::Result<()> {
    match faccessat(AT_FDCWD, path, mode, AtFlags::AT_EACCESS) {
        Err(Errno::EPERM) => Ok(()),
        answer => answer.map_err(io::Error::from),
    }
}

impl World for System {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.stats.get_or(path, || match self.lstats.get(path) {
            Some(Ok(known)) if known.kind != Kind::Link => Ok(known),
            _ => fs::metadata(path).map(|meta| stat(&meta)),
        })
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.lstats.get_or(path, || fs::symlink_metadata(path).map(|meta| stat(&meta)))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        // File systems of macOS mostly ignore case, and only the system's own function returns a name as it is on disk.
        let asks_whole = cfg!(target_vendor = "apple");
        self.canonicals
            .get_or(path, || if asks_whole { fs::canonicalize(path) } else { self.canonical_from_above(path) })
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
        file::text(path, limit, true)
    }

    fn text_of_no_link(&self, path: &Path, limit: usize) -> FileText {
        file::text(path, limit, false)
    }

    fn has_acl(&self, path: &Path) -> bool {
        sys::has_acl(path)
    }

    fn head(&self, path: &Path, limit: usize) -> Vec<u8> {
        file::head(path, limit).unwrap_or_default()
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
        // An entry that has vanished since, or cannot be examined, does not count as a directory.
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

    fn own_program(&self) -> Option<PathBuf> {
        std::env::current_exe().ok()
    }

    fn cwd(&self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }

    fn now(&self) -> u64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn home_of(&self, uid: u32) -> Option<PathBuf> {
        passwd::home_of(uid)
    }

    fn home_of_user(&self, name: &OsStr) -> Option<PathBuf> {
        passwd::home_of_user(name)
    }
}
