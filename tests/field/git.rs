//! git: the variables that it lives by, and what it starts.

use std::fs;
use std::os::unix::fs::chown;

use crate::support::{BINARY, Outcome, Sandbox};
use crate::{Agent, PRINT_PREFIX, direct, redirected, sharing, system};

/// Makes a repository at `<dir>/work/project`, with one commit.
fn repository(sandbox: &Sandbox) -> String {
    let dir = sandbox.mkdir("work/project").display().to_string();
    sandbox.write("work/project/a", "");
    sandbox.write("work/project/b", "");
    for command in [&["init", "-q"][..], &["add", "a"], &["commit", "-q", "-m", "one"]] {
        direct(sandbox, &git(&dir, command)).run().ok();
    }
    dir
}

/// git in a directory, by somebody, without the system's settings.
fn git<'a>(dir: &'a str, command: &[&'a str]) -> Vec<&'a str> {
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    [&[system("git"), "-C", dir], &identity[..], command].concat()
}

#[track_caller]
fn fails(outcome: &Outcome, words: &str) {
    assert_eq!(outcome.code(), 128, "{outcome:?}");
    assert!(outcome.stderr.contains(words), "{outcome:?}");
}

/// NousResearch/hermes-agent#22054 (V04) by way of git: what a hook starts is the agent's.
#[test]
fn a_hook_runs_in_the_environment_of_the_user() {
    let agent = Agent::new();
    let dir = repository(&agent.sandbox);
    let hook = format!(
        "#!/bin/sh\nexec >../seen\npython3 -c '{PRINT_PREFIX}'\necho \"${{VIRTUAL_ENV-none}} ${{ANTHROPIC_API_KEY+key}}\"\n"
    );
    agent.sandbox.script("work/project/.git/hooks/pre-commit", hook);
    let commit = git(&dir, &["commit", "-q", "--allow-empty", "-m", "two"]);
    let seen = || fs::read_to_string(agent.sandbox.path("work/seen")).unwrap();
    let venv = agent.venv.display();
    agent.without(&commit).run().ok();
    assert_eq!(seen(), format!("{venv}\n{venv} key\n"), "without the wrapper");

    agent.with(&commit).run().ok();
    let prefix = direct(&agent.sandbox, &[system("python3"), "-c", PRINT_PREFIX]).run().ok().out();
    assert_eq!(seen(), format!("{prefix}none \n"));
}

/// Of two files that are staged one is committed: git says so to its hooks by a variable, which has to get through a hook
/// that goes through us.
#[test]
fn a_hook_sees_what_is_committed() {
    let sandbox = Sandbox::with_builder();
    let dir = repository(&sandbox);
    let commit = |wrapper: &str| {
        let hook = format!("#!/bin/sh\n{wrapper} git diff --cached --name-only >../seen\nexit 1\n");
        sandbox.script("work/project/.git/hooks/pre-commit", hook);
        assert_eq!(direct(&sandbox, &git(&dir, &["commit", "-q", "-m", "two", "a"])).run().code(), 1);
        fs::read_to_string(sandbox.path("work/seen")).unwrap()
    };
    sandbox.write("work/project/a", "new");
    direct(&sandbox, &git(&dir, &["add", "a", "b"])).run().ok();
    let without = format!("{BINARY} --unset GIT_INDEX_FILE --");
    assert_eq!(commit(&without), "a\nb\n", "with the variable removed");

    for wrapper in ["", &format!("{BINARY} -p builder --")] {
        assert_eq!(commit(wrapper), "a\n", "{wrapper:?}");
    }
}

/// GIT_DIR stays, and is removed on request: an agent that a hook has started works in that repository.
#[test]
fn the_repository_that_a_variable_names() {
    let sandbox = Sandbox::with_builder();
    let path = format!("{}/.git", repository(&sandbox));
    let command = [system("git"), "rev-parse", "--git-dir"];
    for options in [&["--"][..], &["-p", "builder", "--"]] {
        let outcome = sandbox.hx([options, &command].concat()).env("GIT_DIR", &path).run().ok();
        assert_eq!(outcome.out(), format!("{path}\n"));
    }
    let outcome = sandbox.hx([&["-u", "GIT_DIR", "--"], &command[..]].concat()).env("GIT_DIR", &path).run();
    fails(&outcome, "not a git repository");
}

/// A repository of another user's, and a user whose settings say that this is right.
fn foreign() -> (Sandbox, String) {
    assert!(nix::unistd::geteuid().is_root(), "this test gives files away: run it as root");
    let sandbox = Sandbox::with_builder();
    let dir = repository(&sandbox);
    for path in [&dir, &format!("{dir}/.git")] {
        chown(path, Some(10001), Some(10001)).unwrap();
    }
    sandbox.write("real/.gitconfig", format!("[safe]\n\tdirectory = {dir}\n"));
    (sandbox, dir)
}

/// GitGuardian/ggshield#1055, betterleaks/betterleaks#128 (H11): the setting is in the real home.
#[test]
fn the_settings_that_make_a_repository_safe_can_be_shared() {
    let (sandbox, dir) = foreign();
    let command = git(&dir, &["log", "--format=%s"]);
    direct(&sandbox, &command).run().ok();
    fails(&redirected(&sandbox, &command).run(), "dubious ownership");
    fails(&sandbox.builder(&command).run(), "dubious ownership");
    assert_eq!(sharing(&sandbox, ".gitconfig", &command).run().ok().out(), "one\n");
}

/// NVIDIA/NemoClaw#2345, pre-commit/pre-commit#1293 (C14): the setting is in the environment. A list of what may pass loses
/// it; `--minimal` is such a list.
#[test]
fn settings_in_variables_are_kept() {
    let (sandbox, dir) = foreign();
    let command = git(&dir, &["log", "--format=%s"]);
    let start = |options: &[&str]| {
        let run = sandbox.hx([options, &["-p", "builder", "--"], &command].concat());
        run.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "safe.directory").env("GIT_CONFIG_VALUE_0", &dir).run()
    };
    fails(&start(&["--minimal"]), "dubious ownership");
    assert_eq!(start(&[]).ok().out(), "one\n");
    assert_eq!(start(&["--minimal", "--keep", "GIT_CONFIG_*"]).ok().out(), "one\n");
}
