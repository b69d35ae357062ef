//! The results of `--doctor`, as text or JSON.
#![forbid(unsafe_code)]

use serde_json::{Value, json};

use super::json::{SCHEMA, page};
use crate::output::{Colour, Page};
use crate::plan::diagnostic::{Diagnostic, Level};
use crate::text::harmless;

/// The checks as one JSON object and a line end.
pub fn json(checks: &[Diagnostic]) -> String {
    page(&json!({ "schema": SCHEMA, "checks": list(checks) }))
}

/// The checks as a JSON array.
pub fn list(checks: &[Diagnostic]) -> Value {
    let check = |check: &Diagnostic| {
        json!({
            "id": check.id,
            "level": check.level.as_str(),
            "message": harmless(&check.message),
            "hint": check.hint.as_ref().map(harmless),
            "cure": check.cure.as_ref().map(harmless),
        })
    };
    checks.iter().map(check).collect()
}

/// A check for people, with its hint and its cure below it.
pub fn entry(check: &Diagnostic, page: &mut Page) {
    let text = format!("{}: {}", check.id, harmless(&check.message));
    page.check(check.level.as_str(), &text, colour(check.level));
    if let Some(hint) = &check.hint {
        page.hint(&harmless(hint));
    }
    if let Some(cure) = &check.cure {
        page.cure(&harmless(cure));
    }
}

/// The checks for people, and how many of each level there are.
pub fn text(checks: &[Diagnostic], mut page: Page) -> String {
    checks.iter().for_each(|check| entry(check, &mut page));
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

fn colour(level: Level) -> Colour {
    match level {
        Level::Ok => Colour::Green,
        Level::Note => Colour::Cyan,
        Level::Warning => Colour::Yellow,
        Level::Problem => Colour::Red,
    }
}
