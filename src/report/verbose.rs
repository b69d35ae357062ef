//! What `-v` says before a run, a fact a line: profile, HOME, the links that are created, and the names of the variables that
//! are not as they were, each with its rule. Without the reasons in full, which `--explain` has, it is one screen.
#![forbid(unsafe_code)]

use super::text::shown_home;
use crate::plan::Ready;
use crate::plan::env::decision::{Change, Decision};
use crate::plan::home::links::State;
use crate::text::{escaped, escaped_path};

/// Names are padded to this many columns, so that with a usual reason the line has no more than 80.
const NAME: usize = 28;

/// The lines, each complete with our name.
pub fn lines(ready: &Ready) -> String {
    let home = &ready.home;
    let is_new = home.redirect.as_ref().is_some_and(|redirect| redirect.make);
    let new = if is_new { ", with a new home" } else { "" };
    let profile = match &ready.profile {
        Some(profile) => format!("{} (from {}){new}", profile.name, profile.source),
        None => "none: no Hermes found".into(),
    };
    let from = shown_home(home);
    let change = match home.change() {
        Some(to) => format!("{from} -> {}", escaped_path(to)),
        None => format!("{from}, as it is"),
    };
    let mut lines = vec![line("profile", &profile), line("HOME", &change)];
    for link in home.links.iter().filter(|link| matches!(link.state, State::Create | State::Replace)) {
        let target = link.target.as_deref().map(escaped_path).unwrap_or_default();
        lines.push(line(link.state.as_str(), &format!("{} -> {target}", escaped_path(&link.place))));
    }
    lines.extend(variables(&ready.decisions));
    lines.concat()
}

/// The line that comes last: which program is started.
pub fn program(ready: &Ready) -> String {
    line("run", &escaped_path(&ready.program.path))
}

fn line(what: &str, text: &str) -> String {
    format!("hermes-exec: {what:<7} {text}\n")
}

/// What is removed, then what is edited, then what is set, each in the order of the environment. HOME has its own line.
pub fn variables(decisions: &[Decision]) -> Vec<String> {
    let is_removed = |decision: &&Decision| decision.change == Change::Remove;
    let is_edited = |decision: &&Decision| matches!(decision.change, Change::Edit(_));
    let is_set = |decision: &&Decision| matches!(decision.change, Change::Set(_)) && decision.name != b"HOME";
    let all = decisions.iter();
    let kinds: [Vec<_>; 3] = [
        all.clone().filter(is_removed).collect(),
        all.clone().filter(is_edited).collect(),
        all.filter(is_set).collect(),
    ];
    kinds.iter().flat_map(|kind| aligned(kind)).collect()
}

fn aligned(decisions: &[&Decision]) -> Vec<String> {
    let names: Vec<_> = decisions.iter().map(|decision| escaped(&decision.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().min(NAME);
    let shown = decisions.iter().zip(&names).map(|(decision, name)| {
        let Decision { change, rule, group, reason, .. } = decision;
        let why = group.map_or((*reason).to_owned(), |group| format!("{}, {group}", rule.as_str()));
        line(change.as_str(), &format!("{name:<width$} rule {}: {why}", *rule as u8))
    });
    shown.collect()
}
