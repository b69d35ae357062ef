//! `--doctor`: what is sound in the setup, what is not, and the command that fixes it. Checks are data; nothing is fixed
//! here, and no variable's value is shown. A sound setup gives no warning, no problem, and no note that would stay for ever, so
//! that each of them means something.
#![forbid(unsafe_code)]

pub mod all;
mod case;
mod claude;
mod environment;
mod home;
mod links;
mod reach;
mod seal;
mod shims;
mod venv;

use crate::cli::Options;
use crate::error::Failure;
use crate::plan::Draft;
use crate::plan::diagnostic::{Diagnostic, Origin};
use crate::plan::profile::layout::Profile;
use crate::plan::profile::{OPTION, VARIABLE};
use crate::plan::remedy::Remedy;
use crate::text::escaped_path;
use crate::world::Input;
use case::Case;

/// All checks of the plan that these options lead to. The grants of `claude` may differ: it has a plan of its own.
pub fn examine(options: &Options, input: &Input<'_>) -> Vec<Diagnostic> {
    let plan = Draft::build(options, input);
    let mut of_claude = options.clone();
    of_claude.command = vec!["claude".into()];
    let of_claude = Draft::build(&of_claude, input);
    let case = Case::new(&plan, &of_claude, options, input);
    let mut checks = vec![selection(&case)];
    checks.extend(plan.warnings.iter().cloned());
    checks.extend(home::checks(&case));
    checks.extend(links::checks(&case));
    checks.extend(environment::checks(&case));
    checks.extend(claude::checks(&case));
    checks.extend(reach::checks(&case));
    checks.extend(venv::checks(&case));
    checks.extend(shims::checks(&case));
    checks.extend(seal::checks(&case));
    checks
}

/// Has a report something to say about what a run with these options found? Not about options and users of that run alone.
pub fn reports_on(finding: &Diagnostic) -> bool {
    !matches!(finding.id, "owner" | "seal" | "set-from")
}

/// The command line that asks for a report on runs like this one. A profile that HERMES_HOME names is not named again: a
/// quarrel of the variables would not be seen.
pub fn command(options: &Options, profile: Option<&Profile>) -> String {
    let mut options = options.clone();
    let named = profile.filter(|profile| matches!(profile.source, OPTION | VARIABLE | Origin::ActiveProfile));
    options.profile = named.map(|profile| profile.name.clone().into());
    case::rerun_command("hermes-exec --doctor", &options)
}

/// Root and profile, or why there will be no run.
fn selection(case: &Case<'_>) -> Diagnostic {
    if let Some(Failure { subject, message, hint, cure, .. }) = &case.plan.error {
        // Where the hint of a run is the command itself, it is said once.
        let hint = hint.clone().filter(|hint| cure.as_ref() != Some(hint));
        return Diagnostic::problem(subject, message.clone()).remedy(Remedy { hint, cure: cure.clone() });
    }
    match case.plan.selection.as_ref().and_then(|selection| selection.profile.as_ref()) {
        Some(profile) => {
            let dir = escaped_path(&profile.dir);
            Diagnostic::ok("profile", format!("{} (from {}), {dir}", profile.name, profile.source))
        }
        None => Diagnostic::ok("profile", "no Hermes found: only the environment is cleaned, and HOME stays"),
    }
}
