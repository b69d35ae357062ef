//! Links whose parent is a file, and from many starts at once.

use super::{PLACES, linked, links, put_link, share_all, with_sources};
use crate::support::Sandbox;
use std::path::{Path, PathBuf};

#[test]
fn a_parent_that_is_a_file_is_a_finding_and_the_command_runs() {
    let sandbox = with_sources();
    sandbox.write("real/.hermes/profiles/builder/home/Library", "a file");
    let outcome = share_all(&sandbox);
    assert!(outcome.stderr.contains("Library"), "{outcome:?}");
    assert_eq!(linked(&sandbox), ".claude .claude.json .config/gh .gitconfig");
}

/// Sixty-four starts at once come to what a single one comes to, and leave no temporary.
#[track_caller]
fn together(sandbox: &Sandbox) {
    std::thread::scope(|scope| (0..64).for_each(|_| drop(scope.spawn(|| share_all(sandbox)))));
    let alone = with_sources();
    share_all(&alone);
    let below = |sandbox: &Sandbox| -> Vec<PathBuf> {
        let home = sandbox.home();
        let all = crate::support::listing(&home).into_keys();
        all.map(|path| path.strip_prefix(&home).unwrap().to_owned()).collect()
    };
    assert_eq!(below(sandbox), below(&alone));
    for place in PLACES {
        assert_eq!(links(sandbox)[Path::new(place)], sandbox.real().join(place));
    }
}

#[test]
fn sixty_four_starts_on_a_fresh_home_all_succeed() {
    together(&with_sources());
}

#[test]
fn sixty_four_starts_repair_a_home_together() {
    let sandbox = with_sources();
    for place in PLACES {
        put_link(&sandbox, place, sandbox.real().join("old"));
    }
    together(&sandbox);
}
