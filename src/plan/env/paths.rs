//! Variables that hold lists of paths: Hermes' own elements of PATH are moved to its end, and its entries in other lists are
//! removed. A list that rule 3 keeps is not changed.
#![forbid(unsafe_code)]

use std::path::Path;

use super::decision::{Change, Decision, Rule};
use super::hermes_places::HermesPlaces;
use super::markers::HERMES;
use super::names::Names;
use crate::environ::is_blank;
use crate::world::World;

pub(super) struct PathEdits<'a> {
    pub places: &'a HermesPlaces,
    /// The directory of a managed installation.
    pub managed: Option<&'a Path>,
    /// The user keeps the active venv: PATH and PYTHONPATH are not changed.
    pub keeps_venv: bool,
    pub world: &'a dyn World,
}

impl PathEdits<'_> {
    /// Edits the lists. Returns the elements of PATH that were moved.
    pub fn apply(&self, names: &Names<'_>, decisions: &mut [Decision]) -> Vec<Vec<u8>> {
        let (places, world) = (self.places, self.world);
        let mut moved = Vec::new();
        if !self.keeps_venv {
            moved = self.demote_on_path(names, decisions, b"PATH");
            // What `deactivate` restores.
            self.demote_on_path(names, decisions, b"_OLD_VIRTUAL_PATH");
            let filter = |list: &[u8]| places.filter(list, b':', |entry| places.is_python_entry(entry, world));
            edit(names, decisions, b"PYTHONPATH", filter);
        }
        let filter = |list: &[u8]| places.filter(list, b':', |entry| places.hold(entry, world));
        edit(names, decisions, b"NODE_PATH", filter);
        edit(names, decisions, b"UV_ENV_FILE", |list| self.without_own_files(list));
        moved
    }

    /// uv's list without Hermes' own files; `None` if nothing changes. It is separated by white space, and a backslash
    /// escapes the next character (docs.astral.sh/uv/reference/environment, UV_ENV_FILE).
    fn without_own_files(&self, list: &[u8]) -> Option<Vec<u8>> {
        let is_escaped = |at: usize| list[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
        let parts = |(at, byte): &(usize, &u8)| byte.is_ascii_whitespace() && !is_escaped(*at);
        let (mut files, mut start) = (Vec::new(), 0);
        for at in list.iter().enumerate().filter(parts).map(|(at, _)| at).chain([list.len()]) {
            files.push(&list[start..at]);
            start = at + 1;
        }
        let is_own = |file: &&[u8]| {
            let mut bytes = file.iter();
            let unescaped = std::iter::from_fn(|| match bytes.next() {
                Some(b'\\') => bytes.next(),
                byte => byte,
            });
            self.places.is_env_file(&unescaped.copied().collect::<Vec<_>>(), self.managed, self.world)
        };
        let left: Vec<_> = files.iter().filter(|file| !is_own(file)).copied().collect();
        (left.len() < files.len()).then(|| left.join(&b' '))
    }

    fn demote_on_path(&self, names: &Names<'_>, decisions: &mut [Decision], name: &[u8]) -> Vec<Vec<u8>> {
        let Some(at) = editable(name, names, decisions) else { return Vec::new() };
        let values = || names.variables[at].values();
        let edits: Vec<_> = values().map(|path| self.places.demote_on_path(path, self.world)).collect();
        if edits.iter().any(Option::is_some) {
            let new = |(edit, old): (&Option<(Vec<u8>, _)>, &[u8])| {
                Some(edit.as_ref().map_or(old.to_vec(), |(new, _)| new.clone()))
            };
            decisions[at].change = Change::Edit(edits.iter().zip(values()).map(new).collect());
            decisions[at].reason = "Hermes' own directories moved to the end";
        }
        edits.into_iter().flatten().flat_map(|(_, moved)| moved).collect()
    }
}

/// The index of a variable that is kept, but not by rule 3.
fn editable(name: &[u8], names: &Names<'_>, decisions: &[Decision]) -> Option<usize> {
    let is_editable = |decision: &Decision| decision.change == Change::Keep && decision.rule != Rule::Keep;
    names.position(name).filter(|&at| is_editable(&decisions[at]))
}

/// Removes entries from a list, and the whole variable if nothing is left.
fn edit(names: &Names<'_>, decisions: &mut [Decision], name: &[u8], filter: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    let Some(at) = editable(name, names, decisions) else { return };
    let decision = &mut decisions[at];
    let edits: Vec<_> = names.variables[at].values().map(|list| (filter(list), list)).collect();
    if edits.iter().all(|(edit, _)| edit.is_none()) {
        return;
    }
    let copy = |(new, old): (Option<Vec<u8>>, &[u8])| match new {
        Some(new) => Some(new).filter(|new| !is_blank(new)),
        None => Some(old.to_vec()),
    };
    let copies: Vec<_> = edits.into_iter().map(copy).collect();
    if copies.iter().all(Option::is_none) {
        (decision.change, decision.rule, decision.group) = (Change::Remove, Rule::Marker, Some(HERMES));
        decision.reason = "contained only Hermes' own entries";
    } else {
        decision.change = Change::Edit(copies);
        decision.reason = "Hermes' own entries removed";
    }
}
