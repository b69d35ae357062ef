//! The environment block on its way from the inherited one to the command's: the rules over every name, the edits of PATH
//! and PYTHONPATH, and the computed variables. One pass over the entries; nothing is sorted.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Action, Outcome};
use crate::cli::Options;
use crate::environ::{self, Environ, is_blank};
use crate::facts::Facts;
use crate::home::{HomePlan, POINTERS};
use crate::policy::{Circumstances, Decision, Policy, Rule, Variable, Verdict};
use crate::profile::{Selection, Source};
use crate::real_home::{Place, is_in_a_profile_home};
use crate::search_path::{Moved, OwnVenvs};

/// What becomes of a name's copies.
enum Change {
    Keep,
    Remove,
    Set(Vec<u8>),
    /// The new value of each copy; none where the copy goes.
    Edit(Vec<Option<Vec<u8>>>),
}

/// The block on its way from the inherited to the command's.
pub struct Block<'a> {
    environ: &'a Environ,
    /// For each entry its variable; none for entries that are no assignment.
    owners: Vec<Option<usize>>,
    changes: Vec<Change>,
    /// What every variable comes to, new ones last.
    pub outcomes: Vec<Outcome>,
    index: HashMap<&'a [u8], usize>,
    added: Vec<(Vec<u8>, Vec<u8>)>,
    /// Hermes' own venvs.
    pub own: OwnVenvs,
    /// Elements of PATH that were moved.
    pub moved: Vec<Vec<u8>>,
}

impl<'a> Block<'a> {
    /// The rules over every name, and the edits of PATH and PYTHONPATH.
    pub fn new(
        facts: &Facts<'a>,
        policy: &Policy,
        selection: &Selection,
        home: &HomePlan,
        chdir: Option<&OsStr>,
    ) -> Self {
        let environ = facts.environ;
        let size = environ.entries().len();
        let mut index: HashMap<&[u8], usize> = HashMap::with_capacity(size);
        let mut variables: Vec<Variable<'a>> = Vec::with_capacity(size);
        let mut owners = Vec::with_capacity(size);
        for entry in environ.entries() {
            owners.push(environ::split(entry.to_bytes()).map(|(name, value)| match index.entry(name) {
                Entry::Occupied(known) => {
                    variables[*known.get()].others.push(value);
                    *known.get()
                }
                Entry::Vacant(free) => {
                    variables.push(Variable { name, first: value, others: Vec::new() });
                    *free.insert(variables.len() - 1)
                }
            }));
        }

        let own = OwnVenvs::find(environ, selection.root.as_ref(), facts.files);
        let circumstances = Circumstances {
            in_own_venv: &|value| own.hold(Path::new(OsStr::from_bytes(value)), facts.files),
            in_venv_of_root: &|value| own.hold_for_root(Path::new(OsStr::from_bytes(value)), facts.files),
            undoes_redirect: &|value| leads_out(Path::new(OsStr::from_bytes(value)), selection, home, facts),
        };
        let decisions = policy.decide(&variables, &circumstances);
        let is_kept = |name: &[u8]| index.get(name).is_some_and(|&at| decisions[at].verdict == Verdict::Keep);

        let mut block = Self {
            environ,
            owners,
            changes: Vec::with_capacity(variables.len()),
            outcomes: Vec::with_capacity(variables.len()),
            added: Vec::new(),
            moved: Vec::new(),
            own: own.clone(),
            index: HashMap::new(),
        };
        for (variable, decision) in variables.iter().zip(&decisions) {
            block.changes.push(match &decision.verdict {
                Verdict::Keep => Change::Keep,
                Verdict::Remove => Change::Remove,
                Verdict::Set(value) => Change::Set(value.clone()),
            });
            block.outcomes.push(outcome(variable.name, decision));
            if decision.verdict != Verdict::Keep || decision.rule == Rule::Keep || policy.keeps_venv() {
                continue;
            }
            match variable.name {
                b"PATH" => {
                    let base = chdir.map(Path::new);
                    let edit = |path: &[u8]| own.last_on_path(path, base, facts.files, is_kept);
                    block.edit_path(variable.values().map(edit).collect(), variable);
                }
                b"PYTHONPATH" => {
                    let edit = |path: &[u8]| own.off_python_path(path, facts.files);
                    block.edit_python_path(variable.values().map(edit).collect(), variable);
                }
                _ => {}
            }
        }
        block.index = index;
        block
    }

