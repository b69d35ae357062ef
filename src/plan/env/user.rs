//! The user's rules about variables: rules 1 to 3 from the options, from the policy file's entry for this program, and from
//! the rest of the file, in that order; the granted credential groups; and `--minimal`. The other rules are in `mod.rs`.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::decision::{Change, Decision, Rule};
use super::names::strip_container_prefix;
use super::secrets::mistyped;
use crate::cli::{self, Assignment, Markers, Options};
use crate::environ;
use crate::error::Failure;
use crate::plan::catalogue::{self, Row};
use crate::plan::diagnostic::Origin;
use crate::plan::files::policy::PolicyFile;
use crate::plan::pattern;

/// Reads the value for a name from a file.
pub(in crate::plan) type ReadValue<'a> = dyn FnMut(&[u8], &Path) -> Result<Vec<u8>, Failure> + 'a;

#[derive(Clone, Debug)]
struct SetTo {
    name: Vec<u8>,
    value: Vec<u8>,
    reason: &'static str,
}

#[derive(Clone, Debug)]
struct Layer {
    origin: Origin,
    set: Vec<SetTo>,
    /// Indices into `set`, sorted by name; of a name that is set twice the last one counts.
    by_name: Vec<usize>,
    unset: Patterns,
    keep: Patterns,
}

