//! What clap's types lose: the order of options that undo each other, and which of them had no value.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use clap::ArgMatches;

/// A variable to set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// `NAME=VALUE`
    Value(OsString),
    /// `NAME=FILE`
    From(OsString),
}

/// What `--inherit-credentials` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// The bare option was given.
    pub every: bool,
    /// The groups that were named.
    pub groups: Vec<OsString>,
}

/// Items of `--share` and `--no-share`, split at commas, left to right.
pub fn shares(matches: &ArgMatches) -> Vec<(bool, OsString)> {
    let words = in_order(matches, ["share", "no_share"]);
    words.flat_map(|(at, value)| at_commas(&value).map(move |item| (at == 0, item)).collect::<Vec<_>>()).collect()
}

/// `--set` and `--set-from`, left to right.
pub fn sets(matches: &ArgMatches) -> Vec<Assignment> {
    let sets = in_order(matches, ["set", "set_from"]);
    sets.map(|(at, value)| if at == 0 { Assignment::Value(value) } else { Assignment::From(value) }).collect()
}

/// The values of two options, each with the number of its option, in the order of the command line.
fn in_order(matches: &ArgMatches, options: [&str; 2]) -> impl Iterator<Item = (usize, OsString)> {
    let mut found = Vec::new();
    for (number, id) in options.into_iter().enumerate() {
        let values = matches.get_many::<OsString>(id).unwrap_or_default();
        let places = matches.indices_of(id).unwrap_or_default();
        found.extend(places.zip(values).map(|(at, value)| (at, number, value.clone())));
    }
    found.sort_by_key(|&(at, ..)| at);
    found.into_iter().map(|(_, number, value)| (number, value))
}

pub fn grants(matches: &ArgMatches) -> Option<Grants> {
    let occurrences: Vec<Vec<_>> = matches.get_occurrences("inherit_credentials")?.map(Iterator::collect).collect();
    Some(Grants {
        every: occurrences.iter().any(Vec::is_empty),
        groups: occurrences.into_iter().flatten().flat_map(at_commas).collect(),
    })
}

fn at_commas(value: &OsString) -> impl Iterator<Item = OsString> {
    value.as_bytes().split(|&byte| byte == b',').map(|item| OsStr::from_bytes(item).to_owned())
}
