//! The tests on foreign tools: each shows a fault of the field without the wrapper, and its cure with it, on the tool that
//! users met it with; and what is shipped beside the binary, in the shells and with the tools that it is for. `tests/run`
//! installs those tools. A tool that is missing fails its tests; it never skips them.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "report/json/documents.rs"]
mod documents;
#[path = "field/mod.rs"]
mod field;
#[path = "launch/concurrency/load.rs"]
mod load;
#[path = "dist/packages/mod.rs"]
mod packages;
#[path = "cli/shells.rs"]
mod shells;
mod support;

use std::path::{Path, PathBuf};

use support::{Run, Sandbox};

/// The directories of the system's tools, as PATH.
const SYSTEM: &str = "/usr/bin:/bin";

/// A program that has to be there.
#[track_caller]
fn existing(path: PathBuf) -> &'static str {
    assert!(path.exists(), "{} is missing: run tests/run, which installs it", path.display());
    path.into_os_string().into_string().unwrap().leak()
}

/// A program that `tests/run` installs below `target/tools`.
#[track_caller]
fn installed(rel: &str) -> &'static str {
    existing(Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(rel))
}

/// A program of the system.
#[track_caller]
fn system(name: &str) -> &'static str {
    existing(Path::new("/usr/bin").join(name))
}

/// A start of the command itself, in the environment in which [`Sandbox::hx`] starts the wrapper.
fn direct(sandbox: &Sandbox, command: &[&str]) -> Run {
    sandbox.hx(&command[1..]).program(command[0]).secret_may_show()
}
