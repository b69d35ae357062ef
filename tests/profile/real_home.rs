//! The user's own home, from HERMES_REAL_HOME, HOME, or the passwd entry. It is told by HERMES_REAL_HOME in the
//! block of a run with a redirected HOME.

use crate::support::{Run, Sandbox};
use std::os::unix::fs::chown;
use std::path::Path;

/// A user without passwd entry.
const NOBODY_KNOWN: u32 = 54321;

/// The real home that a run finds, or nothing; the run succeeds.
#[track_caller]
fn found(run: Run) -> Option<String> {
    let outcome = run.run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    outcome.var("HERMES_REAL_HOME")
}

/// A run of `-p builder` with the root given, so that the real home decides nothing else.
fn with_root(sandbox: &Sandbox) -> Run {
    sandbox.line("HERMES_HOME={root} -p builder")
}

fn text(path: impl AsRef<Path>) -> Option<String> {
    Some(path.as_ref().to_str().unwrap().to_owned())
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn for_root_hermes_real_home_stands_before_home() {
    assert!(nix::unistd::geteuid().is_root(), "this test is about root: run it as root");
    let sandbox = Sandbox::with_builder();
    let other = sandbox.mkdir("other");
    assert_eq!(found(with_root(&sandbox).env("HERMES_REAL_HOME", &other)), text(other));
}

#[test]
fn home_is_taken_where_hermes_real_home_is_not_acceptable() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("work/relative");
    sandbox.mkdir("real/.hermes/home/deeper");
    sandbox.mkdir("real/.hermes/profiles/other/home");
    sandbox.write("file", "");
    sandbox.link(sandbox.root().join("home"), "way");
    for bad in [
        "", " ", "relative", "~", "/no/such/home", "{dir}/file", "{dir}/way", "{root}/home", "{root}/home/deeper",
        "{root}/profiles/other/home", "{root}/./profiles//other/home/",
    ] {
        let run = with_root(&sandbox).env("HERMES_REAL_HOME", sandbox.placed(bad));
        assert_eq!(found(run), text(sandbox.real()), "{bad:?}");
    }
    // The neighbour of a profile's home is acceptable.
    for rel in ["homes", "profiles/other/homes", "profiles/home"] {
        let path = sandbox.mkdir(Path::new("real/.hermes").join(rel));
        assert_eq!(found(with_root(&sandbox).env("HERMES_REAL_HOME", &path)), text(path));
    }
}

#[test]
fn inside_a_profile_home_the_hint_shows_the_way_back_to_the_real_one() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir(sandbox.home());
    let found = "HERMES_REAL_HOME={real} HERMES_HOME={profile}";
    sandbox.gives(&[
        // The state in which Hermes starts its own children.
        ("HOME={home} HERMES_HOME={profile} HERMES_REAL_HOME={real} -p builder", found),
        ("HOME={home} HERMES_HOME={profile} HERMES_REAL_HOME={real}", found),
        // HOME lies in a profile's home below the `.hermes` of the first candidate, so that one is the real home.
        ("HOME={home} HERMES_REAL_HOME={real} -p builder", found),
    ]);
}

