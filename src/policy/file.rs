//! The policy file: JSON, read strictly. Text in, rules out; where the file is, and whether it may be trusted, is the
//! business of `policy/mod.rs`. No message repeats a value of the file.
#![forbid(unsafe_code)]

use std::fmt;
use std::path::Path;

use clap::ValueEnum;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::catalogue;
use crate::cli::{HomeMode, SealLevel};
use crate::message::{Failure, shown, shown_path};
use crate::shares::Item;

/// What a policy file says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyFile {
    /// As `--home`.
    #[serde(deserialize_with = "home_mode")]
    pub home: Option<HomeMode>,
    /// The shared items, in place of the default ones.
    pub share: Option<Vec<SharedItem>>,
    /// As `--keep`.
    pub keep: Vec<String>,
    /// As `--unset`.
    pub unset: Vec<String>,
    /// As `--set`.
    #[serde(deserialize_with = "variables")]
    pub set: Vec<(String, String)>,
    /// As `--inherit-credentials=GROUP,…`.
    pub inherit_credentials: Vec<Group>,
    /// As `--minimal`.
    pub minimal: bool,
    /// As `--seal`.
    #[serde(deserialize_with = "seal_level")]
    pub seal: Option<SealLevel>,
    /// What holds for a program, by the base name of the command word.
    #[serde(deserialize_with = "programs")]
    pub programs: Vec<(String, Program)>,
}

impl PolicyFile {
    /// What it says about a program, by base name.
    pub fn program(&self, name: &[u8]) -> Option<&Program> {
        self.programs.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, program)| program)
    }
}

/// What a policy file says about one program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Program {
    /// The credentials that this program gets, in place of the file's general list. An empty list is a decision, too.
    pub inherit_credentials: Option<Vec<Group>>,
    /// Shared items besides the others.
    pub share: Vec<SharedItem>,
    /// As `--keep`.
    pub keep: Vec<String>,
}

/// A group of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Group(pub &'static str);

/// A shared item.
#[derive(Clone, Debug)]
pub struct SharedItem(pub Item);

/// The keys of a file, for `closest`.
const KEYS: [&str; 9] = ["home", "share", "keep", "unset", "set", "inherit_credentials", "minimal", "seal", "programs"];

/// Reads the text of a policy file.
///
/// # Errors
/// 125 with file, line and column.
pub fn parse(path: &Path, text: &[u8]) -> Result<PolicyFile, Failure> {
    serde_json::from_slice(text).map_err(|error| {
        let (message, hint) = words(&error);
        let place = format!("{}:{}:{}", shown_path(path), error.line(), error.column());
        Failure::new(format!("{place}: {message}")).hint(hint)
    })
}

/// serde's messages in ours: it would repeat the value that has the wrong type.
fn words(error: &serde_json::Error) -> (String, String) {
    let text = error.to_string();
    let quoted = text.split('`').nth(1).unwrap_or_default();
    let general = "a policy file is one JSON object; its keys are in the README".to_owned();
    if text.starts_with("unknown field") {
        let hint = match catalogue::closest(quoted, KEYS.into_iter()) {
            Some(close) => format!("did you mean '{close}'?"),
            None => format!("the keys are {}", KEYS.join(", ")),
        };
        return (format!("unknown key '{}'", shown(quoted.as_bytes())), hint);
    }
    if text.starts_with("duplicate field") {
        return (format!("the key '{}' stands twice", shown(quoted.as_bytes())), "keep one of them".into());
    }
    if let Some((_, expected)) = text.rsplit_once(", expected ").filter(|_| text.starts_with("invalid ")) {
        let expected = expected.split(" at line ").next().unwrap_or_default();
        return (format!("wrong type: expected {expected}"), general);
    }
    // Our own errors carry their hint behind a line end; what is left are the syntax errors, which repeat nothing.
    let text = text.split(" at line ").next().unwrap_or_default();
    match text.split_once('\n') {
        Some((message, hint)) => (message.to_owned(), hint.to_owned()),
        None => (text.to_owned(), general),
    }
}

fn home_mode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<HomeMode>, D::Error> {
    one_of(deserializer, "mode for home")
}

fn seal_level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SealLevel>, D::Error> {
    one_of(deserializer, "level for seal")
}

/// A word that an option takes, too. `what` it is, for the message.
fn one_of<'de, D: Deserializer<'de>, T: ValueEnum>(deserializer: D, what: &str) -> Result<Option<T>, D::Error> {
    let word = String::deserialize(deserializer)?;
    let known: Vec<_> = T::value_variants().iter().filter_map(|value| value.to_possible_value()).collect();
    let known: Vec<_> = known.iter().map(clap::builder::PossibleValue::get_name).collect();
    T::from_str(&word, false).map(Some).map_err(|_| {
        let close = catalogue::closest(&word, known.iter().copied())
            .map_or(String::new(), |close| format!("did you mean '{close}'? "));
        D::Error::custom(format!("no such {what}\n{close}it is one of {}", known.join(", ")))
    })
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        super::group(word.as_bytes())
            .map(Group)
            .map_err(|hint| D::Error::custom(format!("there is no such group of credentials\n{hint}")))
    }
}

impl<'de> Deserialize<'de> for SharedItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Item::parse(word.as_ref(), "share")
            .map(SharedItem)
            .map_err(|failure| D::Error::custom(format!("{}\n{}", failure.message, failure.hint.unwrap_or_default())))
    }
}

fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let pairs: Vec<(String, String)> = deserializer.deserialize_map(Pairs::new("an object of strings"))?;
    let wrong =
        |(name, value): &&(String, String)| name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
    match pairs.iter().find(wrong) {
        None => Ok(pairs),
        Some((name, _)) => Err(D::Error::custom(format!(
            "'{}' cannot be set\na name is not empty and has no '=', and there is no NUL in a name or a value",
            shown(name.as_bytes())
        ))),
    }
}

fn programs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, Program)>, D::Error> {
    let programs: Vec<(String, Program)> = deserializer.deserialize_map(Pairs::new("an object of programs"))?;
    match programs.iter().find(|(name, _)| name.is_empty() || name.contains('/')) {
        None => Ok(programs),
        Some(_) => Err(D::Error::custom("a program is named by its base name\nwrite \"gh\", not \"/usr/bin/gh\"")),
    }
}

/// An object as pairs, in order, each key once.
struct Pairs<T> {
    expected: &'static str,
    value: std::marker::PhantomData<T>,
}

impl<T> Pairs<T> {
    fn new(expected: &'static str) -> Self {
        Self { expected, value: std::marker::PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
    type Value = Vec<(String, T)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.expected)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs: Vec<(String, T)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if pairs.iter().any(|(known, _)| *known == key) {
                return Err(A::Error::custom(format!("duplicate field `{key}`")));
            }
            pairs.push((key, map.next_value()?));
        }
        Ok(pairs)
    }
}
