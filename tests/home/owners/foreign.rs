//! The user in a profile in which something belongs to root: it was started with sudo once.

use super::{HOME, PLACES, USER, by_user, dir_of_user, linked, of_root, of_user, owner, ran_with};
use crate::support::listing;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn an_entry_of_roots_in_the_way_stays_and_is_a_finding() {
    for (place, mode, made) in [
        // Its own place is taken; `.claude.json` alone would mix two logins.
        (".claude", 0o700, vec![".config/gh"]),
        (".claude.json", 0o600, vec![".claude", ".config/gh"]),
        // The way to a place: readable and not writable, or not even readable.
        (".config", 0o755, vec![".claude", ".claude.json"]),
        (".config", 0o700, vec![".claude", ".claude.json"]),
    ] {
        let sandbox = of_user();
        let home = dir_of_user(&sandbox, HOME);
        let at = if place == ".claude.json" {
            sandbox.write(home.join(place), "{}")
        } else {
            sandbox.mkdir(home.join(place))
        };
        of_root(&at, mode);
        let before = listing(&home);
        let outcome = by_user(&sandbox).run();
        ran_with(&outcome, &[at.to_str().unwrap()]);
        assert_eq!(linked(&sandbox), made, "{place} {mode:o}");
        for (path, what) in before {
            assert_eq!(listing(&home)[&path], what);
        }
    }
}

#[test]
fn a_link_of_roots_that_is_right_is_right() {
    let sandbox = of_user();
    let home = dir_of_user(&sandbox, HOME);
    for place in PLACES {
        sandbox.link(sandbox.real().join(place), home.join(place));
        assert_eq!(owner(&sandbox, place), (0, 0));
    }
    let before = listing(&home);
    let outcome = by_user(&sandbox).run();
    ran_with(&outcome, &[]);
    assert!(!outcome.stderr.contains("is not linked"), "{outcome:?}");
    assert_eq!(listing(&home), before);
}

#[test]
fn a_home_of_roots_is_a_finding_and_still_home() {
    for mode in [0o755, 0o711, 0o700] {
        let sandbox = of_user();
        let home = dir_of_user(&sandbox, HOME);
        of_root(&home, mode);
        let path = home.to_str().unwrap();
        let outcome = by_user(&sandbox).run();
        ran_with(&outcome, &["not writable", &format!("{path}/.claude is not linked"), &format!("{path}/.config/gh")]);
        assert!(listing(&home).is_empty(), "{mode:o}");

        // Without a terminal and without -v nothing is said.
        let quiet = sandbox.hx(["-p", "builder", "sh", "-c", "echo $HOME"]).program(sandbox.copied_binary()).uid(USER);
        assert_eq!(quiet.run().ok().out(), format!("{path}\n"), "{mode:o}");
    }
}

#[test]
fn a_home_that_may_not_be_listed_gets_its_links() {
    for mode in [0o300, 0o311] {
        let sandbox = of_user();
        let home = dir_of_user(&sandbox, HOME);
        fs::set_permissions(&home, fs::Permissions::from_mode(mode)).unwrap();
        ran_with(&by_user(&sandbox).run(), &[]);
        assert_eq!(linked(&sandbox), PLACES, "{mode:o}");
    }
}

#[test]
fn a_profile_that_may_be_passed_and_not_listed_is_enough() {
    // As where root owns the volume and the user owns what is in it.
    let sandbox = of_user();
    dir_of_user(&sandbox, HOME);
    of_root(&sandbox.profile("builder"), 0o711);
    let outcome = by_user(&sandbox).run();
    ran_with(&outcome, &[]);
    assert_eq!(linked(&sandbox), PLACES, "{outcome:?}");
}

#[test]
fn a_home_that_cannot_be_made_is_an_error() {
    for (of_roots, mode) in [(true, 0o755), (true, 0o711), (false, 0o555)] {
        let sandbox = of_user();
        let profile = sandbox.profile("builder");
        of_root(&profile, mode);
        if !of_roots {
            super::give(&profile);
        }
        let before = sandbox.listing();
        by_user(&sandbox).run().fails(125, &[HOME, "Permission denied", "mkdir"]);
        fs::remove_file(sandbox.copied_binary()).unwrap();
        assert_eq!(sandbox.listing(), before);
    }
}
