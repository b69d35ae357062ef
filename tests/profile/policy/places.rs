//! Which file is the policy, and what may stand in its place.

use super::{OF_PROFILE, OF_ROOT, as_builder};
use crate::support::Sandbox;
use nix::sys::stat::{Mode, SFlag, mknod};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A policy file that can be told from others.
fn marked(mark: &str) -> String {
    format!("{{\"set\": {{\"POLICY\": \"{mark}\"}}}}")
}

/// The profile, its root and another profile, each with a file of its own, and two files elsewhere.
fn with_files() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    sandbox.write(OF_PROFILE, marked("profile"));
    sandbox.write(OF_ROOT, marked("root"));
    sandbox.write("real/.hermes/profiles/other/hermes-exec.json", marked("other"));
    sandbox.write("work/one.json", marked("one"));
    sandbox.write("work/two.json", marked("two"));
    sandbox
}

#[test]
fn the_file_of_the_profile_comes_before_the_one_of_the_root() {
    let sandbox = with_files();
    // The root is the directory of the profile `default`.
    sandbox.gives(&[("-p builder", "POLICY=profile"), ("", "POLICY=root")]);
    fs::remove_file(sandbox.path(OF_PROFILE)).unwrap();
    sandbox.gives(&[("-p builder", "POLICY=root")]);
    fs::remove_file(sandbox.path(OF_ROOT)).unwrap();
    sandbox.gives(&[("-p builder", "-POLICY"), ("", "-POLICY")]);
}

#[test]
fn every_source_of_the_profile_and_of_the_root_decides_which_file() {
    let sandbox = with_files();
    sandbox.mkdir("data/profiles/builder");
    sandbox.write("data/hermes-exec.json", marked("data"));
    sandbox.gives(&[
        ("HERMES_PROFILE=other", "POLICY=other"),
        ("HERMES_HOME={root}/profiles/other", "POLICY=other"),
        ("HERMES_HOME={root}/profiles/other -p builder", "POLICY=profile"),
        ("HERMES_HOME={dir}/data", "POLICY=data"),
        ("HERMES_HOME={dir}/data -p builder", "POLICY=data"),
        ("HERMES_HOME={dir}/data/profiles/builder", "POLICY=data"),
    ]);
    sandbox.write("real/.hermes/active_profile", "other");
    sandbox.gives(&[("", "POLICY=other")]);
}

#[test]
fn one_file_alone_holds() {
    let sandbox = with_files();
    sandbox.write(OF_PROFILE, "{}");
    sandbox.gives(&[("-p builder", "-POLICY")]);
    sandbox.write(OF_ROOT, "not read, and not JSON");
    sandbox.gives(&[("-p builder", "-POLICY")]);
    sandbox.write(OF_PROFILE, "not JSON");
    sandbox.gives(&[("-p builder --policy one.json", "POLICY=one"), ("-p builder --no-policy", "-POLICY")]);
}

/// Whoever links the file to one that has been moved must not lose its rules in silence.
#[test]
fn a_link_that_leads_nowhere_is_not_a_file_that_nobody_made() {
    for place in [OF_PROFILE, OF_ROOT, "work/one.json"] {
        let sandbox = Sandbox::with_builder();
        let path = sandbox.link("/nonexistent/rules.json", sandbox.path(place));
        let is_named = place.starts_with("work");
        let options = if is_named { &["--policy", "one.json"][..] } else { &[] };
        let named = if is_named { "one.json" } else { path.to_str().unwrap() };
        let what = if is_named { "it is a dangling symlink" } else { "is a symlink, which is not followed here" };
        sandbox.hx(as_builder(options)).run().fails(125, &[named, what]);
        sandbox.hx(as_builder(&[options, &["--no-policy"]].concat())).run().ok();
    }
}

#[test]
fn of_policy_and_no_policy_the_later_wins() {
    with_files().gives(&[
        ("-p builder --policy one.json", "POLICY=one"),
        ("-p builder --policy=one.json", "POLICY=one"),
        ("-p builder --policy one.json --policy two.json", "POLICY=two"),
        ("-p builder --policy=/no/such/file --policy two.json", "POLICY=two"),
        ("-p builder --no-policy", "-POLICY"),
        ("-p builder --no-policy --no-policy", "-POLICY"),
        ("-p builder --policy one.json --no-policy", "-POLICY"),
        ("-p builder --policy=/no/such/file --no-policy", "-POLICY"),
        ("-p builder --no-policy --policy one.json", "POLICY=one"),
        ("-p builder --policy one.json --no-policy --policy two.json", "POLICY=two"),
        ("-p builder --no-policy --policy one.json --no-policy", "-POLICY"),
    ]);
}

#[test]
fn a_relative_policy_counts_from_before_chdir() {
    let sandbox = with_files();
    sandbox.write("elsewhere/one.json", marked("the wrong one"));
    sandbox.write("elsewhere/only.json", marked("not there yet"));
    sandbox.gives(&[
        ("-p builder --policy one.json -C {dir}/elsewhere", "POLICY=one"),
        ("-p builder -C {dir}/elsewhere --policy ./one.json", "POLICY=one"),
    ]);
    sandbox.refuses(&[("-C {dir}/elsewhere --policy only.json", "only.json")]);
}

