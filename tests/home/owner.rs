//! Root as the caller, and a profile that belongs to another user. These tests give files away, so they need root.

use super::env;
use crate::support::{Run, Sandbox};
use std::fs;
use std::os::unix::fs::MetadataExt;

/// A tree as in a container: the root belongs to uid 10000, the caller is root with a login of its own.
fn owned_by_another(root: &str) -> Sandbox {
    assert!(nix::unistd::geteuid().is_root(), "this test gives files to another user: run it as root");
    let sandbox = Sandbox::without_hermes();
    sandbox.mkdir(format!("{root}/profiles/builder"));
    sandbox.mkdir("login/.claude");
    sandbox.chown_all(10000);
    std::os::unix::fs::chown(sandbox.path("login"), Some(0), Some(0)).unwrap();
    sandbox
}

/// As root, with root's own login as HOME.
fn as_root(sandbox: &Sandbox, root: &str, options: &[&str]) -> Run {
    let options = [options, &["-p", "builder"]].concat();
    let run = sandbox.hx(env(&options)).env("HOME", sandbox.path("login"));
    run.env("HERMES_HOME", sandbox.path(root))
}

#[test]
fn as_root_everything_new_belongs_to_the_owner_of_the_profile() {
    let sandbox = owned_by_another("real/.hermes");
    sandbox.mkdir("real/.claude");
    sandbox.mkdir("real/.config/gh");
    let home = sandbox.home();
    as_root(&sandbox, "real/.hermes", &["--share", ".config/gh"]).run().ok();
    for place in ["", ".claude", ".claude.json", ".config", ".config/gh"] {
        let meta = home.join(place).symlink_metadata().unwrap();
        assert_eq!((meta.uid(), meta.gid()), (10000, 10000), "{place:?}");
    }
}

#[test]
fn as_root_what_is_there_already_keeps_its_owner_and_is_closed_to_that_of_the_profile() {
    let sandbox = owned_by_another("real/.hermes");
    sandbox.mkdir("real/.config/gh");
    let home = sandbox.mkdir("real/.hermes/profiles/builder/home/.config");
    std::os::unix::fs::chown(sandbox.home(), Some(10000), Some(10000)).unwrap();
    sandbox.mkdir("real/.claude");
    as_root(&sandbox, "real/.hermes", &["--share", ".config/gh"]).run().ok();
    assert_eq!(home.metadata().unwrap().uid(), 0);
    assert!(home.join("gh").symlink_metadata().is_err(), "the owner could not have made it");
    assert_eq!(sandbox.home().join(".claude").symlink_metadata().unwrap().uid(), 10000);
}

#[test]
fn the_login_of_root_is_never_linked_into_the_profile_of_another() {
    // uid 10000 has no passwd entry: its real home is the directory that holds the root as `.hermes`.
    let sandbox = owned_by_another("real/.hermes");
    sandbox.mkdir("real/.claude");
    let outcome = as_root(&sandbox, "real/.hermes", &[]).run().ok();
    assert_eq!(outcome.var("HERMES_REAL_HOME").unwrap(), sandbox.real().display().to_string());
    let link = sandbox.home().join(".claude");
    assert_eq!(fs::read_link(link).unwrap(), sandbox.real().join(".claude"));
}

#[test]
fn the_owner_is_asked_for_its_passwd_entry_first() {
    let sandbox = owned_by_another("real/.hermes");
    let daemon = nix::unistd::User::from_uid(1.into()).unwrap().expect("uid 1 is known");
    assert!(daemon.dir.is_dir(), "{daemon:?} has a home");
    sandbox.chown_all(1);
    let outcome = as_root(&sandbox, "real/.hermes", &[]).run().ok();
    assert_eq!(outcome.var("HERMES_REAL_HOME").unwrap(), daemon.dir.display().to_string());
}

#[test]
fn where_the_owner_has_no_real_home_nothing_is_linked_and_one_note_says_so() {
    let sandbox = owned_by_another("data");
    let outcome = as_root(&sandbox, "data", &["-v"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let home = sandbox.path("data/profiles/builder/home");
    assert_eq!(outcome.var("HOME").unwrap(), home.display().to_string());
    assert!(fs::read_dir(&home).unwrap().next().is_none(), "nothing is linked");
    assert!(outcome.stderr.lines().count() >= 1, "{outcome:?}");
    as_root(&sandbox, "data", &[]).run().ok();
}

#[test]
fn privileges_are_never_dropped() {
    let sandbox = owned_by_another("real/.hermes");
    let run = sandbox.builder(["id", "-u"]).env("HERMES_HOME", sandbox.root());
    assert_eq!(run.run().ok().out(), "0\n");
}
