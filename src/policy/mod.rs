//! Which variables the command gets, decided by name. The rules are numbered, the first that matches decides, and its number
//! is what a report shows:
//!
//! 0. computed: what hermes-exec itself sets (`plan.rs`), unless rule 1 or 2 names it
//! 1. `--set`, `set` of the policy file
//! 2. `--unset`, `unset`: removed
//! 3. `--keep`, `keep`: kept as it is. Rules 1 to 3 are gone through for the options first, then for what the policy file
//!    says about this program, then for the rest of the file
//! 4. the catalogue of credentials: kept when its group is granted, else removed
//! 5. passthrough: named by the profile's `config.yaml`. Below the catalogue, since an agent may have written that file
//! 6. a marker family: removed whole
//! 7. with a redirected HOME, XDG directories that would lead out of it: removed
//! 8. declared as a credential by the profiles' own files: removed
//! 9. a model provider's key by the shape of its value: removed
//! 10. with `--minimal`, whatever is no core name: removed
//! 11. kept
//!
//! It changes no block; what a rule has to know of the world comes in as [`Circumstances`].
#![forbid(unsafe_code)]

pub mod config;
pub mod core;
pub mod declared;
pub mod dotenv;
pub mod file;
pub mod load;
pub mod markers;
pub mod rules;
pub mod secrets;

pub use rules::{Decision, Rule, Verdict};

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use crate::catalogue::{self, Row};
use crate::cli::{self, Options};
use crate::message::Failure;
use crate::pattern;
use declared::Declared;
use file::PolicyFile;
use markers::{Family, UV_PYTHON};
use rules::{Layer, Rules};

/// Which credential groups the command gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Every group that is not sealed.
    pub every: bool,
    /// These groups.
    pub groups: BTreeSet<&'static str>,
    /// Groups that the policy file grants.
    pub of_file: BTreeSet<&'static str>,
}

/// What the rules need to know of the world.
pub struct Circumstances<'a> {
    /// Does this value lead into Hermes' own venv?
    pub in_own_venv: &'a dyn Fn(&[u8]) -> bool,
    /// Does it lead into one that is Hermes' own whatever the markers say, and so for a start within this one, too?
    pub in_venv_of_root: &'a dyn Fn(&[u8]) -> bool,
    /// Does an XDG directory with this value undo the redirection of HOME? Never, where HOME is not redirected.
    pub undoes_redirect: &'a dyn Fn(&[u8]) -> bool,
}

/// All that the user said about variables.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    layers: Vec<Rules>,
    /// Which credentials are granted.
    pub grants: Grants,
    /// The policy file says which credentials this program gets, if only "none".
    pub is_decided: bool,
    /// Only core names pass, and what is named.
    minimal: bool,
    declared: Declared,
}

impl Policy {
    /// The policy of a command line.
    ///
    /// # Errors
    /// 125 for a `--set` without a name, and for a group that is not in the catalogue.
    pub fn from_options(options: &Options) -> Result<Self, Failure> {
        let patterns = |list: &[OsString]| list.iter().map(|pattern| pattern.as_bytes().to_owned()).collect();
        let mut set = Vec::new();
        for assignment in &options.set {
            match crate::environ::split(assignment.as_bytes()) {
                Some((name, value)) => set.push((name.to_owned(), value.to_owned())),
                None => return Err(Failure::new("--set needs NAME=VALUE").hint("to set an empty value: --set NAME=")),
            }
        }
        let rules =
            Rules { layer: Layer::Options, set, unset: patterns(&options.unset), keep: patterns(&options.keep) };
        Ok(Self {
            layers: vec![rules],
            grants: Grants::from_options(options.grants.as_ref())?,
            is_decided: false,
            minimal: options.minimal,
            declared: Declared::default(),
        })
    }

    /// Adds what a policy file says, for a program of this base name.
    pub fn add_file(&mut self, file: &PolicyFile, program: &[u8]) {
        let bytes = |list: &[String]| list.iter().map(|text| text.clone().into_bytes()).collect();
        let entry = file.program(program);
        if let Some(entry) = entry {
            self.layers.push(Rules {
                layer: Layer::Program,
                set: Vec::new(),
                unset: Vec::new(),
                keep: bytes(&entry.keep),
            });
        }
        let set =
            file.set.iter().map(|(name, value)| (name.clone().into_bytes(), value.clone().into_bytes())).collect();
        self.layers.push(Rules { layer: Layer::File, set, unset: bytes(&file.unset), keep: bytes(&file.keep) });
        let own = entry.and_then(|entry| entry.inherit_credentials.as_ref());
        self.is_decided = own.is_some();
        self.grants.of_file = own.unwrap_or(&file.inherit_credentials).iter().map(|group| group.0).collect();
        self.minimal |= file.minimal;
    }

