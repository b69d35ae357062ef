//! THE LADDER: which variables the command gets, decided by name. The rules are numbered; the first that matches decides,
//! and reports show its number:
//!
//! 0. computed: what hermes-exec itself sets, unless rule 1 or 2 names it
//! 1. `--set`, `set` of the policy file
//! 2. `--unset`, `unset`: removed
//! 3. `--keep`, `keep`: kept as it is. Rules 1 to 3 are applied first to the options, then to the policy file's entry for
//!    this program, then to the rest of the file
//! 4. the catalogue of credentials: kept if its group is granted, else removed
//! 5. passthrough: named by the profile's `config.yaml`. Below the catalogue, since an agent may have written that file
//! 6. a marker family: removed as a whole; and single variables that point into Hermes' own places: removed
//! 7. with a redirected HOME, XDG directories that point outside it: removed
//! 8. declared as a credential by the profiles' own files: removed
//! 9. a model provider's key by the shape of its value: removed
//! 10. with `--minimal`, any name that is not a core name: removed
//! 11. kept
//!
//! `names.rs` builds the block from these decisions.
#![forbid(unsafe_code)]

pub mod computed;
pub mod core;
pub mod decision;
pub mod declared;
mod families;
pub mod hermes_places;
pub mod markers;
pub mod names;
mod paths;
pub mod pointers;
pub mod secrets;
pub mod user;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::environ::{Environ, is_blank};
use crate::plan::catalogue;
use crate::plan::home::Redirect;
use crate::plan::profile::Selection;
use crate::plan::profile::layout::is_in_a_profile_home;
use crate::world::World;
use crate::world::place::Place;
use computed::Computed;
use decision::{Change, Decision, Rule};
use declared::Declared;
use families::{Families, Fate};
use hermes_places::HermesPlaces;
use markers::{Family, HERMES};
use names::{Names, Variable, strip_container_prefix};
use paths::PathEdits;
use pointers::{DIRECTORIES, Directories, Pointer, is_pointer};
use user::UserRules;

pub(in crate::plan) struct Ladder<'a> {
    pub user: &'a UserRules,
    pub declared: &'a Declared,
    pub computed: &'a Computed,
    pub places: &'a HermesPlaces,
    /// Does an XDG directory with this value point outside the redirected HOME? Never, if HOME is not redirected.
    pub undoes_redirect: &'a dyn Fn(&Path) -> bool,
    pub world: &'a dyn World,
}

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Every variable, in the order of the block, new ones last.
    pub decisions: Vec<Decision>,
    pub child: Environ,
    /// The elements of PATH that were moved to its end.
    pub moved: Vec<Vec<u8>>,
}

/// What is decided before the links are known.
pub(in crate::plan) struct Decided<'a> {
    names: Names<'a>,
    decisions: Vec<Decision>,
    moved: Vec<Vec<u8>>,
}

