//! Whatever lies in a profile, and whatever lies at the sources: a start alters, moves and removes no file and no directory,
//! writes nothing outside the profile, makes nothing but the home, its links and the directories on the way to them, and
//! has nothing left to do the next time. `--unlink` takes away nothing but links.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::plan::prepare;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::support::plan::plan;
use crate::support::{Sandbox, bytes};

const PROFILE: &str = "real/.hermes/profiles/builder";
const PLACES: [&str; 8] = [
    "Library/Keychains",
    "Library/Preferences/com.apple.security.plist",
    ".claude",
    ".claude.json",
    ".config",
    ".config/gh",
    ".config/anthropic",
    "a/b/c",
];

/// What is put at a path.
#[derive(Clone, Debug)]
enum Entry {
    File,
    Directory,
    /// A link with this text, in which `@` is the sandbox and `%` the place itself.
    Link(&'static str),
}

/// Texts of links that matter most: to the source in one hop, by another spelling, in two hops, and a leftover.
const TO_SOURCES: [&str; 4] = ["@/real/%", "@/way/%", "@/chain/%", "@/real/gone/%"];

/// Other texts: into the real home and past it, into the profile, nowhere and in circles.
const TEXTS: [&str; 14] = [
    "@/real", "@/real/.hermes/gone", "@/real/.hermes/profiles/builder", "@/real/.hermes/profiles/builder/home",
    "@/real/.hermes/profiles/builder/home/x", "@/elsewhere", "@/elsewhere/file", "@/elsewhere/gone", "@/dotfiles/%",
    ".", "..", "x", "../../../../../%", "/no/such/volume",
];

/// Paths below a directory: the places, what is on the way to them, and what is in them.
fn path() -> impl Strategy<Value = PathBuf> {
    let parents = PLACES.iter().flat_map(|place| Path::new(place).ancestors()).map(Path::to_owned);
    let temporary = format!(".hermes-exec.{}.0.tmp", std::process::id());
    let known: Vec<PathBuf> = parents.chain([temporary.into(), "x".into()]).collect();
    let inner = (select(known), select(vec!["", "", "x", "x/y"])).prop_map(|(path, below)| path.join(below));
    prop_oneof![select(&PLACES[..]).prop_map(PathBuf::from), inner]
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        1 => Just(Entry::File),
        1 => Just(Entry::Directory),
        3 => select(&TO_SOURCES[..]).prop_map(Entry::Link),
        2 => select(&TEXTS[..]).prop_map(Entry::Link),
    ]
}

/// Entries below the profile's directory; most of them in its home.
fn profile() -> impl Strategy<Value = Vec<(PathBuf, Entry)>> {
    let inside = prop_oneof![8 => Just("home"), 1 => Just(""), 1 => Just("inner")];
    let one = (inside, path(), entry()).prop_map(|(dir, path, entry)| (Path::new(dir).join(path), entry));
    prop::collection::vec(one, 0..16)
}

/// Entries of the real home.
fn sources() -> impl Strategy<Value = Vec<(PathBuf, Entry)>> {
    let kind = prop_oneof![
        3 => Just(Entry::File),
        3 => Just(Entry::Directory),
        1 => select(&["@/dotfiles/%", "@/elsewhere", "@/elsewhere/gone", "@/real/.hermes", "x"][..]).prop_map(Entry::Link),
    ];
    let one = (select(&PLACES[..]), kind).prop_map(|(place, entry)| (PathBuf::from(place), entry));
    prop::collection::vec(one, 2..14)
}

/// Puts an entry where nothing stands, never through a link.
fn put(sandbox: &Sandbox, base: &str, path: &Path, entry: &Entry) {
    // Joined with nothing, a path ends with a slash, which follows a link.
    let at: PathBuf = sandbox.path(base).join(path).components().collect();
    let mut on_the_way = sandbox.path(base);
    for part in path.parent().into_iter().flat_map(Path::components) {
        on_the_way.push(part);
        if !on_the_way.symlink_metadata().map_or_else(|_| fs::create_dir(&on_the_way).is_ok(), |meta| meta.is_dir()) {
            return;
        }
    }
    match entry {
        Entry::File if at.symlink_metadata().is_err() => fs::write(&at, format!("{}", path.display())).unwrap(),
        Entry::File => {}
        Entry::Directory => drop(fs::create_dir(&at)),
        Entry::Link(text) => {
            let place = path.strip_prefix("home").unwrap_or(path);
            let text = text.replace('@', sandbox.dir.to_str().unwrap()).replace('%', place.to_str().unwrap());
            drop(symlink(text, &at));
        }
    }
}

