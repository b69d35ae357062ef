//! The policy file: JSON, read strictly. Text in, rules out; `trust.rs` finds the file and decides whether it can be
//! trusted. No message repeats a value of the file.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::cli::{HomeMode, Markers, SealLevel};
use crate::error::Failure;
use crate::plan::catalogue;
use crate::plan::home::items::Item;
use crate::text::{escaped, escaped_path};

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyFile {
    /// The directory of the file, to which its relative paths refer.
    #[serde(skip)]
    pub dir: PathBuf,
    /// As `--home`.
    #[serde(deserialize_with = "home_mode")]
    pub home: Option<HomeMode>,
    /// The shared items, replacing the default ones.
    #[serde(deserialize_with = "given")]
    pub share: Option<Vec<Item>>,
    /// As `--keep`.
    pub keep: Vec<String>,
    /// As `--unset`.
    pub unset: Vec<String>,
    /// As `--set`.
    #[serde(deserialize_with = "variables")]
    pub set: Vec<(String, String)>,
    /// As `--set-from`.
    #[serde(deserialize_with = "variables")]
    pub set_from: Vec<(String, String)>,
    /// As `--inherit-credentials=GROUP,…`.
    #[serde(deserialize_with = "groups")]
    pub inherit_credentials: Vec<&'static str>,
    /// As `--minimal`.
    pub minimal: bool,
    /// As `--markers`.
    #[serde(deserialize_with = "markers")]
    pub markers: Option<Markers>,
    /// As `--seal`.
    #[serde(deserialize_with = "seal_level")]
    pub seal: Option<SealLevel>,
    /// Rules for single programs, by the base name of the command word.
    #[serde(deserialize_with = "programs")]
    pub programs: Vec<(String, Program)>,
}

impl PolicyFile {
    /// The entry for a program, by base name.
    pub fn program(&self, name: &[u8]) -> Option<&Program> {
        self.programs.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, program)| program)
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Program {
    /// The credentials that this program gets, instead of those of the whole file. An empty list counts as well.
    #[serde(deserialize_with = "given_groups")]
    pub inherit_credentials: Option<Vec<&'static str>>,
    /// Shared items besides the others.
    pub share: Vec<Item>,
    /// As `--home`.
    #[serde(deserialize_with = "home_mode")]
    pub home: Option<HomeMode>,
    pub keep: Vec<String>,
    pub unset: Vec<String>,
    #[serde(deserialize_with = "variables")]
    pub set: Vec<(String, String)>,
    #[serde(deserialize_with = "variables")]
    pub set_from: Vec<(String, String)>,
    /// As `--markers`.
    #[serde(deserialize_with = "markers")]
    pub markers: Option<Markers>,
}

/// Reads the text of a policy file. Errors: 125 with file, line and column.
pub fn parse(path: &Path, text: &[u8]) -> Result<PolicyFile, Failure> {
    let dir = path.parent().unwrap_or(Path::new("")).to_owned();
    let file = serde_json::from_slice(text).map(|Object(file)| PolicyFile { dir, ..file });
    file.map_err(|error| {
        let (message, hint) = words(&error);
        // serde gives the end of an empty file as column 0; editors start at 1.
        let place = format!("{}:{}:{}", escaped_path(path), error.line(), error.column().max(1));
        Failure::new(format!("{place}: {message}")).hint(hint)
    })
}

/// Message and hint in our words: serde would repeat a value of the wrong type.
fn words(error: &serde_json::Error) -> (String, String) {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let general = "a policy file is one JSON object; see the man page for its keys".to_owned();
    let expected = text.rsplit_once(", expected ");
    if let Some((key, known)) = text.strip_prefix("unknown field `").and(expected) {
        // The words in backquotes: "`keep`", "`keep` or `share`", "one of `home`, `share`, `keep`".
        let known: Vec<_> = known.split('`').skip(1).step_by(2).collect();
        let key = key.trim_start_matches("unknown field `").trim_end_matches('`');
        let hint = match catalogue::closest(key, known.iter().copied()) {
            Some(close) => format!("did you mean '{close}'?"),
            None => format!("valid keys here: {}", known.join(", ")),
        };
        return (format!("unknown key '{}'", shown_key(key)), hint);
    }
    if let Some(key) = text.strip_prefix("duplicate field `") {
        return (format!("duplicate key '{}'", shown_key(key.trim_end_matches('`'))), "keep one of them".into());
    }
    if let Some((_, expected)) = expected.filter(|_| text.starts_with("invalid ")) {
        let expected = if expected == "a sequence" { "an array" } else { expected };
        return (format!("wrong type: expected {expected}"), general);
    }
    // Our own errors have their hint on a second line; the rest are syntax errors, which repeat no value.
    match text.split_once('\n') {
        Some((message, hint)) => (message.to_owned(), hint.to_owned()),
        None => (text.to_owned(), general),
    }
}

