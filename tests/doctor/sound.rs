//! Set-ups in which nothing is wrong: whatever is said about them, nothing is to be done.

use super::{Report, Setup};
use crate::support::{Run, Sandbox};

#[track_caller]
fn is_sound(run: Run) -> Report {
    let report = Report::of(run);
    assert!(!report.0.iter().any(super::Check::alarms), "{report:#?}");
    report
}

#[test]
fn a_used_profile() {
    let setup = Setup::new();
    let report = is_sound(setup.doctor(&[]));
    for id in ["profile", "home", "link", "credentials", "markers", "claude-login"] {
        assert!(report.0.iter().any(|check| check.id == id && check.level == "ok"), "{id}: {report:#?}");
    }
}

#[test]
fn a_fresh_profile() {
    let sandbox = Sandbox::with_builder();
    is_sound(sandbox.hx(["-p", "builder", "--doctor"]).no_env("ANTHROPIC_API_KEY"));
}

#[test]
fn the_default_profile_and_no_hermes_at_all() {
    is_sound(Sandbox::new().hx(["--doctor"]).no_env("ANTHROPIC_API_KEY"));
    let report = is_sound(Sandbox::without_hermes().hx(["--doctor"]).no_env("ANTHROPIC_API_KEY"));
    assert_eq!(report.the("profile", &["no Hermes"]).level, "note");
}

/// What a gateway's child sees: HOME and HERMES_HOME of the profile, credentials, the venv's markers, `bin` first on PATH.
#[test]
fn within_the_gateway() {
    let setup = Setup::new();
    let venv = super::venv::made(&setup, "real/.hermes/hermes-agent/venv");
    let run = setup.start(&["--doctor"]).env("HERMES_HOME", setup.sandbox.profile("builder"));
    let run = run.env("HOME", setup.sandbox.home()).env("HERMES_REAL_HOME", setup.sandbox.real());
    let run = run.env("VIRTUAL_ENV", &venv).env("GH_TOKEN", "x").env("OPENAI_API_KEY", "x");
    let report = is_sound(run.env("PATH", format!("{}/bin:/usr/bin:/bin", venv.display())));
    assert_eq!(report.the("credentials", &["GH_TOKEN", "OPENAI_API_KEY"]).level, "note");
    assert_eq!(report.the("markers", &["VIRTUAL_ENV"]).level, "note");
    assert_eq!(report.the("home-nested", &[]).level, "note");
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
    is_sound(run);
}

/// A container: everything belongs to root and lies in one directory, which is the home, the root and the profile.
#[test]
fn in_a_container() {
    let sandbox = Sandbox::without_hermes();
    let data = sandbox.mkdir("data");
    sandbox.mkdir("data/home");
    sandbox.write("data/active_profile", "default\n");
    let run = sandbox.hx(["--doctor"]).no_env("ANTHROPIC_API_KEY").env("HERMES_HOME", &data).env("HOME", &data);
    is_sound(run);
}
