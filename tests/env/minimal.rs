//! Rule 10: `--minimal` passes the core names, and what is named.

use crate::support::explained::Explained;
use crate::support::{CANARY, Sandbox};
use std::collections::BTreeSet;

/// The core names, with an example for each pattern.
const CORE: &str = "
    PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL TERM COLORTERM LANG LANGUAGE LC_ALL LC_CTYPE TZ TMPDIR TMP TEMP EDITOR
    VISUAL PAGER NO_COLOR FORCE_COLOR CI COLUMNS LINES DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR XDG_SESSION_TYPE
    XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
    http_proxy https_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
    GIT_SSL_CAPATH NODE_EXTRA_CA_CERTS __CF_USER_TEXT_ENCODING HERMES_HOME HERMES_PROFILE HERMES_REAL_HOME HERMES_TENANT
    HERMES_KANBAN_TASK HERMES_SESSION_ID HERMES_DELEGATED_CHILD_CONTEXT HERMES_EXEC_VERBOSE TERMINAL_CWD";

/// Names that look like core names, and others that a command could do without.
const OTHER: [&str; 22] = [
    "path", "home", "Lang", "LC", "XDG", "PATH_2", "MY_PATH", "CI_JOB_ID", "GITHUB_ACTIONS", "HERMES", "HERMES_KANBAN",
    "HERMES_QUIET", "HERMES_EXEC", "TERMINAL", "TERMINAL_SSH_KEY", "TERMINAL_SUDO_PASS", "TERM_PROGRAM", "GIT_EDITOR",
    "LD_LIBRARY_PATH", "NODE_OPTIONS", "AWS_PROFILE", "CLAUDECODE",
];

/// A value that every rule before 10 lets pass.
fn value(sandbox: &Sandbox, name: &str) -> String {
    match name {
        "PATH" => "/usr/bin:/bin".into(),
        "HOME" | "HERMES_REAL_HOME" => sandbox.real().display().to_string(),
        "HERMES_HOME" => sandbox.root().display().to_string(),
        "HERMES_PROFILE" => "default".into(),
        "HERMES_EXEC_VERBOSE" => "0".into(),
        _ => "/x".into(),
    }
}

/// The names that pass with these options, of the core names and the others.
#[track_caller]
fn passed(sandbox: &Sandbox, options: &[&str], more: &[&str]) -> BTreeSet<String> {
    let names = CORE.split_whitespace().chain(OTHER).chain(more.iter().copied());
    let block: Vec<String> = names.map(|name| format!("{name}={}", value(sandbox, name))).collect();
    let run = sandbox.hx([options, &["--", "/usr/bin/env", "-0"]].concat()).raw_block(&block).secret_may_show();
    run.run().ok().block().into_iter().map(|(name, _)| name).collect()
}

fn core() -> BTreeSet<String> {
    CORE.split_whitespace().map(str::to_owned).collect()
}

fn core_and(names: &[&str]) -> BTreeSet<String> {
    core().into_iter().chain(names.iter().map(|name| (*name).to_owned())).collect()
}

#[test]
fn the_core_names_pass_and_no_other() {
    let sandbox = Sandbox::new();
    assert_eq!(passed(&sandbox, &["--minimal"], &[]), core());
    assert_eq!(passed(&sandbox, &[], &[]), core_and(&OTHER), "without the option everything passes");
}

#[test]
fn the_core_names_pass_as_they_are() {
    let sandbox = Sandbox::new();
    let block: Vec<String> = CORE.split_whitespace().map(|name| format!("{name}={}", value(&sandbox, name))).collect();
    let outcome = sandbox.hx(["--minimal", "/usr/bin/env", "-0"]).raw_block(&block).run().ok();
    assert_eq!(outcome.entries(), block.iter().map(|entry| entry.clone().into_bytes()).collect::<Vec<_>>());
}

/// Entries without `=` or with an empty name are no variables.
#[test]
fn what_is_no_variable_passes() {
    let sandbox = Sandbox::new();
    let home = format!("HOME={}", sandbox.real().display());
    let block: [&[u8]; 6] =
        [b"no assignment", b"=x", b"ACME=1", home.as_bytes(), b"\xff=1", b"BASH_FUNC_f%%=() { :; }"];
    let outcome = sandbox.hx(["--minimal", "/usr/bin/env", "-0"]).raw_block(block).run().ok();
    assert_eq!(outcome.entries(), [block[0], block[1], block[3]]);
}

