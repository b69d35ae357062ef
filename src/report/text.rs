//! The plan for people: `--explain`, the answer of `--only`, and the names that `-v` tells before a run.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Found;
use super::page::Page;
use crate::catalogue;
use crate::cli::SealLevel;
use crate::home::HomePlan;
use crate::message::{shown, shown_path};
use crate::plan::seal::SealPlan;
use crate::plan::{Action, Outcome, Plan};
use crate::policy::Rule;

/// The whole plan. `verbose` lists what is kept, too.
pub fn explain(plan: &Plan, command: Option<&Found>, verbose: bool, mut page: Page) -> String {
    if let Some(selection) = &plan.selection {
        match &selection.profile {
            Some(profile) => {
                page.section("Profile", &format!("{} (from {})", profile.name, profile.source.words()));
                page.line(&shown_path(&profile.dir));
            }
            None => page.section("Profile", "none: there is no Hermes here"),
        }
    }
    if let Some(home) = &plan.home {
        let real = plan.selection.as_ref().and_then(|selection| selection.real.path()).map(shown_path);
        home_section(home, real, &mut page);
        links_section(home, &mut page);
        let mut grants = plan.grants.iter().map(|grant| format!("{} {} ({})", grant.kind, grant.name, grant.by));
        page.section("Grants", &grants.next().unwrap_or_else(|| "none".into()));
        grants.for_each(|grant| page.line(&grant));
        environment_section(plan, verbose, &mut page);
    }
    if !plan.moved.is_empty() {
        page.section("PATH", "Hermes' own venv goes to the end:");
        plan.moved.iter().for_each(|element| page.line(&shown(element)));
    }
    if let Some(found) = command {
        let what = match &found.program {
            Ok(path) => shown_path(path),
            Err(failure) => failure.message.clone(),
        };
        page.section("Command", &format!("{} -> {what}", shown(&found.word)));
    }
    if let Some(seal) = plan.seal.as_ref().filter(|seal| seal.level != SealLevel::Off) {
        seal_section(seal, &mut page);
    }
    for (title, texts) in [("Warnings", &plan.warnings), ("Findings", &plan.findings)] {
        for (at, text) in texts.iter().enumerate() {
            page.section(if at == 0 { title } else { "" }, text);
        }
    }
    page.finish()
}

fn home_section(home: &HomePlan, real: Option<String>, page: &mut Page) {
    let from = home.from.as_ref().map_or("unset".into(), |home| shown(home.as_bytes()));
    match &home.to {
        Some(to) => {
            page.section("HOME", &format!("from {from}"));
            page.line(&format!("to   {}", shown_path(to)));
        }
        None => page.section("HOME", &format!("{from}, as it is")),
    }
    page.line(&format!("mode {} (from {})", home.choice.word(), home.choice.source));
    page.line(&format!("real home {}", real.unwrap_or_else(|| "not known".into())));
    if home.redirect.as_ref().is_some_and(|redirect| redirect.make) {
        page.line("the directory will be made");
    }
}

fn links_section(home: &HomePlan, page: &mut Page) {
    for (at, link) in home.links.iter().enumerate() {
        let target = link.target.as_ref().map_or(String::new(), |target| format!(" -> {}", shown_path(target)));
        let text = format!("{:<15}{}{target}", link.state.word(), shown_path(&link.place));
        page.section(if at == 0 { "Links" } else { "" }, &text);
    }
}

fn environment_section(plan: &Plan, verbose: bool, page: &mut Page) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: BTreeMap<(Rule, &str), Vec<&Outcome>> = BTreeMap::new();
    for outcome in &plan.outcomes {
        *counts.entry(outcome.action.word()).or_default() += 1;
        groups.entry((outcome.rule, outcome.action.word())).or_default().push(outcome);
    }
    let counts: Vec<_> = counts.into_iter().map(|(action, count)| format!("{count} {action}")).collect();
    page.section("Environment", &if counts.is_empty() { "empty".into() } else { counts.join(", ") });
    for ((rule, action), outcomes) in groups {
        let listed = verbose || action != Action::Kept.word();
        let hint = if listed { "" } else { "; -v lists them" };
        page.group(&format!("{action} by rule {} ({}): {}{hint}", rule as u8, rule.words(), outcomes.len()));
        if listed {
            outcomes.into_iter().for_each(|outcome| page.item(&shown(&outcome.name), &why(outcome)));
        }
    }
}

/// What the seal would do here, and whether it would hold.
fn seal_section(seal: &SealPlan, page: &mut Page) {
    let holds = match (&seal.refusal, seal.leak) {
        (Some(failure), _) => format!("is not possible: {}", failure.message),
        (_, Some(leak)) => format!("does not hold: {leak}"),
        _ => format!("holds (rules of Landlock: {})", seal.rules()),
    };
    page.section("Seal", &format!("{} (from {}): {holds}", seal.level.word(), seal.source));
    if seal.refusal.is_none() {
        let secrets = listed("cannot be read:", seal.secrets.iter().map(PathBuf::as_path));
        let narrow = listed("no file can be made directly in:", seal.dirs());
        secrets.into_iter().chain(narrow).chain(seal.limits()).for_each(|line| page.line(&line));
    }
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

/// The group and the reason.
fn why(outcome: &Outcome) -> String {
    let group = outcome.group.map_or(String::new(), |group| format!("{group}: "));
    format!("{group}{}", outcome.reason)
}

/// What `-v` says before a run: a line for each variable that is not as it was.
pub fn changes(outcomes: &[Outcome]) -> Vec<String> {
    let changed = outcomes.iter().filter(|outcome| outcome.action != Action::Kept);
    changed
        .map(|outcome| {
            format!(
                "{} {} (rule {}, {})",
                outcome.action.word(),
                shown(&outcome.name),
                outcome.rule as u8,
                why(outcome)
            )
        })
        .collect()
}

/// Why a variable is there or not: the rule, and the option that changes it. None where the plan did not come to the rules.
pub fn only(plan: &Plan, name: &[u8]) -> Option<String> {
    plan.home.as_ref()?;
    let shown_name = shown(name);
    let Some(outcome) = plan.outcomes.iter().find(|outcome| outcome.name == name) else {
        return Some(format!(
            "{shown_name} is not set, neither here nor for the command; to set it: --set {shown_name}=VALUE\n"
        ));
    };
    let cure = match (outcome.action, outcome.rule) {
        (Action::Removed, Rule::Catalogue) => match outcome.group.filter(|_| is_grantable(name)) {
            Some(group) => format!("; to grant it: --inherit-credentials={group}, or --keep {shown_name}"),
            None => String::new(),
        },
        (Action::Removed, Rule::Unset) => "; leave out that --unset".into(),
        (Action::Removed, _) => format!("; to keep it: --keep {shown_name}"),
        (Action::Edited, _) => format!("; to keep it as it is: --keep {shown_name}"),
        (Action::Set, Rule::Set) => String::new(),
        (Action::Set, _) => format!("; to set it yourself: --set {shown_name}=VALUE"),
        (Action::Kept, Rule::Computed) => String::new(),
        (Action::Kept, _) => format!("; to remove it: --unset {shown_name}"),
    };
    let action = outcome.action.word();
    Some(format!(
        "{shown_name} is {action} by rule {} ({}): {}{cure}\n",
        outcome.rule as u8,
        outcome.rule.words(),
        why(outcome)
    ))
}

fn is_grantable(name: &[u8]) -> bool {
    catalogue::find(name).is_none_or(|row| row.is_grantable())
}
