//! Starts a program in this process, with `execve(2)` and `execvp(3)`'s fallback to a shell. `plan/command.rs` finds the
//! program.
#![forbid(unsafe_code)]

use std::ffi::{CStr, CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::unistd::{chdir, execve};

use crate::environ::{self, Environ};
use crate::error::{Failure, Status};
use crate::plan::cannot_change_dir;
use crate::plan::command::{denied, head, missing_interpreter, no_interpreter};
use crate::text::{escaped, escaped_path};
use crate::world::World;

/// The shell that runs a file the kernel does not recognise as a program.
const SHELL: &CStr = c"/bin/sh";

pub fn change_dir(dir: &OsStr) -> anyhow::Result<()> {
    Ok(chdir(dir).map_err(|errno| cannot_change_dir(errno.desc()))?)
}

/// Starts a program in this process. Returns only if that fails.
pub fn start(program: &Path, argv: &[OsString], environ: &Environ) -> Errno {
    let argv: Vec<CString> = argv.iter().map(|word| c_string(word.as_bytes())).collect();
    let path = c_string(program.as_os_str().as_bytes());
    let errno = match execve(&path, &argv, environ.entries()) {
        Err(errno) => errno,
        Ok(never) => match never {},
    };
    if errno != Errno::ENOEXEC {
        return errno;
    }
    // As execvp(3): a file that the kernel does not recognise is a shell script.
    let mut words = vec![SHELL.to_owned(), path];
    words.extend(argv.into_iter().skip(1));
    match execve(SHELL, &words, environ.entries()) {
        Err(errno) => errno,
        Ok(never) => match never {},
    }
}

/// Does `execvp(3)` try the next element of PATH after this error of `execve(2)`?
pub fn goes_on_after(errno: Errno) -> bool {
    use Errno::{EACCES, ENODEV, ENOENT, ENOTDIR, ESTALE, ETIMEDOUT};
    matches!(errno, EACCES | ENODEV | ENOENT | ENOTDIR | ESTALE | ETIMEDOUT)
}

pub fn failure(program: &Path, errno: Errno, environ: &Environ, world: &dyn World) -> Failure {
    let path = escaped_path(program);
    match errno {
        Errno::ENOENT => {
            let head = head(program, world);
            match missing_interpreter(&head, None, world) {
                Some(interpreter) => no_interpreter(program, &interpreter),
                None if head.is_empty() => Failure::new(format!("'{path}' was not found")).status(Status::NotFound),
                None => Failure::new(format!("'{path}' cannot be started: its dynamic loader is missing"))
                    .status(Status::NotFound),
            }
        }
        Errno::E2BIG => too_big(&path, environ, world),
        errno => denied(program, errno.desc()),
    }
}

/// E2BIG: see [`Facts::most_arguments`](crate::world::facts::Facts::most_arguments).
fn too_big(path: &str, environ: &Environ, world: &dyn World) -> Failure {
    let largest = environ.entries().iter().max_by_key(|entry| entry.to_bytes().len());
    let named = largest.map_or(String::new(), |entry| {
        let bytes = entry.to_bytes();
        let name = environ::split(bytes).map_or(&b"an entry without a name"[..], |(name, _)| name);
        format!("; the largest variable is {} with {} bytes", escaped(name), bytes.len())
    });
    Failure::new(format!("'{path}' cannot be started: its arguments and environment are too large{named}"))
        .status(Status::CannotRun)
        .hint(format!("the kernel allows {}; remove one with --unset NAME", world.facts().most_arguments))
}

fn c_string(bytes: &[u8]) -> CString {
    CString::new(bytes).expect("arguments, and PATH with them, come from the kernel, which ends them at the first NUL")
}
