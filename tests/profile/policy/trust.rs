//! Who may have written the file. These tests give files away, so they need root.

use super::{OF_PROFILE, OF_ROOT};
use crate::support::Sandbox;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};

const CALLER: u32 = 10000;
const OTHER: u32 = 20000;

/// Owner, group and mode of a file, and whether it is trusted.
type File = (u32, u32, u32, bool);

/// Starts as `caller` with the profile directory of `owner`, for each file in each of its three places.
#[track_caller]
fn check(caller: u32, owner: u32, files: &[File]) {
    assert!(nix::unistd::geteuid().is_root(), "this test gives files to another user: run it as root");
    let sandbox = Sandbox::with_builder();
    let copy = sandbox.copied_binary();
    sandbox.chown_all(owner);
    for place in [OF_PROFILE, OF_ROOT, "work/named.json"] {
        let path = sandbox.write(place, r#"{"set": {"POLICY": "read"}}"#);
        for (uid, gid, mode, trusted) in files {
            chown(&path, Some(*uid), Some(*gid)).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            let named = sandbox.path("work/named.json");
            let named = if place.starts_with("work") { vec!["--policy", named.to_str().unwrap()] } else { Vec::new() };
            // HOME stays: the caller may not be one who can make the profile's home.
            let args = [&named[..], &["-p", "builder", "--home", "real", "--", "/usr/bin/env", "-0"]].concat();
            let outcome = sandbox.hx(args).program(&copy).uid(caller).env("HERMES_HOME", sandbox.root()).run();
            let what = format!("{place}: uid {uid}, gid {gid}, mode {mode:o}");
            if *trusted {
                assert_eq!(outcome.code(), 0, "{what}: {outcome:?}");
                assert_eq!(outcome.var("POLICY").as_deref(), Some("read"), "{what}");
            } else {
                let outcome = outcome.fails(125, &[path.to_str().unwrap(), "ch"]);
                assert_eq!(outcome.stderr.lines().count(), 2, "{what}: the hint says what to type: {outcome:?}");
            }
        }
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn files_of_the_caller_and_of_root_are_trusted_and_others_are_not() {
    check(
        CALLER,
        CALLER,
        &[
            (CALLER, CALLER, 0o600, true),
            (CALLER, CALLER, 0o644, true),
            (CALLER, OTHER, 0o644, true),
            (0, 0, 0o644, true),
            (0, OTHER, 0o644, true),
            (OTHER, OTHER, 0o644, false),
            (OTHER, CALLER, 0o644, false),
            (65534, 65534, 0o444, false),
        ],
    );
}

#[test]
fn a_file_of_the_owner_of_the_profile_is_not_trusted() {
    check(CALLER, OTHER, &[(OTHER, OTHER, 0o644, false), (CALLER, OTHER, 0o644, true)]);
    check(0, OTHER, &[(OTHER, OTHER, 0o600, false), (0, 0, 0o600, true), (0, OTHER, 0o640, true)]);
}

#[test]
fn a_file_that_everybody_can_write_is_not_trusted() {
    let modes = [0o646, 0o602, 0o666, 0o777, 0o1646];
    let of = |uid| modes.map(|mode| (uid, uid, mode, false));
    // One that its owner may read, so that it is not the reading that fails.
    check(CALLER, CALLER, &of(CALLER));
    check(0, 0, &of(0));
    check(0, CALLER, &of(CALLER));
}

#[test]
fn a_group_that_can_write_is_the_callers() {
    check(
        CALLER,
        CALLER,
        &[
            (CALLER, CALLER, 0o660, true),
            (0, CALLER, 0o664, true),
            (CALLER, OTHER, 0o664, false),
            (CALLER, 0, 0o664, false),
            (0, 0, 0o664, false),
            (CALLER, OTHER, 0o624, false),
        ],
    );
    check(CALLER, OTHER, &[(CALLER, OTHER, 0o664, false), (CALLER, CALLER, 0o664, true)]);
    check(0, CALLER, &[(0, 0, 0o660, true), (0, CALLER, 0o660, false), (0, OTHER, 0o660, false)]);
}

#[test]
fn of_a_link_that_is_named_the_file_that_it_leads_to_counts() {
    let sandbox = Sandbox::with_builder();
    let copy = sandbox.copied_binary();
    let target = sandbox.write("shared/policy.json", "{}");
    let link = sandbox.link(&target, "work/linked.json");
    sandbox.chown_all(CALLER);
    let args = ["--policy", link.to_str().unwrap(), "-p", "builder", "true"];
    let start = || sandbox.hx(args).program(&copy).uid(CALLER).run();
    start().ok();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o666)).unwrap();
    start().fails(125, &["linked.json", "world-writable"]);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
    chown(&target, Some(OTHER), Some(OTHER)).unwrap();
    start().fails(125, &["linked.json", "owned by another user"]);
}

/// The hint of a file that is not trusted is a command that mends it.
#[test]
fn the_hint_mends_it() {
    for (uid, mode) in [(0, 0o666), (0, 0o647), (OTHER, 0o644)] {
        let sandbox = Sandbox::with_builder();
        let path = sandbox.write(OF_PROFILE, "{}");
        chown(&path, Some(uid), Some(uid)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let outcome = sandbox.builder(["true"]).run().fails(125, &[]);
        let hint = outcome.stderr.lines().nth(1).unwrap().split_once("hint: ").unwrap().1.to_owned();
        let mended = std::process::Command::new("sh").args(["-c", &hint]).status().unwrap();
        assert!(mended.success(), "{hint}");
        sandbox.builder(["true"]).run().ok();
    }
}
