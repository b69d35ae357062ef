//! Links under attack, without permission, and from many starts at once.

use super::{PLACES, linked, links, put_link, share_all, with_sources};
use crate::support::Sandbox;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_planted_link_does_not_redirect_a_write() {
    let sandbox = with_sources();
    let victim = sandbox.mkdir("victim");
    for place in ["Library", ".config"] {
        put_link(&sandbox, place, &victim);
    }
    let outcome = share_all(&sandbox);
    assert_eq!(crate::support::listing(&victim), BTreeMap::new());
    assert!(outcome.stderr.contains(".config"), "a finding: {outcome:?}");
    assert!(sandbox.home().join(".claude").is_symlink(), "the others are made");
}

#[test]
fn a_parent_that_is_a_file_is_a_finding_and_the_command_runs() {
    let sandbox = with_sources();
    sandbox.write("real/.hermes/profiles/builder/home/Library", "a file");
    let outcome = share_all(&sandbox);
    assert!(outcome.stderr.contains("Library"), "{outcome:?}");
    assert_eq!(linked(&sandbox), ".claude .claude.json .config/gh .gitconfig");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_link_that_fails_is_a_finding_and_the_command_runs() {
    let sandbox = with_sources();
    let home = sandbox.mkdir("real/.hermes/profiles/builder/home");
    sandbox.chown_all(54321);
    fs::set_permissions(&home, std::os::unix::fs::PermissionsExt::from_mode(0o555)).unwrap();
    for (option, findings) in [("-v", true), ("-q", false)] {
        let run = sandbox.hx([option, "-p", "builder", "echo", "ran"]).program(sandbox.copied_binary());
        let outcome = run.uid(54321).run();
        assert_eq!((outcome.code(), outcome.out().as_str()), (0, "ran\n"), "{outcome:?}");
        assert_eq!(outcome.stderr.contains(home.to_str().unwrap()), findings, "{outcome:?}");
    }
    assert_eq!(crate::support::listing(&home), BTreeMap::new());
}

#[test]
fn sixty_four_starts_on_a_fresh_home_all_succeed() {
    let sandbox = with_sources();
    let starts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..64).map(|_| scope.spawn(|| share_all(&sandbox))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(starts.len(), 64);
    let alone = with_sources();
    share_all(&alone);
    let below = |sandbox: &Sandbox| -> Vec<PathBuf> {
        let home = sandbox.home();
        let all = crate::support::listing(&home).into_keys();
        all.map(|path| path.strip_prefix(&home).unwrap().to_owned()).collect()
    };
    assert_eq!(below(&sandbox), below(&alone), "one correct home, and no temporary");
    for place in PLACES {
        assert_eq!(links(&sandbox)[Path::new(place)], sandbox.real().join(place));
    }
}

#[test]
fn sixty_four_starts_repair_a_home_together() {
    let sandbox = with_sources();
    for place in PLACES {
        put_link(&sandbox, place, sandbox.real().join("old"));
    }
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| share_all(&sandbox));
        }
    });
    assert_eq!(links(&sandbox).len(), PLACES.len(), "{:?}", links(&sandbox));
    for place in PLACES {
        assert_eq!(links(&sandbox)[Path::new(place)], sandbox.real().join(place));
    }
}
