//! The environment block: entries as bytes, in order. It never re-encodes, sorts or de-duplicates: a block may hold entries
//! without `=`, with an empty name, twice, or in no encoding, and the command must see them unchanged. Which entries are
//! removed is decided in `plan/env`.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{CStr, CString};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environ {
    entries: Vec<Cow<'static, CStr>>,
}

/// The name and the value of an entry; `None` for an entry without `=` or with an empty name.
pub fn split(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    match entry.iter().position(|&byte| byte == b'=') {
        None | Some(0) => None,
        Some(at) => Some((&entry[..at], &entry[at + 1..])),
    }
}

/// Does the value count as unset: empty, or only white space?
pub fn is_blank(value: &[u8]) -> bool {
    value.trim_ascii().is_empty()
}

/// An entry for a block. The parts contain no NUL byte: they come from a command line, a path or another block, which cannot
/// contain one, or were checked when they were read.
pub fn entry(name: &[u8], value: &[u8]) -> CString {
    let mut bytes = Vec::with_capacity(name.len() + value.len() + 2);
    bytes.extend_from_slice(name);
    bytes.push(b'=');
    bytes.extend_from_slice(value);
    CString::new(bytes).expect("no part of an entry contains a NUL byte")
}

impl Environ {
    pub fn new(entries: Vec<Cow<'static, CStr>>) -> Self {
        Self { entries }
    }

    pub fn entries(&self) -> &[Cow<'static, CStr>] {
        &self.entries
    }

    pub fn copies<'a>(&'a self, name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.entries.iter().filter_map(move |entry| {
            let bytes = entry.to_bytes();
            // Rejects nearly every entry, cheaply; dozens of names are looked up.
            if bytes.first() != name.first() {
                return None;
            }
            let rest = bytes.strip_prefix(name)?.strip_prefix(b"=")?;
            (!name.is_empty()).then_some(rest)
        })
    }

    pub fn get<'a>(&'a self, name: &'a [u8]) -> Option<&'a [u8]> {
        self.copies(name).next()
    }

    /// The value of the first copy of a name, unless that counts as unset.
    pub fn given<'a>(&'a self, name: &'a [u8]) -> Option<&'a [u8]> {
        self.get(name).filter(|value| !is_blank(value))
    }

    pub fn push(&mut self, entry: impl Into<Cow<'static, CStr>>) {
        self.entries.push(entry.into());
    }

    /// Sets a name to this value in a single entry, in the place of its first copy or, if it has none, at the end.
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        let new = entry(name, value);
        let is_copy = |entry: &Cow<'static, CStr>| split(entry.to_bytes()).is_some_and(|(known, _)| known == name);
        match self.entries.iter().position(is_copy) {
            None => self.entries.push(new.into()),
            Some(first) => {
                self.entries[first] = new.into();
                let mut at = 0;
                self.entries.retain(|entry| {
                    at += 1;
                    at <= first + 1 || !is_copy(entry)
                });
            }
        }
    }
}