impl Ladder<'_> {
    /// Decides on every name of a block, and on new names.
    pub fn decide<'a>(&self, environ: &'a Environ) -> Decided<'a> {
        let names = Names::of(environ);
        let families = Families::new(&names, self.user, self.declared, self.places, self.world);
        let variables = names.variables.iter().enumerate();
        // With room for some new names, or else the list would be copied for the first one.
        let mut decisions = Vec::with_capacity(names.variables.len() + MOST_NEW);
        decisions.extend(variables.map(|(at, variable)| self.decide_on(variable, families.of(at))));
        self.follow_removed_markers(&names, &mut decisions);
        let edits = PathEdits {
            places: self.places,
            managed: self.declared.managed.as_deref(),
            keeps_venv: self.user.keeps_venv(),
            world: self.world,
        };
        let moved = edits.apply(&names, &mut decisions);
        self.add_new_names(&names, &mut decisions);
        Decided { names, decisions, moved }
    }

    /// Once the links are known: the rest of rule 0, and the block.
    pub fn finish(&self, decided: Decided<'_>, pointers: &[Pointer]) -> Outcome {
        let Decided { names, mut decisions, moved } = decided;
        self.add_pointers(pointers, &names, &mut decisions);
        self.add_set_names(&names, &mut decisions);
        Outcome { child: names.changed(&decisions), decisions, moved }
    }

    /// Will the command see a value for this name that does not count as unset?
    pub fn gives(&self, name: &str, decided: &Decided<'_>) -> bool {
        self.is_given(name.as_bytes(), &decided.names, &decided.decisions)
    }

    /// The XDG directories that the command sees, and those of the user that were removed.
    pub fn directories(&self, decided: &Decided<'_>, is_own: &dyn Fn(&Path) -> bool) -> Directories {
        let Decided { names, decisions, .. } = decided;
        let taken = |(name, _): (&str, &str)| {
            let at = names.position(name.as_bytes()).filter(|&at| decisions[at].is_removed_by(Rule::Redirect))?;
            let path = Path::new(OsStr::from_bytes(names.variables[at].first));
            is_own(path).then(|| path.to_owned())
        };
        Directories { taken: DIRECTORIES.map(taken), is_given: DIRECTORIES.map(|(name, _)| self.gives(name, decided)) }
    }

    fn decide_on(&self, variable: &Variable<'_>, marker: Option<(&'static Family, Fate)>) -> Decision {
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
            .or_else(|| self.marker_rule(variable, marker).or_else(|| self.selector_rule(name, variable))) // 6
            .or_else(|| self.redirect_rule(variable)) // 7
            .or_else(|| self.declared_rule(name, variable)) // 8
            .or_else(|| shape_rule(variable)) // 9
            .or_else(|| self.minimal_rule(name)) // 10
            .unwrap_or_else(|| Decision::keep(name, Rule::Kept, "no rule matched")) // 11
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

    fn marker_rule(&self, variable: &Variable<'_>, marker: Option<(&'static Family, Fate)>) -> Option<Decision> {
        let name = variable.name;
        let (family, fate) = marker?;
        let decision = match fate {
            Fate::Removed => Some(Decision::remove(name, Rule::Marker, family.reason)),
            Fate::Kept(rule) => self
                .covered_rule(variable)
                .or_else(|| Some(Decision::keep(name, rule, "a member of its family is kept"))),
            Fate::Spared => self.covered_rule(variable),
        };
        decision.map(|decision| Decision { group: decision.group.or(Some(family.name)), ..decision })
    }

    /// conda saves a variable's previous value under a name that contains the variable's; if the family stays, that is
    /// decided like the variable itself.
    fn covered_rule(&self, variable: &Variable<'_>) -> Option<Decision> {
        let covered = markers::covered_name(variable.name)?;
        if self.user.decide(covered).is_some_and(|decision| decision.rule == Rule::Keep) {
            return None;
        }
        let decision = self
            .catalogue_rule(covered)
            .or_else(|| self.selector_rule(covered, variable))
            .or_else(|| self.declared_rule(covered, variable))?;
        Some(Decision { name: variable.name.to_owned(), ..decision })
    }

    /// Rule 6 for single variables: the markers of Hermes' launcher, and variables that select an interpreter, a project or
    /// a target in one of Hermes' places.
    fn selector_rule(&self, name: &[u8], variable: &Variable<'_>) -> Option<Decision> {
        let name = strip_container_prefix(name);
        let leads_to_hermes = || variable.values().any(|value| self.places.hold(value, self.world));
        let reason = if markers::is_of_launcher(name) {
            "left by Hermes' launcher"
        } else if markers::is_selector(name) && leads_to_hermes() {
            "points installers to Hermes' own venv or runtime"
        } else {
            return None;
        };
        Some(Decision::remove(variable.name, Rule::Marker, reason).group(HERMES))
    }

    /// Removes a selector together with the marker of the environment that it names: without the marker a tool would use the
    /// selector's.
    fn follow_removed_markers(&self, names: &Names<'_>, decisions: &mut [Decision]) {
        let is_removed = |name: &[u8], decisions: &[Decision]| {
            let at = names.position(name).filter(|&at| decisions[at].is_removed_by(Rule::Marker))?;
            Some(names.variables[at].first).filter(|value| !is_blank(value))
        };
        let removed: Vec<_> = markers::ENVIRONMENTS.iter().filter_map(|name| is_removed(name, decisions)).collect();
        let inside = |value: &[u8], marker: &[u8]| {
            let [value, marker] = [value, marker].map(|path| Path::new(OsStr::from_bytes(path)));
            Place::new(marker, self.world).holds(value, self.world)
        };
        let pyenv = is_removed(b"PYENV_VIRTUAL_ENV", decisions)
            .and_then(|path| Path::new(OsStr::from_bytes(path)).file_name())
            .map(OsStr::as_bytes);
        let pyenv_root =
            names.position(b"PYENV_ROOT").map(|at| names.variables[at].first).filter(|root| !is_blank(root));
        let is_version = |value: &[u8]| {
            pyenv.is_some_and(|name| names_version(value, name))
                || self.places.hold_version(value, pyenv_root, self.world)
        };
        for (name, is_of_pyenv) in [(&b"UV_PYTHON"[..], false), (b"PIP_PYTHON", false), (b"PYENV_VERSION", true)] {
            let Some(at) = names.position(name).filter(|&at| decisions[at].rule > Rule::Marker) else { continue };
            let mut values = names.variables[at].values();
            let follows = match is_of_pyenv {
                true => values.any(is_version),
                false => values.any(|value| removed.iter().any(|marker| inside(value, marker))),
            };
            if follows {
                let reason = "names the environment of a removed marker";
                decisions[at] = Decision::remove(name, Rule::Marker, reason).group("python-venv");
            }
        }
    }

    fn redirect_rule(&self, variable: &Variable<'_>) -> Option<Decision> {
        let undoes = |value| (self.undoes_redirect)(Path::new(OsStr::from_bytes(value)));
        let is_directory = DIRECTORIES.iter().any(|(name, _)| name.as_bytes() == variable.name);
        let undoes = is_directory && variable.values().any(undoes);
        undoes.then(|| Decision::remove(variable.name, Rule::Redirect, "points outside the redirected HOME"))
    }

    fn declared_rule(&self, name: &[u8], variable: &Variable<'_>) -> Option<Decision> {
        let is_credential = self.declared.is_credential(strip_container_prefix(name), variable.values());
        let reason = "a credential according to the profile's .env or config.yaml";
        is_credential.then(|| Decision::remove(variable.name, Rule::Declared, reason))
    }

    fn minimal_rule(&self, name: &[u8]) -> Option<Decision> {
        let goes = self.user.minimal && !core::is_core(name) && !is_pointer(name);
        goes.then(|| Decision::remove(name, Rule::Minimal, "not a core variable"))
    }

    /// Rule 0 for names that are not in the block.
    fn add_new_names(&self, names: &Names<'_>, decisions: &mut Vec<Decision>) {
        let is_asked = |name: &[u8]| self.user.decide(name).is_some_and(|decision| decision.rule != Rule::Keep);
        let new = self.computed.new_names().filter(|decision| names.position(&decision.name).is_none());
        decisions.extend(new.filter(|decision| !is_asked(&decision.name)));
    }

    /// Rule 0 for places that stay in the real home. They come last, since they are set only if the command would see no
    /// value: a value that the other rules keep is never changed.
    fn add_pointers(&self, pointers: &[Pointer], names: &Names<'_>, decisions: &mut Vec<Decision>) {
        for pointer in pointers {
            let name = pointer.name.as_bytes();
            let is_wanted = pointer.needs.is_none_or(|needed| self.is_given(needed.as_bytes(), names, decisions));
            let is_asked = || self.user.decide(name).is_some_and(|decision| decision.rule != Rule::Keep);
            if !is_wanted || self.is_given(name, names, decisions) || is_asked() {
                continue;
            }
            let Some(decision) = pointer.decision(self.world) else { continue };
            match names.position(name) {
                Some(at) => decisions[at] = decision,
                None => decisions.push(decision),
            }
        }
    }

    /// As [`Ladder::gives`].
    fn is_given(&self, name: &[u8], names: &Names<'_>, decisions: &[Decision]) -> bool {
        let is_set = |decision: &Decision| matches!(&decision.change, Change::Set(value) if !is_blank(value));
        let Some(at) = names.position(name) else {
            let new = decisions[names.variables.len()..].iter().find(|decision| decision.name == name);
            return new.is_some_and(is_set) || self.user.decide(name).is_some_and(|decision| is_set(&decision));
        };
        match &decisions[at].change {
            Change::Remove => false,
            Change::Set(_) => is_set(&decisions[at]),
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

/// Hardly more names than this are new in a block: three of rule 0, and the pointers.
const MOST_NEW: usize = 16;

/// Is this one of the versions of a PYENV_VERSION: `name`, or `3.11.4/envs/name`?
fn names_version(value: &[u8], name: &[u8]) -> bool {
    let mut versions = value.split(|&byte| byte == b':');
    versions.any(|version| version.trim_ascii().rsplit(|&byte| byte == b'/').next() == Some(name))
}

fn shape_rule(variable: &Variable<'_>) -> Option<Decision> {
    let is_key = variable.values().any(secrets::is_provider_key) && !core::is_core(variable.name);
    is_key.then(|| Decision::remove(variable.name, Rule::Shape, "its value has the shape of a model provider's key"))
}

/// Would an XDG directory there point outside the redirected HOME? Never, if HOME is not redirected.
pub fn leads_out(path: &Path, selection: &Selection, redirect: Option<&Redirect>, world: &dyn World) -> bool {
    let Some(redirect) = redirect.filter(|_| path.is_absolute()) else { return false };
    let spelled = selection.profile.as_ref().map_or(redirect.home.clone(), |profile| profile.dir.join("home"));
    let own = Place { spelled, canonical: redirect.home.clone() };
    let in_real = selection.real.place().is_some_and(|real| real.holds(path, world));
    (in_real || is_in_a_profile(path, selection, world)) && !own.holds(path, world)
}

pub fn is_in_a_profile(path: &Path, selection: &Selection, world: &dyn World) -> bool {
    selection.root.as_ref().is_some_and(|root| {
        let canonical = world.canonical(path).unwrap_or_else(|_| path.to_owned());
        is_in_a_profile_home(&canonical, &root.canonical) || is_in_a_profile_home(path, &root.spelled)
    })
}
