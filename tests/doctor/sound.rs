//! Setups in which nothing is wrong: every check is ok, so that there is no note either that nobody could make go away. Each with
//! `claude`, logged in, and without it.

use super::{LOGIN, Report, Setup};
use crate::support::{Run, Sandbox};

/// Nothing is to be done.
#[track_caller]
fn is_quiet(run: Run) -> Report {
    let report = Report::of(run);
    assert!(!report.0.iter().any(super::Check::alarms), "{report:#?}");
    report
}

/// Nothing is remarked either, with `claude` on PATH and without it, whether it has ever been logged in or not.
#[track_caller]
fn is_sound(sandbox: &Sandbox, run: Run) -> Report {
    let path = |dirs: &str| format!("{dirs}:/usr/bin:/bin");
    let claude = sandbox.script("with-claude/claude", "#!/bin/sh\n");
    let with = path(claude.parent().unwrap().to_str().unwrap());
    let without = path("/no/where");
    for path in [with, without] {
        let report = Report::of(run.clone().env("PATH", path));
        let found: Vec<_> = report.0.iter().filter(|check| check.level != "ok").collect();
        assert!(found.is_empty(), "{found:#?}");
    }
    Report::of(run)
}

/// A start as this user, to whom everything belongs, after a run that has created what a run creates.
fn used_by(sandbox: &Sandbox, uid: u32, options: &[&str], places: &[(&str, &str)]) -> Run {
    let program = sandbox.copied_binary();
    sandbox.chown_all(uid);
    let start = |options: &[&str]| {
        let run = sandbox.hx(options).no_env("ANTHROPIC_API_KEY").program(&program).uid(uid);
        places.iter().fold(run, |run, (name, rel)| run.env(name, sandbox.path(rel)))
    };
    start(&[&["-q"], options, &["true"]].concat()).run().ok();
    start(&[options, &["--doctor"]].concat())
}

fn log_in(sandbox: &Sandbox, home: &str) {
    sandbox.write(format!("{home}/.claude/.credentials.json"), LOGIN);
    sandbox.write(format!("{home}/.claude.json"), "{}");
}

#[test]
fn a_used_profile() {
    let setup = Setup::new();
    let report = is_sound(&setup.sandbox, setup.doctor(&[]));
    for id in ["profile", "home", "link", "credentials", "markers", "claude-login", "profile-import"] {
        assert!(report.0.iter().any(|check| check.id == id && check.level == "ok"), "{id}: {report:#?}");
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_user() {
    let sandbox = Sandbox::with_builder();
    log_in(&sandbox, "real");
    sandbox.write("real/.gitconfig", "[user]\n\tname = You\n");
    let run = used_by(&sandbox, 54321, &["-p", "builder", "--share", ".gitconfig"], &[]);
    is_sound(&sandbox, run.env("XDG_CONFIG_HOME", sandbox.path("real/.config")));
}

/// Before the first run it says what that will create, and nothing more.
#[test]
fn a_fresh_profile() {
    let sandbox = Sandbox::with_builder();
    is_quiet(sandbox.hx(["-p", "builder", "--doctor"]).no_env("ANTHROPIC_API_KEY"));
}

#[test]
fn no_hermes_at_all() {
    let sandbox = Sandbox::without_hermes();
    let run = sandbox.hx(["--doctor"]).no_env("ANTHROPIC_API_KEY");
    // Without claude, no login is missed.
    is_quiet(run.clone());
    log_in(&sandbox, "real");
    is_sound(&sandbox, run).the("profile", &["no Hermes found"]);
}

#[test]
fn hermes_without_a_profile() {
    let sandbox = Sandbox::new();
    log_in(&sandbox, "real");
    is_sound(&sandbox, sandbox.hx(["--doctor"]).no_env("ANTHROPIC_API_KEY"));
}

#[test]
fn nobody_was_ever_logged_in_and_claude_is_not_installed() {
    for sandbox in [Sandbox::without_hermes(), Sandbox::new()] {
        let report = Report::of(sandbox.hx(["--doctor"]).no_env("ANTHROPIC_API_KEY").env("PATH", "/usr/bin:/bin"));
        assert!(report.0.iter().all(|check| check.level == "ok"), "{report:#?}");
    }
}

/// What a gateway's child sees: HOME and HERMES_HOME of the profile, credentials, the venv's markers, `bin` first on PATH.
#[test]
fn within_the_gateway() {
    let setup = Setup::new();
    let venv = super::venv::made(&setup, "real/.hermes/hermes-agent/venv");
    let run = setup.start(&["--doctor"]).env("HERMES_HOME", setup.sandbox.profile("builder"));
    let run = run.env("HOME", setup.sandbox.home()).env("HERMES_REAL_HOME", setup.sandbox.real());
    let run = run.env("VIRTUAL_ENV", &venv).env("GH_TOKEN", "x").env("OPENAI_API_KEY", "x");
    let report = is_sound(&setup.sandbox, run.clone());
    report.the("credentials", &["removed", "GH_TOKEN", "OPENAI_API_KEY"]);
    report.the("markers", &["removed", "VIRTUAL_ENV"]);
    report.the("home-nested", &["your real home is"]);
    is_quiet(run.env("PATH", format!("{}/bin:/usr/bin:/bin", venv.display())));
}

/// What users have set that is nobody's business.
#[test]
fn with_settings_of_the_users_own() {
    let setup = Setup::new();
    let real = setup.sandbox.real();
    let run = setup.doctor(&["--share", ".gitconfig"]).env("GIT_CONFIG_GLOBAL", real.join(".gitconfig"));
    let run = run.env("XDG_CONFIG_HOME", real.join(".config")).env("XDG_RUNTIME_DIR", "/run/user/1");
    let run = run.env("NODE_OPTIONS", "--max-old-space-size=4096").env("CARGO_HOME", real.join(".cargo"));
    let run = run.env("BASH_ENV", "/etc/profile.d/x.sh").env("AWS_PROFILE", "x").env("KUBECONFIG", real.join("kube"));
    is_quiet(run);
}

/// Everything is in one directory, which is the home, the root and the profile.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn in_a_container() {
    for uid in [0, 10_000] {
        let sandbox = Sandbox::without_hermes();
        sandbox.mkdir("opt/data/home");
        sandbox.write("opt/data/active_profile", "default\n");
        log_in(&sandbox, "opt/data");
        let run = used_by(&sandbox, uid, &[], &[("HERMES_HOME", "opt/data"), ("HOME", "opt/data")]);
        is_sound(&sandbox, run);
    }
}