#[test]
fn a_policy_that_is_named_has_to_be_there() {
    let sandbox = with_files();
    for path in ["/no/such/file", "no-such-file", "", "one.json/x"] {
        let outcome = sandbox.hx(["--policy", path, "touch", "made"]).run().fails(125, &[path]);
        assert!(!sandbox.path("work/made").exists(), "{outcome:?}");
    }
}

#[test]
fn where_there_is_no_hermes_a_policy_can_be_named_still() {
    let sandbox = Sandbox::without_hermes();
    for place in ["real/hermes-exec.json", "work/hermes-exec.json", "real/.config/hermes-exec.json"] {
        sandbox.write(place, marked("not looked for"));
    }
    sandbox.write("work/one.json", marked("one"));
    sandbox.gives(&[("", "-POLICY"), ("--policy one.json", "POLICY=one")]);
}

/// What can be in the place of a policy file that can be read, and what the message says of it.
type Put = fn(&Sandbox, &str);
const NOT_POLICIES: [(&str, Put, &str); 7] = [
    ("a directory", |sandbox, place| drop(sandbox.mkdir(place)), "not a regular file"),
    ("a named pipe", |sandbox, place| node(sandbox, place, SFlag::S_IFIFO, 0), "not a regular file"),
    ("a device", |sandbox, place| node(sandbox, place, SFlag::S_IFCHR, nix::libc::makedev(1, 3)), "not a regular file"),
    ("a loop of symlinks", |sandbox, place| drop(sandbox.link(sandbox.path(place), place)), ""),
    ("a file of more than 1 MiB", |sandbox, place| drop(sandbox.write(place, padded("{}", (1 << 20) + 1))), "1 MiB"),
    ("a file of 10 MiB", |sandbox, place| drop(sandbox.write(place, padded("{}", 10 << 20))), "1 MiB"),
    (
        CLOSED,
        |sandbox, place| {
            fs::set_permissions(sandbox.write(place, "{}"), fs::Permissions::from_mode(0o000)).unwrap();
            sandbox.chown_all(UID);
        },
        "ermission denied",
    ),
];
const CLOSED: &str = "a file that the caller may not read";
const UID: u32 = 54321;

fn node(sandbox: &Sandbox, place: &str, kind: SFlag, device: nix::libc::dev_t) {
    mknod(&sandbox.path(place), kind, Mode::from_bits_truncate(0o644), device).unwrap();
}

fn padded(text: &str, length: usize) -> String {
    format!("{text}{}", " ".repeat(length - text.len()))
}

/// In each of the three places: 125, its path, nothing started, nothing made.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn what_cannot_be_read_in_its_place_stops_the_run() {
    for (what, put, words) in NOT_POLICIES {
        for (place, options) in
            [(OF_PROFILE, &[][..]), (OF_ROOT, &[]), ("work/named.json", &["--policy", "named.json"])]
        {
            let sandbox = Sandbox::with_builder();
            let copy = sandbox.copied_binary();
            put(&sandbox, place);
            let before = sandbox.listing();
            let start = |args: &[&str]| {
                let run = sandbox.hx([&["-p", "builder"], options, args].concat());
                // A file that is waited for would hang the test.
                let run = run.program(&copy).after_sh("set -- timeout 60 \"$@\"");
                if what == CLOSED { run.uid(UID) } else { run }
            };
            let path = sandbox.path(place).display().to_string();
            let named = options.last().copied().unwrap_or(&path);
            let outcome = start(&["touch", "made"]).run().fails(125, &[named, words]);
            assert!(!outcome.stderr.contains("panic"), "{outcome:?}");
            start(&["--unlink"]).run().fails(125, &[named]);
            let explained = start(&["-n", "touch", "made"]).run();
            assert_eq!(explained.code(), 125, "{what}: {explained:?}");
            assert_eq!(sandbox.listing(), before, "{what} at {place}");
            start(&["--no-policy", "true"]).run().ok();
        }
    }
    // As large as it may be.
    let sandbox = Sandbox::with_builder();
    sandbox.write(OF_PROFILE, padded(&marked("large"), 1 << 20));
    sandbox.gives(&[("-p builder", "POLICY=large")]);
}

#[test]
fn what_reads_no_file_does_not_read_it() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(OF_ROOT, "not JSON");
    for option in ["-h", "--help", "-V", "--version", "--catalogue"] {
        sandbox.hx([option]).run().ok();
        sandbox.hx(["--policy", "/no/such/file", option]).run().ok();
    }
}

/// Also where the profile itself is wrong, the profile is what is reported: it decides where the file is.
#[test]
fn the_profile_is_settled_before_the_policy() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(OF_ROOT, "not JSON");
    sandbox.hx(["-p", "nobody", "true"]).run().fails(125, &["nobody"]);
}
