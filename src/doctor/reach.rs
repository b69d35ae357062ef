//! The checks on what programs find under the other HOME, each for the program that it concerns.
#![forbid(unsafe_code)]

use super::case::Case;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::reach::{settings, tools};
use crate::plan::remedy::{Remedy, has_program};
use crate::text::{escaped_path, shell_quoted_path};

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let real = case.plan.selection.as_ref().and_then(|selection| selection.real.path());
    let leave = Remedy { hint: None, cure: real.map(|real| format!("cd {}", shell_quoted_path(real))) };
    let mut checks: Vec<_> = case.plan.climb().map(|check| check.remedy(leave)).into_iter().collect();
    let Some(reach) = case.claude.reach(case.input.world) else { return checks };
    checks.extend(settings::all(&reach));
    // Nothing is missed without git.
    checks.extend(tools::identity(&reach).filter(|_| has_program("git", case.input)));
    checks.extend(settings::has_sandbox(&reach).then(|| {
        let message = "Claude Code's own sandbox is on in the shared settings: it cannot mount over a link, and fails where \
                       the working directory is the real home or a shared path is in denyRead";
        Diagnostic::ok("claude-sandbox", message)
    }));
    checks.extend(cache(case));
    checks
}

/// What programs keep in `.cache` lies in the profile, and so in its backups.
fn cache(case: &Case<'_>) -> Option<Diagnostic> {
    let home = &case.plan.home.as_ref()?.redirect.as_ref()?.home;
    let dir = home.join(".cache");
    case.input.world.lstat(&dir).ok()?;
    let message = format!("{} is part of `hermes backup`", escaped_path(&dir));
    let hint = "to put caches elsewhere: a \"set\" of XDG_CACHE_HOME in hermes-exec.json";
    Some(Diagnostic::ok("cache", message).hint(hint))
}