/// What there is to know about an entry. Of a directory the times are left out: they change with what is put into it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    kind: &'static str,
    content: Vec<u8>,
    identity: (u64, u32, u32, u32),
    times: Option<[i64; 4]>,
}

impl Seen {
    /// The text of a link.
    fn text(&self) -> PathBuf {
        bytes(&self.content).into()
    }
}

fn snapshot(dir: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut all = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(path) = open.pop() {
        let meta = path.symlink_metadata().unwrap();
        let (kind, content) = if meta.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            ("directory", Vec::new())
        } else if meta.is_symlink() {
            ("link", fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes())
        } else {
            ("file", fs::read(&path).unwrap())
        };
        let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
        let identity = (meta.ino(), meta.mode(), meta.uid(), meta.gid());
        all.insert(path, Seen { kind, content, identity, times: (kind != "directory").then_some(times) });
    }
    all
}

/// Names and times of everything outside the profile: nothing there may change at all.
fn outside(sandbox: &Sandbox) -> Vec<(PathBuf, i64, i64)> {
    let all = snapshot(&sandbox.dir).into_keys().filter(|path| !path.starts_with(sandbox.path(PROFILE)));
    all.map(|path| {
        let meta = path.symlink_metadata().unwrap();
        (path, meta.ctime(), meta.ctime_nsec())
    })
    .collect()
}

fn sandbox(profile: &[(PathBuf, Entry)], sources: &[(PathBuf, Entry)]) -> Sandbox {
    let sandbox = Sandbox::with_builder();
    sandbox.write("elsewhere/file", "");
    sandbox.link("real", "way");
    for place in PLACES.into_iter().filter(|place| *place != ".config") {
        sandbox.link(sandbox.real().join(place), Path::new("chain").join(place));
        sandbox.write(Path::new("dotfiles").join(place), "");
    }
    sources.iter().for_each(|(path, entry)| put(&sandbox, "real", path, entry));
    profile.iter().for_each(|(path, entry)| put(&sandbox, PROFILE, path, entry));
    sandbox
}

/// A new link is right: at one of the places, with its place in the real home as its text; that of Claude Code's settings with
/// the fully resolved path.
fn is_right(sandbox: &Sandbox, home: &Path, path: &Path) -> bool {
    let Ok(place) = path.strip_prefix(home) else { return false };
    let (text, own) = (fs::read_link(path).unwrap(), sandbox.real().join(place));
    if place != Path::new(".claude.json") {
        return PLACES.iter().any(|known| place == Path::new(known)) && text == own && own.exists();
    }
    let is_resolved =
        text.parent().unwrap().canonicalize().is_ok_and(|dir| dir.join(text.file_name().unwrap()) == text);
    is_resolved && !text.is_symlink() && own.canonicalize().map_or(true, |source| source == text)
}

/// The path of a source without links, where it is there.
fn source_of(sandbox: &Sandbox, home: &Path, path: &Path) -> Option<PathBuf> {
    sandbox.real().join(path.strip_prefix(home).ok()?).canonicalize().ok()
}

/// A link with this text may be replaced: it led to the source, or it is a leftover in the real home, or another account's.
fn was_ours_to_replace(sandbox: &Sandbox, home: &Path, path: &Path, text: &Path) -> bool {
    let led_to = path.parent().unwrap().join(text).canonicalize().ok();
    let is_of_an_account = path.ends_with(".claude.json") && !text.starts_with(sandbox.root());
    led_to.is_some() && led_to == source_of(sandbox, home, path)
        || led_to.is_none() && is_in_real(sandbox, text)
        || is_of_an_account
}

