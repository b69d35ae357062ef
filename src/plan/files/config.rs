//! The few words of a profile's `config.yaml` that matter here: which names it passes through, which it declares as
//! credentials, and which HOME it wants. It is parsed only when one of those words is in it. What is read is forgotten at once
//! but for the names, and no alias is ever copied out, so that a file of cycles or of a billion laughs costs what its bytes
//! cost.
//!
//! The settings are those that hermes-agent 0.19.0 reads: `key_env` by each of its names in `agent/auxiliary_client.py` and
//! `hermes_cli/config.py`; `access_token_env`, `service_account_token_env` and the map `env` of the backends below `secrets` in
//! `agent/secret_sources`, to which plugins add others of the same form.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `terminal.env_passthrough` and `tools.env_passthrough`.
    pub passthrough: HashSet<Vec<u8>>,
    /// Every `key_env` by any of its names; below `secrets`, what a key that ends in `_env` names, and the keys of every `env`.
    pub declared: HashSet<Vec<u8>>,
    /// `terminal.home_mode`.
    pub home_mode: Option<String>,
}

/// The setting that names a credential's variable.
const KEY_ENV: [&str; 4] = ["key_env", "api_key_env", "keyEnv", "apiKeyEnv"];

/// Without one of these words, or without both of the last, there is nothing to find. Parts of words, of which each stands for
/// several.
const WORDS: [&str; 4] = ["env_passthrough", "key_env", "eyEnv", "home_mode"];
const OF_SECRETS: [&str; 2] = ["secrets", "env"];

/// The longest text for which an alias may stand, in bytes. No name of a variable comes near, and copies of longer ones could
/// add up.
const LONGEST: usize = 1024;

/// The characters with which the parser's tokens begin, and how many there may be from one event to the next. It holds what may
/// be a key until it knows: with `[` or `{` at the start of a line all of the collection, at some hundred bytes a token.
const INDICATORS: &str = "[]{},:*&!?\"'";
const MOST: usize = 1 << 17;
/// How deep collections may stand in one another. Hermes' own reader (PyYAML) gives up long before.
const DEEPEST: usize = 10_000;

/// Errors: where it is no YAML: the place, not the text.
pub fn read(text: &[u8]) -> Result<Config, String> {
    let checked = std::str::from_utf8(text);
    // The words are ASCII: they stand in the same places whatever becomes of bytes that are no text.
    let searched = checked.map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
    let holds = |word: &&str| searched.contains(word);
    if !WORDS.iter().any(holds) && !OF_SECRETS.iter().all(holds) {
        return Ok(Config::default());
    }
    let text = checked.map_err(|_| "it is not UTF-8".to_owned())?.trim_start_matches('\u{feff}');
    let reader = Reader::read(text, false)?;
    // Where the secrets are elsewhere, by an alias, any place may be that.
    let reader = if reader.has_secrets_elsewhere { Reader::read(text, true)? } else { reader };
    Ok(reader.finish())
}

/// What a value means, by the keys above it.
#[derive(Clone, Copy)]
enum Place {
    Root,
    /// `terminal` (0) or `tools` (1).
    Section(usize),
    /// The list of the section.
    Passthrough(usize),
    HomeMode,
    /// The name of a variable.
    Name,
    /// A map of which the keys are names of variables.
    Names,
    /// Below `secrets`.
    Secrets,
    Elsewhere,
}

/// A collection that has begun.
enum Open {
    /// With the number of the list whose names are collected, or 0.
    List(Place, usize),
    /// With the place of the value that comes next, if its key has been read.
    Map(Place, Option<Place>),
}

#[derive(Default)]
struct Reader {
    config: Config,
    open: Vec<Open>,
    /// Texts that an alias may stand for, by their anchors.
    texts: HashMap<usize, String>,
    /// Lists that an alias may stand for, by their anchors; those without one in the place of their section from the end.
    lists: HashMap<usize, HashSet<Vec<u8>>>,
    /// The list of each section.
    passed: [Option<usize>; 2],
    is_secret_everywhere: bool,
    has_secrets_elsewhere: bool,
}

