//! `active_profile`: what may stand in it, and what may stand in its place.

use super::{profile_of, selected, selects};
use crate::support::Sandbox;
use nix::sys::stat::{Mode, SFlag, mknod};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const ACTIVE: &str = "real/.hermes/active_profile";

#[test]
fn byte_order_mark_and_white_space_are_stripped() {
    let sandbox = Sandbox::with_builder();
    for text in ["builder", "builder\n", "builder\r\n", "\u{feff}builder\r\n", "\n\t builder \n\n", "\u{feff} Builder"]
    {
        sandbox.write(ACTIVE, text);
        selects(&sandbox, "builder", &[""]);
    }
    for text in ["", "\n", "\u{feff}", "\u{feff}\r\n", "default", "Default\n"] {
        sandbox.write(ACTIVE, text);
        selects(&sandbox, "default", &[""]);
    }
}

#[test]
fn it_is_read_in_the_root_that_was_given() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(ACTIVE, "gone");
    sandbox.write("data/active_profile", "other");
    sandbox.mkdir("data/profiles/other");
    let expected = "HOME={dir}/data/profiles/other/home HERMES_HOME={dir}/data/profiles/other";
    sandbox.gives(&[("HERMES_HOME={dir}/data", expected)]);
}

#[test]
fn what_is_not_the_name_of_a_profile_is_an_error_and_is_escaped() {
    let sandbox = Sandbox::with_builder();
    let names = ["gone", "../builder", "a b", "builder/", "bu\u{1b}[31milder", "builder\nother"];
    for text in names.map(str::as_bytes).into_iter().chain([&b"\x7fELF\x02\x01\x00\xff\xfe"[..]]) {
        sandbox.write(ACTIVE, text);
        let before = sandbox.listing();
        let outcome = sandbox.hx(["true"]).run().fails(125, &[]);
        assert!(!outcome.stderr.contains(|c: char| c != '\n' && c.is_ascii_control()), "{outcome:?}");
        assert_eq!(sandbox.listing(), before);
    }
}

#[test]
fn what_cannot_be_read_in_its_place_is_a_warning_and_does_not_block() {
    are_warnings(&["named pipe", "directory"]);
}

/// Devices, and files of other users, need root.
#[cfg(target_os = "linux")]
#[test]
fn neither_does_a_device_or_a_file_of_another_user() {
    are_warnings(&["device", "closed file"]);
}

/// The default profile runs, with one warning that names the path.
fn are_warnings(places: &[&str]) {
    const UID: u32 = 54321;
    for what in places {
        let sandbox = Sandbox::with_builder();
        let path = sandbox.path(ACTIVE);
        let node = |kind, number| mknod(&path, kind, Mode::from_bits_truncate(0o644), number).unwrap();
        match *what {
            "named pipe" => node(SFlag::S_IFIFO, 0),
            "device" => node(SFlag::S_IFCHR, nix::libc::makedev(1, 3)),
            "directory" => drop(sandbox.mkdir(ACTIVE)),
            _ => {
                sandbox.write(ACTIVE, "builder");
                fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
                sandbox.chown_all(UID);
            }
        }
        for (option, lines) in [("", 1), ("-q", 0)] {
            let run = sandbox.line(option);
            let is_closed = *what == "closed file";
            let outcome = if is_closed { run.program(sandbox.copied_binary()).uid(UID) } else { run }.run();
            assert_eq!(outcome.code(), 0, "{what}: {outcome:?}");
            assert_eq!(profile_of(&sandbox, &outcome.var("HOME").unwrap()), "default", "{what}");
            assert_eq!(outcome.stderr.lines().count(), lines, "{what}: {outcome:?}");
            let named =
                |line: &str| line.starts_with("hermes-exec: warning: ") && line.contains(path.to_str().unwrap());
            assert!(outcome.stderr.lines().all(named), "{what}: {outcome:?}");
        }
    }
}

#[test]
fn under_a_supervisor_it_is_not_read_and_the_other_sources_count() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(ACTIVE, "builder");
    for name in ["HERMES_SUPERVISED_CHILD", "HERMES_S6_SUPERVISED_CHILD", "HERMES_GATEWAY_EXTERNAL_SUPERVISOR"] {
        selects(&sandbox, "default", &[&format!("{name}=1")]);
        assert_eq!(selected(&sandbox, sandbox.line("").env(name, " ")), "builder", "{name} is blank: unset");
    }
    sandbox.write(ACTIVE, "gone");
    selects(&sandbox, "default", &["HERMES_SUPERVISED_CHILD=1"]);
    selects(&sandbox, "builder", &["HERMES_SUPERVISED_CHILD=1 HERMES_PROFILE=builder"]);
}
