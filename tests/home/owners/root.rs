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
    let home = dir_of_user(&sandbox, HOME);
    sandbox.mkdir(home.join(".config"));
    sandbox.write(home.join("notes"), "of root");
    sandbox.link("/elsewhere", home.join(".claude"));
    for place in [".config", "notes", ".claude"] {
        lchown(home.join(place), Some(0), Some(4)).unwrap();
    }
    let before = listing(&home);
    let outcome = by_root(&sandbox).run();
    ran_with(&outcome, &[".claude is not linked"]);
    let after = listing(&home);
    for (path, what) in before {
        assert_eq!(after[&path], what, "{}", path.display());
    }
    assert_eq!(owner(&sandbox, ".config"), (0, 4));
    // What is root's is closed to the owner, as whom new entries are made.
    ran_with(&outcome, &[".config/gh is not linked", "Permission denied"]);
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
    super::give(&sandbox.mkdir("real/.hermes/home"));
    let run = sandbox.hx(["--share", ".config/gh", "true"]).env("HOME", &login).env("HERMES_HOME", sandbox.root());
    run.run().ok();
    let links = listing(&sandbox.path("real/.hermes/home")).into_keys().filter_map(|path| fs::read_link(path).ok());
    assert_eq!(links.filter(|text| text.starts_with(sandbox.real()) && !text.starts_with(&login)).count(), 3);
}

/// That of its passwd entry; without one the directory that holds the root as `.hermes`; or none.
#[test]
fn the_real_home_is_that_of_the_owner_of_the_profile() {
    let sandbox = of_user();
    sandbox.mkdir("login/.claude");
    let line = "HOME={dir}/login HERMES_HOME={root} -p builder";
    sandbox.gives(&[(line, "HERMES_REAL_HOME={real}")]);
    assert_eq!(fs::read_link(sandbox.home().join(".claude")).unwrap(), sandbox.real().join(".claude"));

    let daemon = nix::unistd::User::from_uid(1.into()).unwrap().expect("uid 1 is known");
    assert!(daemon.dir.is_dir(), "{daemon:?} has a home");
    sandbox.chown_all(1);
    sandbox.gives(&[(line, &format!("HERMES_REAL_HOME={}", daemon.dir.display()))]);

    super::give(&sandbox.mkdir("data/profiles/builder"));
    let line = "HOME={dir}/login HERMES_HOME={dir}/data -p builder";
    lchown(sandbox.path("data"), Some(USER), Some(GROUP)).unwrap();
    lchown(sandbox.path("login"), Some(0), Some(0)).unwrap();
    sandbox.gives(&[(line, "HOME={dir}/data/profiles/builder/home")]);
    assert!(listing(&sandbox.path("data/profiles/builder/home")).is_empty(), "nothing is linked");
    let outcome = sandbox.line(line).option("-v").run();
    assert!(outcome.code() == 0 && !outcome.stderr.is_empty(), "one note says so: {outcome:?}");
}

#[test]
fn privileges_are_never_dropped() {
    let sandbox = of_user();
    let run = sandbox.builder(["id", "-u"]).env("HERMES_HOME", sandbox.root());
    assert_eq!(run.run().ok().out(), "0\n");
}

/// `--bounding-set=-setuid`: root as in a container that was started with `--cap-drop=SETUID`.
fn without_setuid(sandbox: &Sandbox) -> crate::support::Outcome {
    by_root(sandbox).after_sh("set -- setpriv --inh-caps=-setuid --bounding-set=-setuid \"$@\"").run()
}

#[test]
fn w53_where_root_may_not_become_the_owner_no_home_is_made() {
    let sandbox = of_user();
    sandbox.mkdir("login/.claude");
    sandbox.write("login/.claude.json", "{}");
    let before = sandbox.listing();
    without_setuid(&sandbox).fails(125, &[HOME, "Operation not permitted"]);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn w53_where_root_may_not_become_the_owner_no_link_is_made_and_the_command_runs() {
    for stale in [false, true] {
        let sandbox = of_user();
        dir_of_user(&sandbox, HOME);
        if stale {
            sandbox.link(sandbox.real().join("gone"), Path::new(HOME).join(".claude"));
            dir_of_user(&sandbox, HOME);
        }
        let before = listing(&sandbox.path(HOME));
        let outcome = without_setuid(&sandbox);
        let all: Vec<_> = super::PLACES.iter().map(|place| format!("{place} is not linked")).collect();
        ran_with(&outcome, &all.iter().map(String::as_str).collect::<Vec<_>>());
        ran_with(&outcome, &["Operation not permitted"]);
        assert_eq!(listing(&sandbox.path(HOME)), before, "stale {stale}");
    }
}

/// Nothing is given away, so nothing needs the right to.
#[test]
fn w53_root_needs_no_right_to_give_files_away() {
    let sandbox = of_user();
    let run = by_root(&sandbox).after_sh("set -- setpriv --inh-caps=-chown --bounding-set=-chown \"$@\"");
    ran_with(&run.run(), &["runs as root in a profile of uid 10000"]);
    assert_eq!((linked(&sandbox), owner(&sandbox, "")), (super::PLACES.into(), (USER, GROUP)));
}

/// Where the owner of the profiles has planted a link, root does not go. Its own links are its business.
#[test]
fn w53_root_follows_no_link_of_another_user() {
    for part in ["real/.hermes/profiles", "real/.hermes/profiles/builder", HOME] {
        for options in
            [&["-p", "builder", "true"][..], &["-p", "builder", "--unlink"], &["-p", "builder", "-n", "true"]]
        {
            let sandbox = of_user();
            dir_of_user(&sandbox, HOME);
            let (at, aside) = (sandbox.path(part), sandbox.path("aside"));
            fs::rename(&at, &aside).unwrap();
            sandbox.link(&aside, &at);
            let run = || {
                let run = sandbox.hx(options).env("HOME", sandbox.path("login"));
                run.env("HERMES_HOME", sandbox.root()).run()
            };
            sandbox.mkdir("login");
            assert_eq!(run().code(), 0, "{part} {options:?}: a link of root's");
            lchown(&at, Some(USER), Some(GROUP)).unwrap();
            let before = listing(&aside);
            let outcome = run();
            assert_eq!(outcome.code(), 125, "{part} {options:?}: {outcome:?}");
            assert!(outcome.stderr.contains(&format!("rm {}", at.display())), "{outcome:?}");
            assert_eq!(listing(&aside), before, "{part} {options:?}");
        }
    }
}

#[test]
fn in_a_profile_of_roots_own_nothing_is_given_away() {
    let sandbox = of_user();
    lchown(sandbox.profile("builder"), Some(0), Some(0)).unwrap();
    ran_with(&without_setuid(&sandbox), &[]);
    assert_eq!((owner(&sandbox, ""), owner(&sandbox, ".claude")), ((0, 0), (0, 0)));
}
