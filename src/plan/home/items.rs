//! What is shared: the default items, the policy file's and the options'. It does not look at any file.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::error::Failure;
use crate::text::escaped_path;
use crate::world::PATH_MAX;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// The macOS keychain and the file that says which one is the default.
    Keychain,
    Claude,
    Path(PathBuf),
}

pub const DEFAULT: [Item; 2] = [Item::Keychain, Item::Claude];

pub const CLAUDE: &str = ".claude";
/// Its settings, which it creates through a link, and saves through exactly one.
pub const CLAUDE_JSON: &str = ".claude.json";

const HINT: &str = "share keychain, claude, or a path below the home such as .config/gh, without '..'";

impl Item {
    /// Reads a word of `--share` or another list, which the error names. Errors: 125 for a path that is absolute,
    /// empty, longer than any path, or could leave the home.
    pub fn parse(word: &OsStr, option: &str) -> Result<Self, Failure> {
        match word.as_bytes() {
            b"keychain" => return Ok(Self::Keychain),
            b"claude" => return Ok(Self::Claude),
            _ => {}
        }
        if word.len() >= PATH_MAX {
            return Err(Failure::new(format!("{option}: an item is longer than any path")).hint(HINT));
        }
        let mut path = PathBuf::new();
        for part in Path::new(word).components() {
            match part {
                Component::Normal(name) => path.push(name),
                Component::CurDir => {}
                _ => {
                    path.clear();
                    break;
                }
            }
        }
        if path.as_os_str().is_empty() {
            return Err(Failure::new(format!("{option}: an item is not a path below the home")).hint(HINT));
        }
        Ok(Self::Path(path))
    }

    pub fn name(&self) -> String {
        match self {
            Self::Keychain => "keychain".into(),
            Self::Claude => "claude".into(),
            Self::Path(path) => escaped_path(path),
        }
    }

    pub fn places(&self) -> Vec<PathBuf> {
        match self {
            Self::Keychain => vec!["Library/Keychains".into(), "Library/Preferences/com.apple.security.plist".into()],
            Self::Claude => vec![CLAUDE.into(), CLAUDE_JSON.into()],
            Self::Path(path) => vec![path.clone()],
        }
    }
}

/// The items to share: the default ones or the policy file's `list`, then `more` of the file, then `--share` (true) and
/// `--no-share` (false) from left to right. Errors: as [`Item::parse`].
pub fn items<'a>(
    list: Option<&'a [Item]>,
    more: impl Iterator<Item = &'a Item>,
    edits: &[(bool, OsString)],
) -> Result<Vec<Item>, Failure> {
    let mut items = Items::default();
    list.unwrap_or(&DEFAULT).iter().chain(more).for_each(|item| items.add(item.clone()));
    for (adds, word) in edits {
        if !adds && word == "all" {
            items = Items::default();
        } else if *adds {
            items.add(Item::parse(word, "--share")?);
        } else {
            items.remove(&Item::parse(word, "--no-share")?);
        }
    }
    Ok(items.all.into_iter().flatten().collect())
}

/// Items in their order, each once. A policy file can list a hundred thousand.
#[derive(Default)]
struct Items {
    all: Vec<Option<Item>>,
    places: HashMap<Item, usize>,
}

impl Items {
    fn add(&mut self, item: Item) {
        if let Entry::Vacant(place) = self.places.entry(item.clone()) {
            place.insert(self.all.len());
            self.all.push(Some(item));
        }
    }

    fn remove(&mut self, item: &Item) {
        if let Some(place) = self.places.remove(item) {
            self.all[place] = None;
        }
    }
}

pub fn places(items: &[Item]) -> Vec<PathBuf> {
    let mut all: Vec<_> = items.iter().flat_map(Item::places).collect();
    all.sort();
    all.dedup();
    all
}
