//! The reports of all profiles, `--doctor --all`: as a table and what is not sound, or as JSON.
#![forbid(unsafe_code)]

use serde_json::{Value, json};

use super::checks;
use super::json::{SCHEMA, page};
use crate::doctor::all::Examined;
use crate::output::Page;
use crate::plan::diagnostic::Level;
use crate::text::escaped_path;

/// The columns of the table between the name and the worst level of all, with the checks that each sums up.
const COLUMNS: [(&str, &[&str]); 4] = [
    ("links", &["link", "links", "keychain"]),
    ("claude", &["claude-login", "claude-key", "claude-token"]),
    ("git", &["git-identity"]),
    ("leaks", &["credentials", "markers", "parent-environ", "dotenv", "start-file", "past-redirect"]),
];

pub fn json(all: &[Examined]) -> String {
    let profile = |profile: &Examined| {
        json!({
            "name": profile.name,
            "dir": profile.dir.as_deref().map(escaped_path),
            "checks": checks::list(&profile.checks),
        })
    };
    page(&json!({ "schema": SCHEMA, "profiles": all.iter().map(profile).collect::<Value>() }))
}

pub fn text(all: &[Examined], mut page: Page) -> String {
    if all.is_empty() {
        page.plain("no Hermes found, and so no profile");
        return page.finish();
    }
    let heads = COLUMNS.map(|(head, _)| head);
    let rows =
        all.iter().map(|profile| (profile.name.as_str(), COLUMNS.map(|(_, ids)| cell(profile, ids)), worst(profile)));
    let rows: Vec<_> = std::iter::once(("profile", heads, "worst")).chain(rows).collect();
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or_default();
    for (name, cells, worst) in rows {
        let cells: String = cells.iter().map(|cell| format!("{cell:<9}")).collect();
        page.plain(&format!("{name:<width$}  {cells}{worst}"));
    }
    for profile in all.iter().filter(|profile| profile.worst(None) >= Some(Level::Warning)) {
        page.plain("");
        page.plain(&profile.name);
        let unsound = profile.checks.iter().filter(|check| check.level >= Level::Warning);
        unsound.for_each(|check| checks::entry(check, &mut page));
    }
    let count = |level| all.iter().filter(|profile| profile.worst(None) == Some(level)).count();
    let (problems, warnings) = (count(Level::Problem), count(Level::Warning));
    page.plain("");
    let profiles = if all.len() == 1 { "profile" } else { "profiles" };
    page.plain(&format!("{} {profiles}: {problems} with problems, {warnings} with warnings", all.len()));
    page.finish()
}

/// The worst of these checks. One that is silent is sound; where the rules could not be asked, nothing is known.
fn cell(profile: &Examined, ids: &[&str]) -> &'static str {
    match profile.worst(Some(ids)) {
        Some(level) => level.as_str(),
        None if profile.is_planned() => Level::Ok.as_str(),
        None => "-",
    }
}

fn worst(profile: &Examined) -> &'static str {
    profile.worst(None).unwrap_or(Level::Ok).as_str()
}
