//! The shared items: which links into the real home a profile's home needs, and what to do about an existing entry at a
//! link's place. It creates nothing; `act/links.rs` does.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};

use super::items::{ANTHROPIC, CLAUDE, CLAUDE_JSON, Item};
use crate::plan::diagnostic::Diagnostic;
use crate::text::{escaped_path, os_message};
use crate::world::place::{Place, is_below, leads_through, resolve_allow_missing};
use crate::world::{Kind, World, is_missing};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Present,
    Create,
    Replace,
    SourceMissing,
    /// Something else exists in its place, and stays.
    Left,
    /// The source is inside the home, or the home inside the source.
    Refused,
    Skipped,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub item: Item,
    pub place: PathBuf,
    /// The text that it has or will have.
    pub target: Option<PathBuf>,
    pub state: State,
    /// Why the link is not created, if it cannot be.
    pub finding: Option<Diagnostic>,
}

/// The places of links that will be created, none of them inside another.
#[derive(Default)]
struct Outer(BTreeSet<PathBuf>);

impl Outer {
    /// Is a place inside one of them? If so, that is the last one before it in the order of paths.
    fn cover(&self, place: &Path) -> bool {
        let before = self.0.range::<Path, _>((Bound::Unbounded, Bound::Included(place))).next_back();
        before.is_some_and(|outer| place.starts_with(outer))
    }
}

pub struct LinkContext<'a> {
    /// The home, canonical. It need not exist yet, see `exists`.
    pub home: &'a Path,
    pub exists: bool,
    pub real: &'a Place,
    pub root: &'a Place,
    /// The user's XDG_CONFIG_HOME: used for what the real home's `.config` lacks.
    pub config: Option<&'a Place>,
    pub world: &'a dyn World,
}

