//! `active_profile`: what may stand in it, and what may stand in its place.

use super::{env, profile_of, selected};
use crate::support::Sandbox;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const ACTIVE: &str = "real/.hermes/active_profile";

#[test]
fn byte_order_mark_and_white_space_are_stripped() {
    let sandbox = Sandbox::with_builder();
    for text in ["builder", "builder\n", "builder\r\n", "\u{feff}builder\r\n", "\n\t builder \n\n", "\u{feff} Builder"]
    {
        sandbox.write(ACTIVE, text);
        assert_eq!(selected(&sandbox, sandbox.hx(env(&[]))), "builder", "{text:?}");
    }
    for text in ["", "\n", "\u{feff}", "\u{feff}\r\n", "default", "Default\n"] {
        sandbox.write(ACTIVE, text);
        assert_eq!(selected(&sandbox, sandbox.hx(env(&[]))), "default", "{text:?}");
    }
}

#[test]
fn it_is_read_in_the_root_that_was_given() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(ACTIVE, "gone");
    sandbox.write("data/active_profile", "other");
    let home = sandbox.mkdir("data/profiles/other").join("home");
    let outcome = sandbox.hx(env(&[])).env("HERMES_HOME", sandbox.path("data")).run().ok();
    assert_eq!(outcome.var("HOME").unwrap(), home.display().to_string());
    assert_eq!(outcome.var("HERMES_HOME").unwrap(), sandbox.path("data/profiles/other").display().to_string());
}

#[test]
fn a_name_in_it_that_is_no_profile_is_an_error() {
    let sandbox = Sandbox::with_builder();
    for text in ["gone", "../builder", "a b", "builder/", "bu\u{1b}[31milder", "builder\nother"] {
        sandbox.write(ACTIVE, text);
        let before = sandbox.listing();
        let outcome = sandbox.hx(["true"]).run().fails(125, &[]);
        let printable = outcome.stderr.trim_end_matches('\n').bytes().all(|byte| byte == b'\n' || byte >= b' ');
        assert!(printable, "control characters are escaped: {outcome:?}");
        assert_eq!(sandbox.listing(), before);
    }
}

#[test]
fn bytes_in_it_that_are_not_utf8_are_an_error_and_are_escaped() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(ACTIVE, b"\x7fELF\x02\x01\x00\xff\xfe");
    let outcome = sandbox.hx(["true"]).run().fails(125, &[]);
    assert!(!outcome.stderr.contains('\0') && !outcome.stderr.contains('\x7f'), "{outcome:?}");
}

/// With something unreadable in place of `active_profile` the default profile runs, with one warning that names the path.
#[track_caller]
fn warned(sandbox: &Sandbox, uid: Option<u32>) {
    for (option, lines) in [("--home=auto", 1), ("-q", 0)] {
        let mut run = sandbox.hx(env(&[option]));
        if let Some(uid) = uid {
            run = run.program(sandbox.copied_binary()).uid(uid);
        }
        let outcome = run.run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        assert_eq!(profile_of(sandbox, &outcome.var("HOME").unwrap()), "default");
        assert_eq!(outcome.stderr.lines().count(), lines, "{outcome:?}");
        let path = sandbox.path(ACTIVE);
        let named = |line: &str| line.starts_with("hermes-exec: warning: ") && line.contains(path.to_str().unwrap());
        assert!(outcome.stderr.lines().all(named), "{outcome:?}");
    }
}

#[test]
fn a_named_pipe_in_its_place_does_not_block() {
    let sandbox = Sandbox::with_builder();
    nix::unistd::mkfifo(&sandbox.path(ACTIVE), nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    warned(&sandbox, None);
}

#[test]
fn a_directory_in_its_place_is_a_warning() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir(ACTIVE);
    warned(&sandbox, None);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_device_in_its_place_is_a_warning() {
    let sandbox = Sandbox::with_builder();
    let (path, null) = (sandbox.path(ACTIVE), nix::libc::makedev(1, 3));
    let mode = nix::sys::stat::Mode::from_bits_truncate(0o644);
    nix::sys::stat::mknod(&path, nix::sys::stat::SFlag::S_IFCHR, mode, null).unwrap();
    warned(&sandbox, None);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_file_that_may_not_be_read_is_a_warning() {
    let sandbox = Sandbox::with_builder();
    let file = sandbox.write(ACTIVE, "builder");
    fs::set_permissions(file, fs::Permissions::from_mode(0o000)).unwrap();
    sandbox.chown_all(54321);
    warned(&sandbox, Some(54321));
}

#[test]
fn under_a_supervisor_it_is_not_read() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(ACTIVE, "builder");
    for name in ["HERMES_SUPERVISED_CHILD", "HERMES_S6_SUPERVISED_CHILD", "HERMES_GATEWAY_EXTERNAL_SUPERVISOR"] {
        assert_eq!(selected(&sandbox, sandbox.hx(env(&[])).env(name, "1")), "default", "{name}");
        assert_eq!(selected(&sandbox, sandbox.hx(env(&[])).env(name, " ")), "builder", "{name} is blank: unset");
    }
    sandbox.write(ACTIVE, "gone");
    selected(&sandbox, sandbox.hx(env(&[])).env("HERMES_SUPERVISED_CHILD", "1"));
}

#[test]
fn under_a_supervisor_the_other_sources_count() {
    let sandbox = Sandbox::with_builder();
    let run = sandbox.hx(env(&[])).env("HERMES_SUPERVISED_CHILD", "1").env("HERMES_PROFILE", "builder");
    assert_eq!(selected(&sandbox, run), "builder");
}
