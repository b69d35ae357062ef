//! The home as a directory: made when missing, followed when a link, refused when neither.

use super::links::with_sources;
use crate::support::{Outcome, Sandbox, listing};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[test]
fn the_home_is_made_private_whatever_the_umask() {
    for umask in ["000", "022", "077"] {
        let sandbox = Sandbox::with_builder();
        sandbox.builder(["true"]).after_sh(&format!("umask {umask}")).run().ok();
        assert_eq!(sandbox.home().metadata().unwrap().mode() & 0o7777, 0o700, "umask {umask}");
    }
}

#[test]
fn nothing_but_that_one_directory_is_made_and_it_keeps_its_mode() {
    let sandbox = Sandbox::with_builder();
    let mut expected = sandbox.listing();
    sandbox.builder(["true"]).run().ok();
    let after = sandbox.listing();
    expected.insert(sandbox.home(), after[&sandbox.home()].clone());
    assert_eq!(after, expected);
    fs::set_permissions(sandbox.home(), fs::Permissions::from_mode(0o750)).unwrap();
    sandbox.builder(["true"]).run().ok();
    assert_eq!(sandbox.home().metadata().unwrap().mode() & 0o7777, 0o750);
}

#[test]
fn a_home_that_is_no_directory_is_an_error() {
    for what in ["file", "dangling link", "link to a file", "loop"] {
        let sandbox = Sandbox::with_builder();
        let at = "real/.hermes/profiles/builder/home";
        match what {
            "file" => sandbox.write(at, "mine"),
            "dangling link" => sandbox.link("/no/such/place", at),
            "link to a file" => sandbox.link(sandbox.write("file", ""), at),
            _ => sandbox.link("home", at),
        };
        let before = sandbox.listing();
        sandbox.builder(["echo", "ran"]).run().fails(125, &[sandbox.home().to_str().unwrap()]);
        assert_eq!(sandbox.listing(), before, "{what}");
    }
}

/// A run with `-v` in which the home is a link with this text; the run succeeds.
#[track_caller]
fn with_linked_home(sandbox: &Sandbox, text: impl AsRef<std::path::Path>) -> Outcome {
    sandbox.mkdir("real/.claude");
    sandbox.link(text, "real/.hermes/profiles/builder/home");
    let outcome = sandbox.line("-v -p builder").run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    outcome
}

#[test]
fn a_home_that_is_a_link_inside_the_profile_is_resolved() {
    let sandbox = Sandbox::with_builder();
    let inner = sandbox.mkdir("real/.hermes/profiles/builder/inner");
    let outcome = with_linked_home(&sandbox, "inner");
    assert_eq!(outcome.var("HOME").unwrap(), inner.display().to_string());
    assert!(inner.join(".claude").is_symlink(), "links are made in it");
}

#[test]
fn nothing_is_made_in_a_home_that_lies_outside_the_profile() {
    let sandbox = Sandbox::with_builder();
    let outside = sandbox.mkdir("outside");
    let outcome = with_linked_home(&sandbox, &outside);
    assert_eq!(outcome.var("HOME").unwrap(), outside.display().to_string());
    assert!(fs::read_dir(&outside).unwrap().next().is_none());
    assert!(outcome.stderr.contains(outside.to_str().unwrap()), "a finding: {outcome:?}");
    sandbox.builder(["true"]).run().ok();
}

#[test]
fn a_home_that_is_an_ancestor_of_the_profile_isolates_nothing() {
    for up in ["..", "../..", "../../..", "../../../.."] {
        let sandbox = Sandbox::with_builder();
        let outcome = with_linked_home(&sandbox, up);
        assert_eq!(outcome.var("HOME").unwrap(), sandbox.real().display().to_string(), "{up}");
        assert_eq!(outcome.var("HERMES_REAL_HOME"), None, "{up}: HOME is not redirected");
        assert!(outcome.stderr.contains("home"), "{up}: a finding: {outcome:?}");
        assert!(fs::read_dir(sandbox.real().join(".claude")).unwrap().next().is_none());
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_home_that_is_not_writable_is_a_finding_and_the_command_runs() {
    let sandbox = with_sources();
    let home = sandbox.mkdir(sandbox.home());
    sandbox.chown_all(54321);
    fs::set_permissions(&home, fs::Permissions::from_mode(0o555)).unwrap();
    for (option, said) in [("-v", true), ("--home=auto", false), ("-q", false)] {
        let run = sandbox.hx([option, "-p", "builder", "echo", "ran"]).program(sandbox.copied_binary()).uid(54321);
        let outcome = run.run();
        assert_eq!((outcome.code(), outcome.out().as_str()), (0, "ran\n"), "{outcome:?}");
        for words in ["home is not writable", "home/.claude is not linked"] {
            assert_eq!(outcome.stderr.contains(words), said, "{words}: {outcome:?}");
        }
    }
    assert!(listing(&home).is_empty());
}

#[test]
fn a_profile_directory_that_is_a_link_is_followed() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.mkdir("big/builder");
    sandbox.link(&elsewhere, "real/.hermes/profiles/builder");
    sandbox.mkdir("real/.claude");
    let outcome = sandbox.line("-p builder").run().ok();
    assert!(elsewhere.join("home/.claude").is_symlink());
    let home = fs::canonicalize(outcome.var("HOME").unwrap()).unwrap();
    assert_eq!(home, elsewhere.join("home"));
}
