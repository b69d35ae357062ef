//! Many starts at once, as when an agent fans out: on a fresh home, on one that needs repair, while the profile is being
//! deleted, while somebody else keeps changing the links. There is no lock: each step has to bear company.

mod mixed;
mod scene;
mod threads;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use scene::{OPTIONS, PLACES, remove, start, tree, with_sources};

use crate::support::{Outcome, Sandbox};

const ROUNDS: usize = 6;
/// Where the same is tried in another way.
const FEW_ROUNDS: usize = 3;
const STARTS: usize = 64;

const PROFILE: &str = "real/.hermes/profiles/builder";
const HOME: &str = "real/.hermes/profiles/builder/home";
/// The home as a single start leaves it.
fn expected_home() -> BTreeMap<PathBuf, String> {
    let alone = with_sources();
    start(&alone).run().ok();
    let home = tree(&alone, HOME);
    assert_eq!(home.values().filter(|what| what.contains("link to")).count(), PLACES.len());
    home
}

/// [`STARTS`] starts that wait for each other, and beside them `other`, which sees how many have ended.
fn together(sandbox: &Sandbox, other: impl FnOnce(&AtomicUsize) + Send) -> Vec<Outcome> {
    let (gate, ended) = (Barrier::new(STARTS + 1), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let one = || {
            gate.wait();
            let outcome = start(sandbox).run();
            ended.fetch_add(1, Ordering::Relaxed);
            outcome
        };
        let starts: Vec<_> = (0..STARTS).map(|_| scope.spawn(one)).collect();
        scope.spawn(|| {
            gate.wait();
            other(&ended);
        });
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    })
}

#[ignore = "long: tests/run plays it"]
#[test]
fn on_a_fresh_home_every_start_succeeds_and_one_home_comes_of_it() {
    let (sandbox, expected) = (with_sources(), expected_home());
    for round in 0..ROUNDS {
        together(&sandbox, |_| {}).into_iter().for_each(|outcome| drop(outcome.ok()));
        assert_eq!(tree(&sandbox, HOME), expected, "round {round}");
        fs::remove_dir_all(sandbox.path(HOME)).unwrap();
    }
}

#[ignore = "long: tests/run plays it"]
#[test]
fn in_a_home_that_needs_repair_every_start_succeeds() {
    let (sandbox, expected) = (with_sources(), expected_home());
    start(&sandbox).run().ok();
    for round in 0..FEW_ROUNDS {
        for (at, place) in PLACES.into_iter().enumerate() {
            let text = sandbox.real().join(if at % 2 == 0 { "gone" } else { "another/gone" });
            fs::remove_file(sandbox.path(HOME).join(place)).unwrap();
            sandbox.link(text, Path::new(HOME).join(place));
        }
        together(&sandbox, |_| {}).into_iter().for_each(|outcome| drop(outcome.ok()));
        assert_eq!(tree(&sandbox, HOME), expected, "round {round}");
    }
}

/// Success without a word, or one of the ways to say that the profile is on its way out.
#[track_caller]
fn succeeded_or_was_too_late(outcome: Outcome) -> bool {
    if outcome.code() == 0 {
        outcome.ok();
        return true;
    }
    let outcome = outcome.fails(125, &["builder"]);
    let right = ["was deleted", "no profile", "cannot create the home", "cannot be entered: "];
    assert!(right.iter().any(|words| outcome.stderr.contains(words)), "{outcome:?}");
    false
}

/// Rounds in which the profile goes while the starts are under way, at another moment each time: so many, and then until some
/// have succeeded and some were too late.
fn while_it_goes(rounds: usize, go: impl Fn(&Sandbox) + Sync) {
    let sandbox = with_sources();
    let profiles = sandbox.root().join("profiles");
    let (mut successes, mut failures) = (0, 0);
    for round in 0.. {
        if round >= rounds && successes > 0 && failures > 0 {
            break;
        }
        assert!(round < 50 * rounds, "{successes} succeeded, {failures} failed");
        sandbox.mkdir(PROFILE);
        let _ = fs::remove_dir_all(profiles.join(".deleted"));
        let outcomes = together(&sandbox, |ended| {
            while ended.load(Ordering::Relaxed) < round % rounds * STARTS * 4 / (rounds * 5) {
                std::thread::yield_now();
            }
            go(&sandbox);
        });
        for outcome in outcomes {
            match succeeded_or_was_too_late(outcome) {
                true => successes += 1,
                false => failures += 1,
            }
        }
        assert!(!sandbox.path(PROFILE).exists(), "round {round}: it came back");
        start(&sandbox).run().fails(125, &["builder"]);
        assert!(!sandbox.path(PROFILE).exists(), "round {round}: it came back later");
    }
}

#[ignore = "long: tests/run plays it"]
#[test]
fn a_profile_that_is_deleted_removed_or_moved_meanwhile_does_not_come_back() {
    while_it_goes(ROUNDS, |sandbox| {
        sandbox.write("real/.hermes/profiles/.deleted/builder", "");
        remove(&sandbox.path(PROFILE));
    });
    while_it_goes(FEW_ROUNDS, |sandbox| remove(&sandbox.path(PROFILE)));
    while_it_goes(FEW_ROUNDS, |sandbox| {
        let _ = fs::remove_dir_all(sandbox.path("trash"));
        fs::rename(sandbox.path(PROFILE), sandbox.path("trash")).unwrap();
    });
}

#[ignore = "long: tests/run plays it"]
#[test]
fn while_links_are_being_replaced_every_start_succeeds() {
    let (sandbox, expected) = (with_sources(), expected_home());
    start(&sandbox).run().ok();
    for round in 0..ROUNDS {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let aside = sandbox.path("aside");
                for turn in 0_usize.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    let place = PLACES[turn % PLACES.len()];
                    let at = sandbox.path(HOME).join(place);
                    let text = match turn / PLACES.len() % 4 {
                        0 => sandbox.real().join("gone"),
                        1 => sandbox.real().join("another/gone"),
                        2 => sandbox.real().join(place),
                        _ => {
                            let _ = fs::remove_file(&at);
                            continue;
                        }
                    };
                    std::os::unix::fs::symlink(text, &aside).unwrap();
                    fs::rename(&aside, &at).unwrap();
                }
            });
            together(&sandbox, |_| {}).into_iter().for_each(|outcome| drop(outcome.ok()));
            over.store(true, Ordering::Relaxed);
        });
        start(&sandbox).run().ok();
        assert_eq!(tree(&sandbox, HOME), expected, "round {round}");
    }
}

#[ignore = "long: tests/run plays it"]
#[test]
fn links_may_be_made_and_removed_at_once() {
    let (sandbox, expected) = (with_sources(), expected_home());
    let unlink = || {
        let run = sandbox.hx([&OPTIONS[..], &["--unlink"]].concat());
        let outcome = run.run();
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{outcome:?}");
        assert!(!outcome.out().contains("left: "), "{outcome:?}");
    };
    for round in 0..FEW_ROUNDS {
        let starts = together(&sandbox, |_| {
            std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(|| (0..4).for_each(|_| unlink())))));
        });
        starts.into_iter().for_each(|outcome| drop(outcome.ok()));
        unlink();
        assert!(tree(&sandbox, HOME).values().all(|what| what.contains("directory")), "round {round}");
        start(&sandbox).run().ok();
        assert_eq!(tree(&sandbox, HOME), expected, "round {round}");
    }
}
