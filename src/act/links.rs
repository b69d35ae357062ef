//! Carries out a [`HomePlan`]: creates the home and its links, or removes the links. It never changes an existing file or
//! directory.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use super::entry::Trouble;
use super::home_dir::HomeDir;
use crate::error::Failure;
use crate::plan::Unlink;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::home::items::{CLAUDE, Item};
use crate::plan::home::links::{Link, State};
use crate::plan::home::{HomePlan, Redirect};
use crate::text::escaped_path;
use crate::world::World;

/// Prepares the home. Returns findings about links that could not be created; the command runs without them. Errors: 125 if
/// the home itself cannot be created, or is no longer the one that was planned.
pub fn prepare(plan: &HomePlan) -> anyhow::Result<Vec<Diagnostic>> {
    let wants = |state| matches!(state, State::Create | State::Replace);
    let links: Vec<_> = plan.links.iter().filter(|link| wants(link.state)).collect();
    let Some(redirect) = plan.redirect.as_ref().filter(|redirect| redirect.make || !links.is_empty()) else {
        return Ok(Vec::new());
    };
    let home = HomeDir::open(redirect)?;
    let mut findings = Vec::new();
    if links.iter().any(|link| link.state == State::Replace) {
        let left = sweep(&home, redirect, plan.links.iter().map(|link| link.place.as_path()));
        findings.extend(left.iter().map(|path| {
            let message =
                format!("{path} is a file that was saved while a link was being replaced, and could not be put back");
            Diagnostic::warning("link", message).hint("move it to its place")
        }));
    }
    let mut claude = Claude::default();
    for link in links {
        if let (Some(target), Some(trouble)) = (&link.target, claude.link(link, &home)) {
            findings.push(not_linked(redirect, &link.place, target, &trouble));
        }
    }
    findings.extend(claude.taken_back.iter().map(|(place, target, why)| not_linked(redirect, place, target, why)));
    Ok(findings)
}

fn not_linked(redirect: &Redirect, place: &Path, target: &Path, why: &str) -> Diagnostic {
    let [place, target] = [&redirect.home.join(place), target].map(escaped_path);
    Diagnostic::warning("link", format!("{place} is not linked to {target}: {why}"))
}

/// Claude Code's links are created all or none: half of its state would mix two logins.
#[derive(Default)]
struct Claude<'a> {
    made: Vec<(&'a Path, &'a Path)>,
    /// The place whose link failed.
    failed: Option<&'a Path>,
    /// Places, targets and reasons of links that were created and removed again.
    taken_back: Vec<(&'a Path, &'a Path, String)>,
}

impl<'a> Claude<'a> {
    /// Creates a link. Returns why it could not be created.
    fn link(&mut self, link: &'a Link, home: &HomeDir) -> Option<String> {
        let target = link.target.as_deref()?;
        let is_claude = link.item == Item::Claude;
        if let Some(failed) = self.failed.filter(|_| is_claude) {
            return Some(format!("{} is not linked either", escaped_path(failed)));
        }
        let made = home.link(&link.place, target, link.state == State::Replace);
        if is_claude {
            match &made {
                Ok(true) => self.made.push((&link.place, target)),
                Ok(false) => {}
                // What the user has there stays; only a conflict at `.claude` itself removes the others.
                Err(trouble) if trouble.is_taken() && link.place != Path::new(CLAUDE) => {}
                Err(_) => self.take_back(&link.place, home),
            }
        }
        made.err().map(|trouble| trouble.words())
    }

    fn take_back(&mut self, failed: &'a Path, home: &HomeDir) {
        self.failed = Some(failed);
        for (place, target) in self.made.drain(..) {
            let half = format!("{} is not linked either", escaped_path(failed));
            let why = match home.take_back(place, target) {
                Ok(()) => half,
                Err(trouble) => format!("{half}, but the link cannot be removed: {}", trouble.words()),
            };
            self.taken_back.push((place, target, why));
        }
    }
}

/// Removes what dead processes left next to these places. Returns the paths of left-over entries that are not links.
fn sweep<'a>(home: &HomeDir, redirect: &Redirect, places: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let parents: BTreeSet<&Path> = places.filter_map(Path::parent).collect();
    let left = parents.into_iter().flat_map(|parent| {
        home.sweep(parent).into_iter().map(move |name| escaped_path(&redirect.home.join(parent).join(name)))
    });
    left.collect()
}

/// Removes our links from the home. Returns the lines to print. Errors: 125 if a link of ours cannot be removed.
pub fn unlink(plan: &Unlink, world: &dyn World) -> anyhow::Result<Vec<String>> {
    let (redirect, context) = (&plan.redirect, plan.context(world));
    if redirect.make {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    // Without following links on the way: what is in a linked directory is not in the home.
    let Ok(home) = HomeDir::open(redirect) else { return Ok(lines) };
    for place in &plan.places {
        let Some(text) = home.link_text(place) else { continue };
        let is_ours = |text: &OsStr| context.is_ours(place, Path::new(text));
        let path = escaped_path(&redirect.home.join(place));
        let line = format!("{path} -> {}", escaped_path(Path::new(&text)));
        if !is_ours(&text) {
            lines.push(format!("left: {line}"));
            continue;
        }
        match home.take_away(place, &is_ours) {
            Ok(true) => lines.push(format!("removed: {line}")),
            // Another process was faster.
            Ok(false) => {}
            Err(trouble) => {
                let failure = Failure::new(format!("{path} cannot be removed: {}", trouble.words()));
                return Err(match trouble {
                    Trouble::Kept(_) => failure.hint("move it to its place"),
                    _ => failure.hint(format!("remove it by hand: rm {path}")),
                }
                .into());
            }
        }
    }
    let left = sweep(&home, redirect, plan.places.iter().map(|place| place.as_path()));
    lines.extend(left.iter().map(|path| format!("left: {path}")));
    Ok(lines)
}
