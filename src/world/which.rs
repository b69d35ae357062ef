//! The crate `which` on a [`World`], for programs outside the command's own PATH. The crate's own view of the machine asks
//! glibc for a home directory, which in a static program adds 170 KB of name services, and crashes if those do not match the
//! host (see `sys.rs`). No path here starts with a tilde.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use which::WhichConfig;
use which::sys::{Sys, SysMetadata};

use super::{Kind, Stat, World};

/// The program of this name in one of these directories, which are absolute.
pub fn program_in(name: &OsStr, dirs: &[PathBuf], world: &dyn World) -> Option<PathBuf> {
    let path = std::env::join_paths(dirs).ok()?;
    let config = WhichConfig::new_with_sys(OnWorld(world)).binary_name(name.to_owned());
    config.custom_path_list(path).custom_cwd("/".into()).first_result().ok()
}

struct OnWorld<'a>(&'a dyn World);

impl SysMetadata for Stat {
    fn is_symlink(&self) -> bool {
        self.kind == Kind::Link
    }

    fn is_file(&self) -> bool {
        self.kind == Kind::File
    }
}

impl Sys for OnWorld<'_> {
    type ReadDirEntry = fs::DirEntry;
    type Metadata = Stat;

    fn is_windows(&self) -> bool {
        false
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn home_dir(&self) -> Option<PathBuf> {
        None
    }

    fn env_split_paths(&self, paths: &OsStr) -> Vec<PathBuf> {
        std::env::split_paths(paths).collect()
    }

    fn env_path(&self) -> Option<OsString> {
        None
    }

    fn env_path_ext(&self) -> Option<OsString> {
        None
    }

    fn metadata(&self, path: &Path) -> io::Result<Stat> {
        self.0.stat(path)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<Stat> {
        self.0.lstat(path)
    }

    fn read_dir(&self, _: &Path) -> io::Result<Box<dyn Iterator<Item = io::Result<fs::DirEntry>>>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn is_valid_executable(&self, path: &Path) -> io::Result<bool> {
        self.0.executable(path).map(|()| true)
    }
}
