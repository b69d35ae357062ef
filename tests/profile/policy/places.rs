//! What may stand in the place of a policy file. Which file it is is in the transcript `policy-places`.

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
