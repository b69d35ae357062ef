//! Which file is the policy, and what may stand in its place.

use super::{OF_PROFILE, OF_ROOT, as_builder};
use crate::support::{Run, Sandbox};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A policy file that can be told from others.
fn marked(mark: &str) -> String {
    format!("{{\"set\": {{\"POLICY\": \"{mark}\"}}}}")
}

/// The mark of the policy file that held in a run without a word on stderr.
#[track_caller]
fn policy_of(run: Run) -> Option<String> {
    run.run().ok().var("POLICY")
}

const ENV: [&str; 2] = ["/usr/bin/env", "-0"];

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
    assert_eq!(policy_of(sandbox.hx(as_builder(&[]))).unwrap(), "profile");
    assert_eq!(policy_of(sandbox.hx(ENV)).unwrap(), "root", "the root is the directory of the profile `default`");
    fs::remove_file(sandbox.path(OF_PROFILE)).unwrap();
    assert_eq!(policy_of(sandbox.hx(as_builder(&[]))).unwrap(), "root");
    fs::remove_file(sandbox.path(OF_ROOT)).unwrap();
    assert_eq!(policy_of(sandbox.hx(as_builder(&[]))), None);
    assert_eq!(policy_of(sandbox.hx(ENV)), None);
}

#[test]
fn every_source_of_the_profile_leads_to_its_file() {
    let sandbox = with_files();
    let other = sandbox.path("real/.hermes/profiles/other");
    assert_eq!(policy_of(sandbox.hx(ENV).env("HERMES_PROFILE", "other")).unwrap(), "other");
    assert_eq!(policy_of(sandbox.hx(ENV).env("HERMES_HOME", &other)).unwrap(), "other");
    assert_eq!(policy_of(sandbox.hx(as_builder(&[])).env("HERMES_HOME", &other)).unwrap(), "profile");
    sandbox.write("real/.hermes/active_profile", "other");
    assert_eq!(policy_of(sandbox.hx(ENV)).unwrap(), "other");
}

#[test]
fn of_another_root_the_file_is_in_that_root() {
    let sandbox = with_files();
    sandbox.mkdir("data/profiles/builder");
    sandbox.write("data/hermes-exec.json", marked("data"));
    let data = sandbox.path("data");
    assert_eq!(policy_of(sandbox.hx(ENV).env("HERMES_HOME", &data)).unwrap(), "data");
    assert_eq!(policy_of(sandbox.hx(as_builder(&[])).env("HERMES_HOME", &data)).unwrap(), "data");
    let shaped = sandbox.path("data/profiles/builder");
    assert_eq!(policy_of(sandbox.hx(ENV).env("HERMES_HOME", shaped)).unwrap(), "data");
}

#[test]
fn one_file_alone_holds() {
    let sandbox = with_files();
    sandbox.write(OF_PROFILE, "{}");
    assert_eq!(policy_of(sandbox.hx(as_builder(&[]))), None, "the file of the root is not merged in");
    sandbox.write(OF_ROOT, "not read, and not JSON");
    assert_eq!(policy_of(sandbox.hx(as_builder(&[]))), None);
    sandbox.write(OF_PROFILE, "not JSON");
    assert_eq!(policy_of(sandbox.hx(as_builder(&["--policy", "one.json"]))).unwrap(), "one");
    assert_eq!(policy_of(sandbox.hx(as_builder(&["--no-policy"]))), None);
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
        assert_eq!(policy_of(sandbox.hx(as_builder(&[options, &["--no-policy"]].concat()))), None);
    }
}

#[test]
fn of_policy_and_no_policy_the_later_wins() {
    let sandbox = with_files();
    let gone = "--policy=/no/such/file";
    for (options, policy) in [
        (&["--policy", "one.json"][..], Some("one")),
        (&["--policy=one.json"], Some("one")),
        (&["--policy", "one.json", "--policy", "two.json"], Some("two")),
        (&[gone, "--policy", "two.json"], Some("two")),
        (&["--no-policy"], None),
        (&["--no-policy", "--no-policy"], None),
        (&["--policy", "one.json", "--no-policy"], None),
        (&[gone, "--no-policy"], None),
        (&["--no-policy", "--policy", "one.json"], Some("one")),
        (&["--policy", "one.json", "--no-policy", "--policy", "two.json"], Some("two")),
        (&["--no-policy", "--policy", "one.json", "--no-policy"], None),
    ] {
        assert_eq!(policy_of(sandbox.hx(as_builder(options))).as_deref(), policy, "{options:?}");
    }
}

