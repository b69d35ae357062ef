//! What cannot be kept is said: `~/` in shared settings means another place under the other HOME, and git has no identity there.

use std::path::Path;

use crate::home::{log_in, logged_in};
use crate::support::{Run, Sandbox};
use crate::{direct, redirected, sharing, system};

/// The findings of a run, which `-v` shows without a terminal, too.
fn findings(run: Run) -> String {
    let outcome = run.option("-v").run();
    outcome.stderr.lines().filter(|line| line.starts_with("hermes-exec: warning: ")).collect::<Vec<_>>().join("\n")
}

/// The checks with these words.
#[track_caller]
fn checks(sandbox: &Sandbox, options: &[&str], words: &[&str]) -> usize {
    let outcome = sandbox.hx([&["-p", "builder", "--doctor"], options].concat()).no_env("ANTHROPIC_API_KEY").run();
    let text = outcome.out().split_whitespace().collect::<Vec<_>>().join(" ");
    words.iter().filter(|word| text.contains(**word)).count()
}

const GUARD: &str = r#"{"permissions": {"deny": ["Read(~/.ssh/**)", "Bash(rm:*)"], "allow": ["Read(/srv/**)"]},
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/bin/guard.sh --strict"}]}]},
    "statusLine": {"type": "command", "command": "sh ~/.claude/status.sh"}, "env": {"X": "~/bin"}}"#;

/// claude-code#65502, #82323, #79509: the key can be read, and the guard is not found.
#[test]
fn w22_guards_of_claude_that_mean_another_place_are_named() {
    let sandbox = logged_in();
    sandbox.write("real/.claude/settings.json", GUARD);
    sandbox.write("real/.claude/status.sh", "");
    let quiet = findings(sandbox.builder(["/bin/true"]));
    assert_eq!(quiet, "", "of claude alone");
    sandbox.link("/bin/true", "bin/claude");
    let claude = || sandbox.builder(["claude"]).env("PATH", sandbox.path("bin"));
    assert_eq!(findings(claude()), "", "neither is there in the real home");
    sandbox.mkdir("real/.ssh");
    sandbox.script("real/bin/guard.sh", "#!/bin/sh\nexit 2\n");
    let said = findings(claude());
    let file = sandbox.real().join(".claude/settings.json").display().to_string();
    for word in [&file, "~/.ssh (permissions.deny)", "~/bin/guard.sh (hooks.PreToolUse.hooks.command)"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("status.sh") && !said.contains("env"), "{said}");
    let hint = "--home real";
    assert_eq!(checks(&sandbox, &[], &["~/.ssh (permissions.deny)", "~/bin/guard.sh (hooks.PreToolUse", hint]), 3);
    // What the hook does, as a shell starts it: nothing, and the command goes on.
    let hook = [system("sh"), "-c", "~/bin/guard.sh"];
    assert_eq!(direct(&sandbox, &hook).run().code(), 2, "the user");
    assert_eq!(redirected(&sandbox, &hook).run().code(), 127, "under the other HOME");
    // With its own HOME nothing is to be said, nor where its state is the profile's own.
    for options in [["--home", "real"], ["--no-share", "claude"]] {
        let own = Sandbox::with_builder();
        log_in(&own);
        own.write("real/.claude/settings.json", GUARD);
        own.mkdir("real/.ssh");
        own.link("/bin/true", "bin/claude");
        let run = own.hx([&["-p", "builder"], &options[..], &["--", "claude"]].concat()).env("PATH", own.path("bin"));
        assert_eq!(findings(run), "", "{options:?}");
    }
}

