//! The same with an attacker who is as fast as the machine allows.

use super::{OPTIONS, PLACES, PROFILE, Trap};
use crate::support::plan::plan;
use crate::support::plan::prepare;
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs `attack` again and again while the binary is started `starts` times.
fn under_attack(trap: &Trap, starts: usize, attack: impl Fn() + Sync) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let attacker = scope.spawn(|| {
            let mut rounds = 0_u64;
            while !over.load(Ordering::Relaxed) {
                attack();
                rounds += 1;
            }
            rounds
        });
        for _ in 0..starts {
            for place in PLACES {
                let _ = fs::remove_file(trap.builder("home").join(place));
            }
            let outcome = trap.sandbox.hx([&OPTIONS[..], &["true"]].concat()).run();
            if outcome.code() != 0 {
                outcome.fails(125, &[PROFILE]);
            }
        }
        over.store(true, Ordering::Relaxed);
        assert!(attacker.join().unwrap() > starts as u64, "the attacker had its chances");
    });
}

fn exchange(one: &Path, other: &Path) {
    renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE).unwrap();
}

#[ignore = "long: tests/run plays it"]
#[test]
fn a_component_swapped_in_a_race_leads_no_write_outside() {
    for part in ["home", "home/.config", "home/Library", "home/.local/share"] {
        let trap = Trap::new().with_links();
        let (ours, swapped) = (trap.builder(part), trap.sandbox.path("swapped"));
        symlink(trap.sandbox.path("victim/profiles/builder").join(part), &swapped).unwrap();
        // Twice, so that after each round things are as they were.
        under_attack(&trap, 60, || (0..2).for_each(|_| exchange(&ours, &swapped)));
        trap.assert_outside_untouched(part);
    }
}

#[ignore = "long: tests/run plays it"]
#[test]
fn a_profile_swapped_in_a_race_leads_no_write_outside() {
    for part in ["profiles/builder", "profiles"] {
        let trap = Trap::new().with_links();
        let (ours, theirs) = (trap.sandbox.root().join(part), trap.sandbox.path("swapped"));
        symlink(trap.sandbox.path("victim").join(part), &theirs).unwrap();
        // A start that looks while the link is in place takes that for the profile, and rightly. So the look is done
        // first, and the race is for what comes after it.
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let plans: Vec<_> = (0..300).map(|_| plan(&trap.sandbox, OPTIONS).unwrap()).collect();
            PLACES.iter().for_each(|place| fs::remove_file(trap.builder("home").join(place)).unwrap());
            let to_do = plan(&trap.sandbox, OPTIONS).unwrap();
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    (0..2).for_each(|_| exchange(&ours, &theirs));
                }
            });
            for plan in plans.iter().chain(std::iter::repeat_n(&to_do, 300)) {
                if let Err(failure) = prepare(plan) {
                    assert!(failure.message.contains(PROFILE), "{failure}");
                }
            }
            over.store(true, Ordering::Relaxed);
        });
        trap.assert_outside_untouched(part);
    }
}
