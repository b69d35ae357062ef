//! What the user says about variables: rules 1 to 3 of the options, of the policy file for this program, and of the rest of
//! the file, in that order; the credential groups that are granted; and `--minimal`. The other rules are in `mod.rs`.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::decision::{Change, Decision, Rule};
use super::names::strip_container_prefix;
use crate::cli::{self, Assignment, Markers, Options};
use crate::environ;
use crate::error::Failure;
use crate::plan::catalogue::{self, Row};
use crate::plan::diagnostic::Origin;
use crate::plan::files::policy::PolicyFile;
use crate::plan::pattern;

/// Gives the value for a name from a file.
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
    unset: Vec<Vec<u8>>,
    keep: Vec<Vec<u8>>,
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
    /// `read` gives the value of a name from a file.
    pub fn from_options(options: &Options, read: &mut ReadValue<'_>) -> Result<Self, Failure> {
        let patterns = |list: &[OsString]| list.iter().map(|pattern| pattern.as_bytes().to_owned()).collect();
        let mut set = Vec::new();
        for assignment in &options.sets {
            let (name, value, origin) = match assignment {
                Assignment::Value(word) => match environ::split(word.as_bytes()) {
                    Some((name, value)) => (name, value.to_owned(), "--set"),
                    None => {
                        return Err(Failure::new("--set needs NAME=VALUE").hint("to set an empty value: --set NAME="));
                    }
                },
                Assignment::From(word) => match environ::split(word.as_bytes()).filter(|(_, file)| !file.is_empty()) {
                    Some((name, file)) => (name, read(name, Path::new(OsStr::from_bytes(file)))?, "--set-from"),
                    None => {
                        return Err(Failure::new("--set-from needs NAME=FILE").hint("such as --set-from X=/dev/fd/3"));
                    }
                },
            };
            set.push(SetTo { name: name.to_owned(), value, reason: origin });
        }
        let (unset, keep) = (patterns(&options.unset), patterns(&options.keep));
        let layer = Layer { origin: OPTIONS, set, unset, keep };
        let granted = Granted::from_options(options.grants.as_ref())?;
        Ok(Self {
            layers: vec![layer],
            granted,
            is_decided: false,
            minimal: options.minimal,
            markers: options.markers.unwrap_or_default(),
        })
    }

    /// Adds what a policy file says, for a program of this base name. Errors: as `read`.
    pub fn add_file(
        &mut self,
        file: &PolicyFile,
        program: &[u8],
        options: &Options,
        read: &mut ReadValue<'_>,
    ) -> Result<(), Failure> {
        let entry = file.program(program);
        if let Some(entry) = entry {
            self.layers.push(Layer {
                origin: Origin::PolicyProgram,
                set: set_to(&entry.set, &entry.set_from, "set, for this program, in the policy file", read)?,
                unset: bytes(&entry.unset),
                keep: bytes(&entry.keep),
            });
        }
        let set = set_to(&file.set, &file.set_from, "set in the policy file", read)?;
        self.layers.push(Layer { origin: Origin::Policy, set, unset: bytes(&file.unset), keep: bytes(&file.keep) });
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

    /// Who says that a name is kept, if rule 3 is the one that decides.
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
        self.layers.iter().flat_map(|layer| &layer.keep).map(Vec::as_slice)
    }

    /// Does a `keep` name VIRTUAL_ENV? Then the active venv keeps its markers and its places on PATH and PYTHONPATH.
    pub fn keeps_venv(&self) -> bool {
        self.keep_patterns().any(|wanted| pattern::matches(wanted, b"VIRTUAL_ENV"))
    }
}

/// The layer of the command line. Which option it was is known by the rule.
const OPTIONS: Origin = Origin::Option("options");

fn bytes(list: &[String]) -> Vec<Vec<u8>> {
    list.iter().map(|text| text.clone().into_bytes()).collect()
}

/// What a policy file sets, by `set` and by `set_from`.
fn set_to(
    set: &[(String, String)],
    set_from: &[(String, String)],
    reason: &'static str,
    read: &mut ReadValue<'_>,
) -> Result<Vec<SetTo>, Failure> {
    let set_to = |name: &str, value| SetTo { name: name.to_owned().into_bytes(), value, reason };
    let mut all: Vec<_> = set.iter().map(|(name, value)| set_to(name, value.clone().into_bytes())).collect();
    for (name, file) in set_from {
        all.push(set_to(name, read(name.as_bytes(), Path::new(file))?));
    }
    Ok(all)
}

impl Layer {
    fn decide(&self, name: &[u8]) -> Option<Decision> {
        let matching = |patterns: &[Vec<u8>]| patterns.iter().any(|wanted| pattern::matches(wanted, name));
        let of_layer = |change, rule| Decision::new(name, change, rule, self.reason(rule));
        if let Some(set) = self.set.iter().rev().find(|set| set.name == name) {
            return Some(Decision::new(name, Change::Set(set.value.clone()), Rule::Set, set.reason)); // 1
        }
        // HOME cannot be unset: every program needs one.
        if name != b"HOME" && matching(&self.unset) {
            return Some(of_layer(Change::Remove, Rule::Unset)); // 2
        }
        matching(&self.keep).then(|| of_layer(Change::Keep, Rule::Keep)) // 3
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
