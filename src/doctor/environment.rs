//! The checks on the environment: what reaches commands that are started without us, and what points past the redirected
//! HOME.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::case::Case;
use crate::cli::SealLevel;
use crate::plan::Draft;
use crate::plan::diagnostic::{Diagnostic, Level};
use crate::plan::env::decision::{Change, Decision, Rule};
use crate::plan::seal::SealPlan;
use crate::text::{escaped, shell_quoted};

/// Variables with which programs find files of the user elsewhere than in HOME. The XDG directories are among them for
/// users who keep them: rule 7 removes them otherwise.
const LOCATIONS: [&[u8]; 22] = [
    b"AWS_CONFIG_FILE", b"AWS_SHARED_CREDENTIALS_FILE", b"AZURE_CONFIG_DIR", b"CARGO_HOME", b"CLAUDE_CONFIG_DIR",
    b"CLOUDSDK_CONFIG", b"CODEX_HOME", b"DOCKER_CONFIG", b"GH_CONFIG_DIR", b"GIT_CONFIG_GLOBAL", b"GNUPGHOME",
    b"KUBECONFIG", b"NETRC", b"NPM_CONFIG_USERCONFIG", b"PIP_CONFIG_FILE", b"npm_config_userconfig", b"ZDOTDIR",
    b"INPUTRC", b"XDG_CACHE_HOME", b"XDG_CONFIG_HOME", b"XDG_DATA_HOME", b"XDG_STATE_HOME",
];

/// Start files that shells read, by variable: they can set again what was removed.
const START_FILES: [&[u8]; 2] = [b"BASH_ENV", b"ENV"];

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    if case.plan.home.is_none() {
        // Where no home was settled, no rule was asked.
        return Vec::new();
    }
    let mut checks = exposed(case.plan);
    checks.extend(parent(case));
    checks.extend(past_the_redirect(case));
    checks.extend(start_files(case));
    checks.extend(switches(case.plan));
    checks
}

fn removed(plan: &Draft, rules: &[Rule]) -> Vec<String> {
    let gone = |decision: &&Decision| decision.change == Change::Remove && rules.contains(&decision.rule);
    plan.env.decisions.iter().filter(gone).map(|decision| escaped(&decision.name)).collect()
}

pub(super) fn some(names: &[String]) -> String {
    let listed = names.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0..=4 => listed,
        all => format!("{listed} and {} more", all - 4),
    }
}

/// `unset` for variables of this environment.
fn unset<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> String {
    names.into_iter().fold("unset".to_owned(), |line, name| line + " " + &shell_quoted(name))
}

fn exposed(plan: &Draft) -> Vec<Diagnostic> {
    let credentials = removed(plan, &[Rule::Catalogue, Rule::Declared, Rule::Shape]);
    let markers = removed(plan, &[Rule::Marker]);
    let mut checks = Vec::new();
    for (id, what, names) in
        [("credentials", "credentials and settings of Hermes", credentials), ("markers", "markers", markers)]
    {
        checks.push(match names.is_empty() {
            true => Diagnostic::ok(id, format!("no {what} in this environment")),
            // So it is within a gateway, always.
            false => {
                Diagnostic::ok(id, format!("{what} removed, which a command would inherit otherwise: {}", some(&names)))
            }
        });
    }
    checks
}

/// The environment of the process that started us can be read back by anybody with our uid, but for a command in a seal.
fn parent(case: &Case<'_>) -> Option<Diagnostic> {
    let names = case.input.world.parent_names()?;
    let gone = removed(case.plan, &[Rule::Catalogue, Rule::Declared, Rule::Shape]);
    let left: Vec<_> = gone.into_iter().filter(|name| names.contains(name.as_bytes())).collect();
    let holds = |seal: &SealPlan| seal.level != SealLevel::Off && seal.refusal.is_none() && seal.leak.is_none();
    if left.is_empty() || case.plan.seal.as_ref().is_some_and(holds) {
        return None;
    }
    let message = "a command can read in /proc what its parent was started with";
    let check = Diagnostic::note("parent-environ", format!("{message}: {}", some(&left)));
    let seal = SealPlan::build(Some(SealLevel::On), None, case.plan.selection.as_ref()?, None, case.input);
    // Without a seal nothing closes it, here or elsewhere.
    Some(if holds(&seal) {
        check.hint("to prevent that: --seal, or \"seal\": \"on\" in hermes-exec.json")
    } else {
        Diagnostic { level: Level::Ok, ..check }
    })
}

/// Those of these variables whose value, in the command's environment, names a place in the real home.
fn leading_back<'a>(names: &[&'a [u8]], case: &Case<'_>) -> Vec<&'a [u8]> {
    let Some(real) = case.plan.selection.as_ref().and_then(|selection| selection.real.place()) else {
        return Vec::new();
    };
    let home = case.plan.home.as_ref().and_then(|home| home.redirect.as_ref()).map(|redirect| &redirect.home);
    let leads_back = |name: &&&[u8]| {
        let mut paths = case.plan.env.child.copies(name).flat_map(|value| value.split(|&byte| byte == b':'));
        paths.any(|path| {
            let path = Path::new(OsStr::from_bytes(path));
            real.holds(path, case.input.world) && !home.is_some_and(|home| path.starts_with(home))
        })
    };
    names.iter().filter(leads_back).copied().collect()
}

/// With another HOME, these variables still point to the user's own files.
fn past_the_redirect(case: &Case<'_>) -> Vec<Diagnostic> {
    let mut checks = Vec::new();
    if case.plan.home.as_ref().is_none_or(|home| home.redirect.is_none()) {
        return checks;
    }
    let locations = leading_back(&LOCATIONS, case);
    if !locations.is_empty() {
        let names: Vec<_> = locations.iter().map(|name| escaped(name)).collect();
        let message = format!("kept, and pointing into the real home: {}", some(&names));
        checks.push(Diagnostic::note("past-redirect", message).cure(unset(locations)));
    }
    let xdg = removed(case.plan, &[Rule::Redirect]);
    if !xdg.is_empty() {
        let message = format!("removed, since they point outside the profile's HOME: {}", some(&xdg));
        checks.push(Diagnostic::ok("past-redirect", message));
    }
    checks
}

/// Start files that shells read by way of a variable can set again what was removed. In a profile's HOME nobody expects
/// those of the real home.
fn start_files(case: &Case<'_>) -> Vec<Diagnostic> {
    let is_redirected = case.plan.home.as_ref().is_some_and(|home| home.redirect.is_some());
    let check = |name: &[u8]| {
        let shown = escaped(name);
        let message = format!("{shown} names a start file in the real home, which can set removed variables again");
        match is_redirected {
            true => Diagnostic::warning("start-file", message).cure(unset([name])),
            false => Diagnostic::note("start-file", message).cure(unset([name])),
        }
    };
    leading_back(&START_FILES, case).into_iter().map(check).collect()
}

/// Variables that change how whole families of programs start; kept, but good to know.
fn switches(plan: &Draft) -> Option<Diagnostic> {
    let set: [&[u8]; 2] = [b"ELECTRON_RUN_AS_NODE", b"NODE_OPTIONS"];
    let set: Vec<_> = set.into_iter().filter(|name| plan.env.child.given(name).is_some()).collect();
    let names: Vec<_> = set.iter().map(|name| escaped(name)).collect();
    (!names.is_empty()).then(|| Diagnostic::note("node-switches", format!("kept: {}", some(&names))).cure(unset(set)))
}
