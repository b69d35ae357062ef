//! What the command gets only because the user granted it, and the notice about a program whose own credentials were
//! removed.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use super::catalogue;
use super::diagnostic::Origin;
use super::env::decision::{Decision, Rule};
use super::env::names::strip_container_prefix;
use super::env::user::UserRules;
use super::home::items::Item;
use super::logins::{Login, login};
use crate::text::{escaped, escaped_path};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// `group`, `variable` or `share`.
    pub kind: &'static str,
    /// The group, the variable or the item; `*` for every group except those granted by name only.
    pub name: String,
    pub by: Origin,
}

/// The groups and variables among the grants.
pub(super) fn credentials(user: &UserRules, decisions: &[Decision]) -> Vec<Grant> {
    let group = |name: &str, by| Grant { kind: "group", name: name.to_owned(), by };
    let every = user.granted.every.then(|| group("*", Origin::Option("--inherit-credentials")));
    let groups = user.granted.groups.iter().map(|&(name, by)| group(name, by));
    let is_credential = |decision: &&Decision| catalogue::find(strip_container_prefix(&decision.name)).is_some();
    let kept = decisions.iter().filter(|decision| decision.rule == Rule::Keep).filter(is_credential);
    let kept = kept.filter_map(|decision| {
        Some(Grant { kind: "variable", name: escaped(&decision.name), by: user.keeper(&decision.name)? })
    });
    every.into_iter().chain(groups).chain(kept).collect()
}

/// The shared items that were asked for: `edits` are those of the options, `of_file` those of the policy file.
pub(super) fn shares(items: &[Item], edits: &[(bool, OsString)], of_file: &[&Item]) -> Vec<Grant> {
    let words = edits.iter().filter(|(adds, _)| *adds).map(|(_, word)| word);
    let of_options: Vec<_> = words.filter_map(|word| Item::parse(word, "--share").ok()).collect();
    let granted = items.iter().filter_map(|item| {
        let by = match (of_options.contains(item), of_file.contains(&item)) {
            (true, _) => Origin::Option("--share"),
            (_, true) => Origin::Policy,
            _ => return None,
        };
        Some(Grant { kind: "share", name: item.name(), by })
    });
    granted.collect()
}

/// The notice that a program's credentials were removed, and which option grants them. `climbed`: a file in which the
/// program may find them anyway.
pub(super) fn notice(
    program: &[u8],
    user: &UserRules,
    decisions: &[Decision],
    climbed: Option<&Path>,
) -> Option<String> {
    let login = login(program).filter(|_| !user.is_decided)?;
    let needs = |decision: &&Decision| match login {
        Login::Groups(groups) => decision.group.is_some_and(|group| groups.contains(&group)),
        Login::EveryProvider => {
            catalogue::find(strip_container_prefix(&decision.name)).is_some_and(|row| row.is_of_a_provider())
        }
    };
    let gone = decisions.iter().filter(|decision| decision.is_removed_by(Rule::Catalogue));
    let removed: Vec<_> = gone.filter(needs).collect();
    if removed.is_empty() {
        return None;
    }
    let names: Vec<_> = removed.iter().map(|decision| escaped(&decision.name)).collect();
    let option = match login {
        Login::EveryProvider => "--inherit-credentials".to_owned(),
        Login::Groups(_) => {
            let groups: BTreeSet<_> = removed.iter().filter_map(|decision| decision.group).collect();
            format!("--inherit-credentials={}", groups.into_iter().collect::<Vec<_>>().join(","))
        }
    };
    let (program, names) = (escaped(program), names.join(", "));
    Some(match climbed.map(escaped_path) {
        None => format!("{program} runs without {names}; to grant: {option}"),
        Some(file) => format!("{program} is not given {names}, but may find them in {file}; to grant: {option}"),
    })
}
