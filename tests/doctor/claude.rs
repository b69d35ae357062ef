//! Which login Claude Code will take: the answer to "why is claude not logged in?".

use super::{Report, Setup, fires, fires_and_is_cured, hinted};

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
    let cure = fires(setup.doctor(&[]), "claude-login", "note", &["not logged in", "there is no login in"]);
    assert_eq!(cure, "hermes-exec --home real -- claude auth login");
    // A profile that does not share it logs in for itself.
    let own = setup.doctor(&["--no-share", "claude"]);
    let cure = fires(own, "claude-login", "note", &["not logged in"]);
    assert_eq!(cure, "hermes-exec -p builder --no-share claude -- claude auth login");
    // Without claude nobody misses one.
    std::fs::remove_file(setup.sandbox.path("tools/claude")).unwrap();
    let report = Report::of(setup.doctor(&[]));
    assert_eq!(report.the("claude-login", &["not on PATH"]).level, "ok");
}

/// A login by which nobody logs in.
#[test]
fn a_login_that_is_of_no_use() {
    let long_ago = r#"{"claudeAiOauth": {"accessToken": "canary", "refreshToken": null, "expiresAt": 1000}}"#;
    let expired = "has expired and cannot be refreshed";
    for (text, word) in [
        ("", "is empty"),
        ("{}", "is empty"),
        (r#"{"claudeAiOauth": {}}"#, "is empty"),
        (r#"{"claudeAiOauth": {"accessToken": "canary", "refreshToken": ""}}"#, "is empty"),
        ("not JSON", "is empty"),
        (long_ago, expired),
    ] {
        let setup = Setup::new();
        setup.sandbox.write("real/.claude/.credentials.json", text);
        // Which account it was for does not help.
        setup.sandbox.write("real/.claude.json", r#"{"oauthAccount": {"emailAddress": "you@example.org"}}"#);
        let report = Report::of(setup.doctor(&[]));
        let check = report.the("claude-login", &["not logged in", word]);
        assert_eq!(check.level, "warning", "{text}");
        assert!(!format!("{report:?}").contains("canary"), "no value is shown: {report:#?}");
    }
    // What Claude Code could not open is not a login either.
    let setup = Setup::new().logged_out();
    setup.sandbox.mkdir("real/.claude/.credentials.json");
    fires(setup.doctor(&[]), "claude-login", "warning", &["not logged in", "cannot be read"]);
    // The key then stands alone, and the token is the only login.
    let setup = Setup::new();
    setup.sandbox.write("real/.claude/.credentials.json", long_ago);
    Report::of(setup.doctor(&["--inherit-credentials=anthropic"]).env("ANTHROPIC_API_KEY", "x")).lacks("claude-key");
    let run = setup.doctor(&[]).env("CLAUDE_CODE_OAUTH_TOKEN", "x");
    hinted(run, "claude-token", "warning", &["no other login"]);
}

/// Everything that a run counts as a login.
#[test]
fn logins_of_every_kind() {
    let setup = Setup::new().logged_out();
    let says = |word: &str| {
        let report = Report::of(setup.doctor(&[]));
        assert_eq!(report.the("claude-login", &["logs in with", word]).level, "ok", "{word}");
    };
    let to_come = r#"{"claudeAiOauth": {"accessToken": "x", "expiresAt": 99999999999999}}"#;
    let stored = setup.sandbox.write("real/.claude/.credentials.json", to_come);
    says("the login in");
    std::fs::remove_file(stored).unwrap();
    setup.sandbox.write("real/.claude/settings.json", r#"{"apiKeyHelper": "/bin/helper"}"#);
    says("apiKeyHelper");
    setup.sandbox.write("real/.claude.json", r#"{"oauthAccount": {}}"#);
    says("the account in");
    setup.sandbox.write("real/.claude.json", "{}");
    setup.sandbox.write("real/.claude/settings.json", "{}");
    setup.sandbox.write("real/.config/anthropic/x", "");
    says(".config/anthropic");
}

#[test]
fn the_login_that_is_used() {
    let setup = Setup::new();
    let says = |run| Report::of(run).the("claude-login", &["logs in"]).message.clone();
    let stored = setup.sandbox.real().join(".claude").display().to_string();
    assert!(says(setup.doctor(&[])).contains(&stored));
    // Before the first run, when the links are only planned, too.
    std::fs::remove_dir_all(setup.sandbox.home()).unwrap();
    assert!(says(setup.doctor(&[])).contains(&stored));
    assert!(says(setup.doctor(&["--home", "real"])).contains(&stored));
    for (name, group) in [("ANTHROPIC_AUTH_TOKEN", "anthropic"), ("CLAUDE_CODE_OAUTH_TOKEN", "claude-code")] {
        let grant = format!("--inherit-credentials={group}");
        assert!(says(setup.doctor(&[&grant]).env(name, "canary")).ends_with(&format!("with {name}")));
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
    assert_eq!(Report::of(run).the("claude-key", &["without hermes-exec"]).level, "ok");
}

#[test]
fn a_token_that_claude_does_not_get() {
    let setup = Setup::new();
    let run = |options: &[&str]| setup.doctor(options).env("CLAUDE_CODE_OAUTH_TOKEN", "canary");
    let words = ["CLAUDE_CODE_OAUTH_TOKEN", "not granted", "uses the login in .claude"];
    let hint = hinted(run(&[]), "claude-token", "warning", &words);
    assert!(hint.contains("\"inherit_credentials\"") && hint.contains("[\"claude-code\"]"), "{hint}");
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
