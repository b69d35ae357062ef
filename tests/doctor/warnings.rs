//! What a run warns of has its remedy where it was made: no text is taken apart to find one, so that a path or a name can hold
//! anything.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::Report;
use crate::support::{Run, Sandbox, bytes};

/// A start with its root below this directory, in which `config.yaml` is not YAML.
fn with_root_in(sandbox: &Sandbox, dir: &OsStr) -> Run {
    let root = sandbox.path(dir).join("hermes");
    sandbox.write(root.join("profiles/p/config.yaml"), "key_env: a: b: c\n\t- x\n");
    sandbox.hx(["-p", "p", "--doctor"]).env("HERMES_HOME", root)
}

/// The path in a hint, as a shell reads it.
fn edited(sandbox: &Sandbox, hint: &str) -> Vec<u8> {
    let script = hint.replace("to edit it: \"${EDITOR:-vi}\"", "printf %s");
    sandbox.hx(["-c", &script]).program("/bin/bash").run().ok().stdout
}

#[test]
fn a_path_with_a_colon_and_a_space_is_edited_whole() {
    let sandbox = Sandbox::without_hermes();
    let report = Report::of(with_root_in(&sandbox, OsStr::new("a: b")));
    let hint = report.the("config", &["config.yaml"]).hint.clone().unwrap();
    assert_eq!(edited(&sandbox, &hint), sandbox.path("a: b/hermes/profiles/p/config.yaml").as_os_str().as_bytes());
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: names that are not UTF-8")]
#[test]
fn a_path_that_is_not_utf_8_is_edited_byte_for_byte() {
    let sandbox = Sandbox::without_hermes();
    let report = Report::of(with_root_in(&sandbox, bytes(b"r\xff")));
    let hint = report.the("config", &["config.yaml"]).hint.clone().unwrap();
    let path = sandbox.path(bytes(b"r\xff")).join("hermes/profiles/p/config.yaml");
    assert_eq!(edited(&sandbox, &hint), path.as_os_str().as_bytes());
}

#[test]
fn the_cure_of_two_profiles_unsets_the_one_that_loses() {
    let sandbox = Sandbox::with_builder();
    let run = sandbox.hx(["--doctor"]).env("HERMES_HOME", sandbox.profile("builder")).env("HERMES_PROFILE", "other: x");
    let report = Report::of(run);
    assert_eq!(report.the("profile", &["other: x"]).cure.as_deref(), Some("unset HERMES_PROFILE"));
}

/// A directory may be called as the variable that another warning is about.
#[test]
fn a_path_that_names_hermes_profile_is_edited() {
    let sandbox = Sandbox::without_hermes();
    let report = Report::of(with_root_in(&sandbox, OsStr::new("HERMES_PROFILE")));
    let hint = report.the("config", &["config.yaml"]).hint.clone().unwrap();
    let path = sandbox.path("HERMES_PROFILE/hermes/profiles/p/config.yaml");
    assert_eq!(edited(&sandbox, &hint), path.as_os_str().as_bytes());
}

/// Who keeps a credential is known by the rule, not by its words.
#[test]
fn a_kept_credential_names_who_keeps_it() {
    let sandbox = Sandbox::with_builder();
    let by = |run: Run| {
        let document: serde_json::Value = serde_json::from_slice(&run.run().ok().stdout).unwrap();
        document["grants"][0]["by"].as_str().unwrap().to_owned()
    };
    let explain = |options: &[&str]| {
        let words = [&["-n", "--json", "-p", "builder"], options, &["true"]].concat();
        sandbox.hx(words).env("GH_TOKEN", "x")
    };
    assert_eq!(by(explain(&["--keep", "GH_TOKEN"])), "--keep");
    sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", r#"{"keep": ["GH_TOKEN"]}"#);
    assert_eq!(by(explain(&[])), "policy file");
    let program = r#"{"programs": {"true": {"keep": ["GH_TOKEN"]}}}"#;
    sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", program);
    assert_eq!(by(explain(&[])), "policy file");
}
