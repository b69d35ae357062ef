//! Claude Code's state as a whole: its plugins, its own updates, and its login below `.config`.

use std::fs;

use serde_json::Value;

use crate::home::{STATUS, claude_with, log_in, logged_in, quiet};
use crate::model::Model;
use crate::support::{Outcome, Run, Sandbox};
use crate::{direct, installed, redirected, system};

fn claude<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&[installed("npm/node_modules/.bin/claude")], args].concat()
}

/// A marketplace with the one plugin `tiny`, and git that finds it at an address in the web.
struct Market(Sandbox);

const ADDRESS: &str = "https://market.invalid/made-up.git";

impl Market {
    fn new() -> Self {
        let market = Self(logged_in());
        let text = r#"{"name":"made-up","owner":{"name":"x"},
            "plugins":[{"name":"tiny","source":"./tiny","description":"tiny","version":"1.0.0"}]}"#;
        market.0.write("market/.claude-plugin/marketplace.json", text);
        let text = r#"{"name":"tiny","version":"1.0.0","description":"tiny"}"#;
        market.0.write("market/tiny/.claude-plugin/plugin.json", text);
        let script = "git init -q && git add -A && git -c user.name=x -c user.email=x@example.org commit -q -m one";
        direct(&market.0, &[system("sh"), "-c", script]).dir(market.0.path("market")).run().ok();
        market
    }

    fn git(&self, run: Run) -> Run {
        let url = format!("url.file://{}/.git.insteadOf", self.0.path("market").display());
        let run = run.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", url).env("GIT_CONFIG_VALUE_0", ADDRESS);
        quiet(run).no_env("ANTHROPIC_API_KEY")
    }

    /// `claude plugin` in the real home.
    fn in_real(&self, args: &[&str]) -> Outcome {
        self.git(direct(&self.0, &claude(&[&["plugin"], args].concat()))).run()
    }

    /// `claude plugin` through the wrapper.
    fn in_profile(&self, args: &[&str]) -> Outcome {
        self.git(self.0.builder(claude(&[&["plugin"], args].concat()))).run()
    }
}

const UPDATE: [&str; 3] = ["marketplace", "update", "made-up"];

/// claude-code#82272, #38341: what was added in the real home is "corrupted" in the profile.
#[test]
fn w20_a_marketplace_of_the_real_home_is_valid_in_the_profile() {
    let market = Market::new();
    market.in_real(&["marketplace", "add", ADDRESS]).ok();
    market.0.builder(["true"]).run().ok();
    let outcome = market.git(redirected(&market.0, &claude(&[&["plugin"][..], &UPDATE].concat()))).run();
    assert!(outcome.stderr.contains("corrupted installLocation"), "without the wrapper: {outcome:?}");

    market.in_profile(&UPDATE).ok();
    market.in_profile(&["install", "tiny@made-up"]).ok();
    assert!(market.in_real(&["list"]).ok().out().contains("tiny@made-up"));
    market.in_real(&UPDATE).ok();
}

/// claude-code#20676, #94452: what was installed in the profile is dead once the profile is deleted. The first plugin of all.
#[test]
fn w20_a_plugin_of_the_profile_outlives_it() {
    let market = Market::new();
    market.in_profile(&["marketplace", "add", ADDRESS]).ok();
    market.in_profile(&["install", "tiny@made-up"]).ok();
    let registry = fs::read_to_string(market.0.real().join(".claude/plugins/installed_plugins.json")).unwrap();
    assert!(!registry.contains(market.0.home().to_str().unwrap()), "{registry}");
    fs::remove_dir_all(market.0.profile("builder")).unwrap();
    market.in_real(&UPDATE).ok();
    let outcome = market.in_real(&["list"]).ok();
    assert!(outcome.out().contains("tiny@made-up") && outcome.out().contains("enabled"), "{outcome:?}");
}

/// claude-code#65391: an update that reports success, fills the profile, and leaves the program on PATH as it is.
#[test]
fn w21_claude_does_not_update_itself_into_a_profile() {
    let sandbox = logged_in();
    let offline = |run: Run| run.env("HTTPS_PROXY", "http://127.0.0.1:1").no_env("ANTHROPIC_API_KEY").run();
    sandbox.builder(["true"]).run().ok();
    let outcome = offline(redirected(&sandbox, &claude(&["update"])));
    assert!(outcome.out().contains("Checking for updates"), "without the wrapper: {outcome:?}");

    let outcome = offline(sandbox.builder(claude(&["update"])));
    assert!(!outcome.out().contains("Checking") && outcome.out().contains("disabled"), "{outcome:?}");
    let outcome = offline(sandbox.hx([&["-p", "builder", "--home", "real", "--"], &claude(&["update"])[..]].concat()));
    assert!(outcome.out().contains("Checking for updates"), "in the real home: {outcome:?}");
    // Where its state is not shared the profile's claude is its own, and so is its version.
    let own = ["-p", "builder", "--no-share", "claude", "--"];
    fs::remove_dir_all(sandbox.home()).unwrap();
    let outcome = offline(sandbox.hx([&own, &claude(&["update"])[..]].concat()));
    assert!(outcome.out().contains("Checking for updates"), "{outcome:?}");
}