    /// Applies the edits to the variable that was put in last.
    fn edit_path(&mut self, edits: Vec<Option<Moved>>, variable: &Variable<'_>) {
        let (Some(change), Some(outcome)) = (self.changes.last_mut(), self.outcomes.last_mut()) else { return };
        if edits.iter().all(Option::is_none) {
            return;
        }
        self.moved = edits.iter().flatten().flat_map(|moved| moved.elements.clone()).collect();
        let copies = edits
            .into_iter()
            .zip(variable.values())
            .map(|(moved, old)| Some(moved.map_or(old.to_vec(), |new| new.value)));
        *change = Change::Edit(copies.collect());
        outcome.action = Action::Edited;
        outcome.reason = "Hermes' own venv goes to the end".into();
    }

    fn edit_python_path(&mut self, edits: Vec<Option<Vec<u8>>>, variable: &Variable<'_>) {
        let (Some(change), Some(outcome)) = (self.changes.last_mut(), self.outcomes.last_mut()) else { return };
        if edits.iter().all(Option::is_none) {
            return;
        }
        let copies: Vec<_> = edits
            .into_iter()
            .zip(variable.values())
            .map(|(new, old)| match new {
                Some(new) => Some(new).filter(|new| !is_blank(new)),
                None => Some(old.to_vec()),
            })
            .collect();
        outcome.reason = "entries of Hermes' own code are taken out".into();
        if copies.iter().all(Option::is_none) {
            (*change, outcome.action, outcome.rule) = (Change::Remove, Action::Removed, Rule::Marker);
            outcome.reason = "held nothing but entries of Hermes' own code".into();
        } else {
            (*change, outcome.action) = (Change::Edit(copies), Action::Edited);
        }
    }

    /// Rule 0.
    pub fn compute(
        &mut self,
        selection: &Selection,
        home: &HomePlan,
        options: &Options,
        facts: &Facts<'_>,
        policy: &Policy,
    ) {
        let redirected = home.redirect.is_some();
        if let Some(to) = &home.to {
            let reason = if redirected { "the profile's home" } else { "the real home" };
            self.put(policy, b"HOME", to, reason);
        }
        match selection.real.path() {
            Some(real) if redirected => self.put(policy, b"HERMES_REAL_HOME", real, "the user's own home"),
            None if redirected => self.drop(policy, b"HERMES_REAL_HOME", "leads to no acceptable home"),
            _ => {}
        }
        let Some(profile) = &selection.profile else { return };
        let named = profile.source != Source::Default || options.hermes_home.is_some();
        if redirected || named || selection.expanded {
            self.put(policy, b"HERMES_HOME", &profile.dir, "the profile's directory");
        }
        if profile.source == Source::Option {
            self.put(policy, b"HERMES_PROFILE", Path::new(&profile.name), "--profile");
        }
        let Some(real) = selection.real.path().filter(|_| redirected) else { return };
        for (name, place) in POINTERS {
            let place = real.join(place);
            let wanted = name != "XAUTHORITY" || self.is_given(policy, b"DISPLAY");
            if wanted && !self.is_given(policy, name.as_bytes()) && facts.files.stat(&place).is_ok() {
                self.put(policy, name.as_bytes(), &place, "stays in the real home");
            }
        }
    }

    /// Will the command see a value of this name that does not count as unset?
    fn is_given(&self, policy: &Policy, name: &[u8]) -> bool {
        let is_set = |decision: Decision| matches!(decision.verdict, Verdict::Set(value) if !is_blank(&value));
        match self.index.get(name).map(|&at| &self.changes[at]) {
            Some(Change::Remove) => false,
            Some(Change::Set(value)) => !is_blank(value),
            Some(Change::Keep | Change::Edit(_)) => self.environ.given(name).is_some(),
            None => policy.user_rule(name).is_some_and(is_set),
        }
    }

