//! What a seal would do here, and whether it would hold. Whoever wants none has nothing to fix.
#![forbid(unsafe_code)]

use super::case::Case;
use crate::cli::SealLevel;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::seal::SealPlan;

pub fn checks(case: &Case<'_>) -> Option<Diagnostic> {
    let selection = case.plan.selection.as_ref()?;
    let seal = SealPlan::build(Some(SealLevel::Files), None, selection, None, case.input);
    let (secrets, rules) = (seal.secrets.len(), seal.rules());
    let files = format!("--seal=files would keep secret files from being read ({secrets}; rules of Landlock: {rules})");
    Some(match (&seal.refusal, seal.leak) {
        // What there is to do about it is in words: nothing that could be pasted gives a kernel Landlock.
        (Some(failure), _) => {
            let hint = failure.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            Diagnostic::note("seal", format!("{}{hint}", failure.message))
        }
        (None, Some(leak)) => Diagnostic::note("seal", format!("--seal would not hold: {leak}; {files}")),
        (None, None) => {
            let signals = if seal.scopes_signals { "" } else { ", but for signals (before Linux 6.12)" };
            Diagnostic::ok("seal", format!("--seal would hold{signals}; {files}"))
        }
    })
}
