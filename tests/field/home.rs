//! Tools that look for their login and settings in HOME, run in the isolated home of the profile `builder`.

use std::fs;
use std::path::Path;

use crate::support::{Outcome, Run, Sandbox};
use crate::{direct, installed, redirected, sharing, system};

/// A login that Claude Code accepts without asking anybody: made up, and good until the year 2100.
const CREDENTIALS: &str = r#"{"claudeAiOauth":{"accessToken":"sk-ant-oat01-made-up","refreshToken":"sk-ant-ort01-made-up",
    "expiresAt":4102444800000,"scopes":["user:inference","user:profile"],"subscriptionType":"max"}}"#;

pub const STATUS: [&str; 3] = ["auth", "status", "--text"];
pub const ADD_SERVER: [&str; 8] = ["mcp", "add", "added", "-s", "user", "--", "/bin/true", "x"];

/// A user who is logged in to Claude Code.
pub fn logged_in() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    log_in(&sandbox);
    sandbox
}

/// Logs the user of a sandbox in.
pub fn log_in(sandbox: &Sandbox) {
    sandbox.write("real/.claude/.credentials.json", CREDENTIALS);
    sandbox.write("real/.claude.json", "{\"numStartups\":1}\n");
}

/// `claude` when HOME is redirected and nothing else is done. The agent's key is not there: it would count as a login.
pub fn claude_without(sandbox: &Sandbox, args: &[&str]) -> Outcome {
    let command = [&[installed("npm/node_modules/.bin/claude")], args].concat();
    quiet(redirected(sandbox, &command)).no_env("ANTHROPIC_API_KEY").run()
}

/// `claude` through the wrapper.
pub fn claude_with(sandbox: &Sandbox, args: &[&str]) -> Outcome {
    let command = [&[installed("npm/node_modules/.bin/claude")], args].concat();
    quiet(sandbox.builder(command)).run()
}

/// Without telemetry and updates, should there be a network.
pub fn quiet(run: Run) -> Run {
    run.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
}

#[track_caller]
fn assert_link(link: &Path, target: &Path) {
    assert_eq!(fs::read_link(link).unwrap_or_default(), target, "{}", link.display());
}

#[track_caller]
fn has_server(settings: &Path) -> bool {
    fs::read_to_string(settings).unwrap_or_default().contains("\"added\"")
}

/// NousResearch/hermes-agent#29015: logged in, and not logged in within a profile.
#[test]
fn claude_is_logged_in() {
    let sandbox = logged_in();
    let outcome = claude_without(&sandbox, &STATUS);
    assert!(outcome.out().starts_with("Not logged in"), "without the wrapper: {outcome:?}");

    let sandbox = logged_in();
    let [settings, directory] = [".claude.json", ".claude"].map(|name| sandbox.real().join(name));
    let before = fs::read_to_string(&settings).unwrap();
    let outcome = claude_with(&sandbox, &STATUS);
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert_eq!(outcome.out(), "Login method: Claude Max account\n");
    // What it saved went through the links, into the real files.
    assert_link(&sandbox.home().join(".claude"), &directory);
    assert_link(&sandbox.home().join(".claude.json"), &settings);
    assert_ne!(fs::read_to_string(&settings).unwrap(), before);
    assert_eq!(fs::read_to_string(directory.join(".credentials.json")).unwrap(), CREDENTIALS);
}

/// nbramia/LifeOS#578: the agent's key is used, and paid for, beside the user's subscription.
#[test]
fn claude_does_not_use_the_key_of_the_agent() {
    let sandbox = logged_in();
    let command = [&[installed("npm/node_modules/.bin/claude")], &STATUS[..]].concat();
    let outcome = quiet(direct(&sandbox, &command)).run();
    assert!(outcome.out().contains("API key: ANTHROPIC_API_KEY"), "without the wrapper: {outcome:?}");

    let outcome = claude_with(&sandbox, &STATUS);
    assert_eq!(outcome.out(), "Login method: Claude Max account\n");
}

