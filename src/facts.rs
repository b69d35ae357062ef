//! The only reader of the outside: the process's own state, and, through [`Files`], directories, links, profile files and
//! the password database. It changes nothing, and decides nothing: the pure files ask it and conclude.

pub mod sealing;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::{AccessFlags, Gid, Uid, faccessat};

use crate::environ::{Environ, split};
use crate::message::reason;
use crate::sys::passwd;
use sealing::Sealing;

/// What kind of thing a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A device, FIFO or socket.
    Other,
}

/// What `stat(2)` tells of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Its kind.
    pub kind: Kind,
    /// Device and inode: the same for two paths exactly when they lead to the same thing.
    pub identity: (u64, u64),
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Permission bits.
    pub mode: u32,
}

/// What was read of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Its bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// It is longer than the limit.
    pub is_cut: bool,
    /// The file itself, as it was opened.
    pub stat: Stat,
}

/// A small file, perhaps read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// It was read.
    Read(Content),
    /// There is none.
    Missing,
    /// There is something that was not read, and why.
    Unreadable(String),
    /// Whether there is one is not known: no descriptor is free, for this process or on the machine. Why, in words.
    NoDescriptor(String),
}

/// Read-only questions to the file system, the password database and the kernel. Tests answer them from a table.
pub trait Files {
    /// `stat(2)`: follows links.
    fn stat(&self, path: &Path) -> io::Result<Stat>;
    /// `lstat(2)`: does not follow a link at the end.
    fn lstat(&self, path: &Path) -> io::Result<Stat>;
    /// `realpath(3)`.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
    /// The text of a link.
    fn link_text(&self, path: &Path) -> io::Result<PathBuf>;
    /// May the process create entries in this directory?
    fn writable(&self, path: &Path) -> io::Result<()>;
    /// May the process execute this file?
    fn executable(&self, path: &Path) -> io::Result<()>;
    /// The first bytes of a file, at most `limit` of them. Opens without blocking, and only a regular file.
    fn text(&self, path: &Path, limit: usize) -> Text;
    /// The names in a directory, sorted; empty when it cannot be read.
    fn names(&self, path: &Path) -> Vec<OsString>;
    /// The names in a directory, sorted, and what each is without following a link.
    fn entries(&self, path: &Path) -> io::Result<Vec<(OsString, Kind)>>;
    /// What a seal depends on.
    fn sealing(&self) -> Sealing;
    /// The names in the environment of the parent process, where they can be read.
    fn parent_names(&self) -> Option<HashSet<Vec<u8>>>;
    /// The home directory that the password database gives to a uid.
    fn home_of(&self, uid: u32) -> Option<PathBuf>;
    /// The home directory that the password database gives to a login name.
    fn home_of_user(&self, name: &OsStr) -> Option<PathBuf>;
}

/// Is there nothing of that name?
pub fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    [Errno::EMFILE, Errno::ENFILE].iter().any(|&errno| error.raw_os_error() == Some(errno as i32))
}

/// All that is known before anything is decided.
pub struct Facts<'a> {
    /// The inherited environment block.
    pub environ: &'a Environ,
    /// Effective uid.
    pub uid: u32,
    /// Effective gid.
    pub gid: u32,
    /// The base name of our own `argv[0]`.
    pub own_name: Vec<u8>,
    /// The file system.
    pub files: &'a dyn Files,
}

impl<'a> Facts<'a> {
    /// The facts of this process.
    pub fn gather(environ: &'a Environ, own_name: &OsStr, files: &'a dyn Files) -> Self {
        Self {
            environ,
            uid: Uid::effective().as_raw(),
            gid: Gid::effective().as_raw(),
            own_name: Path::new(own_name).file_name().unwrap_or_default().as_bytes().to_owned(),
            files,
        }
    }
}

/// The process's id, which the command keeps.
pub fn own_pid() -> u32 {
    std::process::id()
}

/// Do set-up findings have a reader: is standard error a terminal?
pub fn is_watched() -> bool {
    io::IsTerminal::is_terminal(&io::stderr())
}

/// Does a person read standard output?
pub fn is_terminal() -> bool {
    io::IsTerminal::is_terminal(&io::stdout())
}

/// A terminal, and nobody said no (`NO_COLOR`, and a terminal without any).
pub fn wants_colour(environ: &Environ) -> bool {
    is_terminal() && environ.given(b"NO_COLOR").is_none() && environ.get(b"TERM") != Some(b"dumb")
}

/// The machine's own file system and password database. Each question about a path is asked once: a plan is made of one
/// view of the world, and most of its questions are about neighbours.
#[derive(Default)]
pub struct System {
    stats: Known<Stat>,
    lstats: Known<Stat>,
    canonicals: Known<PathBuf>,
    texts: Known<PathBuf>,
}

/// Answers by path; an error is kept as its number. A path is compared as one text, which costs less than by its parts or
/// by a hash.
struct Known<T>(RefCell<BTreeMap<OsString, Result<T, i32>>>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Known<T> {
    fn get_or(&self, path: &Path, ask: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if let Some(known) = self.0.borrow().get(path.as_os_str()) {
            return known.clone().map_err(io::Error::from_raw_os_error);
        }
        let answer = ask();
        let kept = answer.as_ref().map(T::clone).map_err(|error| error.raw_os_error().unwrap_or_default());
        self.0.borrow_mut().insert(path.into(), kept);
        answer
    }
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
            // It is there, and no link.
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
fn access(path: &Path, mode: AccessFlags) -> nix::Result<()> {
    faccessat(AT_FDCWD, path, mode, AtFlags::AT_EACCESS)
}

impl Files for System {
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
        access(path, AccessFlags::W_OK | AccessFlags::X_OK).map_err(io::Error::from)
    }

    fn executable(&self, path: &Path) -> io::Result<()> {
        access(path, AccessFlags::X_OK).map_err(io::Error::from)
    }

    fn text(&self, path: &Path, limit: usize) -> Text {
        let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
        let read = || -> io::Result<Option<Content>> {
            let mut file = fs::OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
            let meta = file.metadata()?;
            if !meta.is_file() {
                return Ok(None);
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
            Ok(Some(Content { is_cut: length > limit, bytes, stat: stat(&meta) }))
        };
        match read() {
            Ok(Some(content)) => Text::Read(content),
            Ok(None) => Text::Unreadable("not a regular file".into()),
            Err(error) if is_missing(&error) => Text::Missing,
            Err(error) if is_out_of_descriptors(&error) => Text::NoDescriptor(reason(&error)),
            Err(error) => Text::Unreadable(reason(&error)),
        }
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
