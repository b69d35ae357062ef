//! What the user says about variables: rules 1 to 3 of the options, of the policy file for this program, and of the rest of
//! the file, in that order; the credential groups that are granted; and `--minimal`. The other rules are in `mod.rs`.
#![forbid(unsafe_code)]

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::decision::{Change, Decision, Rule};
use super::names::strip_container_prefix;
use crate::cli::{self, Markers, Options};
use crate::environ;
use crate::error::Failure;
use crate::plan::catalogue::{self, Row};
use crate::plan::diagnostic::Origin;
use crate::plan::files::policy::PolicyFile;
use crate::plan::pattern;

#[derive(Clone, Debug)]
struct Layer {
    origin: Origin,
    /// The names that are set, in order.
    names: Vec<Vec<u8>>,
    /// Their values; of a name that is set twice the last.
    set: HashMap<Vec<u8>, Vec<u8>>,
    unset: Patterns,
    keep: Patterns,
}

/// Patterns for names. Those without a wildcard are looked up: there can be a hundred thousand.
#[derive(Clone, Debug, Default)]
struct Patterns {
    exact: HashSet<Vec<u8>>,
    globs: Vec<Vec<u8>>,
}

impl Patterns {
    fn match_name(&self, name: &[u8]) -> bool {
        self.exact.contains(name) || self.globs.iter().any(|wanted| pattern::matches(wanted, name))
    }
}

