//! Which variables the command gets, decided by name. The rules are numbered, the first that matches decides, and its number
//! is what a report shows:
//!
//! 0. computed: what hermes-exec itself sets (`plan.rs`), unless rule 1 or 2 names it
//! 1. `--set`
//! 2. `--unset`: removed
//! 3. `--keep`: kept as it is
//! 4. the catalogue of credentials: kept when its group is granted, else removed
//! 5. passthrough
//! 6. a marker family: removed whole
//! 7. with a redirected HOME, XDG directories that would lead out of it: removed
//! 11. kept
//!
//! It changes no block and looks at no file; what a rule has to know of the world comes in as [`Circumstances`].
#![forbid(unsafe_code)]

pub mod markers;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use crate::catalogue::{self, Row};
use crate::cli::{self, Options};
use crate::message::{Failure, shown};
use crate::pattern;
use markers::{Family, UV_PYTHON};

/// The rules by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Set by hermes-exec itself.
    Computed = 0,
    /// Set by the user.
    Set = 1,
    /// Removed by the user.
    Unset = 2,
    /// Kept by the user.
    Keep = 3,
    /// In the catalogue.
    Catalogue = 4,
    /// A member of a marker family.
    Marker = 6,
    /// Leads out of the redirected HOME.
    Redirect = 7,
    /// No rule speaks against it.
    Kept = 11,
}

/// What happens to a name, by which rule, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What happens.
    pub verdict: Verdict,
    /// The rule that decided.
    pub rule: Rule,
    /// The catalogue group or the marker family.
    pub group: Option<&'static str>,
    /// Why, for a person.
    pub reason: &'static str,
}

/// What happens to a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every copy stays, at its place.
    Keep,
    /// Every copy goes.
    Remove,
    /// One entry with this value.
    Set(Vec<u8>),
}

/// The user's own rules, 1 to 3.
#[derive(Clone, Debug, Default)]
struct Rules {
    set: Vec<(Vec<u8>, Vec<u8>)>,
    unset: Vec<Vec<u8>>,
    keep: Vec<Vec<u8>>,
}

/// Which credential groups the command gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Every group that is not sealed.
    pub every: bool,
    /// These groups.
    pub groups: BTreeSet<&'static str>,
}

/// What the rules need to know of the world.
pub struct Circumstances<'a> {
    /// Does this value lead into Hermes' own venv?
    pub in_own_venv: &'a dyn Fn(&[u8]) -> bool,
    /// Does an XDG directory with this value undo the redirection of HOME? Never, where HOME is not redirected.
    pub undoes_redirect: &'a dyn Fn(&[u8]) -> bool,
}

/// All that the user said about variables.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Rules,
    /// Which credentials are granted.
    pub grants: Grants,
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
        Ok(Self {
            rules: Rules { set, unset: patterns(&options.unset), keep: patterns(&options.keep) },
            grants: Grants::from_options(options.grants.as_ref())?,
        })
    }

    /// Rules 1 to 3.
    pub fn user_rule(&self, name: &[u8]) -> Option<Decision> {
        let matching = |patterns: &[Vec<u8>]| patterns.iter().any(|wanted| pattern::matches(wanted, name));
        let (verdict, rule, reason) =
            if let Some((_, value)) = self.rules.set.iter().rev().find(|(known, _)| known == name) {
                (Verdict::Set(value.clone()), Rule::Set, "--set")
            } else if name != b"HOME" && matching(&self.rules.unset) {
                (Verdict::Remove, Rule::Unset, "--unset")
            } else if matching(&self.rules.keep) {
                (Verdict::Keep, Rule::Keep, "--keep")
            } else {
                return None;
            };
        Some(Decision { verdict, rule, group: catalogue::find(through_containers(name)).map(|row| row.group), reason })
    }

    /// The names that `--set` gives, each once, in order.
    pub fn set_names(&self) -> impl Iterator<Item = &[u8]> {
        let mut seen = BTreeSet::new();
        self.rules.set.iter().map(|(name, _)| name.as_slice()).filter(move |name| seen.insert(*name))
    }

    /// Does `--keep` name VIRTUAL_ENV? Then the active venv keeps its markers and its places on PATH and PYTHONPATH.
    pub fn keeps_venv(&self) -> bool {
        self.rules.keep.iter().any(|wanted| pattern::matches(wanted, b"VIRTUAL_ENV"))
    }

    /// The marker families of which the user keeps a member. `present` are the members that stand in the block.
    fn keeps_family(&self, family: &'static Family, present: &[(&[u8], &'static Family)]) -> bool {
        self.rules.keep.iter().any(|wanted| {
            family.is_named_by(wanted)
                || present.iter().any(|&(name, its)| its == family && pattern::matches(wanted, name))
        })
    }

    /// Decides over every name of a block, given with all its values. The decisions come in the order of the names.
    pub fn decide(&self, variables: &[Variable<'_>], circumstances: &Circumstances<'_>) -> Vec<Decision> {
        let families: Vec<_> = variables.iter().map(|variable| variable.family(circumstances)).collect();
        let present: Vec<_> = variables
            .iter()
            .zip(&families)
            .filter_map(|(variable, family)| Some((variable.name, (*family)?)))
            .collect();
        let decide = |(variable, family): (&Variable<'_>, &Option<&'static Family>)| {
            self.user_rule(variable.name)
                .or_else(|| self.catalogue_rule(variable.name))
                .or_else(|| family.map(|family| self.marker_rule(family, &present)))
                .or_else(|| redirect_rule(variable, circumstances))
                .unwrap_or(Decision {
                    verdict: Verdict::Keep,
                    rule: Rule::Kept,
                    group: None,
                    reason: "no rule against it",
                })
        };
        variables.iter().zip(&families).map(decide).collect()
    }

    fn catalogue_rule(&self, name: &[u8]) -> Option<Decision> {
        let row = catalogue::find(through_containers(name))?;
        let verdict = if self.grants.cover(&row) { Verdict::Keep } else { Verdict::Remove };
        Some(Decision { verdict, rule: Rule::Catalogue, group: Some(row.group), reason: row.reason })
    }

    fn marker_rule(&self, family: &'static Family, present: &[(&[u8], &'static Family)]) -> Decision {
        let (verdict, rule, reason) = if self.keeps_family(family, present) {
            (Verdict::Keep, Rule::Keep, "--keep names a member of its family")
        } else {
            (Verdict::Remove, Rule::Marker, family.reason)
        };
        Decision { verdict, rule, group: Some(family.name), reason }
    }
}