/// The third place in which Claude Code looks for a login.
#[test]
fn w32_the_login_below_config_is_part_of_claude() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let of = |dir: &str| {
        let text = r#"{"version":"1.0","authentication":{"type":"user_oauth","client_id":"x"},"organization_id":"o"}"#;
        sandbox.write(format!("{dir}/configs/default.json"), text);
        let text =
            r#"{"version":"1.0","type":"oauth_token","access_token":"sk-ant-oat01-made-up","expires_at":4102444800}"#;
        sandbox.write(format!("{dir}/credentials/default.json"), text);
    };
    of("real/.config/anthropic");
    let is_logged_in = |outcome: Outcome| outcome.out().starts_with("Profile: credentials-file");
    let status = |run: Run| quiet(run).no_env("ANTHROPIC_API_KEY").run();
    assert!(is_logged_in(status(direct(&sandbox, &claude(&STATUS)))), "the user");
    assert!(!is_logged_in(status(redirected(&sandbox, &claude(&STATUS)))), "without the wrapper");
    // What that run has left.
    fs::remove_dir_all(sandbox.home()).unwrap();
    assert!(is_logged_in(claude_with(&sandbox, &STATUS)));
    assert!(sandbox.home().join(".config/anthropic").is_symlink());
    let doctor = sandbox.hx(["-p", "builder", "--doctor"]).no_env("ANTHROPIC_API_KEY").run().ok().out();
    assert!(doctor.contains("ok       claude-login: claude logs in with the login in"), "{doctor}");

    // The variable names another place, and the profile's own state keeps its own login.
    let sandbox = Sandbox::with_builder();
    log_in(&sandbox);
    sandbox.mkdir("real/.config/anthropic");
    sandbox.builder(["true"]).env("ANTHROPIC_CONFIG_DIR", sandbox.mkdir("elsewhere")).run().ok();
    assert!(sandbox.home().join(".claude").is_symlink() && !sandbox.home().join(".config").exists());
    fs::remove_file(sandbox.home().join(".claude")).unwrap();
    sandbox.mkdir(sandbox.home().join(".claude"));
    sandbox.builder(["true"]).run().ok();
    assert!(!sandbox.home().join(".config").exists(), "half of two logins");
}

/// A whole conversation, by the login of the user and with the user's settings; and what is documented because it cannot be
/// kept (claude-code#82323): a guard at `~/` runs where `claude` keeps its own HOME, and not under the profile's.
#[test]
fn w22_claude_answers_by_the_login_of_the_user_and_its_guard_runs_in_its_own_home() {
    let sandbox = logged_in();
    let model = Model::new(&sandbox, &[]);
    let log = sandbox.path("guard.log");
    sandbox.script("real/bin/guard.sh", format!("#!/bin/sh\necho guarded >>{}\n", log.display()));
    let hook = r#"[{"hooks": [{"type": "command", "command": "~/bin/guard.sh"}]}]"#;
    sandbox.write("real/.claude/settings.json", format!(r#"{{"hooks": {{"UserPromptSubmit": {hook}}}}}"#));
    let url = format!("ANTHROPIC_BASE_URL={}", model.url());
    let ask = |options: &[&str]| {
        let command = [&["-v", "-p", "builder", "--set", &url], options, &["--"], &claude(&["-p", "hi"])].concat();
        let outcome = quiet(sandbox.hx(command)).no_env("ANTHROPIC_API_KEY").run();
        assert_eq!((outcome.code(), outcome.out().trim()), (0, "nothing"), "{outcome:?}");
        outcome.stderr
    };
    let said = ask(&[]);
    assert!(said.contains("~/bin/guard.sh (hooks.UserPromptSubmit.hooks.command)") && !log.exists(), "{said}");
    let said = ask(&["--home", "real"]);
    assert!(!said.contains("guard.sh") && log.exists(), "{said}");
    // As the policy file says it for claude alone.
    fs::remove_file(&log).unwrap();
    let policy = r#"{"programs": {"claude": {"home": "real"}}}"#;
    sandbox.write(sandbox.profile("builder").join("hermes-exec.json"), policy);
    ask(&[]);
    assert!(log.exists());
    let asked = model.asked();
    let signed: Vec<_> = asked.iter().map(|asked| (&asked["bearer"], &asked["key"])).collect();
    assert_eq!(signed, [(&"Bearer sk-ant-oat01-made-up".into(), &Value::Null); 3]);
}
