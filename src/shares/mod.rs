//! The shared items: which links a profile's home is to have into the real home, and what is to be done about whatever
//! stands at a link's place. It makes nothing; `prepare.rs` does.
#![forbid(unsafe_code)]

mod items;

pub use items::{Item, every_item, items, places};

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::facts::{Files, Kind, is_missing};
use crate::message::{reason, shown_path};
use crate::real_home::Place;
use items::{CLAUDE, CLAUDE_JSON};

/// The state of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is there, and right.
    Present,
    /// To be made.
    Create,
    /// A link that is to be replaced.
    Replace,
    /// There is nothing to link to.
    SourceMissing,
    /// Something else stands at its place, and stays.
    Left,
    /// The source is in the home, or the home in the source.
    Refused,
    /// Not wanted in this run.
    Skipped,
}

/// One link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The item that it belongs to.
    pub item: Item,
    /// Its place, below the home.
    pub place: PathBuf,
    /// What it is to point to, resolved to the end.
    pub target: Option<PathBuf>,
    /// What is done about it.
    pub state: State,
    /// Why nothing is done, for states that leave a wish unfulfilled.
    pub finding: Option<String>,
}

/// Where the links lead from and to.
pub struct Sharing<'a> {
    /// The home; canonical, and with `exists` false not there yet.
    pub home: &'a Path,
    /// Whether the home is there.
    pub exists: bool,
    /// The real home.
    pub real: &'a Place,
    /// The Hermes root.
    pub root: &'a Place,
    /// The file system.
    pub files: &'a dyn Files,
}