fn redirect_rule(variable: &Variable<'_>, circumstances: &Circumstances<'_>) -> Option<Decision> {
    const DIRECTORIES: [&[u8]; 4] = [b"XDG_CONFIG_HOME", b"XDG_CACHE_HOME", b"XDG_DATA_HOME", b"XDG_STATE_HOME"];
    let undoes = DIRECTORIES.contains(&variable.name)
        && variable.values.iter().any(|value| (circumstances.undoes_redirect)(value));
    undoes.then_some(Decision {
        verdict: Verdict::Remove,
        rule: Rule::Redirect,
        group: None,
        reason: "would lead out of the redirected HOME",
    })
}

/// A name of the block with the values of all its copies.
#[derive(Debug)]
pub struct Variable<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The values, in order.
    pub values: Vec<&'a [u8]>,
}

impl Variable<'_> {
    fn family(&self, circumstances: &Circumstances<'_>) -> Option<&'static Family> {
        let name = through_containers(self.name);
        let counts = || name != UV_PYTHON || self.values.iter().any(|value| (circumstances.in_own_venv)(value));
        Family::of(name).filter(|_| counts())
    }
}

/// The name that a variable has inside a container: Apptainer and Singularity hand `APPTAINERENV_X` on as `X`.
fn through_containers(mut name: &[u8]) -> &[u8] {
    while let Some(inner) = name.strip_prefix(b"APPTAINERENV_").or_else(|| name.strip_prefix(b"SINGULARITYENV_")) {
        name = inner;
    }
    name
}

impl Grants {
    fn from_options(given: Option<&cli::Grants>) -> Result<Self, Failure> {
        let Some(given) = given else { return Ok(Self::default()) };
        let known = catalogue::groups();
        let mut groups = BTreeSet::new();
        for word in &given.groups {
            match known.iter().find(|group| group.as_bytes() == word.as_bytes()) {
                Some(group) => groups.insert(*group),
                None => return Err(unknown_group(word.as_bytes(), &known)),
            };
        }
        Ok(Self { every: given.every, groups })
    }

    /// Is this row's group granted?
    fn cover(&self, row: &Row) -> bool {
        row.is_grantable() && (self.groups.contains(row.group) || (self.every && !catalogue::is_sealed(row.group)))
    }
}

fn unknown_group(word: &[u8], known: &[&'static str]) -> Failure {
    let word = shown(word);
    let hint = match catalogue::closest(&word, known.iter().copied()) {
        Some(close) => format!("did you mean '{close}'?"),
        None => {
            "a group is a vendor such as anthropic, openai or github; --explain shows the groups of what is removed"
                .into()
        }
    };
    Failure::new("--inherit-credentials: there is no such group").hint(hint)
}
