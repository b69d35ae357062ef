//! The environment of the start, built by Hermes itself: its own service file for the gateway says what the gateway has, and
//! the function of its terminal what a command then gets.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::place::{Layout, offline};
use crate::direct;
use crate::support::Run;

/// Puts into the environment what the service file would, and then what the launcher or the image puts first on PATH, and
/// prints what `tools.environments.local` makes of it.
const BUILD: &str = "
import json, os, sys
first, pythonpath = sys.argv[1:]
from hermes_cli import gateway
from tools.environments import local
for line in gateway.generate_systemd_unit().splitlines():
    if line.startswith('Environment='):
        name, value = line.removeprefix('Environment=').strip('\"').split('=', 1)
        os.environ[name] = value
assert os.environ['VIRTUAL_ENV'] == sys.prefix, 'the gateway has the marker'
os.environ['PATH'] = first + os.environ['PATH']
if pythonpath:
    os.environ['PYTHONPATH'] = pythonpath
json.dump(local._make_run_env({}), sys.stdout)
";

/// An environment.
pub type Block = BTreeMap<String, String>;

/// What Hermes answered for each row, with this in place of the sandbox's directory: it is asked once for a row.
const SANDBOX: &str = "{sandbox}";
static ANSWERS: [OnceLock<String>; 7] = [const { OnceLock::new() }; 7];

/// The environment in which Hermes starts a command.
pub fn environment(layout: &Layout) -> Block {
    let dir = layout.sandbox.dir.to_str().unwrap();
    let answer = ANSWERS[layout.row() as usize].get_or_init(|| ask(layout).replace(dir, SANDBOX));
    serde_json::from_str(&answer.replace(SANDBOX, dir)).unwrap()
}

/// The same of a layout to which a test has added something that Hermes puts on PATH.
pub fn asked_anew(layout: &Layout) -> Block {
    serde_json::from_str(&ask(layout)).unwrap()
}

fn ask(layout: &Layout) -> String {
    let python = layout.venv.join("bin/python");
    let first: String = layout.first_on_path().iter().map(|place| format!("{}:", place.display())).collect();
    let pythonpath = layout.pythonpath().unwrap_or_default();
    let run = offline(direct(&layout.sandbox, &[python.to_str().unwrap(), "-c", BUILD, &first, &pythonpath]));
    let outcome = layout.at_its_place(run.env("HERMES_HOME", &layout.root)).run();
    assert_eq!(outcome.code(), 0, "Hermes Agent has changed: {outcome:?}");
    outcome.out()
}

/// The same start in that environment, where the layout is at its place.
pub fn given_to(layout: &Layout, run: Run) -> Run {
    let run = run.no_env("ANTHROPIC_API_KEY");
    let run = environment(layout).iter().fold(run, |run, (name, value)| run.env(name, value));
    layout.at_its_place(run)
}

/// What the other tests stand on: no marker is left, and the first Python on PATH is Hermes' own.
#[track_caller]
pub fn assert_what_hermes_leaves(layout: &Layout) {
    let block = environment(layout);
    assert!(!block.contains_key("VIRTUAL_ENV"), "{block:?}");
    assert!(!block.contains_key("ANTHROPIC_API_KEY"), "{block:?}");
    let mut places = block["PATH"].split(':').map(|place| layout.on_disk(place.as_ref()));
    let first = places.find(|place| place.join("python3").exists()).unwrap();
    assert_eq!(first, layout.on_disk(&layout.venv).join("bin"), "{block:?}");
    assert_eq!(block.get("PYTHONPATH").map(String::as_str), layout.pythonpath().as_deref());
}