    /// Sets a computed variable, unless the user sets or unsets it.
    fn put(&mut self, policy: &Policy, name: &[u8], value: impl AsRef<Path>, reason: &'static str) {
        let value = value.as_ref().as_os_str().as_bytes();
        if user_decides(policy, name) {
            return;
        }
        let is_same = self.environ.copies(name).eq([value]);
        let action = if is_same { Action::Kept } else { Action::Set };
        let new = Outcome { name: name.to_owned(), action, rule: Rule::Computed, group: None, reason: reason.into() };
        match self.index.get(name) {
            Some(&at) => {
                self.changes[at] = Change::Set(value.to_owned());
                self.outcomes[at] = new;
            }
            None => {
                self.added.push((name.to_owned(), value.to_owned()));
                self.outcomes.push(new);
            }
        }
    }

    /// Removes a variable that is normally computed.
    fn drop(&mut self, policy: &Policy, name: &[u8], reason: &'static str) {
        if let Some(&at) = self.index.get(name)
            && !user_decides(policy, name)
        {
            self.changes[at] = Change::Remove;
            let outcome = &mut self.outcomes[at];
            (outcome.action, outcome.rule, outcome.reason) = (Action::Removed, Rule::Computed, reason.into());
        }
    }

    /// `--set` of names that are not in the block yet.
    pub fn set_by_user(&mut self, policy: &Policy) {
        for name in policy.set_names().filter(|name| !self.index.contains_key(name)) {
            if let Some(decision) = policy.user_rule(name)
                && let Verdict::Set(value) = &decision.verdict
            {
                self.added.push((name.to_owned(), value.clone()));
                self.outcomes.push(outcome(name, &decision));
            }
        }
    }

    /// The command's block: every entry at its place, new ones at the end.
    pub fn child(&self) -> Environ {
        let mut child = Environ::default();
        let mut copies = vec![0; self.changes.len()];
        for (entry, owner) in self.environ.entries().iter().zip(&self.owners) {
            let Some(at) = *owner else {
                child.push(entry.clone());
                continue;
            };
            let name = &self.outcomes[at].name;
            let copy = copies[at];
            copies[at] += 1;
            match &self.changes[at] {
                Change::Keep => child.push(entry.clone()),
                Change::Remove => {}
                Change::Set(value) if copy == 0 => child.push(environ::entry(name, value)),
                Change::Set(_) => {}
                Change::Edit(values) => {
                    if let Some(Some(value)) = values.get(copy) {
                        child.push(environ::entry(name, value));
                    }
                }
            }
        }
        for (name, value) in &self.added {
            child.push(environ::entry(name, value));
        }
        child
    }
}

fn user_decides(policy: &Policy, name: &[u8]) -> bool {
    policy.user_rule(name).is_some_and(|decision| decision.rule != Rule::Keep)
}

fn outcome(name: &[u8], decision: &Decision) -> Outcome {
    let action = match decision.verdict {
        Verdict::Keep => Action::Kept,
        Verdict::Remove => Action::Removed,
        Verdict::Set(_) => Action::Set,
    };
    let Decision { rule, group, reason, .. } = *decision;
    Outcome { name: name.to_owned(), action, rule, group, reason: reason.into() }
}

/// Would an XDG directory there lead out of the redirected HOME?
fn leads_out(path: &Path, selection: &Selection, home: &HomePlan, facts: &Facts<'_>) -> bool {
    let Some(redirect) = home.redirect.as_ref().filter(|_| path.is_absolute()) else { return false };
    let spelled = selection.profile.as_ref().map_or(redirect.home.clone(), |profile| profile.dir.join("home"));
    let own = Place { spelled, canonical: redirect.home.clone() };
    let in_real = selection.real.place().is_some_and(|real| real.holds(path, facts.files));
    let in_a_profile = selection.root.as_ref().is_some_and(|root| {
        let canonical = facts.files.canonical(path).unwrap_or_else(|_| path.to_owned());
        is_in_a_profile_home(&canonical, &root.canonical) || is_in_a_profile_home(path, &root.spelled)
    });
    (in_real || in_a_profile) && !own.holds(path, facts.files)
}
