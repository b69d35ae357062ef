//! Homes and links where the file system says no: another owner, no permission, a read-only mount, no space. What cannot be
//! done is a finding, and the command runs; only a home that cannot be made is an error. These tests give files away and
//! mount, so they need root.

mod faults;
mod foreign;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod halves;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod held;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod injected;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod made_as;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod orders;
mod root;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

use crate::support::{Outcome, Run, Sandbox};

/// A user without passwd entry, as in a container.
const USER: u32 = 10000;
/// A group that is not the user's only by number.
const GROUP: u32 = 10001;

const HOME: &str = "real/.hermes/profiles/builder/home";
const PLACES: [&str; 3] = [".claude", ".claude.json", ".config/gh"];
const OPTIONS: [&str; 5] = ["-v", "-p", "builder", "--share", ".config/gh"];

/// A real home with sources, a root and the profile `builder`, all of it owned by [`USER`] and [`GROUP`].
fn of_user() -> Sandbox {
    assert!(nix::unistd::geteuid().is_root(), "this test gives files to another user: run it as root");
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.write("real/.claude.json", "{}");
    sandbox.mkdir("real/.config/gh");
    give(&sandbox.dir);
    sandbox
}

/// Gives a tree to [`USER`] and [`GROUP`].
fn give(path: &Path) {
    lchown(path, Some(USER), Some(GROUP)).unwrap();
    for below in crate::support::listing(path).into_keys() {
        lchown(below, Some(USER), Some(GROUP)).unwrap();
    }
}

/// A directory of the user's profile, given to the user; every missing one above it, too.
fn dir_of_user(sandbox: &Sandbox, rel: &str) -> PathBuf {
    let path = sandbox.mkdir(rel);
    give(&sandbox.profile("builder"));
    path
}

/// Something in the home that belongs to root, with this mode.
fn of_root(path: &Path, mode: u32) {
    lchown(path, Some(0), Some(0)).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A start by the user, with `-v`, of `echo ran`.
fn by_user(sandbox: &Sandbox) -> Run {
    sandbox.hx([&OPTIONS[..], &["echo", "ran"]].concat()).program(sandbox.copied_binary()).uid(USER)
}

/// A start by root in the user's profile, with root's own login as HOME.
fn by_root(sandbox: &Sandbox) -> Run {
    sandbox.mkdir("login/.claude");
    sandbox.write("login/.claude.json", "{}");
    let run = sandbox.hx([&OPTIONS[..], &["echo", "ran"]].concat());
    run.env("HOME", sandbox.path("login")).env("HERMES_HOME", sandbox.root())
}

/// The command ran, and each of these stands in a finding on a line of its own.
#[track_caller]
fn ran_with(outcome: &Outcome, findings: &[&str]) {
    assert_eq!((outcome.code(), outcome.out().as_str()), (0, "ran\n"), "{outcome:?}");
    for words in findings {
        let found =
            outcome.stderr.lines().any(|line| line.starts_with("hermes-exec: warning: ") && line.contains(words));
        assert!(found, "{words:?} is missing: {outcome:?}");
    }
}

/// The owner and group of a place in the home.
fn owner(sandbox: &Sandbox, place: &str) -> (u32, u32) {
    let meta = sandbox.path(HOME).join(place).symlink_metadata().unwrap();
    (meta.uid(), meta.gid())
}

/// The places that are links.
fn linked(sandbox: &Sandbox) -> Vec<&'static str> {
    PLACES.into_iter().filter(|place| sandbox.path(HOME).join(place).is_symlink()).collect()
}
