//! The values that `--set-from` and `set_from` read from files, so that they appear in no `argv` and in no other
//! environment.
#![forbid(unsafe_code)]

use std::path::Path;

use crate::error::Failure;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::remedy::as_owner;
use crate::text::{escaped_path, os_message};
use crate::world::{Input, Kind};

/// The largest entry of the block, including its name, `=` and NUL (MAX_ARG_STRLEN, 32 pages; execve(2)).
const LARGEST: usize = 131_072;

/// Reads the value of a variable from a file, without one newline at its end. A pipe, which can be read only once, is read
/// only for a run. Errors: 125 if the file cannot be read, or its content cannot be the value of a variable of this name.
pub fn read(
    name: &[u8],
    file: &Path,
    is_run: bool,
    input: &Input<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<u8>, Failure> {
    let shown = escaped_path(file);
    let refuse = |why: &str| {
        Err(Failure::new(format!("cannot read a value from {shown}: {why}"))
            .hint("give a file that contains only the value, or a descriptor: NAME=/dev/fd/3"))
    };
    let stat = match input.world.stat(file) {
        Ok(stat) if stat.kind == Kind::Directory => return refuse("it is a directory"),
        Ok(stat) if stat.kind != Kind::File && !is_run => return Ok(Vec::new()),
        Ok(stat) => stat,
        Err(error) => return refuse(&os_message(&error)),
    };
    if stat.kind == Kind::File && stat.mode & 0o004 != 0 {
        let message = format!("{shown}, which holds a value to set, is world-readable");
        let close = format!("chmod o-r {}", crate::text::shell_quoted_path(file));
        warnings.push(Diagnostic::warning("set-from", message).remedy(as_owner(Some(stat.uid), &close, input)));
    }
    let mut value = match input.world.stream(file, LARGEST + 1) {
        Ok(value) => value,
        Err(error) => return refuse(&os_message(&error)),
    };
    if value.last() == Some(&b'\n') {
        value.pop();
    }
    if name.len() + value.len() + 2 > LARGEST {
        return refuse("it is too large for an environment variable");
    }
    if value.contains(&0) { refuse("it contains a NUL byte") } else { Ok(value) }
}
