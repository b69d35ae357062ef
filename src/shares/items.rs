//! What is shared: the default items, the policy file's and the options'. It does not look at any file.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::message::{Failure, shown_path};
use crate::policy::file::{PolicyFile, Program, SharedItem};

/// A shared item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The macOS keychain and the file that says which one is the default.
    Keychain,
    /// Claude Code's login and settings.
    Claude,
    /// Any path, relative to the home.
    Path(PathBuf),
}

/// What is shared where nobody says otherwise.
const DEFAULT: [Item; 2] = [Item::Keychain, Item::Claude];

/// The directory of Claude Code.
pub(super) const CLAUDE: &str = ".claude";
/// Its settings, which it creates through a link, and saves through exactly one.
pub(super) const CLAUDE_JSON: &str = ".claude.json";

impl Item {
    /// Reads a word of `--share` or another list, which the error names.
    ///
    /// # Errors
    /// 125 for a path that is absolute, empty, or could leave the home.
    pub fn parse(word: &OsStr, option: &str) -> Result<Self, Failure> {
        match word.as_bytes() {
            b"keychain" => return Ok(Self::Keychain),
            b"claude" => return Ok(Self::Claude),
            _ => {}
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
            return Err(Failure::new(format!("{option}: an item is no path below the home"))
                .hint("share keychain, claude, or a path below the home such as .config/gh, without '..'"));
        }
        Ok(Self::Path(path))
    }

    /// The item's name in reports.
    pub fn name(&self) -> String {
        match self {
            Self::Keychain => "keychain".into(),
            Self::Claude => "claude".into(),
            Self::Path(path) => shown_path(path),
        }
    }

    /// The places of its links, below the home.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        match self {
            Self::Keychain => vec!["Library/Keychains".into(), "Library/Preferences/com.apple.security.plist".into()],
            Self::Claude => vec![CLAUDE.into(), CLAUDE_JSON.into()],
            Self::Path(path) => vec![path.clone()],
        }
    }
}

/// The items to share: the default ones or the policy file's list, what the file adds for the program, then `--share` (true)
/// and `--no-share` (false) from left to right.
///
/// # Errors
/// As [`Item::parse`].
pub fn items(file: Option<(&PolicyFile, Option<&Program>)>, edits: &[(bool, OsString)]) -> Result<Vec<Item>, Failure> {
    let list = file.and_then(|(file, _)| file.share.as_ref());
    let of_program = file.and_then(|(_, program)| program).into_iter().flat_map(|program| &program.share);
    let base = if list.is_some() { &[][..] } else { &DEFAULT };
    edited(base, list.into_iter().flatten().chain(of_program), edits)
}

/// The items whose links `--unlink` takes out: any run may have made them, so those of the whole policy file are in it
/// besides the default ones.
///
/// # Errors
/// As [`Item::parse`].
pub fn every_item(file: Option<&PolicyFile>, edits: &[(bool, OsString)]) -> Result<Vec<Item>, Failure> {
    let list = file.and_then(|file| file.share.as_ref()).into_iter().flatten();
    let of_programs = file.into_iter().flat_map(|file| &file.programs).flat_map(|(_, program)| &program.share);
    edited(&DEFAULT, list.chain(of_programs), edits)
}

fn edited<'a>(
    base: &[Item],
    of_file: impl Iterator<Item = &'a SharedItem>,
    edits: &[(bool, OsString)],
) -> Result<Vec<Item>, Failure> {
    let mut items = base.to_vec();
    of_file.for_each(|item| add(&mut items, item.0.clone()));
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

fn add(items: &mut Vec<Item>, item: Item) {
    if !items.contains(&item) {
        items.push(item);
    }
}

/// The places of the links of these items.
pub fn places(items: &[Item]) -> Vec<PathBuf> {
    let mut all: Vec<_> = items.iter().flat_map(Item::places).collect();
    all.sort();
    all.dedup();
    all
}
