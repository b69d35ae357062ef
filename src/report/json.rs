//! The plan for programs: `--explain --json`. The keys and words are a promise; a change of their meaning raises `schema`.
//! Bytes that are not UTF-8, and control characters, are escaped as in every other output.
#![forbid(unsafe_code)]

use serde_json::{Value, json};

use crate::cli::SealLevel;
use crate::error::{Failure, Status};
use crate::plan::diagnostic::Diagnostic;
use crate::plan::env::decision::Decision;
use crate::plan::grants::Grant;
use crate::plan::home::HomePlan;
use crate::plan::home::links::Link;
use crate::plan::seal::SealPlan;
use crate::plan::{Command, Draft};
use crate::text::{escaped, escaped_path, harmless};

pub const SCHEMA: u32 = 1;

pub fn page(document: &Value) -> String {
    format!("{document:#}\n")
}

/// The whole plan as one JSON object, with why a run would fail.
pub fn explain(draft: &Draft) -> String {
    let profile = draft.selection.as_ref().and_then(|selection| selection.profile.as_ref());
    let real = draft.selection.as_ref().and_then(|selection| selection.real.path()).map(escaped_path);
    let links = draft.home.iter().flat_map(|home| &home.links);
    let mut document = json!({
        "schema": SCHEMA,
        "profile": profile.map(|profile| json!({
            "name": profile.name,
            "dir": escaped_path(&profile.dir),
            "source": profile.source.as_str(),
        })),
        "home": draft.home.as_ref().map(|plan| home(plan, real)),
        "links": links.map(link).collect::<Value>(),
        "grants": draft.grants.iter().map(grant).collect::<Value>(),
        "variables": draft.env.decisions.iter().map(variable).collect::<Value>(),
        "path": { "moved": draft.env.moved.iter().map(|element| escaped(element)).collect::<Value>() },
        "command": draft.command.as_ref().map(command),
        "seal": draft.seal.as_ref().map(seal),
        "warnings": messages(&draft.warnings),
        "findings": messages(&draft.findings),
    });
    if let Some(failure) = draft.failure() {
        document["error"] = error(failure);
    }
    page(&document)
}

fn messages(diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect()
}

fn home(home: &HomePlan, real: Option<String>) -> Value {
    json!({
        "mode": home.choice.mode.as_str(),
        "source": home.choice.source.as_str(),
        "from": home.from.as_ref().map(|from| escaped(from.as_encoded_bytes())),
        "to": home.to.as_deref().map(escaped_path),
        "real": real,
    })
}

fn link(link: &Link) -> Value {
    json!({
        "item": link.item.name(),
        "path": escaped_path(&link.place),
        "target": link.target.as_deref().map(escaped_path),
        "state": link.state.as_str(),
    })
}

fn grant(grant: &Grant) -> Value {
    json!({ "kind": grant.kind, "name": grant.name, "by": grant.by.as_str() })
}

fn variable(decision: &Decision) -> Value {
    json!({
        "name": escaped(&decision.name),
        "action": decision.change.as_str(),
        "rule": decision.rule as u8,
        "group": decision.group,
        "reason": decision.reason,
    })
}

fn command(command: &Command) -> Value {
    let status = match command.program.as_ref().map_err(|failure| failure.status) {
        Ok(_) => "found",
        Err(Status::Failed) => "shim-loop",
        Err(Status::CannotRun) => "cannot-run",
        Err(Status::NotFound) => "not-found",
    };
    json!({
        "word": escaped(&command.word),
        "path": command.program.as_ref().ok().map(|program| escaped_path(&program.path)),
        "status": status,
    })
}

fn seal(seal: &SealPlan) -> Value {
    let reason = seal.refusal.as_ref().map(|failure| failure.message.as_str()).or(seal.leak);
    json!({
        "level": seal.level.as_str(),
        "source": seal.source.as_str(),
        // Nothing where none is wanted.
        "holds": (seal.level != SealLevel::Off).then_some(reason.is_none()),
        "reason": reason,
        "rules": seal.rules(),
        // The secret files that cannot be read, and the directories above them, directly in which no file can be created.
        "secrets": seal.secrets.iter().map(|path| escaped_path(path)).collect::<Value>(),
        "narrow": seal.dirs().map(escaped_path).collect::<Value>(),
        "limits": seal.limits(),
    })
}

fn error(failure: &Failure) -> Value {
    json!({ "status": failure.status as i32, "message": harmless(&failure.message), "hint": failure.hint })
}
