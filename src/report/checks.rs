//! The results of `--doctor`, as text or JSON.
#![forbid(unsafe_code)]

use std::fmt::Write as _;

use serde::Serialize;

use super::json::SCHEMA;
use crate::doctor::{Check, Level};
use crate::message::shown;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    checks: &'a [Check],
}

/// The checks, a line each with the cure below it; or one JSON object.
pub fn print(checks: &[Check], as_json: bool) -> String {
    if as_json {
        // Strings and numbers only: nothing in it can fail.
        return serde_json::to_string_pretty(&Document { schema: SCHEMA, checks }).unwrap_or_default() + "\n";
    }
    let mut out = String::new();
    for Check { id, level, message, cure } in checks {
        let level = match level {
            Level::Ok => "ok",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Problem => "problem",
        };
        let _ = writeln!(out, "{level:<8} {id:<15} {}", shown(message.as_bytes()));
        if let Some(cure) = cure {
            let _ = writeln!(out, "{:>24} {}", "cure:", shown(cure.as_bytes()));
        }
    }
    out
}
