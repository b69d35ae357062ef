//! Where Hermes keeps its files, by the names of directories only. It reads nothing.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::environ::Environ;
use crate::plan::diagnostic::Origin;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// Its directory, in the spelling that is exported to the command.
    pub dir: PathBuf,
    /// The same directory, canonical, for comparisons.
    pub canonical: PathBuf,
    pub source: Origin,
    pub identity: (u64, u64),
    pub owner: (u32, u32),
}

/// Is `path` at or below the home of one of `root`'s profiles? Compares only names; both paths are canonical.
pub fn is_in_a_profile_home(path: &Path, root: &Path) -> bool {
    let Ok(below) = path.strip_prefix(root) else { return false };
    let mut parts = below.components().map(Component::as_os_str);
    match parts.next() {
        Some(first) if first == "home" => true,
        Some(first) if first == "profiles" => parts.nth(1).is_some_and(|third| third == "home"),
        _ => false,
    }
}

/// Is the parent directory called `profiles`?
pub fn is_profile_shaped(path: &Path) -> bool {
    matches!(path.components().next_back(), Some(Component::Normal(_)))
        && path.parent().and_then(Path::file_name) == Some(OsStr::new("profiles"))
}

/// The root for a HERMES_HOME: its grandparent if it is a profile's directory, else itself.
pub fn root_of(hermes_home: &Path) -> PathBuf {
    match hermes_home.parent().and_then(Path::parent) {
        Some(root) if is_profile_shaped(hermes_home) => root.to_owned(),
        _ => hermes_home.to_owned(),
    }
}

pub const MANAGED: &str = "/etc/hermes";

/// Where an administrator keeps settings for all users (hermes-agent 0.19.0, `hermes_cli/managed_scope.py`); `None` if the
/// variable is not an absolute path.
pub fn managed_dir(environ: &Environ) -> Option<PathBuf> {
    let dir = environ.given(b"HERMES_MANAGED_DIR").unwrap_or(MANAGED.as_bytes()).trim_ascii();
    Some(PathBuf::from(OsStr::from_bytes(dir))).filter(|path| path.is_absolute())
}

/// Replaces a leading `~/`; `None` if the home is unknown.
pub fn expand(value: &OsStr, home: Option<&Path>) -> Option<PathBuf> {
    match value.as_bytes().strip_prefix(b"~/") {
        Some(rest) => {
            let below = rest.iter().position(|&byte| byte != b'/').map_or(&rest[..0], |start| &rest[start..]);
            Some(home?.join(OsStr::from_bytes(below)))
        }
        None => Some(PathBuf::from(value)),
    }
}