#[test]
fn keep_set_grants_and_passthrough_widen_it() {
    let sandbox = Sandbox::new();
    let more =
        ["ACME", "ACME_2", "OPENAI_API_KEY", "OPENAI_BASE_URL", "XAI_API_KEY", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT"];
    let passed = |options: &[&str]| passed(&sandbox, &[&["--minimal"], options].concat(), &more);
    assert_eq!(passed(&[]), core());
    assert_eq!(passed(&["--keep", "ACME"]), core_and(&["ACME"]));
    assert_eq!(passed(&["--keep", "ACME*"]), core_and(&["ACME", "ACME_2"]));
    assert_eq!(passed(&["--set", "NEW=1", "--set", "ACME=2"]), core_and(&["NEW", "ACME"]));
    assert_eq!(passed(&["--inherit-credentials=openai"]), core_and(&["OPENAI_API_KEY", "OPENAI_BASE_URL"]));
    assert_eq!(
        passed(&["--inherit-credentials"]),
        core_and(&["OPENAI_API_KEY", "OPENAI_BASE_URL", "XAI_API_KEY"]),
        "all groups but the sealed ones, and nothing else"
    );
    assert_eq!(
        passed(&["--keep", "VIRTUAL_ENV"]),
        core_and(&["VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT"]),
        "a family is whole"
    );

    sandbox.write("real/.hermes/config.yaml", "terminal: {env_passthrough: [ACME, XAI_API_KEY]}\n");
    assert_eq!(passed(&[]), core_and(&["ACME"]), "passthrough, but for what the catalogue removes");
    sandbox.write(
        "real/.hermes/hermes-exec.json",
        r#"{"keep": ["ACME_?"], "set": {"NEW": "1"}, "inherit_credentials": ["xai"],
            "programs": {"env": {"keep": ["OPENAI_BASE_URL"]}}}"#,
    );
    let all = ["ACME", "ACME_2", "NEW", "XAI_API_KEY", "OPENAI_BASE_URL"];
    assert_eq!(passed(&[]), core_and(&all));
}

/// Of the rules before 10 each still decides over what it names: core names, too.
#[test]
fn the_other_rules_hold_for_core_names() {
    let sandbox = Sandbox::with_builder();
    let real = sandbox.real().display().to_string();
    let explained = Explained::new(
        &sandbox,
        &["-p", "builder", "--minimal", "--unset", "EDITOR", "--set", "PAGER=less"],
        &[
            ("EDITOR", "vi"),
            ("PAGER", "more"),
            ("XDG_CONFIG_HOME", &format!("{real}/.config")),
            ("XDG_RUNTIME_DIR", "/run/user/0"),
            ("TERM", "xterm"),
            ("HERMES_KANBAN_TOKEN", CANARY),
            ("UV", "/uv"),
        ],
    );
    for (name, action, rule) in [
        ("HOME", "set", 0),
        ("PAGER", "set", 1),
        ("EDITOR", "removed", 2),
        ("ANTHROPIC_API_KEY", "removed", 4),
        ("UV", "removed", 6),
        ("XDG_CONFIG_HOME", "removed", 7),
        ("XDG_RUNTIME_DIR", "kept", 11),
        ("TERM", "kept", 11),
        ("HERMES_KANBAN_TOKEN", "kept", 11),
    ] {
        assert_eq!(explained.variable(name), Some((action, rule)), "{name}");
    }
}

#[test]
fn what_is_computed_passes() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.rustup");
    let outcome = sandbox.hx(["--minimal", "-p", "builder", "--", "/usr/bin/env", "-0"]).run().ok();
    let names: BTreeSet<_> = outcome.block().into_iter().map(|(name, _)| name).collect();
    let expected = ["HERMES_HOME", "HERMES_PROFILE", "HERMES_REAL_HOME", "HOME", "PATH", "RUSTUP_HOME"];
    assert_eq!(names, expected.map(str::to_owned).into());
}

#[test]
fn within_itself_nothing_changes() {
    let sandbox = Sandbox::with_builder();
    let options = ["--minimal", "-p", "builder", "--keep", "ACME", "--"];
    let run = |command: &[&str]| {
        let run = sandbox.hx(options.iter().chain(command)).env("ACME", "1").env("OTHER", "1").env("TERM", "x");
        run.run().ok().stdout
    };
    let env = ["/usr/bin/env", "-0"];
    let twice = [&[crate::support::BINARY], &options[..], &env].concat();
    assert_eq!(run(&twice), run(&env));
}
