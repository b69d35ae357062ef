//! What fixes something. A cure is a command line that fixes it when the same user pastes it into `sh`; what needs another user,
//! a program that is not here, or a decision, is a hint. A cure moves what is in its way to a name that is free, and removes
//! nothing but symlinks.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::text::shell_quoted_path;
use crate::world::which::program_in;
use crate::world::{Input, Kind, World};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remedy {
    pub hint: Option<String>,
    pub cure: Option<String>,
}

impl Remedy {
    pub fn cure(cure: impl Into<String>) -> Self {
        Self { hint: None, cure: Some(cure.into()) }
    }

    pub fn hint(hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), cure: None }
    }

    /// The same with another command after it; a hint stays as it is.
    pub fn then(mut self, next: &str) -> Self {
        self.cure = self.cure.map(|cure| format!("{cure} && {next}"));
        self
    }
}

/// Is there a program of this name on the PATH of the shell that asks?
pub fn has_program(name: &str, input: &Input<'_>) -> bool {
    let path = input.environ.get(b"PATH").unwrap_or_default().split(|&byte| byte == b':');
    let dirs: Vec<_> = path.map(|dir| PathBuf::from(OsStr::from_bytes(dir))).filter(|dir| dir.is_absolute()).collect();
    program_in(OsStr::new(name), &dirs, input.world).is_some()
}

/// A command that only root may run.
pub fn as_root(command: &str, input: &Input<'_>) -> Remedy {
    if input.uid == 0 {
        Remedy::cure(command)
    } else if has_program("sudo", input) {
        Remedy::cure(format!("sudo {command}"))
    } else {
        Remedy::hint(format!("as root: {command}"))
    }
}

/// A command that only this owner, or root, may run.
pub fn as_owner(owner: Option<u32>, command: &str, input: &Input<'_>) -> Remedy {
    if owner == Some(input.uid) { Remedy::cure(command) } else { as_root(command, input) }
}

/// A command of a program that may not be here.
pub fn with_program(name: &str, command: String, input: &Input<'_>) -> Remedy {
    if has_program(name, input) {
        Remedy::cure(command)
    } else {
        Remedy::hint(format!("with {name} on PATH: {command}"))
    }
}

/// Renames what is at a path: to the path with `.own` after it, or with a number, so that it neither replaces anything nor lands
/// in a directory. Pasted twice, it stops: our link, which is there by then, would replace what was moved.
pub fn move_aside(path: &Path, world: &dyn World) -> String {
    let with = |suffix: &str| PathBuf::from([path.as_os_str(), OsStr::new(suffix)].into_iter().collect::<OsString>());
    let names = std::iter::once(with(".own")).chain((2..).map(|number: u32| with(&format!(".own.{number}"))));
    let mut free = names.filter(|name| world.lstat(name).is_err());
    let to = free.next().unwrap_or_else(|| with(".own"));
    let to = shell_quoted_path(&to);
    format!("[ ! -e {to} ] && mv {} {to}", shell_quoted_path(path))
}

/// Lets the user read a file of the user's own again.
pub fn make_readable(path: &Path, input: &Input<'_>) -> Option<String> {
    let stat = input.world.stat(path).ok()?;
    let is_closed = stat.kind == Kind::File && stat.uid == input.uid && stat.mode & 0o400 == 0;
    is_closed.then(|| format!("chmod u+r {}", shell_quoted_path(path)))
}
