//! The few settings of a profile's `config.yaml` that matter here: which names it passes through, which it declares as
//! credentials, and which HOME it wants. It is parsed only if it contains one of these words. Only the names are kept, and
//! aliases are never expanded, so that the cost is linear even for a file of cycles or a "billion laughs".
//!
//! The settings are those of hermes-agent 0.19.0: `key_env` under each of its names in `agent/auxiliary_client.py` and
//! `hermes_cli/config.py`; `access_token_env`, `service_account_token_env` and the map `env` of the backends below
//! `secrets` in `agent/secret_sources`. Plugins add others of the same form.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use saphyr_parser::{Event, Parser};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `terminal.env_passthrough` and `tools.env_passthrough`.
    pub passthrough: BTreeSet<Vec<u8>>,
    /// Every `key_env` under any of its names; below `secrets`, the value of every key that ends in `_env`, and the keys of
    /// every `env`.
    pub declared: BTreeSet<Vec<u8>>,
    /// `terminal.home_mode`.
    pub home_mode: Option<String>,
    /// `terminal.shell_init_files`; complete only from [`read_all`].
    pub init_files: BTreeSet<Vec<u8>>,
}

/// The setting that names a credential's variable.
const KEY_ENV: [&str; 4] = ["key_env", "api_key_env", "keyEnv", "apiKeyEnv"];

/// Unless the text contains one of these parts of words, or both of [`OF_SECRETS`], there is nothing to find.
const WORDS: [&str; 4] = ["env_passthrough", "key_env", "eyEnv", "home_mode"];
const OF_SECRETS: [&str; 2] = ["secrets", "env"];
/// One of these is in each of them: without it the text is not searched for the others.
const IN_ALL: [&str; 2] = ["nv", "home_mode"];

/// The index of `shell_init_files`, after the lists of the two sections.
const INIT_FILES: usize = 2;

/// The longest text that an alias may stand for, in bytes. Names of variables are much shorter, and copies of longer texts
/// could add up.
pub const LONGEST: usize = 1024;

/// The characters that start the parser's tokens, and how many of them there may be between two events. The parser holds
/// back what may be a key until it is certain: for `[` or `{` at the start of a line that is the whole collection, at about
/// a hundred bytes a token.
const INDICATORS: &str = "[]{},:*&!?\"'";
pub const MOST: usize = 1 << 17;
/// How deep collections may be nested. Hermes' own reader (PyYAML) gives up long before.
pub const DEEPEST: usize = 10_000;

/// Errors: the place where the YAML is invalid, without the text.
pub fn read(text: &[u8]) -> Result<Config, String> {
    let checked = std::str::from_utf8(text);
    // The words are ASCII, and found in the same places whatever replaces bytes that are not UTF-8.
    let searched = checked.map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
    let holds = |word: &&str| searched.contains(word);
    let says_something = IN_ALL.iter().any(holds) && (WORDS.iter().any(holds) || OF_SECRETS.iter().all(holds));
    if !says_something {
        return Ok(Config::default());
    }
    whole(checked.map_err(|_| "not UTF-8".to_owned())?)
}

/// As [`read`], but always parses: for settings that a start does not need. `None` if the YAML is invalid.
pub fn read_all(text: &[u8]) -> Option<Config> {
    whole(std::str::from_utf8(text).ok()?).ok()
}

fn whole(text: &str) -> Result<Config, String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::read(text, Known::default())?;
    if let Some(known) = reader.needs_again() {
        // Dropped first: two readers at once would take twice the memory.
        drop(std::mem::take(&mut reader));
        reader = Reader::read(text, known)?;
    }
    Ok(reader.finish())
}

/// What a first reading has found out.
#[derive(Default)]
struct Known {
    /// The secrets are elsewhere, by an alias, so that any place may be theirs.
    is_secret_everywhere: bool,
    /// The anchors of lists that an alias uses as a section's list.
    lists: [Option<usize>; 3],
}

/// The meaning of a value, by the keys above it.
#[derive(Clone, Copy)]
enum Place {
    Root,
    /// `terminal` (0) or `tools` (1).
    Section(usize),
    /// `env_passthrough` of the section, or `shell_init_files` ([`INIT_FILES`]).
    Listed(usize),
    HomeMode,
    /// The name of a variable.
    Name,
    /// A map whose keys are names of variables.
    Names,
    /// Below `secrets`.
    Secrets,
    Elsewhere,
}

/// A collection that is not yet complete.
enum Open {
    /// With the number of the list, if its names are collected, or 0.
    List(Place, usize),
    /// With the place of the next value, if its key has been read.
    Map(Place, Option<Place>),
}

#[derive(Default)]
struct Reader {
    config: Config,
    open: Vec<Open>,
    /// Texts that an alias may stand for, by their anchors.
    texts: BTreeMap<usize, String>,
    /// The lists that count, by anchor; those without an anchor are numbered from the end, by section.
    lists: BTreeMap<usize, BTreeSet<Vec<u8>>>,
    /// The list of each section, and that of the files.
    listed: [Option<usize>; 3],
    known: Known,
    has_secrets_elsewhere: bool,
}

