//! The checks on what programs find under the other HOME, each for the program that it concerns.
#![forbid(unsafe_code)]

use super::case::Case;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::reach::{settings, tools};
use crate::text::{escaped_path, shell_quoted_path};

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let real = case.plan.selection.as_ref().and_then(|selection| selection.real.path());
    let leave = format!("cd {}", real.map_or_else(|| case.own_home(), shell_quoted_path));
    let mut checks: Vec<_> = case.plan.climb().map(|check| check.cure(leave)).into_iter().collect();
    let Some(reach) = case.claude.reach(case.input.world) else { return checks };
    let own_home = |program| format!("{} --home real -- {program}", case.rerun_command);
    checks.extend(settings::all(&reach).into_iter().map(|(program, check)| check.cure(own_home(program))));
    checks.extend(tools::identity(&reach).map(|check| {
        let cure = format!("{} --share {} -- git config user.email", case.rerun_command, tools::git_item(&reach));
        check.cure(cure)
    }));
    checks.extend(settings::has_sandbox(&reach).then(|| {
        let message = "Claude Code's own sandbox is on in the shared settings: it cannot mount over a link, and fails where \
                       the working directory is the real home or a shared path is in denyRead";
        Diagnostic::note("claude-sandbox", message)
    }));
    checks.extend(cache(case));
    checks
}

/// What programs keep in `.cache` lies in the profile, and so in its backups.
fn cache(case: &Case<'_>) -> Option<Diagnostic> {
    let home = &case.plan.home.as_ref()?.redirect.as_ref()?.home;
    let dir = home.join(".cache");
    case.input.world.lstat(&dir).ok()?;
    let message = format!(
        "{} goes into `hermes backup`; a \"set\" of XDG_CACHE_HOME in hermes-exec.json puts caches elsewhere",
        escaped_path(&dir)
    );
    Some(Diagnostic::note("cache", message))
}
