//! The shared items. Here stands what the tests have in common: a real home with a source for every place, and
//! what is seen of the profile's home afterwards.

mod items;
mod layers;
mod places;
mod trouble;
mod unlink;

use crate::support::{Outcome, Sandbox};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Every place of the default items, and two of path shares.
pub const PLACES: [&str; 6] = [
    "Library/Keychains",
    "Library/Preferences/com.apple.security.plist",
    ".claude",
    ".claude.json",
    ".config/gh",
    ".gitconfig",
];

/// The options that share all of them.
pub const ALL: [&str; 5] = ["-p", "builder", "--share", ".config/gh", "--share=.gitconfig"];

/// The profile `builder`, and a real home that holds a source for every place.
pub fn with_sources() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/Library/Keychains/login.keychain-db", "keys");
    sandbox.write("real/Library/Preferences/com.apple.security.plist", "<plist/>");
    sandbox.write("real/.claude/.credentials.json", "{}");
    sandbox.write("real/.claude.json", "{}");
    sandbox.write("real/.config/gh/hosts.yml", "hosts");
    sandbox.write("real/.gitconfig", "[user]\n");
    sandbox
}

/// Runs `true` with every place shared and `-v`; what matters is what lies in the home then, and the findings.
#[track_caller]
pub fn share_all(sandbox: &Sandbox) -> Outcome {
    let mut args = vec!["-v"];
    args.extend(ALL);
    args.extend(["--", "/bin/true"]);
    let outcome = sandbox.hx(args).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    outcome
}

/// The links below the home and their texts.
pub fn links(sandbox: &Sandbox) -> BTreeMap<PathBuf, PathBuf> {
    let home = sandbox.home();
    let all = crate::support::listing(&home).into_keys();
    let links = all.filter_map(|path| fs::read_link(&path).ok().map(|text| (path, text)));
    links.map(|(path, text)| (path.strip_prefix(&home).unwrap().to_owned(), text)).collect()
}

/// The places that are linked, as one line.
pub fn linked(sandbox: &Sandbox) -> String {
    let places: Vec<_> = links(sandbox).into_keys().map(|place| place.display().to_string()).collect();
    places.join(" ")
}

/// Identity and times of everything below the sandbox: equal only when nothing was written at all.
pub fn stamps(sandbox: &Sandbox) -> BTreeMap<PathBuf, (u64, u32, i64, i64, i64, i64)> {
    let stamp = |path: PathBuf| {
        let meta = path.symlink_metadata().unwrap();
        let times = (meta.ino(), meta.mode(), meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
        (path, times)
    };
    sandbox.listing().into_keys().map(stamp).collect()
}

/// Puts a link with the given text at a place of the home.
pub fn put_link(sandbox: &Sandbox, place: &str, text: impl AsRef<Path>) {
    sandbox.link(text, Path::new("real/.hermes/profiles/builder/home").join(place));
}