impl<'a> FromIterator<&'a [u8]> for Patterns {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(patterns: I) -> Self {
        let all = patterns.into_iter().map(<[u8]>::to_vec);
        let (globs, exact): (Vec<_>, _) = all.partition(|wanted| wanted.iter().any(|byte| b"*?".contains(byte)));
        Self { exact: HashSet::from_iter(exact), globs }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::plan) struct Granted {
    /// Every group that is not granted by name only.
    pub every: bool,
    /// These groups, and who says so.
    pub groups: Vec<(&'static str, Origin)>,
}

#[derive(Clone, Debug)]
pub(in crate::plan) struct UserRules {
    layers: Vec<Layer>,
    pub granted: Granted,
    /// The policy file says which credentials this program gets, if only "none".
    pub is_decided: bool,
    pub minimal: bool,
    /// Which marker families go.
    pub markers: Markers,
}

impl UserRules {
    /// Errors: 125 for a `--set` without a name, and for a group that is not in the catalogue.
    pub fn from_options(options: &Options) -> Result<Self, Failure> {
        let patterns = |list: &[OsString]| list.iter().map(|pattern| pattern.as_bytes()).collect();
        let mut layer = Layer { unset: patterns(&options.unset), keep: patterns(&options.keep), ..Layer::new(OPTIONS) };
        for assignment in &options.set {
            match environ::split(assignment.as_bytes()) {
                Some((name, value)) => layer.set(name, value),
                None => return Err(Failure::new("--set needs NAME=VALUE").hint("to set an empty value: --set NAME=")),
            }
        }
        let granted = Granted::from_options(options.grants.as_ref())?;
        Ok(Self {
            layers: vec![layer],
            granted,
            is_decided: false,
            minimal: options.minimal,
            markers: options.markers.unwrap_or_default(),
        })
    }

    /// Adds what a policy file says, for a program of this base name.
    pub fn add_file(&mut self, file: &PolicyFile, program: &[u8], options: &Options) {
        let patterns = |list: &[String]| list.iter().map(String::as_bytes).collect();
        let entry = file.program(program);
        self.layers
            .extend(entry.map(|entry| Layer { keep: patterns(&entry.keep), ..Layer::new(Origin::PolicyProgram) }));
        let mut layer =
            Layer { unset: patterns(&file.unset), keep: patterns(&file.keep), ..Layer::new(Origin::Policy) };
        file.set.iter().for_each(|(name, value)| layer.set(name.as_bytes(), value.as_bytes()));
        self.layers.push(layer);
        let own = entry.and_then(|entry| entry.inherit_credentials.as_ref());
        self.is_decided = own.is_some();
        let groups: BTreeSet<_> = own.unwrap_or(&file.inherit_credentials).iter().copied().collect();
        self.granted.groups.extend(groups.into_iter().map(|group| (group, Origin::Policy)));
        self.minimal |= file.minimal;
        let of_file = entry.and_then(|entry| entry.markers).or(file.markers);
        self.markers = options.markers.or(of_file).unwrap_or_default();
    }

    /// The first of rules 1 to 3 that matches a name, layer by layer.
    pub fn decide(&self, name: &[u8]) -> Option<Decision> {
        let group = || catalogue::find(strip_container_prefix(name)).map(|row| row.group);
        self.layers.iter().find_map(|layer| layer.decide(name)).map(|decision| decision.group(group()))
    }

    /// Who says that a name is kept, if rule 3 is the one that decides.
    pub fn keeper(&self, name: &[u8]) -> Option<Origin> {
        let layer = self.layers.iter().find(|layer| layer.decide(name).is_some())?;
        Some(if layer.origin == OPTIONS { Origin::Option("--keep") } else { Origin::Policy })
    }

    /// The names that are set, each once: those of the policy file, then those of `--set`.
    pub fn set_names(&self) -> impl Iterator<Item = &[u8]> {
        let mut seen = BTreeSet::new();
        let names = self.layers.iter().rev().flat_map(|layer| &layer.names);
        names.map(Vec::as_slice).filter(move |name| seen.insert(*name))
    }

    pub fn keep_patterns(&self) -> impl Iterator<Item = &[u8]> {
        let all = self.layers.iter().flat_map(|layer| layer.keep.exact.iter().chain(&layer.keep.globs));
        all.map(Vec::as_slice)
    }

    /// Does a `keep` name VIRTUAL_ENV? Then the active venv keeps its markers and its places on PATH and PYTHONPATH.
    pub fn keeps_venv(&self) -> bool {
        self.layers.iter().any(|layer| layer.keep.match_name(b"VIRTUAL_ENV"))
    }
}

/// The layer of the command line. Which option it was is known by the rule.
const OPTIONS: Origin = Origin::Option("options");

impl Layer {
    fn new(origin: Origin) -> Self {
        Self { origin, names: Vec::new(), set: HashMap::new(), unset: Patterns::default(), keep: Patterns::default() }
    }

    fn set(&mut self, name: &[u8], value: &[u8]) {
        self.names.push(name.to_owned());
        self.set.insert(name.to_owned(), value.to_owned());
    }

    fn decide(&self, name: &[u8]) -> Option<Decision> {
        let of_layer = |change, rule| Decision::new(name, change, rule, self.reason(rule));
        if let Some(value) = self.set.get(name) {
            return Some(of_layer(Change::Set(value.clone()), Rule::Set)); // 1
        }
        // HOME cannot be unset: every program needs one.
        if name != b"HOME" && self.unset.match_name(name) {
            return Some(of_layer(Change::Remove, Rule::Unset)); // 2
        }
        self.keep.match_name(name).then(|| of_layer(Change::Keep, Rule::Keep)) // 3
    }

    fn reason(&self, rule: Rule) -> &'static str {
        match (self.origin, rule) {
            (Origin::Option(_), Rule::Set) => "--set",
            (Origin::Option(_), Rule::Unset) => "--unset",
            (Origin::Option(_), _) => "--keep",
            (Origin::PolicyProgram, _) => "keep, for this program, in the policy file",
            (_, Rule::Set) => "set in the policy file",
            (_, Rule::Unset) => "unset in the policy file",
            (_, _) => "keep in the policy file",
        }
    }
}

impl Granted {
    fn from_options(given: Option<&cli::Grants>) -> Result<Self, Failure> {
        let Some(given) = given else { return Ok(Self::default()) };
        let find = |word: &OsString| {
            catalogue::group(word.as_bytes())
                .map_err(|hint| Failure::new("--inherit-credentials: there is no such group").hint(hint))
        };
        let groups = given.groups.iter().map(find).collect::<Result<BTreeSet<_>, _>>()?;
        let origin = Origin::Option("--inherit-credentials");
        Ok(Self { every: given.every, groups: groups.into_iter().map(|group| (group, origin)).collect() })
    }

    pub fn cover(&self, row: &Row) -> bool {
        let named = self.groups.iter().any(|(group, _)| *group == row.group);
        row.is_grantable() && (named || (self.every && !catalogue::is_by_name_only(row.group)))
    }
}
