//! The built-in table: `--catalogue`, as text or JSON.
#![forbid(unsafe_code)]

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::json::page;
use crate::plan::catalogue::{Row, is_by_name_only, rows};

/// The table: a line for each row, with the groups marked that are granted by name only; or an array of objects.
pub fn print(as_json: bool) -> String {
    if as_json {
        let row = |Row { name, group, class, secret, reason }| json!({ "name": name, "group": group, "by_name_only": is_by_name_only(group), "class": class, "secret": secret, "reason": reason });
        return page(&rows().map(row).collect::<Value>());
    }
    let mut out = String::new();
    for Row { name, group, class, reason, .. } in rows() {
        let grant = if is_by_name_only(group) { "by-name-only" } else { "" };
        let _ = writeln!(out, "{name:<42} {group:<18} {grant:<12} {class:<17} {reason}");
    }
    out
}