    /// Adds what the profiles' own files say.
    pub fn add_declared(&mut self, declared: Declared) {
        self.declared = declared;
    }

    /// Rules 1 to 3.
    pub fn user_rule(&self, name: &[u8]) -> Option<Decision> {
        let group = || catalogue::find(through_containers(name)).map(|row| row.group);
        self.layers.iter().find_map(|rules| {
            let (verdict, rule) = rules.decide(name)?;
            Some(Decision { verdict, rule, group: group(), reason: rules.layer.reason(rule) })
        })
    }

    /// The names that are set, each once: those of the policy file, then those of `--set`.
    pub fn set_names(&self) -> impl Iterator<Item = &[u8]> {
        let mut seen = BTreeSet::new();
        let names = self.layers.iter().rev().flat_map(|rules| &rules.set);
        names.map(|(name, _)| name.as_slice()).filter(move |name| seen.insert(*name))
    }

    fn keep_patterns(&self) -> impl Iterator<Item = &[u8]> {
        self.layers.iter().flat_map(|rules| &rules.keep).map(Vec::as_slice)
    }

    /// Does a `keep` name VIRTUAL_ENV? Then the active venv keeps its markers and its places on PATH and PYTHONPATH.
    pub fn keeps_venv(&self) -> bool {
        self.keep_patterns().any(|wanted| pattern::matches(wanted, b"VIRTUAL_ENV"))
    }

    /// Can a variable keep its family by being kept itself? Not one that rule 1 or 2 decides on, and no UV_PYTHON that is no
    /// member any more for a start within this one, where the marker of its venv is gone: that one would split the family.
    fn speaks_for_family(&self, variable: &Variable<'_>, circumstances: &Circumstances<'_>) -> bool {
        let lasts = || variable.values().any(|value| (circumstances.in_venv_of_root)(value));
        let is_kept = self.user_rule(variable.name).is_none_or(|decision| decision.rule == Rule::Keep);
        is_kept && (through_containers(variable.name) != UV_PYTHON || lasts())
    }

    /// The rule by which a family stays as a whole, if it does: one of its members is kept or passed through. `present`
    /// are the members in the block that can.
    fn keeps_family(&self, family: &'static Family, present: &[(&[u8], &'static Family)]) -> Option<Rule> {
        let mut members = present.iter().filter(|(_, its)| *its == family).map(|(name, _)| *name);
        let kept =
            |wanted: &[u8]| family.is_named_by(wanted) || members.clone().any(|name| pattern::matches(wanted, name));
        if self.keep_patterns().any(kept) {
            return Some(Rule::Keep);
        }
        let passed = self.declared.passthrough.iter().any(|name| family.is_named_by(name))
            || members.any(|name| self.declared.passthrough.contains(name));
        passed.then_some(Rule::Passthrough)
    }

    /// Decides over every name of a block, given with all its values. The decisions come in the order of the names.
    pub fn decide(&self, variables: &[Variable<'_>], circumstances: &Circumstances<'_>) -> Vec<Decision> {
        let families: Vec<_> = variables.iter().map(|variable| variable.family(circumstances)).collect();
        let present: Vec<_> = variables
            .iter()
            .zip(&families)
            .filter_map(|(variable, family)| Some((variable, (*family)?)))
            .filter(|(variable, _)| self.speaks_for_family(variable, circumstances))
            .map(|(variable, family)| (variable.name, family))
            .collect();
        let decide = |(variable, family): (&Variable<'_>, &Option<&'static Family>)| {
            self.user_rule(variable.name)
                .or_else(|| self.catalogue_rule(variable.name))
                .or_else(|| self.passthrough_rule(variable.name))
                .or_else(|| family.map(|family| self.marker_rule(family, &present)))
                .or_else(|| redirect_rule(variable, circumstances))
                .or_else(|| self.declared_rule(variable))
                .or_else(|| shape_rule(variable))
                .or_else(|| self.minimal_rule(variable.name))
                .unwrap_or(Decision::keep(Rule::Kept, "no rule against it"))
        };
        variables.iter().zip(&families).map(decide).collect()
    }

    fn catalogue_rule(&self, name: &[u8]) -> Option<Decision> {
        let row = catalogue::find(through_containers(name))?;
        let verdict = if self.grants.cover(&row) { Verdict::Keep } else { Verdict::Remove };
        Some(Decision { verdict, rule: Rule::Catalogue, group: Some(row.group), reason: row.reason })
    }

    fn passthrough_rule(&self, name: &[u8]) -> Option<Decision> {
        let is_named = self.declared.passthrough.contains(name);
        is_named.then_some(Decision::keep(Rule::Passthrough, "env_passthrough of the profile's config.yaml"))
    }

    fn marker_rule(&self, family: &'static Family, present: &[(&[u8], &'static Family)]) -> Decision {
        let decision = match self.keeps_family(family, present) {
            Some(rule) => Decision::keep(rule, "a member of its family is kept"),
            None => Decision::remove(Rule::Marker, family.reason),
        };
        Decision { group: Some(family.name), ..decision }
    }

    fn declared_rule(&self, variable: &Variable<'_>) -> Option<Decision> {
        let is_credential = self.declared.is_credential(through_containers(variable.name), variable.values());
        is_credential.then_some(Decision::remove(Rule::Declared, "a credential by the profile's .env or config.yaml"))
    }

    fn minimal_rule(&self, name: &[u8]) -> Option<Decision> {
        let goes = self.minimal && !core::is_core(name);
        goes.then_some(Decision::remove(Rule::Minimal, "no core name, and not named"))
    }
}