/// docker/sbx-releases#203, devpod#750: the private address in a repository of the firm's.
#[test]
fn w23_settings_of_git_that_mean_another_place_are_named() {
    let sandbox = Sandbox::with_builder();
    let text = "[user]\n\temail = private@example.org\n[includeIf \"gitdir:~/work/\"]\n\tpath = ~/.gitconfig-work\n\
                [core]\n\thooksPath = ~/hooks\n\tpager = less\n[commit]\n\ttemplate = \"~/none\"\n";
    sandbox.write("real/.gitconfig", text);
    sandbox.write("real/.gitconfig-work", "[user]\n\temail = firm@example.org\n");
    sandbox.mkdir("real/hooks");
    let project = sandbox.mkdir("real/work/project");
    direct(&sandbox, &[system("git"), "init", "-q"]).dir(&project).run().ok();
    let email = [system("git"), "config", "user.email"];
    assert_eq!(direct(&sandbox, &email).dir(&project).run().ok().out(), "firm@example.org\n", "the user");
    let run = || sharing(&sandbox, ".gitconfig", &email).dir(&project);
    assert_eq!(run().run().out(), "private@example.org\n");

    let said = findings(run());
    let settings = [
        "~/work (includeIf.gitdir:~/work/)",
        "~/.gitconfig-work (includeIf.gitdir:~/work/.path)",
        "~/hooks (core.hooksPath)",
    ];
    for word in settings {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("template"), "it is not there: {said}");
    assert_eq!(checks(&sandbox, &["--share", ".gitconfig"], &settings), 3);
    assert_eq!(findings(sharing(&sandbox, ".gitconfig", &["/bin/true"])), "", "of git alone");
    // What is shared as well is the same place in both homes.
    assert!(!findings(sharing(&sandbox, ".gitconfig,hooks", &email)).contains("hooksPath"));
}

/// The same for npm: what it installs globally goes elsewhere.
#[test]
fn w23_settings_of_npm_that_mean_another_place_are_named() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.npmrc", "prefix=~/.npm-global\ncache=${HOME}/.npm-cache\n");
    sandbox.mkdir("real/.npm-global");
    let prefix = [system("npm"), "config", "get", "prefix"];
    let own = |home: &Path| format!("{}\n", home.join(".npm-global").display());
    assert_eq!(direct(&sandbox, &prefix).run().out(), own(&sandbox.real()), "the user");
    assert_eq!(sharing(&sandbox, ".npmrc", &prefix).run().out(), own(&sandbox.home()));
    let said = findings(sharing(&sandbox, ".npmrc", &prefix));
    assert!(said.contains("~/.npm-global (prefix)"), "{said}");
    assert_eq!(checks(&sandbox, &["--share", ".npmrc"], &["~/.npm-global (prefix)"]), 1);
}

/// hermes-agent#72556, #78374: agents make an identity up.
#[test]
fn w34_git_without_an_identity_is_a_finding_and_has_two_cures() {
    let sandbox = Sandbox::with_builder();
    let author = [system("git"), "var", "GIT_AUTHOR_IDENT"];
    assert_eq!(findings(sandbox.builder(author)), "", "the user has none either");
    sandbox.write("real/.gitconfig", "[user]\n\tname = Somebody\n\temail = somebody@example.org\n");
    let is_somebody = |run: Run| run.run().out().starts_with("Somebody <somebody@example.org>");
    assert!(is_somebody(direct(&sandbox, &author)), "the user");
    assert!(!is_somebody(sandbox.builder(author)));
    let said = findings(sandbox.builder(author));
    assert!(said.contains("an identity only if") && said.contains("--share .gitconfig"), "{said}");
    assert_eq!(checks(&sandbox, &[], &["git-identity", "--share .gitconfig"]), 2);

    assert!(is_somebody(sharing(&sandbox, ".gitconfig", &author)));
    assert_eq!(findings(sharing(&sandbox, ".gitconfig", &author)), "");
    std::fs::remove_file(sandbox.home().join(".gitconfig")).unwrap();
    let policy = r#"{"set": {"GIT_AUTHOR_NAME": "Somebody", "GIT_AUTHOR_EMAIL": "somebody@example.org",
        "GIT_COMMITTER_NAME": "Somebody", "GIT_COMMITTER_EMAIL": "somebody@example.org"}}"#;
    sandbox.write(sandbox.profile("builder").join("hermes-exec.json"), policy);
    assert!(is_somebody(sandbox.builder(author)));
    assert_eq!(findings(sandbox.builder(author)), "");
}
