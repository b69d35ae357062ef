//! The built-in table: `--catalogue`, as text or JSON.
#![forbid(unsafe_code)]

use std::fmt::Write as _;

use serde::Serialize;

use crate::catalogue::{self, Row};

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    group: &'static str,
    class: &'static str,
    secret: bool,
    reason: &'static str,
}

/// The table: a line for each row, with the sealed groups marked; or an array of objects.
pub fn print(as_json: bool) -> String {
    let mut out = String::new();
    if as_json {
        let entry = |Row { name, group, class, secret, reason }| Entry { name, group, class, secret, reason };
        let entries: Vec<_> = catalogue::rows().map(entry).collect();
        // Strings and booleans only: nothing in it can fail.
        return serde_json::to_string_pretty(&entries).unwrap_or_default() + "\n";
    }
    for Row { name, group, class, reason, .. } in catalogue::rows() {
        let seal = if catalogue::is_sealed(group) { "sealed" } else { "" };
        let _ = writeln!(out, "{name:<42} {group:<18} {seal:<7} {class:<17} {reason}");
    }
    out
}
