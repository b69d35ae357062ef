//! What happens to the marker families in a block: each is kept or removed as a whole.
#![forbid(unsafe_code)]

use super::decision::Rule;
use super::declared::Declared;
use super::hermes_places::HermesPlaces;
use super::markers::{self, FAMILIES, Family};
use super::names::{Names, Variable, strip_container_prefix};
use super::user::UserRules;
use crate::cli::Markers;
use crate::plan::pattern;
use crate::world::World;

/// What happens to a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Removed,
    /// A member is kept or passed through by this rule.
    Kept(Rule),
    /// No member points to Hermes, and only such families are to be removed.
    Spared,
}

/// The families of a block.
pub(super) struct Families {
    /// For each variable the number of its family.
    of: Vec<Option<usize>>,
    /// The fates, in the order of [`FAMILIES`]; `None` for a family without a member in the block.
    fates: [Option<Fate>; FAMILIES.len()],
}

impl Families {
    pub fn new(
        names: &Names<'_>,
        user: &UserRules,
        declared: &Declared,
        places: &HermesPlaces,
        world: &dyn World,
    ) -> Self {
        let of: Vec<_> =
            names.variables.iter().map(|variable| Family::number_of(strip_container_prefix(variable.name))).collect();
        let fate = |at: usize| {
            let family = &FAMILIES[at];
            let members = names.variables.iter().zip(&of).filter(|(_, its)| **its == Some(at));
            let members: Vec<_> = members.map(|(variable, _)| variable).collect();
            let leads_to_hermes = |variable: &&Variable<'_>| {
                !markers::is_saved(variable.name) && variable.values().any(|value| places.hold(value, world))
            };
            match keeper(family, &members, user, declared) {
                Some(rule) => Fate::Kept(rule),
                None if user.markers == Markers::All || family.holds_values() => Fate::Removed,
                None if members.iter().any(leads_to_hermes) => Fate::Removed,
                None => Fate::Spared,
            }
        };
        let mut fates = [None; FAMILIES.len()];
        for &at in of.iter().flatten() {
            fates[at] = fates[at].or_else(|| Some(fate(at)));
        }
        Self { of, fates }
    }

    /// The family of a variable, by its number, and its fate.
    pub fn of(&self, at: usize) -> Option<(&'static Family, Fate)> {
        let family = self.of[at]?;
        Some((&FAMILIES[family], self.fates[family]?))
    }
}

/// The rule that keeps a family, if one of its members is kept or passed through. A member decided by rule 1 or 2 does not
/// count.
fn keeper(family: &'static Family, members: &[&Variable<'_>], user: &UserRules, declared: &Declared) -> Option<Rule> {
    let can_keep = |name: &[u8]| user.decide(name).is_none_or(|decision| decision.rule == Rule::Keep);
    // Asked once for each member, not once for each pattern.
    let names: Vec<_> = members.iter().map(|variable| variable.name).filter(|name| can_keep(name)).collect();
    let kept =
        |wanted: &[u8]| family.matches_pattern(wanted) || names.iter().any(|name| pattern::matches(wanted, name));
    if user.keep_patterns().any(kept) {
        return Some(Rule::Keep);
    }
    let passed = declared.passthrough.iter().any(|name| family.has(name))
        || names.iter().any(|name| declared.passthrough.contains(*name));
    passed.then_some(Rule::Passthrough)
}
