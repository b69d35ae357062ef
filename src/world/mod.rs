//! READ: the only place that reads the machine: the process's own state and, through [`World`], directories, links, files,
//! the password database and the kernel. It changes nothing and decides nothing; `plan/` asks and decides.
#![forbid(unsafe_code)]

mod cache;
pub mod facts;
mod file;
pub mod place;
pub mod sealing;
pub mod settings;
pub mod system;
pub mod which;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::unistd::Gid;

use crate::environ::Environ;
use facts::Facts;
use sealing::Sealing;
use settings::Settings;

/// `active_profile`, `.env`, `config.yaml` and a policy file are read up to this many bytes.
pub const FILE_LIMIT: usize = 1 << 20;

/// The kernel's limit for a path, including the NUL (path_resolution(7)).
pub const PATH_MAX: usize = nix::libc::PATH_MAX as usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Directory,
    File,
    Link,
    /// A device, FIFO or socket.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub kind: Kind,
    /// Device and inode: equal for two paths exactly if they refer to the same file.
    pub identity: (u64, u64),
    pub uid: u32,
    pub gid: u32,
    pub mode: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileText {
    Found {
        /// Up to the limit.
        bytes: Vec<u8>,
        is_cut: bool,
        /// The file itself, as it was opened.
        stat: Stat,
    },
    Missing,
    /// Not a regular file, or not readable by us: why.
    Unreadable(String),
    /// A symlink, where none is followed.
    Link,
    /// Its content, or whether it exists, is unknown (EIO, ELOOP, no free descriptor): why.
    Failed(String),
}

/// Questions to the file system, the password database and the kernel, none of which changes anything. Tests answer them
/// from a table.
pub trait World {
    /// `stat(2)`: follows links.
    fn stat(&self, path: &Path) -> io::Result<Stat>;
    /// `lstat(2)`: does not follow a link at the end.
    fn lstat(&self, path: &Path) -> io::Result<Stat>;
    /// `realpath(3)`.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
    fn link_text(&self, path: &Path) -> io::Result<PathBuf>;
    /// May the process create entries in this directory?
    fn writable(&self, path: &Path) -> io::Result<()>;
    fn executable(&self, path: &Path) -> io::Result<()>;
    /// The first bytes of a regular file, at most `limit`. Anything else is not opened.
    fn text(&self, path: &Path, limit: usize) -> FileText;
    /// The content of a file or pipe, at most `limit` bytes. Blocks until the end.
    fn stream(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>>;
    /// As [`World::text`], but does not follow a link at the end of the path.
    fn text_of_no_link(&self, path: &Path, limit: usize) -> FileText;
    /// Does a file have an access control list? False if that cannot be determined.
    fn has_acl(&self, _: &Path) -> bool {
        false
    }
    /// The first bytes, at most `limit`, of a file that `stat` has just shown to be regular; empty if it cannot be read.
    fn head(&self, path: &Path, limit: usize) -> Vec<u8>;
    /// The names in a directory, sorted; empty if it cannot be read.
    fn names(&self, path: &Path) -> Vec<OsString>;
    /// The names in a directory, sorted, and the kind of each; links are not followed.
    fn entries(&self, path: &Path) -> io::Result<Vec<(OsString, Kind)>>;
    fn sealing(&self) -> Sealing;
    /// The names in the parent process's environment, if that can be read.
    fn parent_names(&self) -> Option<HashSet<Vec<u8>>>;
    /// The program that this process runs, where that is known.
    fn own_program(&self) -> Option<PathBuf> {
        None
    }
    /// The working directory, canonical.
    fn cwd(&self) -> Option<PathBuf>;
    /// Milliseconds since 1970.
    fn now(&self) -> u64;
    /// The home directory of a uid in the password database.
    fn home_of(&self, uid: u32) -> Option<PathBuf>;
    /// The home directory of a login name in the password database.
    fn home_of_user(&self, name: &OsStr) -> Option<PathBuf>;
    fn facts(&self) -> &'static Facts {
        facts::THIS
    }
}

pub fn is_directory(world: &dyn World, path: &Path) -> bool {
    world.stat(path).is_ok_and(|stat| stat.kind == Kind::Directory)
}

pub fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// Everything that is known before anything is decided.
pub struct Input<'a> {
    pub environ: &'a Environ,
    pub settings: Settings<'a>,
    /// The effective uid.
    pub uid: u32,
    /// The base name of our own `argv[0]`.
    pub own_name: Vec<u8>,
    pub world: &'a dyn World,
}

impl<'a> Input<'a> {
    /// The effective gid. Few starts need it.
    pub fn gid(&self) -> u32 {
        Gid::effective().as_raw()
    }

    /// The process id, which the command keeps. Few starts need it.
    pub fn pid(&self) -> u32 {
        std::process::id()
    }

    pub fn gather(environ: &'a Environ, own_name: &OsStr, world: &'a dyn World) -> Self {
        Self {
            environ,
            settings: Settings::read(environ),
            uid: crate::sys::effective_uid(),
            own_name: Path::new(own_name).file_name().unwrap_or_default().as_bytes().to_owned(),
            world,
        }
    }
}
