//! What a seal would do here, and whether it would hold. Whoever wants none has nothing to mend.
#![forbid(unsafe_code)]

use super::Check;
use crate::cli::SealLevel;
use crate::facts::Facts;
use crate::plan::Plan;
use crate::plan::seal::SealPlan;

/// The check.
pub fn checks(plan: &Plan, facts: &Facts<'_>) -> Vec<Check> {
    let Some(selection) = &plan.selection else { return Vec::new() };
    let seal = SealPlan::build(Some(SealLevel::Files), None, selection, None, facts);
    let (secrets, rules) = (seal.secrets.len(), seal.rules());
    let files = format!("--seal=files would keep secret files from being read ({secrets}; rules of Landlock: {rules})");
    vec![match (&seal.refusal, seal.leak) {
        // What there is to do about it is in words: nothing that could be pasted gives a kernel Landlock.
        (Some(failure), _) => {
            let hint = failure.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            Check::note("seal", format!("{}{hint}", failure.message))
        }
        (None, Some(leak)) => Check::note("seal", format!("--seal would not hold: {leak}; {files}")),
        (None, None) => Check::ok("seal", format!("--seal would hold; {files}")),
    }]
}
