//! Which items are shared: the default ones, and those of the policy file and the options. It reads no files.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::error::Failure;
use crate::plan::env::secrets::mistyped;
use crate::text::escaped_path;
use crate::world::PATH_MAX;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The macOS keychain, and the file that selects the default one.
    Keychain,
    Claude,
    Path(PathBuf),
}

pub const DEFAULT: [Item; 2] = [Item::Keychain, Item::Claude];

pub const CLAUDE: &str = ".claude";
/// Claude Code's settings. It creates them through a link, and saves them through exactly one.
pub const CLAUDE_JSON: &str = ".claude.json";
/// Another place where it looks for a login, unless ANTHROPIC_CONFIG_DIR is set.
pub const ANTHROPIC: &str = ".config/anthropic";

/// How many may be named, since each is looked up at every start.
pub const MOST: usize = 1_000;

const HINT: &str = "give keychain, claude, or a path below the home without '..', for example .config/gh";

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
            return Err(Failure::new(format!("{option}: an item is too long for a path")).hint(HINT));
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
            let item = mistyped(word.as_bytes()).unwrap_or_else(|| "an item".into());
            return Err(Failure::new(format!("{option}: {item} is not a path below the home")).hint(HINT));
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
            Self::Claude => vec![CLAUDE.into(), CLAUDE_JSON.into(), ANTHROPIC.into()],
            Self::Path(path) => vec![path.clone()],
        }
    }
}

/// The items to share: the default ones or the policy file's `list`, then `more` of the file, then `--share` (true) and
/// `--no-share` (false) from left to right. Errors: as [`Item::parse`], and 125 for more than [`MOST`] words.
pub fn items<'a>(
    list: Option<&'a [Item]>,
    more: impl Iterator<Item = &'a Item>,
    edits: &[(bool, OsString)],
) -> Result<Vec<Item>, Failure> {
    let named: Vec<_> = list.unwrap_or(&DEFAULT).iter().chain(more).collect();
    if named.len() + edits.len() > MOST {
        return Err(Failure::new(format!("more than {MOST} shared items"))
            .hint("share a directory that contains many of them, for example .config"));
    }
    let mut items = Vec::new();
    named.into_iter().for_each(|item| add(&mut items, item.clone()));
    for (adds, word) in edits {
        if !adds && word == "all" {
            items.clear();
        } else if *adds {
            add(&mut items, Item::parse(word, "--share")?);
        } else {
            let item = Item::parse(word, "--no-share")?;
            items.retain(|known| *known != item);
        }
    }
    Ok(items)
}

/// Does `--no-share` name the item?
pub fn is_declined(item: &Item, edits: &[(bool, OsString)]) -> bool {
    let names = |word: &OsString| word == "all" || Item::parse(word, "--no-share").is_ok_and(|named| named == *item);
    edits.iter().any(|(adds, word)| !adds && names(word))
}

fn add(items: &mut Vec<Item>, item: Item) {
    if !items.contains(&item) {
        items.push(item);
    }
}

pub fn places(items: &[Item]) -> Vec<PathBuf> {
    let mut all: Vec<_> = items.iter().flat_map(Item::places).collect();
    all.sort();
    all.dedup();
    all
}