impl Reader {
    /// Reads the first document.
    fn read(text: &str, known: Known) -> Result<Self, String> {
        let mut reader = Self { known, ..Self::default() };
        let left = Cell::new(MOST);
        let text = text.chars().take_while(|&c| {
            left.set(left.get().saturating_sub(usize::from(INDICATORS.contains(c))));
            left.get() > 0
        });
        for event in Parser::new_from_iter(text) {
            let (event, _) = match event {
                _ if left.get() == 0 => return Err("contains a collection that is too large".to_owned()),
                Err(error) => {
                    let (line, column) = (error.marker().line(), error.marker().col() + 1);
                    return Err(format!("invalid YAML at line {line}, column {column}"));
                }
                Ok(event) => event,
            };
            left.set(MOST);
            match event {
                Event::Scalar(text, _, anchor, _) => {
                    reader.text(&text);
                    if anchor != 0 && text.len() <= LONGEST {
                        reader.texts.insert(anchor, text.into_owned());
                    }
                }
                Event::Alias(anchor) => reader.alias(anchor),
                Event::SequenceStart(anchor, _) => reader.list(anchor),
                Event::MappingStart(..) => {
                    let place = reader.next();
                    reader.open.push(Open::Map(place, None));
                }
                Event::SequenceEnd | Event::MappingEnd => drop(reader.open.pop()),
                Event::DocumentEnd => break,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
            }
            if reader.open.len() > DEEPEST {
                return Err("collections are nested too deeply".to_owned());
            }
        }
        Ok(reader)
    }

    /// The place of the next value, if that is not a text.
    fn next(&mut self) -> Place {
        match self.open.last_mut() {
            None => Place::Root,
            Some(Open::List(Place::Secrets, _)) => Place::Secrets,
            Some(Open::List(..)) => Place::Elsewhere,
            Some(Open::Map(_, value)) => value.take().unwrap_or_else(|| {
                *value = Some(Place::Elsewhere);
                Place::Elsewhere
            }),
        }
    }

    fn text(&mut self, text: &str) {
        match self.open.last_mut() {
            Some(Open::Map(place, value @ None)) => {
                let place = *place;
                let below = place.below(text, self.known.is_secret_everywhere);
                *value = Some(below);
                self.key(place, text, below);
            }
            Some(Open::Map(_, value)) => match value.take() {
                Some(Place::Name) => drop(self.config.declared.insert(name(text))),
                Some(Place::HomeMode) => self.config.home_mode = Some(text.trim().to_owned()),
                _ => {}
            },
            Some(&mut Open::List(_, list)) => {
                if let Some(names) = self.lists.get_mut(&list) {
                    names.insert(name(text));
                }
            }
            None => {}
        }
    }

    /// Of duplicate keys the last one counts, as for Hermes' reader.
    fn key(&mut self, place: Place, text: &str, below: Place) {
        match (place, below) {
            (Place::Names, _) => drop(self.config.declared.insert(name(text))),
            (_, Place::HomeMode) => self.config.home_mode = None,
            (_, Place::Listed(which)) => self.listed[which] = None,
            (_, Place::Section(section)) => {
                self.listed[section] = None;
                if section == 0 {
                    self.listed[INIT_FILES] = None;
                    self.config.home_mode = None;
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, anchor: usize) {
        let place = self.next();
        let list = match place {
            Place::Listed(which) if anchor == 0 => usize::MAX - which,
            _ => anchor,
        };
        if let Place::Listed(which) = place {
            self.listed[which] = Some(list);
        }
        if matches!(place, Place::Listed(_)) || (list != 0 && self.known.lists.contains(&Some(list))) {
            self.lists.insert(list, BTreeSet::new());
        }
        self.open.push(Open::List(place, list));
    }

    /// An alias of a text counts as that text everywhere; one of a list only as a section's list. Aliases of maps are not
    /// followed.
    fn alias(&mut self, anchor: usize) {
        if let Some(text) = self.texts.get(&anchor).cloned() {
            return self.text(&text);
        }
        match self.next() {
            Place::Listed(which) => self.listed[which] = Some(anchor),
            Place::Secrets | Place::Names => self.has_secrets_elsewhere = true,
            _ => {}
        }
    }

    /// What a second reading must know, if one is needed.
    fn needs_again(&self) -> Option<Known> {
        let is_elsewhere = |list: &usize| !self.lists.contains_key(list);
        let needs = self.has_secrets_elsewhere || self.listed.iter().flatten().any(is_elsewhere);
        needs.then_some(Known { is_secret_everywhere: self.has_secrets_elsewhere, lists: self.listed })
    }

    fn finish(mut self) -> Config {
        let files = self.listed[INIT_FILES].and_then(|list| self.lists.get(&list));
        self.config.init_files = files.cloned().unwrap_or_default();
        let lists = self.listed[..INIT_FILES].iter().flatten().filter_map(|list| self.lists.remove(list));
        self.config.passthrough = lists.flatten().collect();
        self.config
    }
}

impl Place {
    /// The place of the value of a key.
    fn below(self, key: &str, is_secret_everywhere: bool) -> Self {
        let is_secret = is_secret_everywhere || matches!(self, Self::Secrets | Self::Names);
        match (self, key) {
            (Self::Root, "terminal") => Self::Section(0),
            (Self::Root, "tools") => Self::Section(1),
            // `<<` merges the keys of another map.
            (Self::Root, "secrets" | "<<") => Self::Secrets,
            (Self::Section(section), "env_passthrough") => Self::Listed(section),
            (Self::Section(0), "shell_init_files") => Self::Listed(INIT_FILES),
            (Self::Section(0), "home_mode") => Self::HomeMode,
            _ if KEY_ENV.contains(&key) => Self::Name,
            (_, "env") if is_secret => Self::Names,
            _ if is_secret && key.ends_with("_env") => Self::Name,
            _ if is_secret => Self::Secrets,
            _ => Self::Elsewhere,
        }
    }
}

fn name(text: &str) -> Vec<u8> {
    text.trim().as_bytes().to_vec()
}
