//! W59: every order of two processes in one home. A start is held at each of its calls on an entry of the home, another
//! process does its part to the end, and the start goes on. No file of the user's is lost, and no temporary is left.

use std::fs;

use nix::errno::Errno;

use super::held::{CALLERS, Caller, Scene, Work, to_entry};
use crate::support::tracer::Held;

const WORKS: [Work; 3] = [Work::First, Work::Replace, Work::Unlink];
const PLACE: &str = ".claude";

/// Holds a start at each of its calls on an entry in turn.
fn at_every_call(mut at: impl FnMut(&Scene, Held<'_, '_>, &str)) {
    for (caller, work) in CALLERS.into_iter().flat_map(|caller| WORKS.map(|work| (caller, work))) {
        let scene = Scene::new(caller, work);
        let calls = (0..).find(|&count| {
            scene.set_up();
            let start = scene.start();
            let held = scene.hold_at_entry(&start, count);
            let is_over = held.is_none();
            if let Some(held) = held {
                at(&scene, held, &format!("{caller:?} {work:?} at call {count}"));
            }
            is_over
        });
        assert!(calls.is_some_and(|calls| calls >= 3), "{caller:?} {work:?}: {calls:?} calls on entries");
    }
}

#[track_caller]
fn goes_well(held: Held<'_, '_>, what: &str) {
    let ended = held.release();
    assert_eq!(ended.code(), 0, "{what}: {ended:?}");
}

/// The texts of the user's files in the home.
fn saved(scene: &Scene) -> Vec<String> {
    let all = scene.entries().into_iter().map(|entry| scene.home().join(entry));
    let files = all.filter(|path| path.symlink_metadata().unwrap().is_file());
    files.map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// The next start, which nobody disturbs, makes everything right and leaves nothing beside it.
#[track_caller]
fn next_start_is_right(scene: &Scene, what: &str) {
    scene.run("true").run().ok();
    scene.assert_linked(what);
    assert!(scene.temporaries().is_empty(), "{what}: {:?}", scene.entries());
}

#[test]
fn w59_a_file_that_is_saved_over_a_link_meanwhile_is_not_lost() {
    at_every_call(|scene, held, what| {
        let is_home = scene.home().is_dir();
        if is_home {
            scene.save(PLACE, "mine");
        }
        goes_well(held, what);
        let again = scene.run("true").run().ok();
        if is_home {
            assert_eq!(saved(scene), ["mine"], "{what}: {:?} {again:?}", scene.entries());
            assert!(scene.home().join(PLACE).is_file(), "{what}: {:?}", scene.entries());
        }
        assert!(scene.temporaries().is_empty(), "{what}: {:?}", scene.entries());
    });
}

/// Of the two only the older one may come to lie beside its place, and only when there was no other way to keep it.
#[test]
fn w59_two_files_that_are_saved_one_after_the_other_are_not_lost() {
    at_every_call(|scene, mut held, what| {
        if !scene.home().is_dir() {
            return held.kill();
        }
        scene.save(PLACE, "older");
        let mut later = 0;
        while to_entry(&mut held) {
            if later == 0 {
                scene.save(PLACE, "newer");
            }
            later += 1;
        }
        let ended = held.release();
        let is_kept = ended.err.contains("is kept next to it as .hermes-exec.");
        let code = if is_kept && scene.work == Work::Unlink { 125 } else { 0 };
        assert_eq!(ended.code(), code, "{what}: {ended:?}");
        assert_eq!(is_kept, saved(scene).len() == 2, "{what}: {ended:?} {:?}", scene.entries());
        let text = fs::read_to_string(scene.home().join(PLACE)).unwrap();
        assert_eq!(text, if later > 0 { "newer" } else { "older" }, "{what}: {:?}", scene.entries());
    });
}

#[test]
fn w59_another_start_meanwhile_makes_one_home() {
    at_every_call(|scene, held, what| {
        scene.run("true").run().ok();
        goes_well(held, what);
        next_start_is_right(scene, what);
    });
}

#[test]
fn w59_unlink_meanwhile_leaves_links_or_none() {
    at_every_call(|scene, held, what| {
        let outcome = scene.run("--unlink").run();
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{what}: {outcome:?}");
        goes_well(held, what);
        next_start_is_right(scene, what);
    });
}

/// What a start leaves that is killed at the call: nothing of the user's goes with it, and the next run that replaces, and
/// `--unlink`, remove its temporary.
#[test]
fn w59_a_temporary_of_a_dead_process_is_removed_by_the_next_run_that_replaces_and_by_unlink() {
    for next in ["true", "--unlink"] {
        at_every_call(|scene, held, what| {
            held.kill();
            if scene.home().is_dir() {
                let _ = fs::remove_file(scene.home().join(PLACE));
                scene.sandbox.link(scene.sandbox.real().join("gone"), scene.home().join(PLACE));
            }
            let outcome = scene.run(next).run();
            assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{what}: {outcome:?}");
            assert!(scene.temporaries().is_empty(), "{what}, {next}: {:?}", scene.entries());
            next_start_is_right(scene, what);
        });
    }
}

/// As on NFS: what cannot be done without a risk is not done.
#[test]
fn w59_where_two_names_cannot_be_exchanged_the_link_stays() {
    for (caller, errno) in CALLERS.into_iter().flat_map(|caller| [(caller, Errno::EINVAL), (caller, Errno::ENOSYS)]) {
        for work in [Work::Replace, Work::Unlink] {
            let scene = Scene::new(caller, work);
            scene.set_up();
            let before = scene.sandbox.listing();
            let start = scene.start();
            let mut held = scene.hold(&start);
            while let Some(call) = held.next_call() {
                if call == nix::libc::SYS_renameat2 {
                    held.fail(errno);
                }
            }
            let ended = held.release();
            assert_eq!(ended.code(), if work == Work::Unlink { 125 } else { 0 }, "{caller:?} {work:?}: {ended:?}");
            assert!(ended.err.contains("cannot exchange two names"), "{caller:?} {work:?}: {ended:?}");
            assert_eq!(scene.sandbox.listing(), before, "{caller:?} {work:?}");
        }
    }
}

/// No directory is listed on the way of a run that replaces nothing.
#[test]
fn w59_a_run_that_replaces_nothing_lists_no_directory() {
    for work in [Work::First, Work::Steady] {
        let scene = Scene::new(Caller::User, work);
        scene.set_up();
        let start = scene.start();
        let mut held = scene.hold(&start);
        while let Some(call) = held.next_call() {
            assert_ne!(call, nix::libc::SYS_getdents64, "{work:?}");
        }
        goes_well(held, "no list");
    }
}
