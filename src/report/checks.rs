//! The results of `--doctor`, as text or JSON.
#![forbid(unsafe_code)]

use serde::Serialize;

use super::json::SCHEMA;
use super::page::Page;
use crate::doctor::{Check, Level};
use crate::message::shown;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    checks: Vec<Shown<'a>>,
}

#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    level: Level,
    message: String,
    cure: Option<String>,
}

/// The checks as one JSON object and a line end.
pub fn json(checks: &[Check]) -> String {
    let shown = |check: &Check| Shown {
        id: check.id,
        level: check.level,
        message: shown(check.message.as_bytes()),
        cure: check.cure.as_ref().map(|cure| shown(cure.as_bytes())),
    };
    // Strings and numbers only: nothing in it can fail.
    serde_json::to_string_pretty(&Document { schema: SCHEMA, checks: checks.iter().map(shown).collect() })
        .unwrap_or_default()
        + "\n"
}

/// The checks for people, each with its cure below it, and how many of them want something done.
pub fn text(checks: &[Check], mut page: Page) -> String {
    for Check { id, level, message, cure } in checks {
        let text = format!("{id}: {}", shown(message.as_bytes()));
        page.check(level.word(), &text, *level >= Level::Warning);
        if let Some(cure) = cure {
            page.cure(&shown(cure.as_bytes()));
        }
    }
    let count = |level| checks.iter().filter(|check| check.level == level).count();
    let counts = [(Level::Problem, "problem"), (Level::Warning, "warning"), (Level::Note, "note")];
    let counts = counts.map(|(level, word)| match count(level) {
        0 => format!("no {word}"),
        1 => format!("1 {word}"),
        many => format!("{many} {word}s"),
    });
    page.plain(&counts.join(", "));
    page.finish()
}