/// A link with this text may be removed: it is what we would write, or it leads into the real home.
fn was_ours_to_remove(sandbox: &Sandbox, home: &Path, path: &Path, text: &Path) -> bool {
    let is_place = path.strip_prefix(home).is_ok_and(|place| PLACES.iter().any(|known| place == Path::new(known)));
    let is_what_we_write = source_of(sandbox, home, path).is_some_and(|source| {
        text == source || path.strip_prefix(home).is_ok_and(|place| text == sandbox.real().join(place))
    });
    // Where Claude Code would create its settings.
    let is_its_end = path.ends_with(".claude.json") && text.starts_with(&sandbox.dir) && !text.exists();
    is_place && (is_what_we_write || is_its_end || is_in_real(sandbox, text))
}

fn is_in_real(sandbox: &Sandbox, text: &Path) -> bool {
    text.starts_with(sandbox.real()) && !text.starts_with(sandbox.root())
}

/// A new directory is right: the home or on the way to a place, private and empty but for what is new, too.
fn is_on_the_way(home: &Path, path: &Path, seen: &Seen) -> bool {
    let is_private = seen.identity.1 & 0o7777 == 0o700;
    let below = path.strip_prefix(home);
    is_private
        && below.is_ok_and(|below| {
            PLACES.iter().any(|place| Path::new(place).starts_with(below) && Path::new(place) != below)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[ignore = "long: tests/run plays it"]
    #[test]
    fn no_file_and_no_directory_is_ever_touched(
        profile in profile(),
        sources in sources(),
        shares in subsequence(vec![".config", ".config/gh", "a/b/c"], 0..=3),
    ) {
        let sandbox = sandbox(&profile, &sources);
        let share = shares.join(",");
        let mut options = vec!["-p", "builder"];
        if !shares.is_empty() {
            options.extend(["--share", &share]);
        }
        let (before, untouchable) = (snapshot(&sandbox.path(PROFILE)), outside(&sandbox));
        let home = sandbox.home();
        let home = if home.is_dir() { home.canonicalize().unwrap() } else { home };

        let Ok(first) = plan(&sandbox, &options) else {
            prop_assert_eq!(snapshot(&sandbox.path(PROFILE)), before);
            return Ok(());
        };
        let carried_out = prepare(&first).unwrap();
        prop_assert_eq!(outside(&sandbox), untouchable.clone());
        let after = snapshot(&sandbox.path(PROFILE));
        for (path, seen) in &before {
            match after.get(path) {
                Some(now) if now == seen => {}
                Some(now) => prop_assert!(
                    seen.kind == "link"
                        && now.kind == "link"
                        && was_ours_to_replace(&sandbox, &home, path, &seen.text())
                        && is_right(&sandbox, &home, path),
                    "{}: {:?}, was {:?}", path.display(), now, seen
                ),
                None => prop_assert!(false, "{} is gone", path.display()),
            }
        }
        for (path, seen) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
            let right = match seen.kind {
                "link" => is_right(&sandbox, &home, path),
                "directory" => is_on_the_way(&home, path, seen),
                _ => false,
            };
            prop_assert!(right, "{} is new: {:?}, {:?}", path.display(), seen, carried_out);
        }

        let second = plan(&sandbox, &options).unwrap();
        prop_assert_eq!(prepare(&second).unwrap(), carried_out);
        prop_assert_eq!(snapshot(&sandbox.path(PROFILE)), after.clone());

        let outcome = sandbox.hx([&options[..], &["--unlink"]].concat()).run();
        prop_assert_eq!(outcome.code(), 0, "{:?}", outcome);
        prop_assert_eq!(outside(&sandbox), untouchable);
        let unlinked = snapshot(&sandbox.path(PROFILE));
        for (path, seen) in &after {
            let stays = unlinked.get(path) == Some(seen);
            let ours = seen.kind == "link" && was_ours_to_remove(&sandbox, &home, path, &seen.text());
            prop_assert!(stays || ours, "{} after --unlink: {:?}", path.display(), seen);
        }
        prop_assert!(unlinked.keys().all(|path| after.contains_key(path)));
    }
}
