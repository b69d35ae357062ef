//! `-c STRING`: the command is a shell that runs it. For callers that pass a single string, as Claude Code does to the
//! program in its CLAUDE_CODE_SHELL_PREFIX. The string is never parsed.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::Options;
use crate::world::which::program_in;
use crate::world::{Input, Kind};

/// The shells that run a string after `-c --`.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

/// Builds the command of `-c` from its string and the words after it.
pub fn wrap(options: &mut Options, input: &Input<'_>) {
    if let Some(string) = options.shell_string.take() {
        let words = std::mem::take(&mut options.command);
        options.command = [shell(input), "-c".into(), "--".into(), string].into_iter().chain(words).collect();
    }
}

/// The inherited SHELL, if it is one of those and exists; else bash, if it is on PATH; else /bin/sh.
fn shell(input: &Input<'_>) -> OsString {
    let inherited = input.environ.given(b"SHELL").map(|value| Path::new(OsStr::from_bytes(value)));
    let is_known = |path: &&Path| {
        let name = path.file_name().unwrap_or_default();
        let is_file = || input.world.stat(path).is_ok_and(|stat| stat.kind == Kind::File);
        path.is_absolute() && SHELLS.iter().any(|shell| *shell == name) && is_file()
    };
    if let Some(path) = inherited.filter(is_known) {
        return path.into();
    }
    let elements = input.environ.get(b"PATH").unwrap_or_default().split(|&byte| byte == b':');
    let dirs: Vec<PathBuf> = elements.map(|element| PathBuf::from(OsStr::from_bytes(element))).collect();
    let dirs: Vec<PathBuf> = dirs.into_iter().filter(|dir| dir.is_absolute()).collect();
    match program_in(OsStr::new("bash"), &dirs, input.world) {
        Some(_) => "bash".into(),
        None => "/bin/sh".into(),
    }
}
