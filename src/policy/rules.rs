//! The numbered rules and what they decide, and the user's own rules (1 to 3) of one layer. `policy/mod.rs` puts them in
//! order.
#![forbid(unsafe_code)]

use crate::pattern;

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
    /// Named by `env_passthrough`.
    Passthrough = 5,
    /// A member of a marker family.
    Marker = 6,
    /// Leads out of the redirected HOME.
    Redirect = 7,
    /// A credential by what the profiles' files say.
    Declared = 8,
    /// A credential by the shape of its value.
    Shape = 9,
    /// No core name.
    Minimal = 10,
    /// No rule speaks against it.
    Kept = 11,
}

impl Rule {
    /// The rule in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Set => "set",
            Self::Unset => "unset",
            Self::Keep => "keep",
            Self::Catalogue => "credentials",
            Self::Passthrough => "passthrough",
            Self::Marker => "markers",
            Self::Redirect => "redirect",
            Self::Declared => "declared",
            Self::Shape => "shape of a key",
            Self::Minimal => "minimal",
            Self::Kept => "everything else",
        }
    }
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

/// Who wrote a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The command line.
    Options,
    /// The policy file, for this program.
    Program,
    /// The policy file.
    File,
}

/// The user's own rules, 1 to 3, of one layer.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Who wrote them.
    pub layer: Layer,
    /// Names and values.
    pub set: Vec<(Vec<u8>, Vec<u8>)>,
    /// Patterns.
    pub unset: Vec<Vec<u8>>,
    /// Patterns.
    pub keep: Vec<Vec<u8>>,
}

impl Decision {
    /// Every copy stays.
    pub fn keep(rule: Rule, reason: &'static str) -> Self {
        Self { verdict: Verdict::Keep, rule, group: None, reason }
    }

    /// Every copy goes.
    pub fn remove(rule: Rule, reason: &'static str) -> Self {
        Self { verdict: Verdict::Remove, rule, group: None, reason }
    }
}

impl Rules {
    /// The first of rules 1 to 3 that matches a name. HOME cannot be unset: every program needs one.
    pub fn decide(&self, name: &[u8]) -> Option<(Verdict, Rule)> {
        let matching = |patterns: &[Vec<u8>]| patterns.iter().any(|wanted| pattern::matches(wanted, name));
        if let Some((_, value)) = self.set.iter().rev().find(|(known, _)| known == name) {
            return Some((Verdict::Set(value.clone()), Rule::Set));
        }
        if name != b"HOME" && matching(&self.unset) {
            return Some((Verdict::Remove, Rule::Unset));
        }
        matching(&self.keep).then_some((Verdict::Keep, Rule::Keep))
    }
}

impl Layer {
    /// Who decided, in words.
    pub fn reason(self, rule: Rule) -> &'static str {
        match (self, rule) {
            (Self::Options, Rule::Set) => "--set",
            (Self::Options, Rule::Unset) => "--unset",
            (Self::Options, _) => "--keep",
            (Self::Program, _) => "keep, for this program, in the policy file",
            (Self::File, Rule::Set) => "set in the policy file",
            (Self::File, Rule::Unset) => "unset in the policy file",
            (Self::File, _) => "keep in the policy file",
        }
    }
}
