//! The same in threads that carry one plan out at the same moment, which separate processes seldom manage to. They have one
//! process id as well, like processes in two containers that share a home.

use std::fs;
use std::path::Path;
use std::sync::Barrier;

use crate::support::plan::prepare;
use hermes_exec::plan::home::HomePlan;

use super::{HOME, OPTIONS, PLACES, expected_home, start, tree, with_sources};
use crate::support::Sandbox;
use crate::support::plan::plan;

const THREADS: usize = 4;
const ROUNDS: usize = 200;

/// Carries the plan out in every thread at once, again and again; `before` lays the home anew each time.
fn at_once(sandbox: &Sandbox, plan: &HomePlan, before: impl Fn()) {
    let expected = expected_home();
    for round in 0..ROUNDS {
        before();
        let gate = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            let one = || {
                gate.wait();
                prepare(plan)
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(one)).collect();
            for thread in threads {
                assert_eq!(thread.join().unwrap(), Ok(Vec::new()), "round {round}");
            }
        });
        assert_eq!(tree(sandbox, HOME), expected, "round {round}");
    }
}

#[ignore = "long: tests/run plays it"]
#[test]
fn a_home_made_by_several_at_the_same_moment() {
    let sandbox = with_sources();
    let plan = plan(&sandbox, OPTIONS).unwrap();
    at_once(&sandbox, &plan, || drop(fs::remove_dir_all(sandbox.path(HOME))));
}

#[ignore = "long: tests/run plays it"]
#[test]
fn a_link_replaced_by_several_at_the_same_moment() {
    let sandbox = with_sources();
    start(&sandbox).run().ok();
    let stale = || {
        for place in PLACES {
            fs::remove_file(sandbox.path(HOME).join(place)).unwrap();
            sandbox.link(sandbox.real().join("gone"), Path::new(HOME).join(place));
        }
    };
    stale();
    let plan = plan(&sandbox, OPTIONS).unwrap();
    at_once(&sandbox, &plan, stale);
}
