//! What a seal would do here, and whether it would hold. It is opt-in, so that nothing is wrong where it cannot hold.
#![forbid(unsafe_code)]

use super::case::Case;
use crate::cli::SealLevel;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::remedy::Remedy;
use crate::plan::seal::SealPlan;

pub fn checks(case: &Case<'_>) -> Option<Diagnostic> {
    let selection = case.plan.selection.as_ref()?;
    let seal = SealPlan::build(Some(SealLevel::Files), None, selection, None, case.input);
    let files = match seal.secrets.len() {
        0 => "there is no secret file of Hermes' for --seal=files to protect".to_owned(),
        1 => "--seal=files would also keep it from reading Hermes' one secret file".to_owned(),
        count => format!("--seal=files would also keep it from reading Hermes' {count} secret files"),
    };
    Some(match (&seal.refusal, seal.leak) {
        // What there is to do about it is in words: nothing that could be pasted gives a kernel Landlock.
        (Some(failure), _) => {
            let check = Diagnostic::ok("seal", format!("a command cannot be sealed here: {}", failure.message));
            check.remedy(Remedy { hint: failure.hint.clone(), cure: None })
        }
        (None, Some(leak)) => Diagnostic::ok("seal", format!("--seal would not hold: {leak}; {files}")),
        (None, None) => {
            let signals = if seal.scopes_signals { "" } else { ", but not from signalling them (before Linux 6.12)" };
            let message = "--seal would keep a command from reading credentials out of other processes";
            Diagnostic::ok("seal", format!("{message}{signals}; {files}"))
        }
    })
}
