//! What `tests/run` has packed. The crate is built here; what is installed is in `installed.txt`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{BINARY, Sandbox};
use crate::{existing, system};

crate::pages! { installed }

/// Runs a command to its end, expects success, and returns what it printed.
#[track_caller]
fn run(command: &mut Command) -> Vec<u8> {
    let output: Output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output.stdout
}

/// A published crate holds all that its build needs, and is static where cargo sees no configuration of ours, by the command
/// that the README names.
#[test]
fn the_crate_is_built_away_from_the_repository() {
    let sandbox = Sandbox::new();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (target, name) = (repository.join("target"), format!("hermes-exec-{}", env!("CARGO_PKG_VERSION")));
    let packed = target.join(format!("package/{name}.crate"));
    run(Command::new(system("tar")).arg("-xzf").arg(packed).arg("-C").arg(&sandbox.dir));
    let readme = fs::read_to_string(repository.join("README.md")).unwrap();
    let install = readme.lines().find(|line| line.starts_with("RUSTFLAGS=")).unwrap();
    assert!(install.contains(&name), "{install}");
    let root = sandbox.mkdir("root/usr");
    // The dependencies are there, built as this says, since the tests use them.
    let quick = format!("{install} --debug --target-dir '{}' --root '{}'", target.display(), root.display());
    run(Command::new(system("sh")).args(["-c", &quick]).current_dir(&sandbox.dir));
    // It runs where there is nothing else at all: it needs no library and no loader.
    let chroot = existing("/usr/sbin/chroot".into());
    let inside = run(Command::new(chroot).arg(sandbox.path("root")).args(["/usr/bin/hermes-exec", "--version"]));
    assert_eq!(inside, run(Command::new(BINARY).arg("--version")));
}
