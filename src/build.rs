//! The build script: which commit and target `--version` tells. In a git clone the commit is that of HEAD; in a published
//! crate it is the one that cargo noted when it packed the crate; elsewhere it is "unknown".

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it for build scripts");
    let root = Path::new(&root);
    let commit = checked_out(root).or_else(|| packed(root)).unwrap_or_else(|| "unknown".into());
    let target = env::var("TARGET").expect("cargo sets it for build scripts");
    println!("cargo::rustc-env=BUILD_COMMIT={commit}");
    println!("cargo::rustc-env=BUILD_TARGET={target}");
    println!("cargo::rerun-if-changed=src/build.rs");
}

/// The commit of a clone. `--git-dir` keeps git from looking into a repository around this directory.
fn checked_out(root: &Path) -> Option<String> {
    let git_dir = root.join(".git");
    // A commit and a checkout write both; what is not there must not be named, or every build would start anew.
    for path in [git_dir.join("HEAD"), git_dir.join("logs/HEAD")] {
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    if !git_dir.exists() {
        return None;
    }
    let output =
        Command::new("git").arg("--git-dir").arg(&git_dir).args(["rev-parse", "--verify", "HEAD"]).output().ok()?;
    short(&String::from_utf8(output.stdout).ok()?)
}

/// The commit in `.cargo_vcs_info.json`: `{"git": {"sha1": "…"}, …}`.
fn packed(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    short(text.split("\"sha1\"").nth(1)?.split('"').nth(1)?)
}

/// The first twelve digits.
fn short(commit: &str) -> Option<String> {
    let commit = commit.trim();
    let is_commit = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| commit[..12].to_owned())
}
