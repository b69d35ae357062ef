//! Homes and links where the file system says no: another owner, no permission, a read-only mount, no space. What cannot be
//! done is a finding, and the command runs; only a home that cannot be made is an error. These tests give files away and
//! mount, so they need root.

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

crate::pages! { user_linux root_linux faults_linux }

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::{Path, PathBuf};

use crate::support::Sandbox;

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
