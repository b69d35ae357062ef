//! What reaches commands that are started without us, what can be read back, and what points past the redirected HOME.

use super::{Report, Setup, fires, fires_and_is_cured};
#[cfg(target_os = "linux")]
use crate::support::Run;

#[test]
fn credentials_and_markers_that_others_get() {
    let setup = Setup::new();
    setup.sandbox.write("real/.hermes/.env", "MY_OWN_TOKEN=x\n");
    let run = setup.doctor(&[]).env("GH_TOKEN", "x").env("MY_OWN_TOKEN", "x").env("CONDA_PREFIX", "/x");
    let report = Report::of(run.env("UNLISTED", format!("sk-ant-{}", "x".repeat(20))));
    assert_eq!(report.the("credentials", &["removed", "GH_TOKEN", "MY_OWN_TOKEN", "UNLISTED"]).level, "ok");
    assert_eq!(report.the("markers", &["removed", "CONDA_PREFIX"]).level, "ok");

    let report = Report::of(setup.doctor(&["--keep", "CONDA_*"]).env("EDITOR", "vi").env("CONDA_PREFIX", "/x"));
    assert_eq!(report.the("credentials", &["no credentials"]).level, "ok");
    assert_eq!(report.the("markers", &["no markers"]).level, "ok");
}

#[test]
fn many_names_are_counted() {
    let setup = Setup::new();
    let names = ["GH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY", "GROQ_API_KEY", "HF_TOKEN"];
    let run = names.iter().fold(setup.doctor(&[]), |run, name| run.env(name, "x"));
    Report::of(run).the("credentials", &["and 2 more"]);
}

/// hermes-agent#4427: a command reads in /proc what its parent was started with.
#[cfg(target_os = "linux")]
#[test]
fn credentials_in_the_parents_environment() {
    let setup = Setup::new();
    // A shell that was started with the credential, and one that has set it itself.
    let within = |run: Run, first: &str| {
        let rest = "run() { \"$@\"; exit $?; }\nset -- run \"$@\"\n\"$@\"";
        Report::read(run.option("--json").after_sh(&format!("{first}\n{rest}")))
    };
    let report = within(setup.doctor(&[]).env("GH_TOKEN", "x"), "");
    report.the("parent-environ", &["GH_TOKEN", "/proc"]);
    let report = within(setup.doctor(&[]), "export GH_TOKEN=x");
    report.the("credentials", &["GH_TOKEN"]);
    report.lacks("parent-environ");

    // A seal closes it, but not for root.
    let check = |run: Run| within(run.env("GH_TOKEN", "x"), "").the("parent-environ", &["GH_TOKEN"]).clone();
    setup.sandbox.chown_all(54321);
    let start = |options: &[&str]| setup.doctor(options).program(setup.sandbox.path("tools/hermes-exec")).uid(54321);
    let check = check(start(&[]));
    assert_eq!((check.level.as_str(), &check.cure), ("note", &None));
    assert!(check.hint.expect("an option that closes it").contains("--seal, or \"seal\": \"on\""));
    within(start(&["--seal"]).env("GH_TOKEN", "x"), "").lacks("parent-environ");
}

#[test]
fn locations_past_the_redirect() {
    let setup = Setup::new();
    let real = setup.sandbox.real();
    for name in
        ["GIT_CONFIG_GLOBAL", "GH_CONFIG_DIR", "KUBECONFIG", "DOCKER_CONFIG", "GNUPGHOME", "NPM_CONFIG_USERCONFIG"]
    {
        fires_and_is_cured(&setup.doctor(&[]).env(name, real.join("x")), "past-redirect", "note", &["kept", name]);
        for elsewhere in ["/etc/x".into(), setup.sandbox.home().join("x"), "relative".into(), "".into()] {
            Report::of(setup.doctor(&[]).env(name, &elsewhere)).lacks("past-redirect");
        }
        // With the real HOME there is nothing to get past.
        Report::of(setup.doctor(&["--home", "real"]).env(name, real.join("x"))).lacks("past-redirect");
    }
    let list = format!("/etc/kube:{}", real.join("kube").display());
    Report::of(setup.doctor(&[]).env("KUBECONFIG", list)).the("past-redirect", &["KUBECONFIG"]);
}

#[test]
fn xdg_directories_past_the_redirect() {
    let setup = Setup::new();
    let config = setup.sandbox.real().join(".config");
    let report = Report::of(setup.doctor(&[]).env("XDG_CONFIG_HOME", &config));
    assert_eq!(report.the("past-redirect", &["removed", "XDG_CONFIG_HOME"]).level, "ok");
    let kept = setup.doctor(&["--keep", "XDG_*"]).env("XDG_CONFIG_HOME", &config);
    fires_and_is_cured(&kept, "past-redirect", "note", &["kept", "XDG_CONFIG_HOME"]);
    Report::of(setup.doctor(&[]).env("XDG_RUNTIME_DIR", &config)).lacks("past-redirect");
}

/// openai/codex#14774: a start file of the real home brings credentials back.
#[test]
fn start_files_in_the_real_home() {
    let setup = Setup::new();
    let file = setup.sandbox.real().join(".bashenv");
    for name in ["BASH_ENV", "ENV"] {
        fires_and_is_cured(&setup.doctor(&[]).env(name, &file), "start-file", "warning", &[name]);
        Report::of(setup.doctor(&[]).env(name, "/etc/bashenv")).lacks("start-file");
        Report::of(setup.doctor(&[]).env(name, setup.sandbox.home().join(".bashenv"))).lacks("start-file");
        Report::of(setup.doctor(&["--unset", name]).env(name, &file)).lacks("start-file");
        // Where HOME is the real one, it is the user's own, but it may do the same.
        assert_eq!(
            Report::of(setup.doctor(&["--home", "real"]).env(name, &file)).the("start-file", &[name]).level,
            "note"
        );
    }
}

/// anthropics/claude-code#34836: kept, and good to know of.
#[test]
fn switches_of_node() {
    let setup = Setup::new();
    let cure = fires(
        setup.doctor(&[]).env("NODE_OPTIONS", "canary").env("ELECTRON_RUN_AS_NODE", "1"),
        "node-switches",
        "note",
        &["ELECTRON_RUN_AS_NODE", "NODE_OPTIONS"],
    );
    assert_eq!(cure, "unset ELECTRON_RUN_AS_NODE NODE_OPTIONS");
    fires_and_is_cured(&setup.doctor(&[]).env("NODE_OPTIONS", "x"), "node-switches", "note", &["NODE_OPTIONS"]);
    Report::of(setup.doctor(&[])).lacks("node-switches");
}
