//! Which login Claude Code will take: the answer to "why is claude not logged in?".

use super::{Report, Setup, fires, fires_and_is_cured};

impl Setup {
    /// The user was never logged in.
    fn logged_out(self) -> Self {
        std::fs::remove_file(self.sandbox.path("real/.claude/.credentials.json")).unwrap();
        self
    }
}

#[test]
fn no_login_anywhere() {
    let setup = Setup::new().logged_out();
    let cure = fires(setup.doctor(&[]), "claude-login", "note", &["not logged in"]);
    assert_eq!(cure, "hermes-exec --home real -- claude auth login");
    // Claude Code's own command, or what it does: a login in the real home.
    setup.sandbox.script(
        "tools/claude",
        "#!/bin/sh\n[ \"$*\" = 'auth login' ] && echo '{}' >\"$HOME/.claude/.credentials.json\"\n",
    );
    fires_and_is_cured(&setup.doctor(&[]), "claude-login", "note", &["not logged in"]);
    Report::of(setup.doctor(&[])).the("claude-login", &["signs in"]);

    // What Claude Code could not open is no login either, nor is what a full disk left of one.
    let setup = Setup::new().logged_out();
    setup.sandbox.mkdir("real/.claude/.credentials.json");
    fires(setup.doctor(&[]), "claude-login", "note", &["not logged in"]);
    let setup = Setup::new().logged_out();
    setup.sandbox.write("real/.claude/.credentials.json", "");
    fires(setup.doctor(&[]), "claude-login", "note", &["not logged in"]);

    // A profile that does not share it logs in for itself.
    let setup = Setup::new().logged_out();
    let own = setup.doctor(&["--no-share", "claude"]);
    let cure = fires(own, "claude-login", "note", &["not logged in"]);
    assert_eq!(cure, "hermes-exec -p builder --no-share claude -- claude auth login");
}

#[test]
fn the_login_that_is_used() {
    let setup = Setup::new();
    let says = |run| Report::of(run).the("claude-login", &["signs in"]).message.clone();
    let stored = setup.sandbox.real().join(".claude").display().to_string();
    assert!(says(setup.doctor(&[])).contains(&stored));
    // Before the first run, when the links are only planned, too.
    std::fs::remove_dir_all(setup.sandbox.home()).unwrap();
    assert!(says(setup.doctor(&[])).contains(&stored));
    assert!(says(setup.doctor(&["--home", "real"])).contains(&stored));
    for (name, group) in [("ANTHROPIC_AUTH_TOKEN", "anthropic"), ("CLAUDE_CODE_OAUTH_TOKEN", "claude-code")] {
        let grant = format!("--inherit-credentials={group}");
        assert!(says(setup.doctor(&[&grant]).env(name, "canary")).ends_with(&format!("by {name}")));
    }
    let setup = setup.logged_out();
    setup.sandbox.mkdir("real/Library/Keychains");
    assert!(says(setup.doctor(&[])).contains("keychain"));
    assert!(says(setup.doctor(&["--home", "real"])).contains("keychain"));
}

/// nbramia/LifeOS#578: the key wins over the subscription, and is billed.
#[test]
fn a_key_beside_a_subscription() {
    let setup = Setup::new();
    let granted = ["--inherit-credentials=anthropic"];
    let run = setup.doctor(&granted).env("ANTHROPIC_API_KEY", "canary");
    fires_and_is_cured(&run, "claude-key", "warning", &["ANTHROPIC_API_KEY", "bills the key"]);
    // Before the first run the login is not linked yet.
    std::fs::remove_dir_all(setup.sandbox.home()).unwrap();
    fires_and_is_cured(&run, "claude-key", "warning", &["bills the key"]);
    let both = ["--inherit-credentials=anthropic,claude-code", "--no-share", "claude"];
    let run = setup.doctor(&both).env("ANTHROPIC_API_KEY", "canary").env("CLAUDE_CODE_OAUTH_TOKEN", "canary");
    fires_and_is_cured(&run, "claude-key", "warning", &["bills the key"]);

    // The key alone, and a key that claude does not get.
    Report::of(
        setup.doctor(&["--inherit-credentials=anthropic", "--no-share", "claude"]).env("ANTHROPIC_API_KEY", "x"),
    )
    .lacks("claude-key");
    Report::of(setup.doctor(&[]).env("ANTHROPIC_API_KEY", "x")).lacks("claude-key");
    // With both in the environment it is worth knowing for those that are started without us.
    let run = setup.doctor(&[]).env("ANTHROPIC_API_KEY", "x").env("CLAUDE_CODE_OAUTH_TOKEN", "x");
    let cure = fires(run, "claude-key", "note", &["without hermes-exec"]);
    assert_eq!(cure, "hermes-exec -p builder -- claude");
}

#[test]
fn a_token_that_claude_does_not_get() {
    let setup = Setup::new();
    let run = |options: &[&str]| setup.doctor(options).env("CLAUDE_CODE_OAUTH_TOKEN", "canary");
    let cure = fires(run(&[]), "claude-token", "warning", &["CLAUDE_CODE_OAUTH_TOKEN", "not granted"]);
    // What the cure runs gets the token.
    setup.sandbox.script("tools/claude", "#!/bin/sh\necho \"${CLAUDE_CODE_OAUTH_TOKEN:-none}\"\n");
    let pasted = run(&[]).program("/bin/sh").args(["-c", &cure]).run().ok();
    assert_eq!(pasted.out(), "canary\n");
    // With the grant, without the link, and without the token there is nothing to say.
    Report::of(run(&["--inherit-credentials=claude-code"])).lacks("claude-token");
    Report::of(run(&["--no-share", "claude"])).lacks("claude-token");
    Report::of(setup.doctor(&[])).lacks("claude-token");
    // Once the policy file has decided, if only "no".
    for groups in [r#"["claude-code"]"#, "[]"] {
        let policy = format!(r#"{{"programs": {{"claude": {{"inherit_credentials": {groups}}}}}}}"#);
        setup.sandbox.write("real/.hermes/hermes-exec.json", policy);
        Report::of(run(&[])).lacks("claude-token");
    }
}

/// The grants of the policy file for `claude` count, although the check itself names no command.
#[test]
fn grants_of_the_policy_file_for_claude() {
    let setup = Setup::new();
    let policy = r#"{"programs": {"claude": {"inherit_credentials": ["anthropic"]}}}"#;
    setup.sandbox.write("real/.hermes/hermes-exec.json", policy);
    fires(setup.doctor(&[]).env("ANTHROPIC_API_KEY", "canary"), "claude-key", "warning", &["bills the key"]);
}
