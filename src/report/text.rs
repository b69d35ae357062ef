//! The plan for people: `--explain`, and the names that `-v` tells before a run.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::SealLevel;
use crate::home::HomePlan;
use crate::message::{shown, shown_path};
use crate::plan::seal::SealPlan;
use crate::plan::{Action, Outcome, Plan};
use crate::report::Found;

/// A section's title, and lines that stand behind it.
fn section(out: &mut String, title: &str, lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        let title = if at == 0 { title } else { "" };
        let _ = writeln!(out, "{title:<13}{line}");
    }
}

/// The whole plan. `command` is the program that was found, or why there is none.
pub fn explain(plan: &Plan, command: Option<&Found>, verbose: bool) -> String {
    let mut out = String::new();
    if let Some(selection) = &plan.selection {
        section(
            &mut out,
            "Profile",
            &match &selection.profile {
                Some(profile) => {
                    vec![format!("{} (from {})", profile.name, profile.source.words()), shown_path(&profile.dir)]
                }
                None => vec!["none: there is no Hermes here".into()],
            },
        );
    }
    if let Some(home) = &plan.home {
        let real = plan.selection.as_ref().and_then(|selection| selection.real.path());
        section(&mut out, "HOME", &home_lines(home, real.map(shown_path)));
        section(&mut out, "Links", &link_lines(home));
    }
    if plan.home.is_some() {
        section(&mut out, "Grants", &grant_lines(plan));
        section(&mut out, "Environment", &environment_lines(plan, verbose));
        let moved: Vec<_> = plan.moved.iter().map(|element| format!("to the end: {}", shown(element))).collect();
        section(&mut out, "PATH", if moved.is_empty() { &[] } else { &moved });
    }
    if let Some(found) = command {
        let what = match &found.program {
            Ok(path) => shown_path(path),
            Err(failure) => failure.message.clone(),
        };
        section(&mut out, "Command", &[format!("{} -> {what}", shown(&found.word))]);
    }
    section(&mut out, "Seal", &plan.seal.as_ref().map_or(Vec::new(), seal_lines));
    section(&mut out, "Warnings", &plan.warnings);
    section(&mut out, "Findings", &plan.findings);
    out
}

fn home_lines(home: &HomePlan, real: Option<String>) -> Vec<String> {
    let from = home.from.as_ref().map_or("unset".into(), |home| shown(home.as_bytes()));
    let first = match &home.to {
        Some(to) => format!("{from} -> {}", shown_path(to)),
        None => format!("{from} (as it is)"),
    };
    let real = real.unwrap_or_else(|| "not known".into());
    let made = home.redirect.as_ref().is_some_and(|redirect| redirect.make);
    let mut lines = vec![first, format!("mode {} (from {}), real home {real}", home.choice.word(), home.choice.source)];
    if made {
        lines.push("the directory will be made".into());
    }
    lines
}

fn link_lines(home: &HomePlan) -> Vec<String> {
    home.links
        .iter()
        .map(|link| {
            let target = link.target.as_ref().map_or(String::new(), |target| format!(" -> {}", shown_path(target)));
            format!("{:<15}{}{target}", link.state.word(), shown_path(&link.place))
        })
        .collect()
}

fn grant_lines(plan: &Plan) -> Vec<String> {
    let lines: Vec<_> =
        plan.grants.iter().map(|grant| format!("{} {} ({})", grant.kind, grant.name, grant.by)).collect();
    if lines.is_empty() { vec!["none".into()] } else { lines }
}

fn environment_lines(plan: &Plan, verbose: bool) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in &plan.outcomes {
        *counts.entry(outcome.action.word()).or_default() += 1;
    }
    let counts: Vec<_> = counts.into_iter().map(|(action, count)| format!("{count} {action}")).collect();
    let mut lines = vec![if counts.is_empty() { "empty".into() } else { counts.join(", ") }];
    let mut listed: Vec<&Outcome> =
        plan.outcomes.iter().filter(|outcome| verbose || outcome.action != Action::Kept).collect();
    listed.sort_by_key(|outcome| outcome.rule);
    lines.extend(
        listed
            .into_iter()
            .map(|outcome| format!("{:<8}{} ({})", outcome.action.word(), shown(&outcome.name), why(outcome))),
    );
    lines
}

/// What the seal would do here, and whether it would hold. Nothing where none is wanted.
fn seal_lines(seal: &SealPlan) -> Vec<String> {
    let holds = match (seal.level, &seal.refusal, seal.leak) {
        (SealLevel::Off, ..) => return Vec::new(),
        (_, Some(failure), _) => format!("is not possible: {}", failure.message),
        (_, _, Some(leak)) => format!("does not hold: {leak}"),
        _ => format!("holds, by {} rules of Landlock", seal.rules()),
    };
    let mut lines = vec![format!("{} (from {}): {holds}", seal.level.word(), seal.source)];
    if seal.refusal.is_none() {
        lines.extend(listed("cannot be read:", seal.secrets.iter().map(PathBuf::as_path)));
        lines.extend(listed("made directly in here later, cannot be read back:", seal.dirs()));
        lines.extend(seal.limits());
    }
    lines
}

/// Paths behind their title, not more than a person would read; all of them are in the JSON.
fn listed<'a>(title: &str, paths: impl Iterator<Item = &'a Path>) -> Option<String> {
    const MOST: usize = 12;
    let mut all: Vec<_> = paths.map(shown_path).collect();
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    (!all.is_empty()).then(|| format!("{title} {}", all.join(", ")))
}

/// The rule, the group and the reason.
fn why(outcome: &Outcome) -> String {
    let group = outcome.group.map_or(String::new(), |group| format!(", {group}"));
    format!("rule {}{group}: {}", outcome.rule as u8, outcome.reason)
}

/// What `-v` says before a run: a line for each variable that is not as it was.
pub fn changes(outcomes: &[Outcome]) -> Vec<String> {
    let changed = outcomes.iter().filter(|outcome| outcome.action != Action::Kept);
    changed.map(|outcome| format!("{} {} ({})", outcome.action.word(), shown(&outcome.name), why(outcome))).collect()
}
