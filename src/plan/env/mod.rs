//! THE LADDER: which variables the command gets, decided by name. The rules are numbered, the first that matches decides, and
//! its number is what a report shows:
//!
//! 0. computed: what hermes-exec itself sets, unless rule 1 or 2 names it
//! 1. `--set`, `set` of the policy file
//! 2. `--unset`, `unset`: removed
//! 3. `--keep`, `keep`: kept as it is. Rules 1 to 3 are applied first to the options, then to what the policy file says
//!    about this program, then to the rest of the file
//! 4. the catalogue of credentials: kept when its group is granted, else removed
//! 5. passthrough: named by the profile's `config.yaml`. Below the catalogue, since an agent may have written that file
//! 6. a marker family: removed whole
//! 7. with a redirected HOME, XDG directories that point past it: removed
//! 8. declared as a credential by the profiles' own files: removed
//! 9. a model provider's key by the shape of its value: removed
//! 10. with `--minimal`, whatever is not a core name: removed
//! 11. kept
//!
//! It writes nothing; the block is built from its decisions (`names.rs`).
#![forbid(unsafe_code)]

pub mod computed;
pub mod core;
pub mod decision;
pub mod declared;
pub mod hermes_places;
pub mod markers;
pub mod names;
pub mod secrets;
pub mod user;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::environ::{Environ, is_blank};
use crate::plan::home::HomePlan;
use crate::plan::profile::Selection;
use crate::plan::profile::layout::is_in_a_profile_home;
use crate::plan::{catalogue, pattern};
use crate::world::World;
use crate::world::place::Place;
use computed::Computed;
use decision::{Change, Decision, Rule};
use declared::Declared;
use hermes_places::HermesVenvs;
use markers::{Family, UV_PYTHON};
use names::{Names, Variable, strip_container_prefix};
use user::UserRules;

pub(in crate::plan) struct Ladder<'a> {
    pub user: &'a UserRules,
    pub declared: &'a Declared,
    pub computed: &'a Computed,
    pub venvs: &'a HermesVenvs,
    /// Does an XDG directory with this value point past the redirected HOME? Never, where HOME is not redirected.
    pub undoes_redirect: &'a dyn Fn(&Path) -> bool,
    /// The directory of `--chdir`, from which relative elements of PATH count.
    pub chdir: Option<&'a Path>,
    pub world: &'a dyn World,
}

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Every variable, in the order of the block, new ones last.
    pub decisions: Vec<Decision>,
    pub child: Environ,
    /// Elements of PATH that were moved to its end.
    pub moved: Vec<Vec<u8>>,
}

