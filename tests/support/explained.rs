//! What `--explain --json` says, for the tests of the rules.

use super::{Run, Sandbox};
use serde_json::Value;

/// The document of a plan.
pub struct Explained(pub Value);

impl Explained {
    /// The plan of a run with these options; the command is `env`.
    #[track_caller]
    pub fn new(sandbox: &Sandbox, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let run = sandbox.hx([options, &["-n", "--json", "--", "env"]].concat());
        Self::of(variables.iter().fold(run, |run, (name, value)| run.env(name, value)))
    }

    /// The document that a run prints.
    #[track_caller]
    pub fn of(run: Run) -> Self {
        let outcome = run.run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        Self(serde_json::from_slice(&outcome.stdout).expect("--json prints JSON"))
    }

    /// Action and rule of a variable.
    pub fn variable(&self, name: &str) -> Option<(&str, u64)> {
        let all = self.0["variables"].as_array().unwrap();
        let found = all.iter().find(|variable| variable["name"] == name)?;
        Some((found["action"].as_str().unwrap(), found["rule"].as_u64().unwrap()))
    }

    /// Kind, name and origin of each grant.
    pub fn grants(&self) -> Vec<(&str, &str, &str)> {
        let all = self.0["grants"].as_array().unwrap();
        all.iter()
            .map(|grant| {
                (grant["kind"].as_str().unwrap(), grant["name"].as_str().unwrap(), grant["by"].as_str().unwrap())
            })
            .collect()
    }
}
