//! The notices about a login or a configuration that a program does not find in this home: where the real home has one, and
//! never otherwise.

use std::fs;

use crate::home::{STATUS, log_in, logged_in, quiet};
use crate::support::{Run, Sandbox};
use crate::{installed, system};

/// What is said on stderr, without a terminal and without the harness' own credential.
fn said(run: Run) -> String {
    run.no_env("ANTHROPIC_API_KEY").run().stderr
}

fn status(sandbox: &Sandbox, options: &[&str]) -> Run {
    let claude = [&[installed("npm/node_modules/.bin/claude")], &STATUS[..]].concat();
    quiet(sandbox.hx([options, &["-p", "builder", "--"], &claude].concat()))
}

const ELSEWHERE: &str = "hermes-exec: notice: claude is not logged in here, but it is in the real home: see hermes-exec -p builder --doctor\n";
const NOWHERE: &str =
    "hermes-exec: notice: claude is not logged in; to log in: hermes-exec --home real -- claude auth login\n";

/// With the real Claude Code: what the notice says is what it says itself.
#[test]
fn w42_claude_that_is_not_logged_in_here_is_told() {
    let sandbox = logged_in();
    assert_eq!(said(status(&sandbox, &[])), "", "logged in by the links");
    fs::remove_dir_all(sandbox.home()).unwrap();
    sandbox.mkdir(sandbox.home().join(".claude"));
    let outcome = status(&sandbox, &[]).no_env("ANTHROPIC_API_KEY").run();
    assert!(outcome.out().starts_with("Not logged in"), "{outcome:?}");
    assert_eq!(outcome.stderr, ELSEWHERE);
    for run in
        [status(&sandbox, &["-q"]), status(&sandbox, &["--no-share", "claude"]), status(&sandbox, &["--home", "real"])]
    {
        assert_eq!(said(run), "");
    }
    // A login of the environment counts.
    let granted = status(&sandbox, &["--inherit-credentials=claude-code"]);
    assert_eq!(said(granted.env("CLAUDE_CODE_OAUTH_TOKEN", "x")), "");
    assert_eq!(said(status(&sandbox, &[]).env("CLAUDE_CODE_USE_BEDROCK", "1")), "");
    assert_eq!(said(status(&sandbox, &[]).env("CLAUDE_CONFIG_DIR", "/mine")), "");
    // The policy has decided, whatever it says.
    sandbox.write(sandbox.profile("builder").join("hermes-exec.json"), r#"{"programs": {"claude": {}}}"#);
    assert_eq!(said(status(&sandbox, &[])), "");
}

#[test]
fn w42_claude_without_any_login_is_told_how_to_log_in() {
    let sandbox = Sandbox::with_builder();
    assert_eq!(said(status(&sandbox, &[])), NOWHERE);
    sandbox.mkdir("real/.claude");
    assert_eq!(said(status(&sandbox, &[])), NOWHERE);
    for text in ["", "{}", r#"{"claudeAiOauth":{"accessToken":"x","expiresAt":1000}}"#] {
        sandbox.write("real/.claude/.credentials.json", text);
        assert_eq!(said(status(&sandbox, &[])), NOWHERE, "{text}");
    }
    // Who logs in is not told to.
    let claude = installed("npm/node_modules/.bin/claude");
    assert_eq!(said(quiet(sandbox.builder([claude, "--version"]))), "");
    for (file, text) in [
        (".claude/.credentials.json", r#"{"claudeAiOauth":{"accessToken":"x","expiresAt":4102444800000}}"#),
        (".claude/.credentials.json", r#"{"claudeAiOauth":{"accessToken":"x","refreshToken":"x","expiresAt":1000}}"#),
        (".claude.json", r#"{"history": [], "oauthAccount" : {"emailAddress": "x"}}"#),
        (".claude/settings.json", r#"{"apiKeyHelper": "echo x"}"#),
        (".config/anthropic/configs/default.json", "{}"),
    ] {
        let sandbox = Sandbox::with_builder();
        sandbox.mkdir("real/.claude");
        sandbox.write(std::path::Path::new("real").join(file), text);
        assert_eq!(said(status(&sandbox, &[])), "", "{file}: {text}");
    }
}

/// A program, a file of its configuration, the item that shares it, and a variable that names another place.
const TOOLS: [(&str, &str, &str, &str); 6] = [
    ("gh", ".config/gh/hosts.yml", ".config/gh", "GH_CONFIG_DIR"),
    ("kubectl", ".kube/config", ".kube", "KUBECONFIG"),
    ("codex", ".codex/auth.json", ".codex", "CODEX_HOME"),
    ("gcloud", ".config/gcloud/credentials.db", ".config/gcloud", "CLOUDSDK_CONFIG"),
    ("docker", ".docker/config.json", ".docker", "DOCKER_CONFIG"),
    ("aws", ".aws/credentials", ".aws", "AWS_SHARED_CREDENTIALS_FILE"),
];

#[test]
fn the_configuration_that_the_real_home_has_is_named_with_the_option_that_shares_it() {
    for (tool, file, item, variable) in TOOLS {
        let sandbox = Sandbox::with_builder();
        sandbox.link(system("true"), format!("bin/{tool}"));
        let start = |options: &[&str]| {
            sandbox.hx([&["-p", "builder"], options, &["--", tool]].concat()).env("PATH", sandbox.path("bin"))
        };
        assert_eq!(said(start(&[])), "", "{tool}: nobody has one");
        sandbox.write(std::path::Path::new("real").join(file), "{}");
        let expected = format!(
            "hermes-exec: notice: {tool} finds no configuration here, but the real home has one: --share {item}\n"
        );
        assert_eq!(said(start(&[])), expected);
        assert_eq!(said(start(&[]).env(variable, "/mine")), "", "{tool}: it is elsewhere");
        for options in
            [["-q", "-q"], ["--no-share", item], ["--no-share", "all"], ["--home", "real"], ["--share", item]]
        {
            assert_eq!(said(start(&options)), "", "{tool}: {options:?}");
        }
        fs::remove_file(sandbox.home().join(item)).unwrap();
        sandbox.write(sandbox.home().join(file), "{}");
        assert_eq!(said(start(&[])), "", "{tool}: a configuration of its own");
        fs::remove_file(sandbox.home().join(file)).unwrap();
        let entry = format!(r#"{{"programs": {{"{tool}": {{}}}}}}"#);
        sandbox.write(sandbox.profile("builder").join("hermes-exec.json"), entry);
        assert_eq!(said(start(&[])), "", "{tool}: the policy has decided");
    }
}

/// The option that a notice names is right, for the tools that are there.
#[test]
fn what_the_notice_names_gives_the_tool_its_configuration() {
    let context = "apiVersion: v1\nkind: Config\ncurrent-context: made-up\n";
    let hosts = "github.com:\n    oauth_token: gho_made-up\n    user: somebody\n    git_protocol: https\n";
    for (tool, file, text, words, shown) in [
        ("kubectl", ".kube/config", context, &["config", "current-context"][..], "made-up\n"),
        ("gh", ".config/gh/hosts.yml", hosts, &["auth", "token"], "gho_made-up\n"),
    ] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(std::path::Path::new("real").join(file), text);
        let command = [&[system(tool)], words].concat();
        let outcome = sandbox.builder(&command).run();
        assert_ne!(outcome.out(), shown, "{tool}");
        let notice = outcome.stderr.lines().find_map(|line| line.split_once(": --share ")).unwrap();
        let run = sandbox.hx([&["-p", "builder", "--share", notice.1, "--"], &command[..]].concat());
        assert_eq!(run.run().ok().out(), shown, "{tool}");
    }
}

/// A home in use, with every tool logged in by its link: nothing is said, by a run or by the doctor, as root and as another user.
#[test]
fn a_sound_setup_is_silent() {
    for uid in [0, 10000] {
        let sandbox = Sandbox::with_builder();
        log_in(&sandbox);
        for (_, file, ..) in TOOLS {
            sandbox.write(std::path::Path::new("real").join(file), "{}");
        }
        sandbox.write("real/.gitconfig", "[user]\n\tname = x\n\temail = x@example.org\n[core]\n\tpager = less\n");
        sandbox.write(
            "real/.claude/settings.json",
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "~/.claude/x"}]}]}}"#,
        );
        sandbox.write("real/.claude/x", "");
        sandbox.mkdir("real/.gnupg");
        let share = TOOLS.map(|(_, _, item, _)| item).join(",") + ",.gitconfig";
        for tool in TOOLS.map(|(tool, ..)| tool).iter().chain(&["claude", "git"]) {
            sandbox.link(system("true"), format!("bin/{tool}"));
        }
        let ours = sandbox.copied_binary();
        sandbox.chown_all(uid);
        let start = |words: &[&str]| {
            let run = sandbox.hx([&["-v", "-p", "builder", "--share", &share], words].concat()).program(&ours).uid(uid);
            run.no_env("ANTHROPIC_API_KEY").env("PATH", sandbox.path("bin")).run()
        };
        for _ in 0..2 {
            for tool in TOOLS.map(|(tool, ..)| tool).iter().chain(&["claude", "git"]) {
                let outcome = start(&["--", tool]);
                assert!(
                    !outcome.stderr.contains("warning") && !outcome.stderr.contains("notice"),
                    "{uid} {tool}: {outcome:?}"
                );
            }
        }
        let outcome = start(&["--doctor"]);
        assert!(outcome.out().contains("no problem, no warning"), "{uid}: {outcome:?}");
    }
}
