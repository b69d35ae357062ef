//! `--doctor`: what is sound in the set-up, what is not, and the command that mends it. Checks are data; nothing is mended
//! here, and no variable's value is told. A sound set-up gives no warning and no problem, so that a warning means something.
#![forbid(unsafe_code)]

mod environment;
mod home;
mod seal;
mod venv;

use serde::Serialize;

use crate::facts::Facts;
use crate::message::shown_path;
use crate::plan::Plan;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Sound.
    Ok,
    /// Worth knowing.
    Note,
    /// Something will not work as expected.
    Warning,
    /// Something does not work.
    Problem,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// A stable name.
    pub id: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What was found.
    pub message: String,
    /// What to type; none where there is nothing to mend.
    pub cure: Option<String>,
}

impl Check {
    fn ok(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, level: Level::Ok, message: message.into(), cure: None }
    }

    fn note(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, level: Level::Note, message: message.into(), cure: None }
    }

    fn warning(id: &'static str, message: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { id, level: Level::Warning, message: message.into(), cure: Some(cure.into()) }
    }

    fn problem(id: &'static str, message: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { id, level: Level::Problem, message: message.into(), cure: Some(cure.into()) }
    }

    fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}

/// All checks. `claude` is the plan of a run of `claude` with the same options, whose grants may differ.
pub fn examine(plan: &Plan, claude: &Plan, facts: &Facts<'_>) -> Vec<Check> {
    let mut checks = vec![selection(plan)];
    checks.extend(plan.warnings.iter().map(|text| Check::warning("run", text, "see --explain")));
    checks.extend(home::checks(plan, facts));
    checks.extend(environment::checks(plan, claude, facts));
    checks.extend(venv::checks(plan, facts));
    checks.extend(seal::checks(plan, facts));
    checks
}

/// Root, profile and home, or why there will be no run.
fn selection(plan: &Plan) -> Check {
    if let Some(failure) = &plan.error {
        let cure = failure.hint.clone().unwrap_or_else(|| "see --explain".into());
        return Check::problem("profile", failure.message.clone(), cure);
    }
    match plan.selection.as_ref().and_then(|selection| selection.profile.as_ref()) {
        Some(profile) => {
            let dir = shown_path(&profile.dir);
            Check::ok("profile", format!("{} (from {}), {dir}", profile.name, profile.source.words()))
        }
        None => Check::note("profile", "there is no Hermes here: the environment is sanitised, HOME stays"),
    }
}