impl Sharing<'_> {
    /// The links for the items, outer places before inner ones.
    pub fn links(&self, items: &[Item]) -> Vec<Link> {
        let mut places: Vec<(Item, PathBuf)> = Vec::new();
        for item in items {
            for place in item.places() {
                if !places.iter().any(|(_, known)| *known == place) {
                    places.push((item.clone(), place));
                }
            }
        }
        places.sort_by_key(|(_, place)| place.components().count());
        let mut links: Vec<Link> = Vec::new();
        for (item, place) in places {
            let link = self.link(item, place, &links);
            links.push(link);
        }
        links
    }

    fn link(&self, item: Item, place: PathBuf, before: &[Link]) -> Link {
        let mut link = Link { item, place, target: None, state: State::Skipped, finding: None };
        // Half of Claude Code's state would mix two logins.
        let is_claude_json = link.item == Item::Claude && link.place == Path::new(CLAUDE_JSON);
        if is_claude_json && !before.iter().any(|link| link.place == Path::new(CLAUDE) && link.state.leads_there()) {
            return link;
        }
        let source = self.real.canonical.join(&link.place);
        link.target = match self.target(&source, is_claude_json) {
            Ok(target) => target,
            Err(error) => {
                link.finding = Some(self.not_linked(&link.place, &reason(&error)));
                return link;
            }
        };
        let Some(target) = link.target.clone() else {
            link.state = State::SourceMissing;
            return link;
        };
        if target.starts_with(self.home) || self.home.starts_with(&target) {
            link.state = State::Refused;
            link.finding = Some(self.not_linked(&link.place, "the one lies inside the other"));
            return link;
        }
        let covered = before
            .iter()
            .any(|outer| matches!(outer.state, State::Create | State::Replace) && link.place.starts_with(&outer.place));
        let found = if covered { Ok(State::Present) } else { self.examine(&link.place, &target) };
        link.state = found.as_ref().copied().unwrap_or(State::Left);
        link.finding = found.err().map(|what| self.not_linked(&link.place, &what));
        link
    }

    fn not_linked(&self, place: &Path, why: &str) -> String {
        let (link, source) = (self.home.join(place), self.real.spelled.join(place));
        format!("{} is not linked to {}: {why}", shown_path(&link), shown_path(&source))
    }

    /// What stands at a link's place. An error says why it is left alone.
    fn examine(&self, place: &Path, target: &Path) -> Result<State, String> {
        if !self.exists {
            return Ok(State::Create);
        }
        let path = self.home.join(place);
        let text = self.files.link_text(&path);
        // The usual case. Whichever way its directory is reached, the link leads to the source in one hop.
        if text.as_ref().is_ok_and(|text| text == target) {
            return Ok(State::Present);
        }
        let mut parents: Vec<_> = place.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()).collect();
        parents.reverse();
        for parent in parents {
            let parent = self.home.join(parent);
            match self.files.lstat(&parent) {
                Ok(stat) if stat.kind == Kind::Directory => {}
                Ok(stat) if stat.kind == Kind::Link && self.same(&path, target) => return Ok(State::Present),
                Ok(stat) => return Err(format!("{} is {}", shown_path(&parent), self.words(&parent, stat.kind))),
                Err(error) if is_missing(&error) => return Ok(State::Create),
                Err(error) => return Err(format!("{}: {}", shown_path(&parent), reason(&error))),
            }
        }
        match text {
            Ok(text) => self.examine_link(&path, &text, target),
            Err(error) if is_missing(&error) => Ok(State::Create),
            Err(_) => match self.files.lstat(&path) {
                Ok(stat) => Err(format!("it is {}", self.words(&path, stat.kind))),
                Err(error) => Err(reason(&error)),
            },
        }
    }

    fn examine_link(&self, path: &Path, text: &Path, target: &Path) -> Result<State, String> {
        // One hop: what the text names is no further link, and is the target. The target itself is resolved to the end.
        let next = path.parent().unwrap_or(self.home).join(text);
        let ends = self.files.lstat(&next).map_or_else(|error| is_missing(&error), |stat| stat.kind != Kind::Link);
        if ends && (self.landing(&next).as_deref() == Some(target) || self.is_same(&next, target)) {
            return Ok(State::Present);
        }
        match self.files.canonical(path) {
            Ok(_) if self.same(path, target) => Ok(State::Replace),
            Err(error) if is_missing(&error) && self.is_ours_to_replace(text) => Ok(State::Replace),
            _ => Err(format!("it is {}", self.words(path, Kind::Link))),
        }
    }

    /// A dangling link to a place in the real home that is not Hermes' own is a leftover of ours.
    fn is_ours_to_replace(&self, text: &Path) -> bool {
        let inside = |place: &Place| text.starts_with(&place.spelled) || text.starts_with(&place.canonical);
        text.is_absolute()
            && !text.components().any(|part| part == Component::ParentDir)
            && inside(self.real)
            && !inside(self.root)
    }

    fn same(&self, path: &Path, target: &Path) -> bool {
        self.files.canonical(path).is_ok_and(|canonical| canonical == target) || self.is_same(path, target)
    }

    fn is_same(&self, path: &Path, target: &Path) -> bool {
        matches!((self.files.stat(path), self.files.stat(target)), (Ok(one), Ok(other)) if one.identity == other.identity)
    }

    /// What a link to a source leads to; none where that is missing, unless Claude Code creates it through the link.
    fn target(&self, source: &Path, is_claude_json: bool) -> io::Result<Option<PathBuf>> {
        match self.files.canonical(source) {
            Err(error) if is_missing(&error) => Ok(is_claude_json.then(|| self.landing(source)).flatten()),
            result => result.map(Some),
        }
    }

    /// The canonical path of something that need not be there: its directory resolved, and links at the end followed.
    fn landing(&self, path: &Path) -> Option<PathBuf> {
        let mut path = path.to_owned();
        // As many links in a row as the kernel follows (path_resolution(7)).
        for _ in 0..40 {
            let dir = self.files.canonical(path.parent()?).ok()?;
            path = dir.join(path.file_name()?);
            match self.files.link_text(&path) {
                Ok(text) => path = dir.join(text),
                Err(_) => return Some(path),
            }
        }
        None
    }

    fn words(&self, path: &Path, kind: Kind) -> String {
        match kind {
            Kind::Directory => "a directory".into(),
            Kind::File => "a file".into(),
            Kind::Other => "neither a file nor a directory".into(),
            Kind::Link => match self.files.link_text(path) {
                Ok(text) => format!("a link to {}", shown_path(&text)),
                Err(error) => format!("a link that cannot be read: {}", reason(&error)),
            },
        }
    }

    /// Is a link at one of our places ours to remove: its text is what we would write, or it leads into the real home and
    /// not into Hermes' own files?
    pub fn is_ours(&self, place: &Path, text: &Path) -> bool {
        let target = self.target(&self.real.canonical.join(place), place == Path::new(CLAUDE_JSON));
        target.is_ok_and(|target| target.as_deref() == Some(text)) || self.is_ours_to_replace(text)
    }
}

impl State {
    /// The state in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::SourceMissing => "source-missing",
            Self::Left => "left",
            Self::Refused => "refused",
            Self::Skipped => "skipped",
        }
    }

    /// Is there, or will there be, a link that leads to the source?
    pub fn leads_there(self) -> bool {
        matches!(self, Self::Present | Self::Create | Self::Replace)
    }
}