impl Ladder<'_> {
    /// Decides on every name of a block, and on those that are new.
    pub fn decide(&self, environ: &Environ) -> Outcome {
        let names = Names::of(environ);
        let families: Vec<_> = names.variables.iter().map(|variable| self.family(variable)).collect();
        let present: Vec<_> = names
            .variables
            .iter()
            .zip(&families)
            .filter_map(|(variable, family)| Some((variable, (*family)?)))
            .filter(|(variable, _)| self.can_keep_family(variable))
            .map(|(variable, family)| (variable.name, family))
            .collect();
        let variables = names.variables.iter().zip(&families);
        let mut decisions: Vec<_> =
            variables.map(|(variable, family)| self.decide_on(variable, *family, &present)).collect();
        let moved = self.edit_paths(&names, &mut decisions);
        self.add_new_names(&names, &mut decisions);
        self.add_pointers(&names, &mut decisions);
        self.add_set_names(&names, &mut decisions);
        Outcome { child: names.changed(&decisions), decisions, moved }
    }

    fn decide_on(
        &self,
        variable: &Variable<'_>,
        family: Option<&'static Family>,
        present: &[(&[u8], &'static Family)],
    ) -> Decision {
        let name = variable.name;
        let (keep, set_or_unset) = match self.user.decide(name) {
            Some(decision) if decision.rule == Rule::Keep => (Some(decision), None),
            other => (None, other),
        };
        set_or_unset // 1, 2
            .or_else(|| self.computed.decide(variable)) // 0
            .or(keep) // 3
            .or_else(|| self.catalogue_rule(name)) // 4
            .or_else(|| self.passthrough_rule(name)) // 5
            .or_else(|| family.map(|family| self.marker_rule(name, family, present))) // 6
            .or_else(|| self.redirect_rule(variable)) // 7
            .or_else(|| self.declared_rule(variable)) // 8
            .or_else(|| shape_rule(variable)) // 9
            .or_else(|| self.minimal_rule(name)) // 10
            .unwrap_or_else(|| Decision::keep(name, Rule::Kept, "no rule against it")) // 11
    }

    fn catalogue_rule(&self, name: &[u8]) -> Option<Decision> {
        let row = catalogue::find(strip_container_prefix(name))?;
        let change = if self.user.granted.cover(&row) { Change::Keep } else { Change::Remove };
        Some(Decision::new(name, change, Rule::Catalogue, row.reason).group(row.group))
    }

    fn passthrough_rule(&self, name: &[u8]) -> Option<Decision> {
        let is_named = self.declared.passthrough.contains(name);
        is_named.then(|| Decision::keep(name, Rule::Passthrough, "env_passthrough of the profile's config.yaml"))
    }

    fn marker_rule(&self, name: &[u8], family: &'static Family, present: &[(&[u8], &'static Family)]) -> Decision {
        let decision = match self.keeps_family(family, present) {
            Some(rule) => Decision::keep(name, rule, "a member of its family is kept"),
            None => Decision::remove(name, Rule::Marker, family.reason),
        };
        decision.group(family.name)
    }

    /// The rule by which a family stays as a whole, if it does: one of its members is kept or passed through. `present`
    /// are the members in the block that can.
    fn keeps_family(&self, family: &'static Family, present: &[(&[u8], &'static Family)]) -> Option<Rule> {
        let mut members = present.iter().filter(|(_, its)| *its == family).map(|(name, _)| *name);
        let kept = |wanted: &[u8]| {
            family.matches_pattern(wanted) || members.clone().any(|name| pattern::matches(wanted, name))
        };
        if self.user.keep_patterns().any(kept) {
            return Some(Rule::Keep);
        }
        let passed = self.declared.passthrough.iter().any(|name| family.matches_pattern(name))
            || members.any(|name| self.declared.passthrough.contains(name));
        passed.then_some(Rule::Passthrough)
    }

    fn family(&self, variable: &Variable<'_>) -> Option<&'static Family> {
        let name = strip_container_prefix(variable.name);
        let leads_to_hermes = |value| self.venvs.contains(Path::new(OsStr::from_bytes(value)), self.world);
        let counts = || name != UV_PYTHON || variable.values().any(leads_to_hermes);
        Family::of(name).filter(|_| counts())
    }

    /// Can a variable keep its family by being kept itself? Not one that rule 1 or 2 decides on, and no UV_PYTHON that is no
    /// member any more for a start within this one, where the marker of its venv is gone: that one would split the family.
    fn can_keep_family(&self, variable: &Variable<'_>) -> bool {
        let leads_to_root = |value| self.venvs.root_contains(Path::new(OsStr::from_bytes(value)), self.world);
        let is_kept = self.user.decide(variable.name).is_none_or(|decision| decision.rule == Rule::Keep);
        is_kept && (strip_container_prefix(variable.name) != UV_PYTHON || variable.values().any(leads_to_root))
    }

    fn redirect_rule(&self, variable: &Variable<'_>) -> Option<Decision> {
        const DIRECTORIES: [&[u8]; 4] = [b"XDG_CONFIG_HOME", b"XDG_CACHE_HOME", b"XDG_DATA_HOME", b"XDG_STATE_HOME"];
        let undoes = |value| (self.undoes_redirect)(Path::new(OsStr::from_bytes(value)));
        let undoes = DIRECTORIES.contains(&variable.name) && variable.values().any(undoes);
        undoes.then(|| Decision::remove(variable.name, Rule::Redirect, "points outside the redirected HOME"))
    }

    fn declared_rule(&self, variable: &Variable<'_>) -> Option<Decision> {
        let is_credential = self.declared.is_credential(strip_container_prefix(variable.name), variable.values());
        let reason = "a credential by the profile's .env or config.yaml";
        is_credential.then(|| Decision::remove(variable.name, Rule::Declared, reason))
    }

    fn minimal_rule(&self, name: &[u8]) -> Option<Decision> {
        let goes = self.user.minimal && !core::is_core(name);
        goes.then(|| Decision::remove(name, Rule::Minimal, "not a core variable"))
    }

    /// Moves Hermes' own venv to the end of PATH, and takes Hermes' own code out of PYTHONPATH, where they are kept and not
    /// by rule 3. Returns the elements of PATH that were moved.
    fn edit_paths(&self, names: &Names<'_>, decisions: &mut [Decision]) -> Vec<Vec<u8>> {
        let is_editable = |decision: &Decision| decision.change == Change::Keep && decision.rule != Rule::Keep;
        let editable = |name, decisions: &[Decision]| {
            names.position(name).filter(|&at| !self.user.keeps_venv() && is_editable(&decisions[at]))
        };
        let mut moved = Vec::new();
        if let Some(at) = editable(b"PATH", decisions) {
            let is_kept = |name: &[u8]| names.position(name).is_some_and(|at| decisions[at].change == Change::Keep);
            let demote = |path: &[u8]| self.venvs.demote_on_path(path, self.chdir, self.world, is_kept);
            let edits: Vec<_> = names.variables[at].values().map(demote).collect();
            moved = edits.iter().flatten().flat_map(|(_, moved)| moved.clone()).collect();
            if edits.iter().any(Option::is_some) {
                let copies = edits.into_iter().zip(names.variables[at].values());
                let copies = copies.map(|(edit, old)| Some(edit.map_or(old.to_vec(), |(new, _)| new)));
                decisions[at].change = Change::Edit(copies.collect());
                decisions[at].reason = "Hermes' own venv moved to the end";
            }
        }
        if let Some(at) = editable(b"PYTHONPATH", decisions) {
            self.edit_python_path(&names.variables[at], &mut decisions[at]);
        }
        moved
    }

    fn edit_python_path(&self, variable: &Variable<'_>, decision: &mut Decision) {
        let filter = |path: &[u8]| self.venvs.filter_python_path(path, self.world);
        let edits: Vec<Option<Vec<u8>>> = variable.values().map(filter).collect();
        if edits.iter().all(Option::is_none) {
            return;
        }
        let copy = |(new, old): (Option<Vec<u8>>, &[u8])| match new {
            Some(new) => Some(new).filter(|new| !is_blank(new)),
            None => Some(old.to_vec()),
        };
        let copies: Vec<_> = edits.into_iter().zip(variable.values()).map(copy).collect();
        if copies.iter().all(Option::is_none) {
            (decision.change, decision.rule) = (Change::Remove, Rule::Marker);
            decision.reason = "held nothing but entries of Hermes' own code";
        } else {
            decision.change = Change::Edit(copies);
            decision.reason = "entries of Hermes' own code are taken out";
        }
    }

    /// Rule 0 for names that are not in the block.
    fn add_new_names(&self, names: &Names<'_>, decisions: &mut Vec<Decision>) {
        let is_asked = |name: &[u8]| self.user.decide(name).is_some_and(|decision| decision.rule != Rule::Keep);
        let new = self.computed.new_names().filter(|decision| names.position(&decision.name).is_none());
        decisions.extend(new.filter(|decision| !is_asked(&decision.name)));
    }

    /// Rule 0 for the places that stay in the real home. They come last, since they are set only where the command would see
    /// no value: what the other rules leave is never changed.
    fn add_pointers(&self, names: &Names<'_>, decisions: &mut Vec<Decision>) {
        for pointer in &self.computed.pointers {
            let name = pointer.name.as_bytes();
            let is_wanted = pointer.needs.is_none_or(|needed| self.is_given(needed, names, decisions));
            let is_asked = || self.user.decide(name).is_some_and(|decision| decision.rule != Rule::Keep);
            if !is_wanted || self.is_given(name, names, decisions) || is_asked() || !pointer.is_in(self.world) {
                continue;
            }
            let decision = pointer.decision();
            match names.position(name) {
                Some(at) => decisions[at] = decision,
                None => decisions.push(decision),
            }
        }
    }

    /// Will the command see a value of this name that does not count as unset?
    fn is_given(&self, name: &[u8], names: &Names<'_>, decisions: &[Decision]) -> bool {
        let Some(at) = names.position(name) else {
            let is_set = |decision: Decision| matches!(decision.change, Change::Set(value) if !is_blank(&value));
            return self.user.decide(name).is_some_and(is_set);
        };
        match &decisions[at].change {
            Change::Remove => false,
            Change::Set(value) => !is_blank(value),
            Change::Keep | Change::Edit(_) => !is_blank(names.variables[at].first),
        }
    }

    /// Rule 1 for names that are not in the block.
    fn add_set_names(&self, names: &Names<'_>, decisions: &mut Vec<Decision>) {
        let new = self.user.set_names().filter(|name| names.position(name).is_none());
        let new = new.filter_map(|name| self.user.decide(name));
        decisions.extend(new.filter(|decision| decision.rule == Rule::Set));
    }
}

fn shape_rule(variable: &Variable<'_>) -> Option<Decision> {
    let is_key = variable.values().any(secrets::is_provider_key) && !core::is_core(variable.name);
    is_key.then(|| Decision::remove(variable.name, Rule::Shape, "its value has the shape of a model provider's key"))
}

/// Would an XDG directory there lead out of the redirected HOME? Never, where HOME is not redirected.
pub fn leads_out(path: &Path, selection: &Selection, home: &HomePlan, world: &dyn World) -> bool {
    let Some(redirect) = home.redirect.as_ref().filter(|_| path.is_absolute()) else { return false };
    let spelled = selection.profile.as_ref().map_or(redirect.home.clone(), |profile| profile.dir.join("home"));
    let own = Place { spelled, canonical: redirect.home.clone() };
    let in_real = selection.real.place().is_some_and(|real| real.holds(path, world));
    let in_a_profile = selection.root.as_ref().is_some_and(|root| {
        let canonical = world.canonical(path).unwrap_or_else(|_| path.to_owned());
        is_in_a_profile_home(&canonical, &root.canonical) || is_in_a_profile_home(path, &root.spelled)
    });
    (in_real || in_a_profile) && !own.holds(path, world)
}