#[test]
fn without_any_variable_it_is_the_passwd_entry() {
    let sandbox = Sandbox::with_builder();
    let entry = nix::unistd::User::from_uid(nix::unistd::geteuid()).unwrap().expect("the user of the tests is known");
    for home in ["", "relative", "/no/such/home"] {
        let outcome = with_root(&sandbox).env("HOME", home).run();
        assert_eq!(outcome.var("HERMES_REAL_HOME"), text(&entry.dir), "{home:?}: {outcome:?}");
    }
    assert_eq!(found(with_root(&sandbox).no_env("HOME")), text(entry.dir));
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn where_none_is_acceptable_nothing_is_linked_and_the_command_runs_without_the_refused_value() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.chown_all(NOBODY_KNOWN);
    for refused in ["", "/no/such/home"] {
        let run = with_root(&sandbox).no_env("HOME").env("HERMES_REAL_HOME", refused);
        let outcome = run.program(sandbox.copied_binary()).uid(NOBODY_KNOWN).run().ok();
        assert_eq!((outcome.var("HERMES_REAL_HOME"), outcome.var("HOME")), (None, text(sandbox.home())));
        assert!(std::fs::read_dir(sandbox.home()).unwrap().next().is_none());
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn ones_own_hermes_real_home_counts_and_another_users_does_not() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir(sandbox.home());
    let own = sandbox.mkdir("own");
    sandbox.chown_all(NOBODY_KNOWN);
    let of_root = sandbox.mkdir("of root");
    for (home, given, expected) in [
        (sandbox.real(), &own, text(&own)),
        (sandbox.real(), &of_root, text(sandbox.real())),
        // Who has redirected HOME into a profile has set both.
        (sandbox.home(), &of_root, text(&of_root)),
    ] {
        let run = with_root(&sandbox).env("HOME", home).env("HERMES_REAL_HOME", given);
        assert_eq!(found(run.program(sandbox.copied_binary()).uid(NOBODY_KNOWN)), expected);
    }
}

/// W53: an agent of uid 10000 can set it for root's next start, too.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn w53_another_users_hermes_real_home_does_not_count_for_root() {
    let sandbox = Sandbox::with_builder();
    let foreign = sandbox.mkdir("foreign");
    chown(&foreign, Some(NOBODY_KNOWN), Some(NOBODY_KNOWN)).unwrap();
    let run = with_root(&sandbox).env("HERMES_REAL_HOME", &foreign);
    assert_eq!(found(run), text(sandbox.real()), "it belongs to another user");
}

#[test]
fn a_refused_value_stays_where_home_is_not_redirected() {
    let refused = "HERMES_REAL_HOME=/no/such/home";
    Sandbox::with_builder().gives(&[(&format!("{refused} --home real"), refused)]);
}

#[test]
fn the_root_is_looked_for_in_the_real_home() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("other/.hermes/profiles/builder");
    sandbox.gives(&[("HOME={dir}/other -p builder", "HERMES_HOME={dir}/other/.hermes/profiles/builder")]);
}

#[test]
fn a_real_home_at_or_below_the_selected_home_is_passed_over() {
    // The home is a link to HOME itself: it would be linked to itself.
    let sandbox = Sandbox::with_builder();
    let elsewhere = sandbox.mkdir("elsewhere/inner");
    sandbox.mkdir("elsewhere/inner/.claude");
    sandbox.link(sandbox.path("elsewhere"), "real/.hermes/profiles/builder/home");
    let outcome = with_root(&sandbox).env("HOME", &elsewhere).run().ok();
    assert_ne!(outcome.var("HERMES_REAL_HOME"), text(elsewhere));
}

/// s6-overlay#374: HOME=/root is left over from before a privilege drop, and nothing is linked.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn w29_a_home_of_another_user_gives_way_to_the_callers_own() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.chown_all(NOBODY_KNOWN);
    let entry = format!("agent:x:{NOBODY_KNOWN}:{NOBODY_KNOWN}::{}:/bin/sh\n", sandbox.real().display());
    let passwd = sandbox.write("passwd", format!("root:x:0:0::/root:/bin/sh\n{entry}"));
    let binary = sandbox.copied_binary();
    let as_agent = |home: &std::path::Path, mode: &str| {
        let run = sandbox.builder(["/usr/bin/env", "-0"]).program(&binary).env("HOME", home).uid(NOBODY_KNOWN);
        let mount = format!("mount --bind {} /etc/passwd\nchmod {mode} {}", passwd.display(), home.display());
        run.mounted(&mount).run()
    };
    let foreign = sandbox.mkdir("foreign");
    let outcome = as_agent(&foreign, "0755").ok();
    assert_eq!(outcome.var("HERMES_REAL_HOME"), text(sandbox.real()), "{outcome:?}");
    assert!(sandbox.home().join(".claude").is_symlink());
    // One that the caller can write to is meant, whoever owns it: a directory that a volume brings.
    as_agent(&foreign, "0777").fails(125, &["there is no Hermes in", "/foreign/.hermes"]);
}
