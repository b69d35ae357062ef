//! What `--explain --json` says, for the tests of the rules.

use serde_json::Value;

/// The document of a plan.
pub struct Explained(pub Value);

impl Explained {
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
