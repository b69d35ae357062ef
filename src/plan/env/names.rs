//! The names of a block, each once, with the values of all its copies.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::decision::{Change, Decision};
use crate::environ::{self, Environ};

/// A name of the block with the values of all its copies.
#[derive(Debug)]
pub(super) struct Variable<'a> {
    pub name: &'a [u8],
    pub first: &'a [u8],
    /// The values of further copies, in order; rarely any.
    pub others: Vec<&'a [u8]>,
}

impl<'a> Variable<'a> {
    pub fn values(&self) -> impl Iterator<Item = &'a [u8]> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// The name of a variable inside a container: Apptainer and Singularity pass `APPTAINERENV_X` as `X`.
pub fn strip_container_prefix(mut name: &[u8]) -> &[u8] {
    while let Some(inner) = name.strip_prefix(b"APPTAINERENV_").or_else(|| name.strip_prefix(b"SINGULARITYENV_")) {
        name = inner;
    }
    name
}

pub(super) struct Names<'a> {
    environ: &'a Environ,
    /// In the order of their first copies.
    pub variables: Vec<Variable<'a>>,
    index: BTreeMap<&'a [u8], usize>,
    /// The variable of each entry; `None` for entries that are not an assignment.
    entries: Vec<Option<usize>>,
}

impl<'a> Names<'a> {
    pub fn of(environ: &'a Environ) -> Self {
        let size = environ.entries().len();
        let mut names = Self {
            environ,
            variables: Vec::with_capacity(size),
            index: BTreeMap::new(),
            entries: Vec::with_capacity(size),
        };
        for entry in environ.entries() {
            let at = environ::split(entry.to_bytes()).map(|(name, value)| match names.index.entry(name) {
                Entry::Occupied(known) => {
                    names.variables[*known.get()].others.push(value);
                    *known.get()
                }
                Entry::Vacant(free) => {
                    names.variables.push(Variable { name, first: value, others: Vec::new() });
                    *free.insert(names.variables.len() - 1)
                }
            });
            names.entries.push(at);
        }
        names
    }

    /// The index of a name among the variables.
    pub fn position(&self, name: &[u8]) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The block after the decisions: every entry in its place, new ones at the end. The decisions are those on the
    /// variables, in order, followed by those on new names.
    pub fn changed(&self, decisions: &[Decision]) -> Environ {
        let mut block = Environ::default();
        let mut copies = vec![0; self.variables.len()];
        for (entry, at) in self.environ.entries().iter().zip(&self.entries) {
            let Some(at) = *at else {
                block.push(entry.clone());
                continue;
            };
            let copy = copies[at];
            copies[at] += 1;
            match &decisions[at].change {
                Change::Keep => block.push(entry.clone()),
                Change::Remove => {}
                Change::Set(value) if copy == 0 => block.push(environ::entry(self.variables[at].name, value)),
                Change::Set(_) => {}
                Change::Edit(values) => {
                    if let Some(Some(value)) = values.get(copy) {
                        block.push(environ::entry(self.variables[at].name, value));
                    }
                }
            }
        }
        for decision in &decisions[self.variables.len()..] {
            if let Change::Set(value) = &decision.change {
                block.push(environ::entry(&decision.name, value));
            }
        }
        block
    }
}
