//! The plan for people: `--explain`, and the names that `-v` tells before a run.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use crate::cli::HomeMode;
use crate::home::HomePlan;
use crate::message::{Failure, shown, shown_path};
use crate::plan::{Action, Outcome, Plan};
use crate::policy::{Policy, Rule};
use crate::shares::State;

/// A section's title, and lines that stand behind it.
fn section(out: &mut String, title: &str, lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        let title = if at == 0 { title } else { "" };
        let _ = writeln!(out, "{title:<13}{line}");
    }
}

/// The whole plan. `command` is the program that was found, or why there is none.
pub fn explain(
    plan: &Plan,
    policy: &Policy,
    command: Option<(&[u8], Result<String, &Failure>)>,
    verbose: bool,
) -> String {
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
        section(&mut out, "Grants", &grant_lines(plan, policy));
        section(&mut out, "Environment", &environment_lines(plan, verbose));
        let moved: Vec<_> = plan.moved.iter().map(|element| format!("to the end: {}", shown(element))).collect();
        section(&mut out, "PATH", if moved.is_empty() { &[] } else { &moved });
    }
    if let Some((word, found)) = command {
        let found = found.unwrap_or_else(|failure| failure.message.clone());
        section(&mut out, "Command", &[format!("{} -> {found}", shown(word))]);
    }
    section(&mut out, "Warnings", &plan.warnings);
    section(&mut out, "Findings", &plan.findings);
    out
}

fn home_lines(home: &HomePlan, real: Option<String>) -> Vec<String> {
    let from = home.from.as_ref().map_or("unset".into(), |home| shown(home.as_bytes()));
    let mode = match home.choice.mode {
        HomeMode::Auto => "auto",
        HomeMode::Profile => "profile",
        HomeMode::Real => "real",
    };
    let first = match &home.to {
        Some(to) => format!("{from} -> {}", shown_path(to)),
        None => format!("{from} (as it is)"),
    };
    let real = real.unwrap_or_else(|| "not known".into());
    let made = home.redirect.as_ref().is_some_and(|redirect| redirect.make);
    let mut lines = vec![first, format!("mode {mode} (from {}), real home {real}", home.choice.source)];
    if made {
        lines.push("the directory will be made".into());
    }
    lines
}

/// A state in one word.
pub fn state_word(state: State) -> &'static str {
    match state {
        State::Present => "present",
        State::Create => "create",
        State::Replace => "replace",
        State::SourceMissing => "source-missing",
        State::Left => "left",
        State::Refused => "refused",
        State::Skipped => "skipped",
    }
}

fn link_lines(home: &HomePlan) -> Vec<String> {
    home.links
        .iter()
        .map(|link| {
            let target = link.target.as_ref().map_or(String::new(), |target| format!(" -> {}", shown_path(target)));
            format!("{:<15}{}{target}", state_word(link.state), shown_path(&link.place))
        })
        .collect()
}

fn grant_lines(plan: &Plan, policy: &Policy) -> Vec<String> {
    let mut lines = Vec::new();
    if policy.grants.every {
        lines.push("--inherit-credentials: every group that is not sealed".into());
    }
    lines.extend(policy.grants.groups.iter().map(|group| format!("--inherit-credentials={group}")));
    let kept = plan.outcomes.iter().filter(|outcome| outcome.rule == Rule::Keep && outcome.group.is_some());
    lines.extend(
        kept.filter(|outcome| crate::catalogue::find(&outcome.name).is_some())
            .map(|outcome| format!("--keep {} ({})", shown(&outcome.name), outcome.group.unwrap_or_default())),
    );
    if lines.is_empty() {
        lines.push("none".into());
    }
    lines
}

fn action_word(action: Action) -> &'static str {
    match action {
        Action::Kept => "kept",
        Action::Removed => "removed",
        Action::Set => "set",
        Action::Edited => "edited",
    }
}

fn environment_lines(plan: &Plan, verbose: bool) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in &plan.outcomes {
        *counts.entry(action_word(outcome.action)).or_default() += 1;
    }
    let counts: Vec<_> = counts.into_iter().map(|(action, count)| format!("{count} {action}")).collect();
    let mut lines = vec![if counts.is_empty() { "empty".into() } else { counts.join(", ") }];
    let mut listed: Vec<&Outcome> =
        plan.outcomes.iter().filter(|outcome| verbose || outcome.action != Action::Kept).collect();
    listed.sort_by_key(|outcome| outcome.rule);
    lines.extend(
        listed
            .into_iter()
            .map(|outcome| format!("{:<8}{} ({})", action_word(outcome.action), shown(&outcome.name), why(outcome))),
    );
    lines
}

/// The rule, the group and the reason.
fn why(outcome: &Outcome) -> String {
    let group = outcome.group.map_or(String::new(), |group| format!(", {group}"));
    format!("rule {}{group}: {}", outcome.rule as u8, outcome.reason)
}

/// What `-v` says before a run: a line for each variable that is not as it was.
pub fn changes(plan: &Plan) -> Vec<String> {
    let changed = plan.outcomes.iter().filter(|outcome| outcome.action != Action::Kept);
    changed
        .map(|outcome| format!("{} {} ({})", action_word(outcome.action), shown(&outcome.name), why(outcome)))
        .collect()
}
