//! A machine for many starts at once, and what they leave.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Run, Sandbox, listing};

pub const PLACES: [&str; 5] =
    [".claude", ".claude.json", ".config/gh", "Library/Keychains", "Library/Preferences/com.apple.security.plist"];
pub const OPTIONS: [&str; 4] = ["-p", "builder", "--share", ".config/gh"];

/// A real home with a source for every place.
pub fn with_sources() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    PLACES.iter().for_each(|place| drop(sandbox.write(Path::new("real").join(place), "of the user")));
    sandbox
}

pub fn start(sandbox: &Sandbox) -> Run {
    sandbox.hx([&OPTIONS[..], &["true"]].concat())
}

/// What lies below a directory, by relative path, with every mention of the sandbox taken out.
pub fn tree(sandbox: &Sandbox, rel: &str) -> BTreeMap<PathBuf, String> {
    let dir = sandbox.path(rel);
    let all = listing(&dir).into_iter();
    all.map(|(path, what)| {
        let what = what.replace(sandbox.dir.to_str().unwrap(), "{dir}");
        (path.strip_prefix(&dir).unwrap().to_owned(), what)
    })
    .collect()
}

/// `rm -r` until nothing is left: a start that is under way can put something into a directory that is being emptied.
pub fn remove(profile: &Path) {
    while profile.symlink_metadata().is_ok() {
        let _ = fs::remove_dir_all(profile);
    }
}
