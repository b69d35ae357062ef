//! The checks on the environment: what reaches commands that are started without us, what leads past the redirected HOME,
//! and which login Claude Code will take.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Check;
use crate::facts::Facts;
use crate::message::shown;
use crate::plan::{Action, Outcome, Plan};
use crate::policy::Rule;
use crate::shares::{Item, State};

/// Variables with which programs find files of the user elsewhere than in HOME.
const LOCATIONS: [&[u8]; 18] = [
    b"AWS_CONFIG_FILE",
    b"AWS_SHARED_CREDENTIALS_FILE",
    b"AZURE_CONFIG_DIR",
    b"CARGO_HOME",
    b"CLAUDE_CONFIG_DIR",
    b"CLOUDSDK_CONFIG",
    b"CODEX_HOME",
    b"DOCKER_CONFIG",
    b"GH_CONFIG_DIR",
    b"GIT_CONFIG_GLOBAL",
    b"GNUPGHOME",
    b"KUBECONFIG",
    b"NETRC",
    b"NPM_CONFIG_USERCONFIG",
    b"PIP_CONFIG_FILE",
    b"npm_config_userconfig",
    b"ZDOTDIR",
    b"INPUTRC",
];

/// Start files that shells read, by variable: they can set again what was removed.
const START_FILES: [&[u8]; 2] = [b"BASH_ENV", b"ENV"];

/// The checks.
pub fn checks(plan: &Plan, claude: &Plan, facts: &Facts<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    if plan.home.is_none() {
        // Without a profile there is no plan to compare with.
        return checks;
    }
    checks.extend(exposed(plan));
    checks.extend(parent(plan, facts));
    checks.extend(past_the_redirect(plan, facts));
    checks.extend(switches(plan));
    checks.extend(claude_login(claude, facts));
    checks
}

fn removed(plan: &Plan, rules: &[Rule]) -> Vec<String> {
    let gone = |outcome: &&Outcome| outcome.action == Action::Removed && rules.contains(&outcome.rule);
    plan.outcomes.iter().filter(gone).map(|outcome| shown(&outcome.name)).collect()
}

/// A few names, and how many more.
fn some(names: &[String]) -> String {
    let shown = names.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0..=4 => shown,
        all => format!("{shown} and {} more", all - 4),
    }
}

/// What commands get that are started without us.
fn exposed(plan: &Plan) -> Vec<Check> {
    let credentials = removed(plan, &[Rule::Catalogue, Rule::Declared, Rule::Shape]);
    let markers = removed(plan, &[Rule::Marker]);
    let mut checks = Vec::new();
    for (id, what, names) in
        [("credentials", "credentials and settings of Hermes", credentials), ("markers", "markers", markers)]
    {
        checks.push(match names.is_empty() {
            true => Check::ok(id, format!("no {what} in this environment")),
            false => Check::note(id, format!("{what} that a command gets without hermes-exec: {}", some(&names))),
        });
    }
    checks
}

/// The environment of the process that started us can be read back by anybody with our uid.
fn parent(plan: &Plan, facts: &Facts<'_>) -> Option<Check> {
    let names = facts.files.parent_names()?;
    let gone = removed(plan, &[Rule::Catalogue, Rule::Declared, Rule::Shape]);
    let left: Vec<_> = gone.into_iter().filter(|name| names.contains(name.as_bytes())).collect();
    (!left.is_empty()).then(|| {
        Check::note(
            "parent-environ",
            format!("the command can read them from its parent's /proc entry: {}", some(&left)),
        )
    })
}

/// With another HOME, these variables still lead to the user's own files.
fn past_the_redirect(plan: &Plan, facts: &Facts<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    let real = plan.selection.as_ref().and_then(|selection| selection.real.place());
    let redirect = plan.home.as_ref().and_then(|home| home.redirect.as_ref());
    let (Some(real), Some(redirect)) = (real, redirect) else { return checks };
    let leads_back = |name: &&&[u8]| {
        let mut paths = plan.child.copies(name).flat_map(|value| value.split(|&byte| byte == b':'));
        paths.any(|path| {
            let path = Path::new(OsStr::from_bytes(path));
            real.holds(path, facts.files) && !path.starts_with(&redirect.home)
        })
    };
    let names = |all: &[&[u8]]| all.iter().filter(leads_back).map(|name| shown(name)).collect::<Vec<_>>();
    let locations = names(&LOCATIONS);
    if !locations.is_empty() {
        checks.push(
            Check::note("past-redirect", format!("kept, and leading into the real home: {}", some(&locations)))
                .cure(format!("to isolate that too: --unset {}", locations[0])),
        );
    }
    let xdg = removed(plan, &[Rule::Redirect]);
    if !xdg.is_empty() {
        checks.push(Check::note(
            "past-redirect",
            format!("removed, since they lead out of the profile's HOME: {}", some(&xdg)),
        ));
    }
    for name in names(&START_FILES) {
        let message = format!("{name} names a start file in the real home, which can set variables again");
        checks.push(Check::warning("start-file", message, format!("--unset {name}")));
    }
    checks
}

/// Variables that change how whole families of programs start; kept, but good to know.
fn switches(plan: &Plan) -> Option<Check> {
    let set = ["ELECTRON_RUN_AS_NODE", "NODE_OPTIONS"];
    let names: Vec<_> =
        set.iter().filter(|name| plan.child.given(name.as_bytes()).is_some()).map(|name| (*name).to_owned()).collect();
    (!names.is_empty()).then(|| {
        Check::note("node-switches", format!("kept: {}", some(&names))).cure(format!("to remove: --unset {}", names[0]))
    })
}

/// Which login `claude` will take.
fn claude_login(claude: &Plan, facts: &Facts<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    let has = |name: &[u8]| claude.child.given(name).is_some();
    let home = claude.child.given(b"HOME").map(|home| Path::new(OsStr::from_bytes(home)));
    let stored = home.is_some_and(|home| facts.files.stat(&home.join(".claude/.credentials.json")).is_ok());
    let token = b"CLAUDE_CODE_OAUTH_TOKEN";
    if has(b"ANTHROPIC_API_KEY") && (has(token) || stored) {
        checks.push(Check::warning(
            "claude-key",
            "claude gets ANTHROPIC_API_KEY beside a subscription login, and bills the key",
            "--unset ANTHROPIC_API_KEY, or grant claude-code instead of anthropic",
        ));
    }
    let is_gone = claude
        .outcomes
        .iter()
        .any(|outcome| outcome.name == token && outcome.action == Action::Removed && outcome.rule == Rule::Catalogue);
    let links = claude.home.iter().flat_map(|home| &home.links);
    let mut claude_links = links.filter(|link| link.item == Item::Claude);
    let is_shared = claude_links.any(|link| matches!(link.state, State::Present | State::Create));
    if is_gone && is_shared && claude.notice.is_some() {
        checks.push(Check::warning(
            "claude-token",
            "CLAUDE_CODE_OAUTH_TOKEN is not granted to claude: it will use the login in .claude",
            r#"in hermes-exec.json: "programs": {"claude": {"inherit_credentials": ["claude-code"]}}, or [] to leave it so"#,
        ));
    }
    checks
}