/// A key, ready to print: cut, since it can be as long as the file, and without the value of a mistaken `NAME=value`.
fn shown_key(key: &str) -> String {
    let key = key.split('=').next().unwrap_or_default().as_bytes();
    escaped(&key[..key.len().min(80)])
}

fn home_mode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<HomeMode>, D::Error> {
    one_of(deserializer, "mode for home")
}

fn markers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Markers>, D::Error> {
    one_of(deserializer, "value for markers")
}

fn seal_level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SealLevel>, D::Error> {
    one_of(deserializer, "level for seal")
}

/// A word that an option also accepts. `what` it is, for the message.
fn one_of<'de, D: Deserializer<'de>, T: ValueEnum>(deserializer: D, what: &str) -> Result<Option<T>, D::Error> {
    let word = String::deserialize(deserializer)?;
    let known: Vec<_> = T::value_variants().iter().filter_map(|value| value.to_possible_value()).collect();
    let known: Vec<_> = known.iter().map(clap::builder::PossibleValue::get_name).collect();
    T::from_str(&word, false).map(Some).map_err(|_| {
        let close = catalogue::closest(&word, known.iter().copied())
            .map_or(String::new(), |close| format!("did you mean '{close}'? "));
        D::Error::custom(format!("invalid {what}\n{close}valid values: {}", known.join(", ")))
    })
}

/// A group of the catalogue, looked up while parsing, so that an error has its line and column.
struct Group(&'static str);

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        catalogue::group(word.as_bytes())
            .map(Group)
            .map_err(|hint| D::Error::custom(format!("unknown group of credentials\n{hint}")))
    }
}

fn groups<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'static str>, D::Error> {
    Ok(Vec::deserialize(deserializer)?.into_iter().map(|Group(name)| name).collect())
}

fn given_groups<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<&'static str>>, D::Error> {
    groups(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::parse(word.as_ref(), "share")
            .map_err(|failure| D::Error::custom(format!("{}\n{}", failure.message, failure.hint.unwrap_or_default())))
    }
}

/// A value that was given, even if it is an empty list. `null` is a wrong type, not a missing value.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    deserializer.deserialize_map(Pairs {
        expected: "an object of strings",
        problem: |name, value: &String| {
            let wrong = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
            wrong.then(|| {
                let name = shown_key(name);
                format!("'{name}' cannot be set\na name must not be empty or contain '='; neither it nor the value may contain NUL")
            })
        },
    })
}

fn programs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, Program)>, D::Error> {
    let programs = deserializer.deserialize_map(Pairs {
        expected: "an object of programs",
        problem: |name, _: &Object<Program>| {
            let wrong = name.is_empty() || name.contains('/');
            wrong.then(|| "a program is named by its base name\nwrite \"gh\", not \"/usr/bin/gh\"".to_owned())
        },
    })?;
    Ok(programs.into_iter().map(|(name, Object(program))| (name, program)).collect())
}

/// A struct from an object only: serde would also accept a list of its fields' values.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// An object as pairs, in order, with unique keys. `problem` checks each pair as it is read.
struct Pairs<T> {
    expected: &'static str,
    problem: fn(&str, &T) -> Option<String>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
    type Value = Vec<(String, T)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.expected)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut pairs, mut keys) = (Vec::new(), BTreeSet::new());
        while let Some(key) = map.next_key::<String>()? {
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format!("duplicate field `{key}`")));
            }
            let value = map.next_value()?;
            if let Some(problem) = (self.problem)(&key, &value) {
                return Err(A::Error::custom(problem));
            }
            pairs.push((key, value));
        }
        Ok(pairs)
    }
}