#[test]
fn a_relative_policy_counts_from_before_chdir() {
    let sandbox = with_files();
    sandbox.write("elsewhere/one.json", marked("the wrong one"));
    let elsewhere = sandbox.path("elsewhere").display().to_string();
    for options in [&["--policy", "one.json", "-C", &elsewhere][..], &["-C", &elsewhere, "--policy", "./one.json"]] {
        assert_eq!(policy_of(sandbox.hx(as_builder(options))).unwrap(), "one", "{options:?}");
    }
    sandbox.write("elsewhere/only.json", marked("not there yet"));
    let args = ["-C", &elsewhere, "--policy", "only.json", "true"];
    sandbox.hx(args).run().fails(125, &["only.json"]);
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
    assert_eq!(policy_of(sandbox.hx(ENV)), None);
    sandbox.write("work/one.json", marked("one"));
    assert_eq!(policy_of(sandbox.hx(["--policy", "one.json", ENV[0], ENV[1]])).unwrap(), "one");
}

/// In each of the three places the file stops the run: 125, its path, nothing started, nothing made.
#[track_caller]
fn stops(put: impl Fn(&Sandbox, &str), uid: Option<u32>, words: &[&str]) {
    for place in [OF_PROFILE, OF_ROOT, "work/named.json"] {
        let sandbox = Sandbox::with_builder();
        put(&sandbox, place);
        let path = sandbox.path(place).display().to_string();
        let options = if place.starts_with("work") { vec!["--policy", "named.json"] } else { Vec::new() };
        let copy = sandbox.copied_binary();
        if let Some(uid) = uid {
            sandbox.chown_all(uid);
        }
        let before = sandbox.listing();
        let start = |args: &[&str]| {
            let run = sandbox.hx(["-p", "builder"].iter().chain(&options).chain(args));
            // A file that is waited for would hang the test.
            let run = run.program(&copy).after_sh("set -- timeout 60 \"$@\"");
            if let Some(uid) = uid { run.uid(uid) } else { run }
        };
        let named = if place.starts_with("work") { "named.json" } else { &path };
        let outcome = start(&["touch", "made"]).run().fails(125, &[&[named], words].concat());
        assert!(!outcome.stderr.contains("panic"), "{outcome:?}");
        start(&["--unlink"]).run().fails(125, &[named]);
        let explained = start(&["-n", "touch", "made"]).run();
        assert_eq!(explained.code(), 125, "{explained:?}");
        assert_eq!(sandbox.listing(), before, "{place}");
        start(&["--no-policy", "true"]).run().ok();
    }
}

#[test]
fn a_directory_in_its_place_stops_the_run() {
    stops(|sandbox, place| drop(sandbox.mkdir(place)), None, &["not a regular file"]);
}

#[test]
fn a_named_pipe_in_its_place_stops_the_run() {
    let mode = nix::sys::stat::Mode::from_bits_truncate(0o600);
    stops(|sandbox, place| nix::unistd::mkfifo(&sandbox.path(place), mode).unwrap(), None, &["not a regular file"]);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_device_in_its_place_stops_the_run() {
    let null = nix::libc::makedev(1, 3);
    let put = |sandbox: &Sandbox, place: &str| {
        let mode = nix::sys::stat::Mode::from_bits_truncate(0o644);
        nix::sys::stat::mknod(&sandbox.path(place), nix::sys::stat::SFlag::S_IFCHR, mode, null).unwrap();
    };
    stops(put, None, &["not a regular file"]);
}

#[test]
fn a_loop_of_links_in_its_place_stops_the_run() {
    stops(|sandbox, place| drop(sandbox.link(sandbox.path(place), place)), None, &[]);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_file_that_may_not_be_read_stops_the_run() {
    let put = |sandbox: &Sandbox, place: &str| {
        let file = sandbox.write(place, "{}");
        fs::set_permissions(file, fs::Permissions::from_mode(0o000)).unwrap();
    };
    stops(put, Some(54321), &["ermission denied"]);
}

#[test]
fn a_file_over_1_mb_stops_the_run() {
    let padded = |length: usize| format!("{{}}{}", " ".repeat(length - 2));
    stops(|sandbox, place| drop(sandbox.write(place, padded((1 << 20) + 1))), None, &["1 MiB"]);
    stops(|sandbox, place| drop(sandbox.write(place, padded(10 << 20))), None, &["1 MiB"]);
    let sandbox = Sandbox::with_builder();
    let text = marked("large");
    sandbox.write(OF_PROFILE, format!("{text}{}", " ".repeat((1 << 20) - text.len())));
    assert_eq!(policy_of(sandbox.hx(as_builder(&[]))).unwrap(), "large");
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
