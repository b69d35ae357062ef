//! A read-only mount and a full file system, in a mount namespace.

use super::{HOME, PLACES, by_root, by_user, dir_of_user, linked, of_user, ran_with};
use crate::support::{Sandbox, listing};
use std::path::Path;

const PROFILE: &str = "real/.hermes/profiles/builder";

/// Commands that make the profile read-only.
fn read_only(sandbox: &Sandbox) -> String {
    let dir = sandbox.path(PROFILE).display().to_string();
    format!("mount --bind {dir} {dir}\nmount -o remount,bind,ro {dir}")
}

/// Commands that put the profile on a file system of its own, with a home or without, and fill it.
fn full(sandbox: &Sandbox, then: &str) -> String {
    let dir = sandbox.path(PROFILE).display().to_string();
    format!(
        "mount -t tmpfs -o mode=755,nr_inodes=20 none {dir}\ncd {dir}\n{then}\n\
         i=0; while true >file$i; do i=$((i+1)); done 2>/dev/null\n\
         chown -R 10000:10001 .\ncd /\n"
    )
}

#[test]
fn on_a_read_only_mount_a_missing_home_is_an_error() {
    let sandbox = of_user();
    let before = listing(&sandbox.root());
    for run in [by_user(&sandbox), by_root(&sandbox)] {
        run.mounted(&read_only(&sandbox)).run().fails(125, &[HOME, "Read-only file system"]);
    }
    assert_eq!(listing(&sandbox.root()), before);
}

#[test]
fn on_a_read_only_mount_missing_links_are_findings_and_the_command_runs() {
    for stale in [false, true] {
        let sandbox = of_user();
        dir_of_user(&sandbox, HOME);
        if stale {
            PLACES
                .iter()
                .for_each(|place| drop(sandbox.link(sandbox.real().join("gone"), Path::new(HOME).join(place))));
            dir_of_user(&sandbox, HOME);
        }
        let before = listing(&sandbox.root());
        for run in [by_user(&sandbox), by_root(&sandbox)] {
            let outcome = run.mounted(&read_only(&sandbox)).run();
            ran_with(&outcome, &["not writable: Read-only file system"]);
            let named = |place: &str| format!("{} is not linked", sandbox.path(HOME).join(place).display());
            PLACES.iter().for_each(|place| ran_with(&outcome, &[&named(place)]));
        }
        assert_eq!(listing(&sandbox.root()), before, "stale {stale}");
    }
}

#[test]
fn on_a_read_only_mount_with_everything_in_place_nothing_is_missing() {
    let sandbox = of_user();
    ran_with(&by_user(&sandbox).run(), &[]);
    assert_eq!(linked(&sandbox), PLACES);
    let outcome = by_user(&sandbox).mounted(&read_only(&sandbox)).run();
    ran_with(&outcome, &["not writable"]);
    assert!(!outcome.stderr.contains("is not linked"), "{outcome:?}");
    let silent = sandbox.hx(["-p", "builder", "cat", sandbox.path(HOME).join(".claude.json").to_str().unwrap()]);
    let silent = silent.program(sandbox.copied_binary()).uid(super::USER).mounted(&read_only(&sandbox)).run();
    assert_eq!(silent.ok().out(), "{}");
}

#[test]
fn on_a_full_file_system_a_missing_home_is_an_error() {
    let sandbox = of_user();
    for run in [by_user(&sandbox), by_root(&sandbox)] {
        run.mounted(&full(&sandbox, "")).run().fails(125, &[HOME, "No space left on device"]);
    }
}

#[test]
fn on_a_full_file_system_missing_links_are_findings_and_nothing_else_is_lost() {
    for stale in [false, true] {
        let sandbox = of_user();
        let (home, gone) = (sandbox.path(HOME), sandbox.real().join("gone"));
        let links: Vec<_> = PLACES.iter().map(|place| format!("ln -s {} home/{place}", gone.display())).collect();
        let then = format!("mkdir -p home/.config; {}", if stale { links.join("; ") } else { ":".into() });
        let list = format!("echo ran; cd {}; find . -type l -printf '%P %l\\n' | sort >&2", home.display());
        let run = sandbox.hx([&super::OPTIONS[..], &["sh", "-c", &list]].concat());
        let run = run.program(sandbox.copied_binary()).uid(super::USER).mounted(&full(&sandbox, &then));
        let outcome = run.run();
        for place in PLACES {
            ran_with(&outcome, &[&format!("{} is not linked", home.join(place).display())]);
        }
        ran_with(&outcome, &["No space left on device"]);
        let left: Vec<_> = outcome.stderr.lines().filter(|line| line.ends_with("/gone")).collect();
        assert_eq!(left.len(), if stale { PLACES.len() } else { 0 }, "what was there is there: {outcome:?}");
        assert!(!outcome.stderr.contains(".tmp"), "no temporary is left: {outcome:?}");
    }
}
