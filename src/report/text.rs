//! The plan for people: `--explain` and the answer of `--only`.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::SealLevel;
use crate::output::Page;
use crate::plan::Draft;
use crate::plan::catalogue;
use crate::plan::env::decision::{Change, Decision, Rule};
use crate::plan::home::HomePlan;
use crate::plan::seal::SealPlan;
use crate::text::{escaped, escaped_path};

/// The whole plan. `verbose` lists what is kept, too.
pub fn explain(draft: &Draft, verbose: bool, mut page: Page) -> String {
    if let Some(selection) = &draft.selection {
        match &selection.profile {
            Some(profile) => {
                page.section("Profile", &format!("{} (from {})", profile.name, profile.source));
                page.line(&escaped_path(&profile.dir));
            }
            None => page.section("Profile", "none: there is no Hermes here"),
        }
    }
    if let Some(home) = &draft.home {
        let real = draft.selection.as_ref().and_then(|selection| selection.real.path()).map(escaped_path);
        home_section(home, real, &mut page);
        links_section(home, &mut page);
        let mut grants = draft.grants.iter().map(|grant| format!("{} {} ({})", grant.kind, grant.name, grant.by));
        page.section("Grants", &grants.next().unwrap_or_else(|| "none".into()));
        grants.for_each(|grant| page.line(&grant));
        environment_section(&draft.env.decisions, verbose, &mut page);
    }
    if !draft.env.moved.is_empty() {
        page.section("PATH", "Hermes' own directories, moved to the end:");
        draft.env.moved.iter().for_each(|element| page.line(&escaped(element)));
    }
    if let Some(command) = &draft.command {
        let what = match &command.program {
            Ok(program) => escaped_path(&program.path),
            Err(failure) => failure.message.clone(),
        };
        page.section("Command", &format!("{} -> {what}", escaped(&command.word)));
    }
    if let Some(seal) = draft.seal.as_ref().filter(|seal| seal.level != SealLevel::Off) {
        seal_section(seal, &mut page);
    }
    for (title, list) in [("Warnings", &draft.warnings), ("Findings", &draft.findings)] {
        for (at, diagnostic) in list.iter().enumerate() {
            page.section(if at == 0 { title } else { "" }, &diagnostic.message);
        }
    }
    page.finish()
}

fn home_section(home: &HomePlan, real: Option<String>, page: &mut Page) {
    let from = shown_home(home);
    match home.change() {
        Some(to) => {
            page.section("HOME", &format!("from {from}"));
            page.line(&format!("to   {}", escaped_path(to)));
        }
        None => page.section("HOME", &format!("{from}, as it is")),
    }
    page.line(&format!("mode {} (from {})", home.choice.mode.as_str(), home.choice.source));
    page.line(&format!("real home {}", real.unwrap_or_else(|| "not known".into())));
    if home.redirect.as_ref().is_some_and(|redirect| redirect.make) {
        page.line("the directory will be created");
    }
}

/// HOME as it was inherited.
pub fn shown_home(home: &HomePlan) -> String {
    home.from.as_ref().map_or("unset".into(), |home| escaped(home.as_bytes()))
}

fn links_section(home: &HomePlan, page: &mut Page) {
    for (at, link) in home.links.iter().enumerate() {
        let target = link.target.as_ref().map_or(String::new(), |target| format!(" -> {}", escaped_path(target)));
        let text = format!("{:<15}{}{target}", link.state.as_str(), escaped_path(&link.place));
        page.section(if at == 0 { "Links" } else { "" }, &text);
    }
}

fn environment_section(decisions: &[Decision], verbose: bool, page: &mut Page) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: BTreeMap<(Rule, &str), Vec<&Decision>> = BTreeMap::new();
    for decision in decisions {
        *counts.entry(decision.change.as_str()).or_default() += 1;
        groups.entry((decision.rule, decision.change.as_str())).or_default().push(decision);
    }
    let counts: Vec<_> = counts.into_iter().map(|(action, count)| format!("{count} {action}")).collect();
    page.section("Environment", &if counts.is_empty() { "empty".into() } else { counts.join(", ") });
    for ((rule, action), decisions) in groups {
        let listed = verbose || action != Change::Keep.as_str();
        let hint = if listed { "" } else { "; -v lists them" };
        page.group(&format!("{action} by rule {} ({}): {}{hint}", rule as u8, rule.as_str(), decisions.len()));
        if listed {
            decisions.into_iter().for_each(|decision| page.item(&escaped(&decision.name), &why(decision)));
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
    page.section("Seal", &format!("{} (from {}): {holds}", seal.level.as_str(), seal.source));
    if seal.refusal.is_none() {
        let secrets = listed("cannot be read:", seal.secrets.iter().map(PathBuf::as_path));
        let narrow = listed("no file can be created directly in:", seal.dirs());
        secrets.into_iter().chain(narrow).chain(seal.limits()).for_each(|line| page.line(&line));
    }
}

/// Paths behind their title, not more than a person would read; all of them are in the JSON.
fn listed<'a>(title: &str, paths: impl Iterator<Item = &'a Path>) -> Option<String> {
    const MOST: usize = 12;
    let mut all: Vec<_> = paths.map(escaped_path).collect();
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    (!all.is_empty()).then(|| format!("{title} {}", all.join(", ")))
}

fn why(decision: &Decision) -> String {
    let group = decision.group.map_or(String::new(), |group| format!("{group}: "));
    format!("{group}{}", decision.reason)
}

/// Why a variable is there or not: the rule, and the option that changes it. None where the plan did not come to the rules.
pub fn only(draft: &Draft, name: &[u8]) -> Option<String> {
    draft.home.as_ref()?;
    let shown_name = escaped(name);
    let Some(decision) = draft.env.decisions.iter().find(|decision| decision.name == name) else {
        return Some(format!(
            "{shown_name} is not set, neither here nor for the command; to set it: --set {shown_name}=VALUE\n"
        ));
    };
    let cure = match (&decision.change, decision.rule) {
        (Change::Remove, Rule::Catalogue) => match decision.group.filter(|_| is_grantable(name)) {
            Some(group) => format!("; to grant it: --inherit-credentials={group}, or --keep {shown_name}"),
            None => String::new(),
        },
        (Change::Remove, Rule::Unset) => "; leave out that --unset".into(),
        (Change::Remove, Rule::Declared) => {
            format!("; to keep it: terminal.env_passthrough in config.yaml, or --keep {shown_name}")
        }
        (Change::Remove, _) => format!("; to keep it: --keep {shown_name}"),
        (Change::Edit(_), _) => format!("; to keep it as it is: --keep {shown_name}"),
        (Change::Set(_), _) => format!("; to set it to something else: --set {shown_name}=VALUE"),
        (Change::Keep, Rule::Computed) => String::new(),
        (Change::Keep, _) => format!("; to remove it: --unset {shown_name}"),
    };
    let (change, rule) = (decision.change.as_str(), decision.rule);
    Some(format!("{shown_name} is {change} by rule {} ({}): {}{cure}\n", rule as u8, rule.as_str(), why(decision)))
}

fn is_grantable(name: &[u8]) -> bool {
    catalogue::find(name).is_none_or(|row| row.is_grantable())
}
