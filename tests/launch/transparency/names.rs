//! `argv`: the command's own first word, `--argv0`, and the name by which hermes-exec itself is called.

use std::path::Path;

use super::Twin;
use crate::support::start::{Start, example};
use crate::support::{BINARY, bytes};

/// X21: called through a link of another name hermes-exec is no other program. One of these names is a command's, one is a
/// shell's login name, one holds no name at all.
#[test]
fn hermes_exec_by_another_name() {
    for name in ["hx", "env", "sh", "probe", "-hermes-exec", "h\u{e9}"] {
        let mut twin = Twin::new();
        twin.binary = twin.sandbox.link(BINARY, format!("names/{name}"));
        twin.is_the_same(|start| start);
    }
}

/// The probe's `argv` lines after a start of hermes-exec with this `argv`.
fn argv(call: &[&[u8]]) -> Vec<String> {
    let twin = Twin::new();
    let report = twin.sandbox.path("report");
    let mut all: Vec<_> = call.iter().map(|word| bytes(word)).collect();
    let probe = example("probe");
    all.extend([probe.as_os_str(), bytes(b"report"), report.as_os_str()]);
    let ended = Start::new(twin.sandbox.path("work")).block(&twin.block).run(Path::new(BINARY), all);
    assert_eq!(ended.code(), 0, "{ended:?}");
    let text = std::fs::read_to_string(report).unwrap();
    text.lines().filter_map(|line| Some(line.strip_prefix("argv ")?.split_once(": ")?.1.to_owned())).collect()
}

#[test]
fn the_zeroth_argument_of_hermes_exec_can_be_anything() {
    for name in [&b""[..], b"/", b"x/", b"\xff", b"--help", b"a b"] {
        assert_eq!(argv(&[name])[0], example("probe").display().to_string(), "{name:?}");
    }
}

/// `execve` with an empty `argv`, which Linux turns into one empty argument (since 5.18).
#[test]
fn no_arguments_at_all() {
    let twin = Twin::new();
    let none: [&str; 0] = [];
    let ended = Start::new(twin.sandbox.path("work")).block(&twin.block).run(Path::new(BINARY), none);
    assert_eq!(ended.code(), 125, "{ended:?}");
    assert!(ended.err.starts_with("hermes-exec: error: no command given"), "{ended:?}");
}

#[test]
fn argv0_is_given_byte_for_byte() {
    for (name, shown) in [(&b"other"[..], "other"), (b"-sh", "-sh"), (b"", ""), (b"\xff\n", "\\xff\\n")] {
        assert_eq!(argv(&[b"hermes-exec", b"-a", name])[0], shown);
        assert_eq!(argv(&[b"hermes-exec", b"--argv0", name, b"--"])[0], shown);
    }
}

/// One program under several names, as busybox is: each link is its own word.
#[test]
fn a_program_of_many_names() {
    let twin = Twin::new();
    for name in ["ls", "cat", "[", "x y", "\u{e9}"] {
        let link = twin.sandbox.link(example("probe"), format!("applets/{name}"));
        for word in [name.to_owned(), format!("../applets/{name}"), link.display().to_string()] {
            let report = twin.sandbox.path("report");
            let path = format!("PATH={}", twin.sandbox.path("applets").display());
            let start = Start::new(twin.sandbox.path("work")).block([path, "HOME=/".into()]);
            let ended = start.run(Path::new(BINARY), ["hermes-exec", "--", &word, "report", report.to_str().unwrap()]);
            assert_eq!(ended.code(), 0, "{ended:?}");
            let text = std::fs::read_to_string(&report).unwrap();
            let expected = format!("argv 0: {}", word.as_bytes().escape_ascii());
            assert!(text.lines().any(|line| line == expected), "{expected} is missing: {text}");
        }
    }
}
