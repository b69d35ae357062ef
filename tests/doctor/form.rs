//! The text says the same as the JSON.

use serde_json::Value;

use crate::support::{Sandbox, without_numbers};

#[test]
fn text_says_the_same_as_json() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.hermes/active_profile", "gone\n");
    sandbox.mkdir("real/.ssh");
    sandbox.write("real/.hermes/profiles/builder/home/.ssh", "in the way");
    let run = sandbox.hx(["-p", "builder", "--doctor", "--share", ".ssh"]).env("GH_TOKEN", "x");
    let document: Value = serde_json::from_slice(&run.clone().option("--json").run().ok().stdout).unwrap();
    let mut wanted = String::new();
    let checks = document["checks"].as_array().unwrap();
    for check in checks {
        let text = |key: &str| check[key].as_str();
        let [level, id, message] = ["level", "id", "message"].map(|key| text(key).unwrap());
        wanted += &format!("{level:<9}{id}: {message}\n");
        for key in ["hint", "cure"] {
            wanted += &text(key).map_or_else(String::new, |text| format!("         {key}: {text}\n"));
        }
    }
    let notes = checks.iter().filter(|check| check["level"] == "note").count();
    let notes = ["no note".to_owned(), "1 note".to_owned()].get(notes).cloned().unwrap_or(format!("{notes} notes"));
    wanted += &format!("no problem, 2 warnings, {notes}\n");
    assert_eq!(without_numbers(&run.run().ok().out()), without_numbers(&wanted));
}
