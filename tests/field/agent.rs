//! The terminal in which an agent of Hermes runs commands, and Hermes' guards before it, as hermes-agent has them: the session
//! that its own class makes, in the profile `builder`, with HOME redirected.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::recipes::block;
use crate::support::{Outcome, Run, Sandbox};
use crate::{SYSTEM, direct, installed};

pub const TERMINAL: &str = "
import json, sys
from tools.environments.local import LocalEnvironment
json.dump(LocalEnvironment(cwd=sys.argv[1], timeout=60).execute(sys.argv[2]), sys.stdout)
";

/// A start of Hermes' own Python with code, as the gateway of the profile `builder` runs, from a service's PATH.
pub fn hermes(sandbox: &Sandbox, words: &[&str]) -> Run {
    sandbox.mkdir(sandbox.home());
    let run = direct(sandbox, &[&[installed("hermes-agent/bin/python"), "-c"], words].concat());
    run.env("HERMES_HOME", sandbox.profile("builder"))
}

/// What a command prints in the agent's terminal, both streams.
#[track_caller]
pub fn said(outcome: &Outcome) -> String {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let ended: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(ended["returncode"], 0, "{ended}");
    ended["output"].as_str().unwrap().to_owned()
}

/// The agent's terminal, in a directory, for one script.
pub fn terminal(sandbox: &Sandbox, dir: &Path, script: &str) -> Run {
    hermes(sandbox, &[TERMINAL, dir.to_str().unwrap(), script])
}

/// Of each command: the hardline rule, the approvals, and the user's deny globs.
const DETECT: &str = "
import json, sys
from tools import approval
def seen(command):
    deny = approval._match_user_deny_rule(command)
    return [approval.detect_hardline_command(command)[0], approval.detect_dangerous_command(command)[0], deny]
json.dump([seen(command) for command in sys.argv[1:]], sys.stdout)
";

#[track_caller]
fn detected(sandbox: &Sandbox, command: &str) -> (bool, bool, bool) {
    let outcome = hermes(sandbox, &[DETECT, command]).run();
    assert_eq!(outcome.code(), 0, "Hermes Agent has changed: {outcome:?}");
    let all: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    (all[0][0] == true, all[0][1] == true, all[0][2].is_string())
}

/// A tool of the user's that tells how it was started.
fn telling(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.script(format!("bin/{name}"), "#!/bin/sh\necho \"${0##*/} $* as ${HERMES_PROFILE-nobody} in $HOME\"\n")
}

#[test]
fn w40_hermes_guards_still_see_a_command_through_a_shim_and_not_behind_a_prefix() {
    let sandbox = Sandbox::with_builder();
    telling(&sandbox, "git");
    // The system's profile sets PATH anew for a login shell.
    sandbox.write("real/.profile", format!("export PATH={}:$PATH\n", sandbox.path("bin").display()));
    let path = format!("{}:{SYSTEM}", sandbox.path("bin").display());
    let shims = sandbox.path("shims");
    let written = sandbox.hx(["-p", "builder", "--shims", shims.to_str().unwrap(), "git"]).env("PATH", &path);
    let lines = written.no_env("ANTHROPIC_API_KEY").run().ok().out();
    let config = format!("approvals:\n  deny: ['git push --force*']\nterminal:\n  {}\n", lines.lines().nth(1).unwrap());
    sandbox.write(sandbox.profile("builder").join("config.yaml"), config);

    // The shim is what runs, and the text is what Hermes reads.
    let push = "git push --force";
    let told = said(&terminal(&sandbox, &sandbox.path("work"), push).run());
    assert_eq!(told, format!("git push --force as builder in {}\n", sandbox.home().display()));
    let found = said(&terminal(&sandbox, &sandbox.path("work"), "command -v git").run());
    assert_eq!(found, format!("{}\n", shims.join("git").display()));
    assert_eq!(detected(&sandbox, push), (false, true, true), "approvals and the deny glob");
    assert_eq!(detected(&sandbox, "shutdown -h now"), (true, false, false), "a hardline rule");

    // Limits in the README: a prefix hides the first word.
    let (_, _, denied) = detected(&sandbox, &format!("hermes-exec -- {push}"));
    let (hardline, _, _) = detected(&sandbox, "hermes-exec -- shutdown -h now");
    assert_eq!((denied, hardline), (false, false), "where Hermes sees through it, the README can say so");
}

/// What Hermes' loader and scanner make of the skills of the profile.
const SKILLS: &str = "
import json, pathlib, sys
from tools import skills_guard, skills_tool
scan = skills_guard.scan_skill(pathlib.Path(sys.argv[1]), 'community')
json.dump({
    'found': skills_tool._find_all_skills(),
    'view': json.loads(skills_tool.skill_view(sys.argv[2])),
    'verdict': scan.verdict, 'findings': [str(finding) for finding in scan.findings],
    'allowed': skills_guard.should_allow_install(scan)[0],
}, sys.stdout)
";

#[test]
fn w40_the_skill_is_loaded_and_passes_hermes_scanner() {
    let sandbox = Sandbox::with_builder();
    let recipe = sandbox.hx(["-ec", &block("A skill for Hermes")]).program("/bin/sh").dir(env!("CARGO_MANIFEST_DIR"));
    recipe.run().ok();
    let dir = sandbox.profile("builder").join("skills/hermes-exec");
    let text = std::fs::read_to_string(dir.join("SKILL.md")).unwrap();
    let outcome = hermes(&sandbox, &[SKILLS, dir.to_str().unwrap(), "hermes-exec"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let told: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(
        (told["verdict"].as_str(), told["allowed"].as_bool()),
        (Some("safe"), Some(true)),
        "{}",
        told["findings"]
    );
    let found = &told["found"][0];
    assert_eq!(found["name"], "hermes-exec", "{told}");
    assert!(found["description"].as_str().is_some_and(|text| !text.is_empty()), "{found}");
    assert!(told["view"]["content"].as_str().is_some_and(|content| content.contains("125")), "{}", told["view"]);
    // What it says not to prefix is what the guards have to see. The scanner refuses a text with the word sudo in it.
    for word in ["as root", "`rm`", "`git push`", "shell", "--doctor", "--inherit-credentials"] {
        assert!(text.contains(word), "{word}");
    }
    assert!(text.len() < 2000, "an agent reads it each time");
}
