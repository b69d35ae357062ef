//! W58: of Claude Code's links all are made or none. A call that makes a link is made to fail.

use std::fs;

use nix::errno::Errno;
use nix::libc;

use super::held::{CALLERS, Scene, Work};

/// Lets the call fail that makes a link after `before` others; just then something else happens. Returns what the start says.
fn without_space(scene: &Scene, before: usize, meanwhile: impl Fn()) -> String {
    let start = scene.start();
    let mut held = scene.hold(&start);
    let mut made = 0;
    while let Some(call) = held.next_call() {
        if call == libc::SYS_symlinkat {
            if made == before {
                meanwhile();
                held.fail(Errno::ENOSPC);
            }
            made += 1;
        }
    }
    let ended = held.release();
    assert_eq!(ended.code(), 0, "{ended:?}");
    ended.err
}

/// Starts that make both links of Claude Code, by each caller: in a missing home, and where the first is stale.
fn with_both_links_to_make() -> impl Iterator<Item = Scene> {
    let all = CALLERS.into_iter().flat_map(|caller| [Work::First, Work::Replace].map(|work| Scene::new(caller, work)));
    all.inspect(|scene| {
        scene.set_up();
        let _ = fs::remove_file(scene.home().join(".claude.json"));
    })
}

#[test]
fn w58_where_the_first_link_of_claude_fails_the_second_is_not_made() {
    for scene in with_both_links_to_make() {
        let (caller, work) = (scene.caller, scene.work);
        let said = without_space(&scene, 0, || {});
        let links: Vec<_> = scene.entries().into_iter().filter(|entry| entry.starts_with(".claude")).collect();
        match work {
            Work::Replace => {
                assert_eq!(links, [".claude"], "{caller:?} {work:?}");
                let text = fs::read_link(scene.home().join(".claude")).unwrap();
                assert_eq!(text, scene.sandbox.real().join("gone"), "{caller:?}: what was there stays");
            }
            _ => assert_eq!(links, [""; 0], "{caller:?} {work:?}"),
        }
        for (place, why) in [(".claude", "No space left on device"), (".claude.json", ".claude is not linked")] {
            let place = scene.home().join(place).display().to_string();
            let line = said.lines().find(|line| line.contains(&format!("{place} is not linked")));
            assert!(line.is_some_and(|line| line.contains(why)), "{caller:?} {work:?}: {said}");
        }
        assert!(scene.home().join(".config/gh").is_symlink(), "{caller:?} {work:?}: the others are made");
        scene.run("true").run().ok();
        scene.assert_linked("the next start");
    }
}

#[test]
fn w58_where_the_second_link_of_claude_fails_the_first_is_taken_away_again() {
    for scene in with_both_links_to_make() {
        let (caller, work) = (scene.caller, scene.work);
        let said = without_space(&scene, 1, || {});
        assert!(!scene.entries().iter().any(|entry| entry.starts_with(".claude")), "{:?}", scene.entries());
        let line = format!("{} is not linked", scene.home().join(".claude").display());
        assert!(said.lines().any(|said| said.contains(&format!("{line} "))), "{caller:?} {work:?}: {said}");
        scene.run("true").run().ok();
        scene.assert_linked("the next start");
        assert!(scene.temporaries().is_empty(), "{:?}", scene.entries());
    }
}

/// A link that was there before is not this start's to take away.
#[test]
fn w58_a_first_link_that_was_there_stays() {
    for caller in CALLERS {
        let scene = Scene::new(caller, Work::Steady);
        scene.set_up();
        fs::remove_file(scene.home().join(".claude.json")).unwrap();
        let said = without_space(&scene, 0, || {});
        assert!(scene.home().join(".claude").is_symlink(), "{:?}", scene.entries());
        assert!(said.contains(".claude.json is not linked"), "{said}");
    }
}

/// What the user has put in the link's place meanwhile is not taken away either.
#[test]
fn w58_what_came_into_the_place_of_the_first_link_stays() {
    let scene = Scene::new(super::held::Caller::User, Work::First);
    scene.set_up();
    without_space(&scene, 1, || scene.save(".claude", "mine"));
    assert_eq!(fs::read_to_string(scene.home().join(".claude")).unwrap(), "mine");
    assert!(scene.temporaries().is_empty(), "{:?}", scene.entries());
}
