//! Root in the profile of another user, as after `docker exec`.

use super::{GROUP, HOME, USER, by_root, dir_of_user, linked, of_user, owner, ran_with};
use crate::support::{Sandbox, listing};
use std::fs;
use std::os::unix::fs::lchown;
use std::path::Path;

#[test]
fn what_is_new_belongs_to_the_owner_and_the_group_of_the_profile() {
    for fresh in [true, false] {
        let sandbox = of_user();
        if !fresh {
            // One link is replaced, by way of a temporary one.
            dir_of_user(&sandbox, HOME);
            sandbox.link(sandbox.real().join("gone"), Path::new(HOME).join(".claude"));
        }
        ran_with(&by_root(&sandbox).run(), &[]);
        assert_eq!(linked(&sandbox), super::PLACES);
        for place in ["", ".claude", ".claude.json", ".config", ".config/gh"] {
            assert_eq!(owner(&sandbox, place), (USER, GROUP), "{place:?}, fresh {fresh}");
        }
    }
}

#[test]
fn what_is_there_keeps_owner_mode_and_times() {
    let sandbox = of_user();
    let home = sandbox.mkdir(HOME);
    sandbox.mkdir(home.join(".config"));
    sandbox.write(home.join("notes"), "of root");
    sandbox.link("/elsewhere", home.join(".claude"));
    for place in ["", ".config", "notes", ".claude"] {
        lchown(home.join(place), Some(0), Some(4)).unwrap();
    }
    let before = listing(&home);
    let outcome = by_root(&sandbox).run();
    ran_with(&outcome, &[".claude is not linked"]);
    let after = listing(&home);
    for (path, what) in before {
        assert_eq!(after[&path], what, "{}", path.display());
    }
    assert_eq!((owner(&sandbox, ""), owner(&sandbox, ".config")), ((0, 4), (0, 4)));
    assert_eq!(owner(&sandbox, ".config/gh"), (USER, GROUP));
}

#[test]
fn the_login_of_root_is_linked_by_no_option_and_no_variable() {
    let sandbox = of_user();
    let login = sandbox.path("login");
    for variable in ["HOME", "HERMES_REAL_HOME"] {
        for mode in ["auto", "profile"] {
            let _ = fs::remove_dir_all(sandbox.path(HOME));
            let run = by_root(&sandbox).env("HERMES_EXEC_HOME_MODE", mode).env(variable, &login);
            ran_with(&run.run(), &[]);
            for link in listing(&sandbox.path(HOME)).into_keys().filter_map(|path| fs::read_link(path).ok()) {
                assert!(link.starts_with(sandbox.real()), "{}", link.display());
            }
        }
    }
    // The default profile, whose directory is the root itself.
    dir_of_user(&sandbox, "real/.hermes/home");
    let run = sandbox.hx(["--share", ".config/gh", "true"]).env("HOME", &login).env("HERMES_HOME", sandbox.root());
    run.run().ok();
    let links = listing(&sandbox.path("real/.hermes/home")).into_keys().filter_map(|path| fs::read_link(path).ok());
    assert_eq!(links.filter(|text| text.starts_with(sandbox.real()) && !text.starts_with(&login)).count(), 3);
}

/// `--bounding-set=-chown`: root as in a container that was started with `--cap-drop=CHOWN`.
fn without_chown(sandbox: &Sandbox) -> crate::support::Outcome {
    by_root(sandbox).after_sh("set -- setpriv --inh-caps=-chown --bounding-set=-chown \"$@\"").run()
}

#[test]
fn where_root_may_not_give_the_home_away_none_is_left() {
    let sandbox = of_user();
    sandbox.mkdir("login/.claude");
    sandbox.write("login/.claude.json", "{}");
    let before = sandbox.listing();
    without_chown(&sandbox).fails(125, &[HOME, "Operation not permitted"]);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn where_root_may_not_give_a_link_away_none_is_left_and_the_command_runs() {
    for stale in [false, true] {
        let sandbox = of_user();
        dir_of_user(&sandbox, HOME);
        if stale {
            sandbox.link(sandbox.real().join("gone"), Path::new(HOME).join(".claude"));
            dir_of_user(&sandbox, HOME);
        }
        let before = listing(&sandbox.path(HOME));
        let outcome = without_chown(&sandbox);
        let all: Vec<_> = super::PLACES.iter().map(|place| format!("{place} is not linked")).collect();
        ran_with(&outcome, &all.iter().map(String::as_str).collect::<Vec<_>>());
        ran_with(&outcome, &["Operation not permitted"]);
        assert_eq!(listing(&sandbox.path(HOME)), before, "stale {stale}");
    }
}

#[test]
fn in_a_profile_of_roots_own_nothing_is_given_away() {
    let sandbox = of_user();
    lchown(sandbox.profile("builder"), Some(0), Some(0)).unwrap();
    ran_with(&without_chown(&sandbox), &[]);
    assert_eq!((owner(&sandbox, ""), owner(&sandbox, ".claude")), ((0, 0), (0, 0)));
}
