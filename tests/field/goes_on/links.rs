//! Links that follow: the user points a place of the real home to something else, and the profile goes with it.

use std::fs;
use std::path::Path;

use crate::home::{ADD_SERVER, STATUS, claude_with};
use crate::support::Sandbox;
use crate::{sharing, system};

/// A login that Claude Code accepts without asking anybody: made up, and good until the year 2100.
const CREDENTIALS: &str = r#"{"claudeAiOauth":{"accessToken":"sk-ant-oat01-made-up","refreshToken":"sk-ant-ort01-made-up",
    "expiresAt":4102444800000,"scopes":["user:inference","user:profile"],"subscriptionType":"max"}}"#;

/// The accounts `one` and `two` of a user of Claude Code, and the first of them chosen.
fn two_accounts() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    for name in ["one", "two"] {
        sandbox.write(format!("accounts/{name}/.credentials.json"), CREDENTIALS);
        let settings = format!(r#"{{"oauthAccount":{{"emailAddress":"{name}@example.org","accountUuid":"{name}"}}}}"#);
        sandbox.write(format!("accounts/{name}.json"), settings);
    }
    choose(&sandbox, "one");
    sandbox
}

fn choose(sandbox: &Sandbox, account: &str) {
    for (place, target) in [(".claude", account.to_owned()), (".claude.json", format!("{account}.json"))] {
        let place = sandbox.real().join(place);
        let _ = fs::remove_file(&place);
        sandbox.link(sandbox.path("accounts").join(target), place);
    }
}

#[track_caller]
fn is_logged_in_as(sandbox: &Sandbox, account: &str) {
    let expected = format!("Login method: Claude Max account\nEmail: {account}@example.org\n");
    assert_eq!(claude_with(sandbox, &STATUS).out(), expected);
}

/// kriswill/dotfiles#34, home-manager#19: both halves of the login change together, and what is saved goes to the account that
/// is chosen.
#[test]
fn w27_claude_follows_the_user_to_another_account() {
    let sandbox = two_accounts();
    is_logged_in_as(&sandbox, "one");
    choose(&sandbox, "two");
    is_logged_in_as(&sandbox, "two");
    assert_eq!(claude_with(&sandbox, &ADD_SERVER).code(), 0);
    let has_server = |account: &str| fs::read_to_string(sandbox.path(account)).unwrap().contains("\"added\"");
    assert!(has_server("accounts/two.json") && !has_server("accounts/one.json"));
    assert!(sandbox.real().join(".claude.json").is_symlink() && sandbox.home().join(".claude.json").is_symlink());
}

/// The links that an earlier version has made lead past those of the user: they are brought up to date.
#[test]
fn w27_links_of_an_earlier_version_follow_from_then_on() {
    let sandbox = two_accounts();
    sandbox.link(sandbox.path("accounts/one"), sandbox.home().join(".claude"));
    sandbox.link(sandbox.path("accounts/one.json"), sandbox.home().join(".claude.json"));
    is_logged_in_as(&sandbox, "one");
    choose(&sandbox, "two");
    is_logged_in_as(&sandbox, "two");
}

/// hjem#164: each generation of a store is another directory, and the old one is collected some day.
#[test]
fn w27_git_follows_a_store_of_generations() {
    let sandbox = Sandbox::with_builder();
    let name = [system("git"), "config", "user.name"];
    for (generation, item) in [("1", ".gitconfig"), ("2", ".gitconfig"), ("3", ".config/git"), ("4", ".config/git")] {
        let file = Path::new("store").join(generation).join(item);
        let file = if item == ".config/git" { file.join("config") } else { file };
        sandbox.write(file, format!("[user]\n\tname = {generation}\n"));
        let _ = fs::remove_file(sandbox.real().join(item));
        sandbox.link(sandbox.path("store").join(generation).join(item), sandbox.real().join(item));
        if generation == "1" {
            // As an earlier version made it.
            sandbox.link(sandbox.path("store/1/.gitconfig"), sandbox.home().join(".gitconfig"));
        }
        if generation == "3" {
            fs::remove_file(sandbox.real().join(".gitconfig")).unwrap();
            fs::remove_file(sandbox.home().join(".gitconfig")).unwrap();
        }
        assert_eq!(sharing(&sandbox, item, &name).run().ok().out(), format!("{generation}\n"));
    }
    fs::remove_dir_all(sandbox.path("store/3")).unwrap();
    assert_eq!(sharing(&sandbox, ".config/git", &name).run().ok().out(), "4\n");
}
