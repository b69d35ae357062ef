//! `~/` in shared settings: it means the HOME of the program that reads it, and so a different place here. Then a guard is
//! not found, a rule protects nothing or an identity is wrong, and the program does not say so.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::{Reach, json};
use crate::plan::diagnostic::Diagnostic;
use crate::text::{escaped, escaped_path};
use crate::world::{FILE_LIMIT, FileText};

/// Claude Code's settings that contain paths or commands.
const OF_CLAUDE: [&str; 5] = ["permissions", "sandbox", "hooks", "statusLine", "apiKeyHelper"];

/// A setting that means a different place here.
struct Setting {
    key: String,
    /// As written.
    path: String,
}

/// The shared settings of a program that mean a different place here.
pub fn of_program(program: &[u8], reach: &Reach<'_>) -> Vec<Diagnostic> {
    let files: &[(&str, Read)] = match program {
        b"claude" => &[(".claude/settings.json", of_claude)],
        b"git" => &[(".gitconfig", of_git), (".config/git/config", of_git)],
        b"npm" | b"npx" => &[(".npmrc", of_npm)],
        _ => &[],
    };
    files.iter().filter_map(|(file, read)| finding(Path::new(file), *read, reach)).collect()
}

/// The same for every known program.
pub fn all(reach: &Reach<'_>) -> Vec<Diagnostic> {
    [&b"claude"[..], b"git", b"npm"].into_iter().flat_map(|program| of_program(program, reach)).collect()
}

/// Is Claude Code's own sandbox on in the shared settings?
pub fn has_sandbox(reach: &Reach<'_>) -> bool {
    let place = Path::new(".claude/settings.json");
    let is_on = || match reach.world.text(&reach.here(place), FILE_LIMIT) {
        FileText::Found { bytes, .. } => json(&bytes)["sandbox"]["enabled"] == Value::Bool(true),
        _ => false,
    };
    reach.link(place).is_some() && is_on()
}

type Read = fn(&str, &Reach<'_>) -> Vec<Setting>;

fn finding(place: &Path, read: Read, reach: &Reach<'_>) -> Option<Diagnostic> {
    reach.link(place)?;
    let FileText::Found { bytes, .. } = reach.world.text(&reach.here(place), FILE_LIMIT) else { return None };
    let settings = read(std::str::from_utf8(&bytes).ok()?, reach);
    let first = settings.first()?;
    let mut seen = BTreeSet::new();
    let words = |Setting { key, path }: &Setting| format!("{} ({})", escaped(path.as_bytes()), escaped(key.as_bytes()));
    let mut named: Vec<_> = settings.iter().map(words).filter(|words| seen.insert(words.clone())).collect();
    let more = named.len().saturating_sub(4);
    named.truncate(4);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let file = escaped_path(&reach.there(place));
    let below = first.path.trim_start_matches("~/");
    let means = escaped_path(&reach.home.join(below));
    let message = format!(
        "{file} is shared, but ~/ in it is a different place here: {}{more}; for example {means}",
        named.join(", ")
    );
    Some(
        Diagnostic::warning("settings", message)
            .hint("write the full path, or let the program keep its HOME with --home real"),
    )
}

/// Does `~/below` mean something else here than in the real home, where it exists? A rule that forbids applies to the path
/// as written, so that a link at that place does not help.
fn is_elsewhere(below: &str, forbids: bool, reach: &Reach<'_>) -> bool {
    let place = Path::new(below);
    if below.is_empty() || place.is_absolute() || !reach.is_there(&reach.there(place)) {
        return false;
    }
    let same = || {
        let [here, there] = [reach.here(place), reach.there(place)].map(|path| reach.world.canonical(&path).ok());
        here.is_some() && here == there
    };
    (forbids && !place.starts_with(".claude")) || !same()
}

/// The paths after `~/`, `$HOME/` and `${HOME}/` in a text, up to the end of the path or the start of a pattern.
fn paths(text: &str) -> Vec<&str> {
    let ends = |char: char| !char.is_alphanumeric() && !"/._-+@%*?[]{}$~".contains(char);
    let mut found = Vec::new();
    for start in ["~/", "$HOME/", "${HOME}/"] {
        for (at, _) in text.match_indices(start) {
            // `a~/b` is not in a home.
            if !text[..at].chars().next_back().is_none_or(ends) {
                continue;
            }
            let rest = &text[at + start.len()..];
            let end = rest.find(ends).unwrap_or(rest.len());
            let whole = &rest[..end];
            let plain = match whole.find(['*', '?', '[', '{']) {
                Some(pattern) => &whole[..whole[..pattern].rfind('/').unwrap_or(0)],
                None => whole.trim_end_matches('/'),
            };
            found.push(plain);
        }
    }
    found
}

/// The name of a setting, cut to a length worth showing.
fn short(name: &str) -> String {
    name.chars().take(100).collect()
}

fn of_claude(text: &str, reach: &Reach<'_>) -> Vec<Setting> {
    fn walk(value: &Value, key: &str, found: &mut Vec<(String, String)>) {
        match value {
            Value::String(text) => found.push((key.to_owned(), text.clone())),
            Value::Array(all) => all.iter().for_each(|value| walk(value, key, found)),
            Value::Object(all) => {
                all.iter().for_each(|(name, value)| walk(value, &short(&format!("{key}.{}", short(name))), found))
            }
            _ => {}
        }
    }
    let settings = json(text.as_bytes());
    let mut texts = Vec::new();
    OF_CLAUDE.iter().for_each(|key| walk(&settings[key], key, &mut texts));
    let mut found = Vec::new();
    for (key, text) in texts {
        let forbids = key == "permissions.deny" || key.starts_with("sandbox.");
        let elsewhere = paths(&text).into_iter().filter(|below| is_elsewhere(below, forbids, reach));
        found.extend(elsewhere.map(|below| Setting { key: key.clone(), path: format!("~/{below}") }));
    }
    found
}

/// git-config(1): `[section "subsection"]`, and `key = value` with an optional comment.
fn of_git(text: &str, reach: &Reach<'_>) -> Vec<Setting> {
    let (mut section, mut found) = (String::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        let (key, value) = if let Some(header) = line.strip_prefix('[') {
            section = short(&header.trim_end_matches(']').replacen(" \"", ".", 1).replace('"', ""));
            match section.split_once(":~/") {
                Some((kind, below)) if kind.starts_with("includeIf.gitdir") => (section.clone(), format!("~/{below}")),
                _ => continue,
            }
        } else {
            let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with(['#', ';'])) else { continue };
            (format!("{section}.{}", key.trim()), value.trim().trim_matches('"').to_owned())
        };
        let is_condition = key == section;
        let below = value.strip_prefix("~/").and_then(|_| paths(&value).first().copied());
        // git compares the resolved directory of a repository, so that a link does not help.
        if let Some(below) = below.filter(|below| is_elsewhere(below, is_condition, reach)) {
            found.push(Setting { key, path: format!("~/{below}") });
        }
    }
    found
}

/// npmrc(5): `key = value`, with `${NAME}` for a variable.
fn of_npm(text: &str, reach: &Reach<'_>) -> Vec<Setting> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(['#', ';']));
    let settings = lines.filter_map(|line| line.split_once('='));
    let found = settings.flat_map(|(key, value)| {
        let below = paths(value).into_iter().filter(|below| is_elsewhere(below, false, reach));
        let key = short(key.trim());
        below.map(|below| Setting { key: key.clone(), path: format!("~/{below}") }).collect::<Vec<_>>()
    });
    found.collect()
}
