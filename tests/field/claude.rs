//! Claude Code as the README's recipe starts it, against a made-up messages API on the loopback address: claude itself as the
//! user, what it runs as the profile.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::model::Model;
use crate::recipes::{KEYS, blocks_of};
use crate::support::{BINARY, Outcome, Run, Sandbox};
use crate::{home, installed};

const KEY: &str = "sk-ant-made-up";
/// What the model lets claude run.
const COMMAND: &str =
    "echo \"home $HOME\" ~ \"key ${ANTHROPIC_API_KEY-none} token ${MY_TOKEN-none} as ${HERMES_PROFILE-nobody}\"";

/// The user's machine, with the policy of the recipe in the root, for all profiles.
fn machine() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    home::log_in(&sandbox);
    sandbox.mkdir(sandbox.home());
    sandbox.link(BINARY, "usr-local-bin/hermes-exec");
    let text = &blocks_of(KEYS)[1];
    let policy = text.split_once("END'\n").unwrap().1.split_once("END\n").unwrap().0;
    sandbox.write("real/.hermes/hermes-exec.json", policy);
    sandbox
}

/// `hermes-exec OPTIONS -- claude ARGS` of the user, who has a key of the made-up model and a secret in the environment.
fn claude(sandbox: &Sandbox, model: &Model, options: &[&str], args: &[&str]) -> Run {
    let words = [options, &["--", installed("npm/node_modules/.bin/claude")], args].concat();
    let run = home::quiet(sandbox.hx(words)).env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", model.url());
    let run =
        run.env("SHELL", "/bin/bash").env("MY_TOKEN", "sk-ant-a-secret-of-hermes").env("DISABLE_AUTOUPDATER", "1");
    run.mounted(&format!("/bin/mount --bind '{}' /usr/local/bin", sandbox.path("usr-local-bin").display()))
}

const GO: [&str; 4] = ["-p", "go", "--allowedTools", "Bash"];

fn model(sandbox: &Sandbox) -> Model {
    Model::new(sandbox, &[json!({"name": "Bash", "input": {"command": COMMAND, "description": "tell"}})])
}

#[track_caller]
fn told(outcome: &Outcome) -> String {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    outcome.out().trim().to_owned()
}

#[test]
fn w41_claude_keeps_its_key_and_its_commands_have_the_profiles_home_and_no_key() {
    let sandbox = machine();
    let model = model(&sandbox);
    let home = sandbox.home().display().to_string();
    let outcome = claude(&sandbox, &model, &["-p", "builder"], &GO).run();
    assert_eq!(told(&outcome), format!("home {home} {home} key none token none as builder"));
    let asked = model.asked();
    assert!(asked.len() >= 2 && asked.iter().all(|asked| asked["key"] == KEY), "{asked:?}");
    assert!(sandbox.path("real/.claude/projects").is_dir(), "its sessions are in the user's home");
}

/// A rule with `~` means the user's home with the recipe, and would mean the profile's without it.
#[test]
fn w41_rules_with_a_tilde_hold_in_the_users_home() {
    let read = |options: &[&str]| {
        let sandbox = machine();
        sandbox.write("real/.claude/settings.json", r#"{"permissions": {"deny": ["Read(~/private/**)"]}}"#);
        let file = sandbox.write("real/private/file", "a text of the user\n");
        let model = Model::new(&sandbox, &[json!({"name": "Read", "input": {"file_path": file}})]);
        let args = ["-p", "go", "--allowedTools", "Read"];
        told(&claude(&sandbox, &model, options, &args).run())
    };
    let with = read(&["-p", "builder"]);
    assert!(!with.contains("a text of the user"), "{with}");
    let without = read(&["-p", "builder", "--no-policy", "--inherit-credentials=anthropic"]);
    assert!(without.contains("a text of the user"), "{without}");
}

/// What is granted to claude alone, claude hands on.
#[test]
fn w41_a_grant_without_the_recipe_is_handed_on() {
    let sandbox = machine();
    let model = model(&sandbox);
    let options = ["-p", "builder", "--no-policy", "--inherit-credentials=anthropic"];
    let outcome = claude(&sandbox, &model, &options, &GO).run();
    assert!(told(&outcome).contains(&format!("key {KEY} ")), "{outcome:?}");
}

#[test]
fn w33_claude_keeps_the_login_of_the_user() {
    let sandbox = machine();
    let model = model(&sandbox);
    let options = ["-p", "builder", "--keep", "ANTHROPIC_BASE_URL"];
    let outcome = claude(&sandbox, &model, &options, &GO).no_env("ANTHROPIC_API_KEY").run();
    assert!(told(&outcome).ends_with("as builder"), "{outcome:?}");
    let asked = model.asked();
    assert!(
        !asked.is_empty()
            && asked.iter().all(|asked| asked["bearer"].as_str().is_some_and(|text| text.starts_with("Bearer ")))
    );
}

/// Eight at the same moment from four profiles, with the shared links and with the recipe. Without flock(1) Claude Code 2.1.197
/// loses some of them in one HOME, too.
#[test]
fn w33_of_parallel_changes_by_four_profiles_all_are_kept_behind_flock() {
    for is_with_recipe in [false, true] {
        let sandbox = machine();
        let model = model(&sandbox);
        let profiles = ["one", "two", "three", "four"];
        profiles.iter().for_each(|name| drop(sandbox.mkdir(sandbox.profile(name).join("home"))));
        let policy = sandbox.root().join("hermes-exec.json");
        if !is_with_recipe {
            fs::remove_file(policy).unwrap();
        }
        thread::scope(|scope| {
            for at in 0..8 {
                let (sandbox, model, profile) = (&sandbox, &model, profiles[at % 4]);
                scope.spawn(move || {
                    let name = format!("server-{at}");
                    let args = ["mcp", "add", "--scope", "user", &name, "true"];
                    let run = claude(sandbox, model, &["-q", "-p", profile], &args);
                    let run = run.after_sh("set -- /usr/bin/flock \"$HOME/.claude.lock\" \"$@\"").run();
                    assert_eq!(run.code(), 0, "{run:?}");
                });
            }
        });
        let settings = fs::read_to_string(sandbox.path("real/.claude.json")).unwrap();
        let settings: Value = serde_json::from_str(&settings).unwrap();
        let kept: Vec<_> = settings["mcpServers"].as_object().unwrap().keys().collect();
        assert_eq!(kept.len(), 8, "with the recipe {is_with_recipe}: {kept:?}");
    }
}