impl Reader {
    /// Reads the first document.
    fn read(text: &str, is_secret_everywhere: bool) -> Result<Self, String> {
        let mut reader = Self { is_secret_everywhere, ..Self::default() };
        let left = Cell::new(MOST);
        let text = text.chars().take_while(|&c| {
            left.set(left.get().saturating_sub(usize::from(INDICATORS.contains(c))));
            left.get() > 0
        });
        for event in Parser::new_from_iter(text) {
            let (event, _) = match event {
                _ if left.get() == 0 => return Err("a collection in it is too large".to_owned()),
                Err(error) => {
                    let (line, column) = (error.marker().line(), error.marker().col() + 1);
                    return Err(format!("it is no YAML, at line {line}, column {column}"));
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
                return Err("its collections are too deep".to_owned());
            }
        }
        Ok(reader)
    }

    /// The place of what comes next, which is no text of its own.
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
                let below = place.below(text, self.is_secret_everywhere);
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

    /// Of equal keys the last counts, as it does for Hermes' reader.
    fn key(&mut self, place: Place, text: &str, below: Place) {
        match (place, below) {
            (Place::Names, _) => drop(self.config.declared.insert(name(text))),
            (_, Place::HomeMode) => self.config.home_mode = None,
            (_, Place::Passthrough(section)) => self.passed[section] = None,
            (_, Place::Section(section)) => {
                self.passed[section] = None;
                if section == 0 {
                    self.config.home_mode = None;
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, anchor: usize) {
        let place = self.next();
        let list = match place {
            Place::Passthrough(section) if anchor == 0 => usize::MAX - section,
            _ => anchor,
        };
        if let Place::Passthrough(section) = place {
            self.passed[section] = Some(list);
        }
        if list != 0 {
            self.lists.insert(list, HashSet::new());
        }
        self.open.push(Open::List(place, list));
    }

    /// An alias of a text stands for it wherever it is; one of a list does as a section's list. Maps are not followed.
    fn alias(&mut self, anchor: usize) {
        if let Some(text) = self.texts.get(&anchor).cloned() {
            return self.text(&text);
        }
        match self.next() {
            Place::Passthrough(section) => self.passed[section] = Some(anchor),
            Place::Secrets | Place::Names => self.has_secrets_elsewhere = true,
            _ => {}
        }
    }

    fn finish(mut self) -> Config {
        let lists = self.passed.into_iter().flatten().filter_map(|list| self.lists.remove(&list));
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
            // The second joins in the keys of another map.
            (Self::Root, "secrets" | "<<") => Self::Secrets,
            (Self::Section(section), "env_passthrough") => Self::Passthrough(section),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> HashSet<Vec<u8>> {
        names.iter().map(|name| name.as_bytes().to_vec()).collect()
    }

    #[track_caller]
    fn declares(text: &str, names: &[&str]) {
        assert_eq!(read(text.as_bytes()).unwrap_or_default().declared, set(names), "{text}");
    }

    #[track_caller]
    fn passes(text: &str, names: &[&str]) {
        assert_eq!(read(text.as_bytes()).unwrap_or_default().passthrough, set(names), "{text}");
    }

    #[test]
    fn the_words_that_matter_are_found_also_through_an_alias() {
        let text = "x: &names [A, ' B ']\nterminal: {env_passthrough: *names}\ntools:\n  env_passthrough:\n    - C\n\
                    providers:\n  - {name: p, key_env: P_KEY}\n  - deeper: {key_env: Q_KEY}\n\
                    others: [{api_key_env: R_KEY}, {keyEnv: S_KEY}, {apiKeyEnv: T_KEY}, {key_envs: no, keyenv: no}]\n\
                    secrets:\n  bitwarden: {access_token_env: BW}\n  onepassword: {env: {ONE: op://x, TWO: op://y}}\n";
        let config = read(text.as_bytes()).unwrap_or_default();
        assert_eq!(config.passthrough, set(&["A", "B", "C"]));
        assert_eq!(config.declared, set(&["P_KEY", "Q_KEY", "R_KEY", "S_KEY", "T_KEY", "BW", "ONE", "TWO"]));
        passes("a: &a A\nterminal: {env_passthrough: [*a, B, [*a, C], {D: E}]}", &["A", "B"]);
        passes("terminal: {env_passthrough: &l [A]}\ntools: {env_passthrough: *l}", &["A"]);
        passes("k: &k env_passthrough\nterminal: {*k : [A]}", &["A"]);
        declares("x: &x A\nk: &k key_env\nproviders: [{*k : *x}, {? {a: b} : c, key_env: B}]", &["A", "B"]);
        let long = "K".repeat(LONGEST);
        declares(&format!("x: &x {long}\nkey_env: *x"), &[&long]);
        declares(&format!("x: &x {long}K\nkey_env: *x"), &[]);
    }

    /// As in hermes-agent 0.19.0, and as a plugin's backend would have it.
    #[test]
    fn every_backend_below_secrets_declares_its_names() {
        declares("secrets:\n  onepassword: {service_account_token_env: A, account: B, env: {C: op://x}}", &["A", "C"]);
        declares(
            "secrets: {vault: {role: {id_env: A, name: B}, list: [{token_env: C}], env: {D: {path: x}}}}",
            &["A", "C", "D"],
        );
        declares("secrets: {token_env: A, env: {B: x}, environment: {C: x}, env_: {D: x}, tokenenv: E}", &["A", "B"]);
        declares("other: {token_env: A, env: {B: x}}\nmcp: {secrets: {token_env: C}}\nsecrets: {}", &[]);
        declares("- secrets: {token_env: A}", &[]);
    }

    /// With an alias in the place of a map, whatever has the form of a backend counts.
    #[test]
    fn secrets_that_stand_elsewhere_are_found() {
        declares("x: &x {vault: {token_env: A, env: {B: x}}}\nsecrets: *x", &["A", "B"]);
        declares("x: &x {token_env: A}\nsecrets: {vault: {<<: *x, env: {B: x}}}", &["A", "B"]);
        declares("x: &x {env: {A: x}}\nsecrets: {vault: {<<: [*x]}}", &["A"]);
        declares("x: &x {secrets: {vault: {token_env: A}}}\n<<: *x", &["A"]);
        declares("x: &x A\nsecrets: {vault: {token_env: *x, account: *x}}\ny: {z_env: B}", &["A"]);
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let mode = |text: &str| read(text.as_bytes()).unwrap_or_default().home_mode;
        passes("terminal: {env_passthrough: [A], env_passthrough: [B]}", &["B"]);
        passes("terminal: {env_passthrough: [A]}\nterminal: {cwd: x}\ntools: {env_passthrough: [C]}", &["C"]);
        passes("terminal: {env_passthrough: [A], env_passthrough: B}", &[]);
        assert_eq!(mode("terminal: {home_mode: real, home_mode: profile}").as_deref(), Some("profile"));
        assert_eq!(mode("terminal: {home_mode: real}\nterminal: {}"), None);
        assert_eq!(mode("terminal: {home_mode: real}\ntools: {}").as_deref(), Some("real"));
    }

    #[test]
    fn the_home_mode_is_that_of_the_terminal() {
        let mode = |text: &str| read(text.as_bytes()).unwrap_or_default().home_mode;
        assert_eq!(mode("x: &x ' Real '\nterminal: {home_mode: *x}").as_deref(), Some("Real"));
        for text in
            ["home_mode: real", "tools: {home_mode: real}", "terminal: {home_mode: [real]}", "terminal: [home_mode]"]
        {
            assert_eq!(mode(text), None, "{text}");
        }
    }

    /// What would cost a hundred times its size, or more. A file that goes on line by line may hold any number.
    #[test]
    fn what_is_too_large_or_too_deep_is_said() {
        let large = |text: &str| read(format!("# key_env\n[{}]", text.repeat(MOST / 2)).as_bytes());
        for text in ["[],", "'',"] {
            assert_eq!(large(text), Err("a collection in it is too large".into()));
        }
        let deep = format!("key_env: A\nl:\n  {}", "- ".repeat(DEEPEST));
        assert_eq!(read(deep.as_bytes()), Err("its collections are too deep".into()));
        let long = format!("key_env: A\nl:\n{}", "- ['::,,', {a: b}]\n".repeat(MOST / 8));
        assert_eq!(read(long.as_bytes()).map(|config| config.declared), Ok(set(&["A"])));
    }

    #[test]
    fn a_file_without_the_words_is_not_parsed() {
        for text in ["[", "secrets: [", "env: [", "token_env: [", "terminal: {home: ["] {
            assert_eq!(read(text.as_bytes()), Ok(Config::default()), "{text}");
        }
        for text in ["home_mode: [", "secrets: {env: [", "x_env: {secrets: [", "keyEnv: [", "env_passthrough: ["] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn cycles_laughs_depth_and_rubbish_are_no_harm() {
        for text in [
            "a: &a\n  env_passthrough: *a\n  terminal: *a\nterminal: *a\n".to_owned(),
            format!("key_env: {}", "[".repeat(10_000)),
            format!("key_env: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
            "key_env: \"never closed".into(),
            "? env_passthrough\n: - *nobody".into(),
            "key_env: a: b: c\n\t- x".into(),
        ] {
            if let Ok(config) = read(text.as_bytes()) {
                assert!(config.passthrough.is_empty(), "{text:.40}");
            }
        }
        assert!(read(b"key_env: \xff").is_err());
        assert_eq!(read(b"\xff\xfe no word that matters"), Ok(Config::default()));
    }
}