/// Patterns for names. Those without a wildcard are looked up, since there can be a hundred thousand.
#[derive(Clone, Debug, Default)]
struct Patterns {
    exact: BTreeSet<Vec<u8>>,
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
        Self { exact: BTreeSet::from_iter(exact), globs }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::plan) struct Granted {
    /// Every group except those granted by name only.
    pub every: bool,
    /// These groups, and what grants each.
    pub groups: Vec<(&'static str, Origin)>,
}

#[derive(Clone, Debug)]
pub(in crate::plan) struct UserRules {
    layers: Vec<Layer>,
    pub granted: Granted,
    /// The policy file says which credentials this program gets, even if that is "none".
    pub is_decided: bool,
    pub minimal: bool,
    /// Which marker families are removed.
    pub markers: Markers,
}

impl UserRules {
    /// `read` gets the value for a name from a file. Errors: 125 for a `--set` without a name, and for a group that is not
    /// in the catalogue.
    pub fn from_options(options: &Options, read: &mut ReadValue<'_>) -> Result<Self, Failure> {
        let patterns = |list: &[OsString]| list.iter().map(|pattern| pattern.as_bytes()).collect();
        let mut layer = Layer { unset: patterns(&options.unset), keep: patterns(&options.keep), ..Layer::new(OPTIONS) };
        for assignment in &options.sets {
            match assignment {
                Assignment::Value(word) => match environ::split(word.as_bytes()) {
                    Some((name, value)) => layer.set(name, value.to_owned(), "--set"),
                    None => {
                        return Err(Failure::new("--set needs NAME=VALUE").hint("to set an empty value: --set NAME="));
                    }
                },
                Assignment::From(word) => match environ::split(word.as_bytes()).filter(|(_, file)| !file.is_empty()) {
                    Some((name, file)) => {
                        layer.set(name, read(name, Path::new(OsStr::from_bytes(file)))?, "--set-from");
                    }
                    None => {
                        return Err(
                            Failure::new("--set-from needs NAME=FILE").hint("for example --set-from X=/dev/fd/3")
                        );
                    }
                },
            }
        }
        let granted = Granted::from_options(options.grants.as_ref())?;
        Ok(Self {
            layers: vec![layer.sorted()],
            granted,
            is_decided: false,
            minimal: options.minimal,
            markers: options.markers.unwrap_or_default(),
        })
    }

    /// Adds the rules of a policy file, for a program of this base name. Errors: as `read`.
    pub fn add_file(
        &mut self,
        file: &PolicyFile,
        program: &[u8],
        options: &Options,
        read: &mut ReadValue<'_>,
    ) -> Result<(), Failure> {
        let patterns = |list: &[String]| list.iter().map(String::as_bytes).collect();
        let entry = file.program(program);
        if let Some(entry) = entry {
            let (unset, keep) = (patterns(&entry.unset), patterns(&entry.keep));
            let mut layer = Layer { unset, keep, ..Layer::new(Origin::PolicyProgram) };
            layer.set_all(&entry.set, &entry.set_from, "set, for this program, in the policy file", read)?;
            self.layers.push(layer.sorted());
        }
        let (unset, keep) = (patterns(&file.unset), patterns(&file.keep));
        let mut layer = Layer { unset, keep, ..Layer::new(Origin::Policy) };
        layer.set_all(&file.set, &file.set_from, "set in the policy file", read)?;
        self.layers.push(layer.sorted());
        let own = entry.and_then(|entry| entry.inherit_credentials.as_ref());
        self.is_decided = own.is_some();
        let groups: BTreeSet<_> = own.unwrap_or(&file.inherit_credentials).iter().copied().collect();
        self.granted.groups.extend(groups.into_iter().map(|group| (group, Origin::Policy)));
        self.minimal |= file.minimal;
        let of_file = entry.and_then(|entry| entry.markers).or(file.markers);
        self.markers = options.markers.or(of_file).unwrap_or_default();
        Ok(())
    }

    /// The first of rules 1 to 3 that matches a name, layer by layer.
    pub fn decide(&self, name: &[u8]) -> Option<Decision> {
        let group = || catalogue::find(strip_container_prefix(name)).map(|row| row.group);
        self.layers.iter().find_map(|layer| layer.decide(name)).map(|decision| decision.group(group()))
    }

    /// What keeps a name, if rule 3 decides on it.
    pub fn keeper(&self, name: &[u8]) -> Option<Origin> {
        let layer = self.layers.iter().find(|layer| layer.decide(name).is_some())?;
        Some(if layer.origin == OPTIONS { Origin::Option("--keep") } else { Origin::Policy })
    }

    /// The names that are set, each once: those of the policy file, then those of `--set`.
    pub fn set_names(&self) -> impl Iterator<Item = &[u8]> {
        let mut seen = BTreeSet::new();
        let names = self.layers.iter().rev().flat_map(|layer| &layer.set);
        names.map(|set| set.name.as_slice()).filter(move |name| seen.insert(*name))
    }

    pub fn keep_patterns(&self) -> impl Iterator<Item = &[u8]> {
        let all = self.layers.iter().flat_map(|layer| layer.keep.exact.iter().chain(&layer.keep.globs));
        all.map(Vec::as_slice)
    }

    /// Does a `keep` match VIRTUAL_ENV? Then the active venv keeps its markers and its places on PATH and PYTHONPATH.
    pub fn keeps_venv(&self) -> bool {
        self.layers.iter().any(|layer| layer.keep.match_name(b"VIRTUAL_ENV"))
    }
}

/// The layer of the command line. The rule says which option it was.
const OPTIONS: Origin = Origin::Option("options");

impl Layer {
    fn new(origin: Origin) -> Self {
        Self { origin, set: Vec::new(), by_name: Vec::new(), unset: Patterns::default(), keep: Patterns::default() }
    }

    fn set(&mut self, name: &[u8], value: Vec<u8>, reason: &'static str) {
        self.set.push(SetTo { name: name.to_owned(), value, reason });
    }

    fn sorted(mut self) -> Self {
        self.by_name = (0..self.set.len()).collect();
        self.by_name.sort_by_key(|&at| &self.set[at].name);
        self
    }

    fn set_to(&self, name: &[u8]) -> Option<&SetTo> {
        let end = self.by_name.partition_point(|&at| self.set[at].name.as_slice() <= name);
        let last = &self.set[*self.by_name[..end].last()?];
        (last.name == name).then_some(last)
    }

    /// Adds `set` and `set_from` of a policy file.
    fn set_all(
        &mut self,
        set: &[(String, String)],
        set_from: &[(String, String)],
        reason: &'static str,
        read: &mut ReadValue<'_>,
    ) -> Result<(), Failure> {
        for (name, value) in set {
            self.set(name.as_bytes(), value.clone().into_bytes(), reason);
        }
        for (name, file) in set_from {
            self.set(name.as_bytes(), read(name.as_bytes(), Path::new(file))?, reason);
        }
        Ok(())
    }

    fn decide(&self, name: &[u8]) -> Option<Decision> {
        let of_layer = |change, rule| Decision::new(name, change, rule, self.reason(rule));
        if let Some(set) = self.set_to(name) {
            return Some(Decision::new(name, Change::Set(set.value.clone()), Rule::Set, set.reason)); // 1
        }
        // HOME cannot be unset, since every program needs it.
        if name != b"HOME" && self.unset.match_name(name) {
            return Some(of_layer(Change::Remove, Rule::Unset)); // 2
        }
        self.keep.match_name(name).then(|| of_layer(Change::Keep, Rule::Keep)) // 3
    }

    fn reason(&self, rule: Rule) -> &'static str {
        match (self.origin, rule) {
            (Origin::Option(_), Rule::Unset) => "--unset",
            (Origin::Option(_), _) => "--keep",
            (Origin::PolicyProgram, Rule::Unset) => "unset, for this program, in the policy file",
            (Origin::PolicyProgram, _) => "keep, for this program, in the policy file",
            (_, Rule::Unset) => "unset in the policy file",
            (_, _) => "keep in the policy file",
        }
    }
}

impl Granted {
    fn from_options(given: Option<&cli::Grants>) -> Result<Self, Failure> {
        let Some(given) = given else { return Ok(Self::default()) };
        let find = |word: &OsString| {
            catalogue::group(word.as_bytes()).map_err(|hint| {
                let group = mistyped(word.as_bytes()).map(|group| format!(" {group}")).unwrap_or_default();
                Failure::new(format!("--inherit-credentials: unknown group{group}")).hint(hint)
            })
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
