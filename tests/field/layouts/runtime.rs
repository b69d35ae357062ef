//! Hermes' other runtime in its root: Node with npm, and the tools that it brings along.

use std::path::PathBuf;

use super::gateway;
use super::place::{Layout, Row};
use crate::support::{Outcome, Run, Sandbox};
use crate::{Agent, system};

/// Hermes' own Node, what npm has put beside it, and a tool, where its installer leaves them.
fn add_runtime(sandbox: &Sandbox) -> PathBuf {
    let root = sandbox.root();
    for tool in ["node/bin/node", "node/bin/npm", "node_modules/.bin/tsc", "tools/ripgrep/bin/rg"] {
        sandbox.script(root.join(tool), "#!/bin/sh\necho own\n");
    }
    root
}

/// NousResearch/hermes-agent#18357, #45279, #63612, PR#46085 (W02): Hermes' Node stands before the user's.
#[test]
fn w02_hermes_node_and_tools_stand_last() {
    let layout = Layout::new(Row::GitCheckout);
    add_runtime(&layout.sandbox);
    // The service file puts the first two there.
    let given = gateway::asked_anew(&layout).remove("PATH").unwrap();
    for own in ["node/bin", "node_modules/.bin"].map(|rel| layout.root.join(rel)) {
        assert!(given.split(':').any(|element| own == *element), "{given}");
    }
    let given = format!("{}:{given}", layout.root.join("tools/ripgrep/bin").display());
    let run = |command: &[&str]| layout.with(command).env("PATH", &given).run().ok();
    assert_eq!(run(&["/usr/bin/env", "-0"]).var("PATH"), Some(layout.expected(&given)));
    assert_eq!(run(&["rg"]).out(), "own\n", "it is found still");

    let node = |command: &[&str]| layout.without(command).env("PATH", &given).run().ok().out();
    assert_eq!(node(&[system("env"), "node", "--version"]), "own\n", "without the wrapper");
    let users = layout.sandbox.script("users-node/bin/node", "#!/bin/sh\necho user\n");
    let behind = format!("{given}:{}", users.parent().unwrap().display());
    let outcome = layout.with(&["/bin/sh", "-c", "command -v node"]).env("PATH", &behind).run().ok();
    assert!(!layout.is_own(outcome.out().trim_end().strip_suffix("/node").unwrap()), "{outcome:?}");
}

/// The same reports (W02): what a command installs with `npm -g` lands in Hermes' Node.
#[test]
fn w02_npm_does_not_install_into_hermes_node() {
    let agent = Agent::installed_by_hermes();
    let root = add_runtime(&agent.sandbox);
    let own = root.join("node");
    for name in ["npm_config_prefix", "NPM_CONFIG_PREFIX", "npm_config_PREFIX"] {
        let seen = |value: &str| agent.with(&["/usr/bin/env", "-0"]).env(name, value).run().ok().var(name);
        for value in [own.to_str().unwrap(), own.join("lib").to_str().unwrap()] {
            assert_eq!(seen(value), None, "{name}={value}");
        }
        assert_eq!(seen("/srv/node").as_deref(), Some("/srv/node"), "the user's own");
    }
    // npm itself: its script in the first line names node by PATH.
    let path = "/usr/local/bin:/usr/bin:/bin";
    let global = |outcome: Outcome| outcome.out().trim_end().to_owned();
    let ask = ["/usr/bin/env", "npm", "prefix", "-g"];
    let npm = |run: Run| global(run.env("PATH", path).env("npm_config_prefix", &own).run());
    assert_eq!(npm(agent.without(&ask)), own.to_str().unwrap(), "without the wrapper");
    let seen = npm(agent.with(&ask));
    assert!(!seen.is_empty() && !seen.starts_with(root.to_str().unwrap()), "{seen}");
}

/// The same reports (W02): modules of Hermes' Node in the user's. Of the list only its own entries go.
#[test]
fn w02_node_does_not_see_hermes_modules() {
    let agent = Agent::installed_by_hermes();
    let root = add_runtime(&agent.sandbox);
    let own = root.join("node_modules").display().to_string();
    let other = root.join("node/lib/node_modules").display().to_string();
    let seen = |value: &str| agent.with(&["/usr/bin/env", "-0"]).env("NODE_PATH", value).run().ok().var("NODE_PATH");
    for (given, left) in [
        (own.clone(), None),
        (format!("{own}:{other}"), None),
        (format!("{own}:/srv/modules:{other}:/srv/more"), Some("/srv/modules:/srv/more")),
        ("/srv/modules".to_owned(), Some("/srv/modules")),
    ] {
        assert_eq!(seen(&given).as_deref(), left, "{given}");
    }
}