fn shape_rule(variable: &Variable<'_>) -> Option<Decision> {
    let is_key = variable.values().any(secrets::is_provider_key) && !core::is_core(variable.name);
    is_key.then_some(Decision::remove(Rule::Shape, "its value has the shape of a model provider's key"))
}

fn redirect_rule(variable: &Variable<'_>, circumstances: &Circumstances<'_>) -> Option<Decision> {
    const DIRECTORIES: [&[u8]; 4] = [b"XDG_CONFIG_HOME", b"XDG_CACHE_HOME", b"XDG_DATA_HOME", b"XDG_STATE_HOME"];
    let undoes =
        DIRECTORIES.contains(&variable.name) && variable.values().any(|value| (circumstances.undoes_redirect)(value));
    undoes.then_some(Decision::remove(Rule::Redirect, "would lead out of the redirected HOME"))
}

/// A name of the block with the values of all its copies.
#[derive(Debug)]
pub struct Variable<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The value of the first copy.
    pub first: &'a [u8],
    /// Those of the others, in order; there is seldom one.
    pub others: Vec<&'a [u8]>,
}

impl<'a> Variable<'a> {
    /// The values, in order.
    pub fn values(&self) -> impl Iterator<Item = &'a [u8]> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    fn family(&self, circumstances: &Circumstances<'_>) -> Option<&'static Family> {
        let name = through_containers(self.name);
        let counts = || name != UV_PYTHON || self.values().any(|value| (circumstances.in_own_venv)(value));
        Family::of(name).filter(|_| counts())
    }
}

/// The name that a variable has inside a container: Apptainer and Singularity hand `APPTAINERENV_X` on as `X`.
pub fn through_containers(mut name: &[u8]) -> &[u8] {
    while let Some(inner) = name.strip_prefix(b"APPTAINERENV_").or_else(|| name.strip_prefix(b"SINGULARITYENV_")) {
        name = inner;
    }
    name
}

impl Grants {
    fn from_options(given: Option<&cli::Grants>) -> Result<Self, Failure> {
        let Some(given) = given else { return Ok(Self::default()) };
        let find = |word: &OsString| {
            group(word.as_bytes())
                .map_err(|hint| Failure::new("--inherit-credentials: there is no such group").hint(hint))
        };
        let groups = given.groups.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Self { every: given.every, groups, of_file: BTreeSet::new() })
    }

    /// Is this row's group granted?
    fn cover(&self, row: &Row) -> bool {
        let named = self.groups.contains(row.group) || self.of_file.contains(row.group);
        row.is_grantable() && (named || (self.every && !catalogue::is_sealed(row.group)))
    }
}

/// The group of a name.
///
/// # Errors
/// A hint, where there is none.
fn group(word: &[u8]) -> Result<&'static str, String> {
    let known = catalogue::groups();
    if let Some(group) = known.iter().find(|group| group.as_bytes() == word) {
        return Ok(group);
    }
    let close = std::str::from_utf8(word).ok().and_then(|word| catalogue::closest(word, known.into_iter()));
    Err(match close {
        Some(close) => format!("did you mean '{close}'?"),
        None => "the groups are in: hermes-exec --catalogue".into(),
    })
}
