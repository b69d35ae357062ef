//! The plan for programs: `--explain --json`. The keys and words are a promise; a change of their meaning raises `schema`.
//! Bytes that are not UTF-8, and control characters, are escaped as in every other output.
#![forbid(unsafe_code)]

use serde::Serialize;

use crate::cli::SealLevel;
use crate::message::{Failure, Status, shown, shown_path};
use crate::plan::Plan;
use crate::plan::seal::SealPlan;
use crate::report::Found;

/// The version of the formats.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    profile: Option<Profile<'a>>,
    home: Option<Home<'a>>,
    links: Vec<Link>,
    grants: Vec<Grant<'a>>,
    variables: Vec<Variable<'a>>,
    path: SearchPath,
    command: Option<Command>,
    seal: Option<Seal<'a>>,
    warnings: &'a [String],
    findings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error<'a>>,
}

#[derive(Serialize)]
struct Profile<'a> {
    name: &'a str,
    dir: String,
    source: &'a str,
}

#[derive(Serialize)]
struct Home<'a> {
    mode: &'a str,
    source: &'a str,
    from: Option<String>,
    to: Option<String>,
    real: Option<String>,
}

#[derive(Serialize)]
struct Link {
    item: String,
    path: String,
    target: Option<String>,
    state: &'static str,
}

#[derive(Serialize)]
struct Grant<'a> {
    kind: &'a str,
    name: &'a str,
    by: &'a str,
}

#[derive(Serialize)]
struct Variable<'a> {
    name: String,
    action: &'static str,
    rule: u8,
    group: Option<&'a str>,
    reason: &'a str,
}

#[derive(Serialize)]
struct SearchPath {
    moved: Vec<String>,
}

#[derive(Serialize)]
struct Command {
    word: String,
    path: Option<String>,
    status: &'static str,
}

#[derive(Serialize)]
struct Seal<'a> {
    level: &'a str,
    source: &'a str,
    /// Nothing where none is wanted.
    holds: Option<bool>,
    /// Why it does not hold.
    reason: Option<&'a str>,
    rules: usize,
    /// The secret files that cannot be read.
    secrets: Vec<String>,
    /// The directories above them, directly in which no file can be made.
    narrow: Vec<String>,
    /// What else does not work, or stays open.
    limits: Vec<String>,
}

#[derive(Serialize)]
struct Error<'a> {
    status: i32,
    message: String,
    hint: Option<&'a str>,
}

/// The whole plan as one JSON object and a line end. `error` is why a run would fail.
pub fn explain(plan: &Plan, command: Option<&Found>, error: Option<&Failure>) -> String {
    let profile = plan.selection.as_ref().and_then(|selection| selection.profile.as_ref());
    let real = plan.selection.as_ref().and_then(|selection| selection.real.path());
    let document = Document {
        schema: SCHEMA,
        profile: profile.map(|profile| Profile {
            name: &profile.name,
            dir: shown_path(&profile.dir),
            source: profile.source.words(),
        }),
        home: plan.home.as_ref().map(|home| Home {
            mode: home.choice.word(),
            source: home.choice.source,
            from: home.from.as_ref().map(|from| shown(from.as_encoded_bytes())),
            to: home.to.as_deref().map(shown_path),
            real: real.map(shown_path),
        }),
        links: plan.home.iter().flat_map(|home| &home.links).map(link).collect(),
        grants: plan.grants.iter().map(|grant| Grant { kind: grant.kind, name: &grant.name, by: grant.by }).collect(),
        variables: plan
            .outcomes
            .iter()
            .map(|outcome| Variable {
                name: shown(&outcome.name),
                action: outcome.action.word(),
                rule: outcome.rule as u8,
                group: outcome.group,
                reason: &outcome.reason,
            })
            .collect(),
        path: SearchPath { moved: plan.moved.iter().map(|element| shown(element)).collect() },
        command: command.map(|found| Command {
            word: shown(&found.word),
            path: found.program.as_deref().ok().map(shown_path),
            status: match &found.program {
                Ok(_) => "found",
                Err(failure) => match failure.status {
                    Status::Failed => "shim-loop",
                    Status::CannotRun => "cannot-run",
                    Status::NotFound => "not-found",
                },
            },
        }),
        seal: plan.seal.as_ref().map(seal),
        warnings: &plan.warnings,
        findings: &plan.findings,
        error: error.map(|failure| Error {
            status: failure.status as i32,
            message: shown(failure.message.as_bytes()),
            hint: failure.hint.as_deref(),
        }),
    };
    // Strings and numbers only: nothing in it can fail.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn seal(seal: &SealPlan) -> Seal<'_> {
    let reason = seal.refusal.as_ref().map(|failure| failure.message.as_str()).or(seal.leak);
    Seal {
        level: seal.level.word(),
        source: seal.source,
        holds: (seal.level != SealLevel::Off).then_some(reason.is_none()),
        reason,
        rules: seal.rules(),
        secrets: seal.secrets.iter().map(|path| shown_path(path)).collect(),
        narrow: seal.dirs().map(shown_path).collect(),
        limits: seal.limits(),
    }
}

fn link(link: &crate::shares::Link) -> Link {
    Link {
        item: link.item.name(),
        path: shown_path(&link.place),
        target: link.target.as_deref().map(shown_path),
        state: link.state.word(),
    }
}