/// anthropics/claude-code#15786: it saves through one link. With two, the middle one becomes a file.
#[test]
fn claude_saves_through_a_real_home_that_links_to_dotfiles() {
    let prepare = || {
        let sandbox = logged_in();
        fs::rename(sandbox.path("real/.claude.json"), sandbox.mkdir("real/dotfiles").join("claude.json")).unwrap();
        sandbox.link("dotfiles/claude.json", "real/.claude.json");
        sandbox.mkdir(sandbox.home());
        sandbox.link(sandbox.real().join(".claude"), sandbox.home().join(".claude"));
        sandbox.link(sandbox.real().join(".claude.json"), sandbox.home().join(".claude.json"));
        sandbox
    };
    let sandbox = prepare();
    let outcome = claude_without(&sandbox, &ADD_SERVER);
    let [settings, dotfile] = ["real/.claude.json", "real/dotfiles/claude.json"].map(|rel| sandbox.path(rel));
    assert!(!settings.is_symlink() && !has_server(&dotfile), "without the wrapper: {outcome:?}");

    for fresh in [false, true] {
        let sandbox = prepare();
        if fresh {
            fs::remove_dir_all(sandbox.home()).unwrap();
        }
        let outcome = claude_with(&sandbox, &ADD_SERVER);
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        let [settings, dotfile] = ["real/.claude.json", "real/dotfiles/claude.json"].map(|rel| sandbox.path(rel));
        assert_link(&settings, Path::new("dotfiles/claude.json"));
        assert!(has_server(&dotfile), "{outcome:?}");
        assert_link(&sandbox.home().join(".claude.json"), &dotfile);
    }
}

/// The one link that we make without a source: Claude Code creates the file through it.
#[test]
fn claude_creates_settings_that_are_missing() {
    let prepare = || {
        let sandbox = logged_in();
        fs::remove_file(sandbox.path("real/.claude.json")).unwrap();
        sandbox
    };
    let sandbox = prepare();
    let outcome = claude_without(&sandbox, &ADD_SERVER);
    assert!(has_server(&sandbox.home().join(".claude.json")), "{outcome:?}");
    assert!(!sandbox.path("real/.claude.json").exists(), "without the wrapper: {outcome:?}");

    let sandbox = prepare();
    let outcome = claude_with(&sandbox, &ADD_SERVER);
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(has_server(&sandbox.path("real/.claude.json")), "{outcome:?}");
    assert_link(&sandbox.home().join(".claude.json"), &sandbox.path("real/.claude.json"));
}

/// NousResearch/hermes-agent#29015, SeemSeam/claude_codex_bridge#202: the login keychain, and which one is the default.
#[test]
fn the_keychain_can_be_read() {
    for file in ["Library/Keychains/login.keychain-db", "Library/Preferences/com.apple.security.plist"] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(Path::new("real").join(file), "a keychain");
        let command = [system("sh"), "-c", "cat \"$HOME/$1\" && echo \" in $HOME\"", "sh", file];
        let outcome = redirected(&sandbox, &command).run();
        assert_ne!(outcome.code(), 0, "without the wrapper: {outcome:?}");

        let expected = format!("a keychain in {}\n", sandbox.home().display());
        assert_eq!(sandbox.builder(command).run().ok().out(), expected);
    }
}

/// GitGuardian/ggshield#1055: under another HOME git knows no identity. It is shared when the user asks for it.
#[test]
fn the_identity_of_git_can_be_shared() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.gitconfig", "[user]\n\temail = somebody@example.org\n");
    let command = [system("git"), "config", "--get", "user.email"];
    assert_eq!(sandbox.builder(command).run().code(), 1, "without the option");

    let outcome = sharing(&sandbox, ".gitconfig", &command).run().ok();
    assert_eq!(outcome.out(), "somebody@example.org\n");
}
