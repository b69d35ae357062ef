//! Hermes Agent itself: the names that it keeps from its own commands. `tests/run` installs its newest release, so a name that
//! is new there fails a test here, and is named by it.

use crate::support::{CANARY, Sandbox};
use crate::{direct, installed};
use std::collections::BTreeSet;

/// Names that Hermes passes and we do not, although they stand in its own tables: the man page lists it as a difference. Hermes
/// lets every command have the login of Claude Code; here one line of a policy file grants it.
const PASSED_BY_HERMES: &str = "CLAUDE_CODE_OAUTH_TOKEN";

/// What Hermes would answer, line by line. Its two tables of providers and settings come in by imports that may fail silently,
/// and then most names would be missing: so they are imported here first, where a failure is one.
const ASK: &str = "
import sys
import hermes_cli.auth, hermes_cli.config
from tools.environments import local
what, names = sys.argv[1], sys.argv[2:]
if what == 'blocked':
    found = local._HERMES_PROVIDER_ENV_BLOCKLIST | local._ALWAYS_STRIP_KEYS
elif what == 'markers':
    found = local._ACTIVE_VENV_MARKER_VARS
elif what == 'internal':
    found = [name for name in names if local._is_hermes_internal_secret(name)]
elif what == 'providers':
    found = [name for provider in hermes_cli.auth.PROVIDER_REGISTRY.values() for name in provider.api_key_env_vars]
print('\\n'.join(sorted(set(found))))
";

/// The names that Hermes answers with.
#[track_caller]
pub fn ask(sandbox: &Sandbox, words: &[&str]) -> BTreeSet<String> {
    let python = installed("hermes-agent/bin/python");
    let outcome = direct(sandbox, &[&[python, "-c", ASK], words].concat()).run();
    assert_eq!(outcome.code(), 0, "Hermes Agent has changed: {outcome:?}");
    outcome.out().lines().map(str::to_owned).collect()
}

/// Those of the names that reach a command.
#[track_caller]
fn passed(sandbox: &Sandbox, options: &[&str], names: &BTreeSet<String>) -> BTreeSet<String> {
    let run = sandbox.hx([options, &["--", "/usr/bin/env", "-0"]].concat()).secret_may_show();
    let outcome = names.iter().fold(run, |run, name| run.env(name, CANARY)).run().ok();
    outcome.block().into_iter().map(|(name, _)| name).filter(|name| names.contains(name)).collect()
}

/// MiniMax-AI/minimax-code#153 (C04): the product's own key was missing in its own list.
#[test]
fn every_name_that_hermes_blocks_is_removed() {
    let sandbox = Sandbox::new();
    let blocked = ask(&sandbox, &["blocked"]);
    assert!(blocked.len() >= 318, "Hermes 0.19 has 318 names, and now {}: are its tables read?", blocked.len());
    assert_eq!(passed(&sandbox, &[], &blocked), BTreeSet::new(), "names that the catalogue lacks");
    assert_eq!(passed(&sandbox, &["--home", "real"], &blocked), BTreeSet::new());
}

#[test]
fn every_key_of_its_providers_is_removed_the_one_that_it_passes_too() {
    let sandbox = Sandbox::new();
    let providers = ask(&sandbox, &["providers"]);
    let blocked = ask(&sandbox, &["blocked"]);
    let passed_by_hermes: Vec<_> = (&providers - &blocked).into_iter().filter(|name| !is_general(name)).collect();
    assert_eq!(passed_by_hermes, [PASSED_BY_HERMES], "the man page names what Hermes passes");
    let gone = providers.into_iter().filter(|name| !is_general(name)).collect();
    assert_eq!(passed(&sandbox, &[], &gone), BTreeSet::new());

    let one = BTreeSet::from([PASSED_BY_HERMES.to_owned()]);
    sandbox
        .write("real/.hermes/hermes-exec.json", r#"{"programs": {"env": {"inherit_credentials": ["claude-code"]}}}"#);
    assert_eq!(passed(&sandbox, &[], &one), one, "one line of policy grants it");
}

/// The general AWS chain stays with Hermes and with us.
fn is_general(name: &str) -> bool {
    name.starts_with("AWS_") && !name.starts_with("AWS_BEARER_TOKEN_")
}

/// Names that Hermes makes while it runs, by a rule and not by a table.
#[test]
fn names_that_it_makes_up_are_removed() {
    let sandbox = Sandbox::new();
    let parts = ["AUXILIARY", "GATEWAY_RELAY", "HERMES", "HERMES_CUSTOM", "DELEGATION", "KANBAN"];
    let ends = ["API_KEY", "BASE_URL", "SECRET", "KEY", "TOKEN", "URL", "MODEL"];
    let names: Vec<String> = parts
        .iter()
        .flat_map(|part| ends.iter().flat_map(move |end| [format!("{part}_VISION_{end}"), format!("{part}_{end}")]))
        .collect();
    let words: Vec<&str> = ["internal"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let internal = ask(&sandbox, &words);
    assert!(internal.len() >= 10, "{internal:?}");
    assert_eq!(passed(&sandbox, &[], &internal), BTreeSet::new());
}

#[test]
fn its_markers_of_an_active_venv_are_removed() {
    let sandbox = Sandbox::new();
    let markers = ask(&sandbox, &["markers"]);
    assert!(markers.contains("VIRTUAL_ENV"), "{markers:?}");
    assert_eq!(passed(&sandbox, &[], &markers), BTreeSet::new());
}