impl LinkContext<'_> {
    /// The links for the items, outer places before inner ones.
    pub fn links(&self, items: &[Item]) -> Vec<Link> {
        let mut known = BTreeSet::new();
        let mut places: Vec<(Item, PathBuf)> = Vec::new();
        for item in items {
            let new = item.places().into_iter().filter(|place| known.insert(place.clone()));
            places.extend(new.map(|place| (item.clone(), place)));
        }
        places.sort_by_cached_key(|(_, place)| place.components().count());
        let mut links: Vec<Link> = Vec::new();
        let mut outer = Outer::default();
        for (item, place) in places {
            let link = self.link(item, place, &links, &outer);
            if matches!(link.state, State::Create | State::Replace) {
                outer.0.insert(link.place.clone());
            }
            links.push(link);
        }
        links
    }

    fn link(&self, item: Item, place: PathBuf, before: &[Link], outer: &Outer) -> Link {
        let mut link = Link { item, place, target: None, state: State::Skipped, finding: None };
        let claude = || before.iter().find(|before| before.place == Path::new(CLAUDE));
        // Half of Claude Code's state would mix two logins.
        let is_half = |claude: &Link| !claude.state.leads_there() && !self.is_alone(&link, claude);
        if link.item == Item::Claude && claude().is_some_and(is_half) {
            return link;
        }
        let source = match self.source(&link.place, link.is_claude_json()) {
            Ok(source) => source,
            Err(error) => {
                link.finding = Some(self.not_linked(&link.place, &os_message(&error)));
                return link;
            }
        };
        let Some(source) = source else {
            link.state = State::SourceMissing;
            return link;
        };
        link.target = Some(source.text(link.is_claude_json()));
        if is_below(&source.end, self.home) || is_below(self.home, &source.end) {
            link.state = State::Refused;
            link.finding = Some(self.not_linked(&link.place, "one is inside the other"));
            return link;
        }
        let found = if outer.cover(&link.place) { Ok(State::Present) } else { self.examine(&link, &source) };
        link.state = found.as_ref().copied().unwrap_or(State::Left);
        link.finding = found.err().map(|what| self.not_linked(&link.place, &what));
        link
    }

    /// The login below `.config` is complete without `.claude`, if the real home has none.
    fn is_alone(&self, link: &Link, claude: &Link) -> bool {
        link.place == Path::new(ANTHROPIC) && claude.state == State::SourceMissing
    }

    fn not_linked(&self, place: &Path, why: &str) -> Diagnostic {
        let [link, source] = [self.home, &self.real.spelled].map(|home| escaped_path(&home.join(place)));
        Diagnostic::warning("link", format!("{link} is not linked to {source}: {why}"))
    }

    /// What exists at a link's place. An error says why it is left alone.
    fn examine(&self, link: &Link, source: &Source) -> Result<State, String> {
        if !self.exists {
            return Ok(State::Create);
        }
        let (place, path) = (&link.place, self.home.join(&link.place));
        let text = self.world.link_text(&path);
        // The usual case: however its directory is reached, the link points to the source.
        if text.as_ref().is_ok_and(|text| *text == source.text(link.is_claude_json())) {
            return Ok(State::Present);
        }
        let mut parents: Vec<_> = place.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()).collect();
        parents.reverse();
        for parent in parents {
            let parent = self.home.join(parent);
            match self.world.lstat(&parent) {
                Ok(stat) if stat.kind == Kind::Directory => {}
                Ok(stat) if stat.kind == Kind::Link && self.leads_to(&path, &source.end) => return Ok(State::Present),
                Ok(stat) => return Err(format!("{} is {}", escaped_path(&parent), self.words(&parent, stat.kind))),
                Err(error) if is_missing(&error) => return Ok(State::Create),
                Err(error) => return Err(format!("{}: {}", escaped_path(&parent), os_message(&error))),
            }
        }
        match text {
            Ok(text) if link.is_claude_json() => self.examine_claude_json(&path, &text, &source.end),
            Ok(text) => self.examine_link(&path, &text, source),
            Err(error) if is_missing(&error) => Ok(State::Create),
            Err(_) => match self.world.lstat(&path) {
                Ok(stat) => Err(format!("it is {}", self.words(&path, stat.kind))),
                Err(error) => Err(os_message(&error)),
            },
        }
    }

    /// It must reach its target in a single hop, and belong to the same account as `.claude`, which is our link.
    fn examine_claude_json(&self, path: &Path, text: &Path, target: &Path) -> Result<State, String> {
        let next = path.parent().unwrap_or(self.home).join(text);
        let ends = self.world.lstat(&next).map_or_else(|error| is_missing(&error), |stat| stat.kind != Kind::Link);
        if ends && (resolve_allow_missing(&next, self.world) == target || self.is_same_inode(&next, target)) {
            return Ok(State::Present);
        }
        match self.root.holds(&next, self.world) {
            false => Ok(State::Replace),
            true => Err(format!("it is {}", self.words(path, Kind::Link))),
        }
    }

    fn examine_link(&self, path: &Path, text: &Path, source: &Source) -> Result<State, String> {
        let next = path.parent().unwrap_or(self.home).join(text);
        if leads_through(&next, &source.base, &source.below, self.world) {
            return Ok(if self.leads_to(path, &source.end) { State::Present } else { State::Replace });
        }
        match self.world.canonical(path) {
            // It bypasses a link of the user's, and would not follow when that changes.
            Ok(_) if self.leads_to(path, &source.end) && source.has_links() => Ok(State::Replace),
            Ok(_) if self.leads_to(path, &source.end) => Ok(State::Present),
            Err(error) if is_missing(&error) && self.is_ours_to_replace(text) => Ok(State::Replace),
            _ => Err(format!("it is {}", self.words(path, Kind::Link))),
        }
    }

    /// A dangling link to a place in the real home that is not Hermes' own was left by us.
    fn is_ours_to_replace(&self, text: &Path) -> bool {
        let inside = |place: &Place| text.starts_with(&place.spelled) || text.starts_with(&place.canonical);
        text.is_absolute()
            && !text.components().any(|part| part == Component::ParentDir)
            && inside(self.real)
            && !inside(self.root)
    }

    fn leads_to(&self, path: &Path, target: &Path) -> bool {
        self.world.canonical(path).is_ok_and(|canonical| canonical == target) || self.is_same_inode(path, target)
    }

    fn is_same_inode(&self, path: &Path, target: &Path) -> bool {
        matches!((self.world.stat(path), self.world.stat(target)), (Ok(one), Ok(other)) if one.identity == other.identity)
    }

    /// The source of a place; `None` if it is missing, unless Claude Code creates it through the link.
    fn source(&self, place: &Path, is_claude_json: bool) -> io::Result<Option<Source>> {
        let of = |base: &Path, below: &Path, end| Some(Source { base: base.to_owned(), below: below.to_owned(), end });
        let path = self.real.canonical.join(place);
        match self.world.canonical(&path) {
            Err(error) if is_missing(&error) && is_claude_json => {
                let end = resolve_allow_missing(&path, self.world);
                let can_be_created = end.parent().is_some_and(|dir| self.world.canonical(dir).is_ok());
                Ok(of(&self.real.canonical, place, end).filter(|_| can_be_created))
            }
            Err(error) if is_missing(&error) => {
                let elsewhere = self.config.zip(place.strip_prefix(".config").ok());
                Ok(elsewhere.and_then(|(config, below)| {
                    let end = self.world.canonical(&joined(&config.canonical, below)).ok()?;
                    of(&config.canonical, below, end)
                }))
            }
            result => Ok(of(&self.real.canonical, place, result?)),
        }
    }

    fn words(&self, path: &Path, kind: Kind) -> String {
        match kind {
            Kind::Directory => "a directory".into(),
            Kind::File => "a file".into(),
            Kind::Other => "neither a file nor a directory".into(),
            Kind::Link => match self.world.link_text(path) {
                Ok(text) => format!("a symlink to {}", escaped_path(&text)),
                Err(error) => format!("a symlink that cannot be read: {}", os_message(&error)),
            },
        }
    }

    /// May we remove a link at one of our places? Yes, if its text is one that we write or once wrote, or if it points into the
    /// real home but not into Hermes' own files.
    pub fn is_ours(&self, place: &Path, text: &Path) -> bool {
        let source = self.source(place, place == Path::new(CLAUDE_JSON));
        let is_written = |source: Source| [source.text(false), source.text(true)].iter().any(|own| own == text);
        source.is_ok_and(|source| source.is_some_and(is_written)) || self.is_ours_to_replace(text)
    }
}

/// Where a shared item is.
struct Source {
    /// The real home, or the directory that replaces its `.config`; canonical.
    base: PathBuf,
    below: PathBuf,
    /// The resolved path, as of now.
    end: PathBuf,
}

impl Source {
    /// The text of a link to it: its place, so that the link follows when the user replaces the source. Claude Code saves
    /// `.claude.json` through one link only, so that this one points to the resolved path.
    fn text(&self, is_claude_json: bool) -> PathBuf {
        if is_claude_json { self.end.clone() } else { joined(&self.base, &self.below) }
    }

    fn has_links(&self) -> bool {
        joined(&self.base, &self.below) != self.end
    }
}

/// As [`Path::join`], but without a final slash if `below` is empty.
fn joined(base: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { base.to_owned() } else { base.join(below) }
}

impl Link {
    fn is_claude_json(&self) -> bool {
        self.item == Item::Claude && self.place == Path::new(CLAUDE_JSON)
    }
}

impl State {
    pub fn as_str(self) -> &'static str {
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

    /// Does the link exist, or will it be created?
    pub fn leads_there(self) -> bool {
        matches!(self, Self::Present | Self::Create | Self::Replace)
    }
}
