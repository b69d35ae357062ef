//! Row by row, what is found at a link's place, and what is done.

use super::{ALL, PLACES, links, put_link, share_all, stamps, with_sources};
use crate::support::Sandbox;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[test]
fn a_missing_source_leaves_whatever_stands_at_the_place() {
    for place in PLACES.into_iter().filter(|place| *place != ".claude.json") {
        for what in ["file", "directory", "dangling link", "link"] {
            let sandbox = Sandbox::with_builder();
            let at = Path::new("real/.hermes/profiles/builder/home").join(place);
            match what {
                "file" => sandbox.write(&at, "mine"),
                "directory" => sandbox.mkdir(&at),
                "dangling link" => sandbox.link(sandbox.real().join("gone"), &at),
                _ => sandbox.link(&sandbox.dir, &at),
            };
            let before = stamps(&sandbox);
            share_all(&sandbox);
            assert_eq!(stamps(&sandbox), before, "{what} at {place}");
        }
    }
}

#[test]
fn nothing_is_written_when_every_link_is_right() {
    let sandbox = with_sources();
    share_all(&sandbox);
    let before = stamps(&sandbox);
    share_all(&sandbox);
    assert_eq!(stamps(&sandbox), before);
}

#[test]
fn a_link_that_reaches_the_source_in_one_hop_is_left_as_it_is_spelled() {
    for how in ["relative", "linked parent", "odd spelling"] {
        let sandbox = with_sources();
        sandbox.link("real", "way");
        for place in PLACES {
            let depth = 4 + Path::new(place).components().count() - 1;
            let text = match how {
                "relative" => Path::new(&"../".repeat(depth)).join(place),
                "linked parent" => sandbox.path("way").join(place),
                _ => format!("{}//./{place}", sandbox.real().display()).into(),
            };
            put_link(&sandbox, place, text);
        }
        let before = stamps(&sandbox);
        let outcome = share_all(&sandbox);
        assert_eq!(stamps(&sandbox), before, "{how}");
        assert!(!outcome.stderr.contains("gitconfig"), "{how} is no finding: {}", outcome.stderr);
    }
}

/// It follows the source all the same. Claude Code saves its settings through one link only.
#[test]
fn a_link_that_reaches_the_source_by_more_hops_stays_but_for_claudes_settings() {
    for place in PLACES {
        let sandbox = with_sources();
        let middle = sandbox.link(sandbox.real().join(place), "middle");
        put_link(&sandbox, place, &middle);
        share_all(&sandbox);
        let text = if place == ".claude.json" { sandbox.real().join(place) } else { middle };
        assert_eq!(links(&sandbox)[Path::new(place)], text);
        assert_eq!(links(&sandbox).len(), PLACES.len(), "no temporary is left");
    }
}

#[test]
fn a_dangling_link_into_the_real_home_is_replaced() {
    for place in PLACES {
        let sandbox = with_sources();
        put_link(&sandbox, place, sandbox.real().join("old/place"));
        share_all(&sandbox);
        assert_eq!(links(&sandbox)[Path::new(place)], sandbox.real().join(place));
        assert_eq!(links(&sandbox).len(), PLACES.len(), "no temporary is left");
    }
}

/// A real home of which every place leads to the directory `store`, and on the way to it another link.
fn with_store() -> Sandbox {
    let sandbox = with_sources();
    for place in PLACES {
        let (source, kept) = (sandbox.real().join(place), sandbox.path("store").join(place));
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        fs::rename(&source, &kept).unwrap();
        sandbox.link(kept, source);
    }
    sandbox
}

fn text(sandbox: &Sandbox, place: &str) -> std::path::PathBuf {
    if place == ".claude.json" { sandbox.path("store").join(place) } else { sandbox.real().join(place) }
}

#[test]
fn w27_a_link_has_its_place_in_the_real_home_as_its_text_so_that_it_follows() {
    let sandbox = with_store();
    share_all(&sandbox);
    for place in PLACES {
        assert_eq!(links(&sandbox)[Path::new(place)], text(&sandbox, place));
    }
    let before = stamps(&sandbox);
    share_all(&sandbox);
    assert_eq!(stamps(&sandbox), before);
}

#[test]
fn w27_a_link_past_one_of_the_users_is_replaced() {
    for place in PLACES {
        let sandbox = with_store();
        put_link(&sandbox, place, sandbox.path("store").join(place));
        share_all(&sandbox);
        assert_eq!(links(&sandbox)[Path::new(place)], text(&sandbox, place), "{place}");
        assert_eq!(links(&sandbox).len(), PLACES.len(), "no temporary is left");
    }
    // The directory above is the user's link.
    let sandbox = with_sources();
    fs::rename(sandbox.real().join(".config"), sandbox.path("store")).unwrap();
    sandbox.link(sandbox.path("store"), "real/.config");
    put_link(&sandbox, ".config/gh", sandbox.path("store/gh"));
    share_all(&sandbox);
    assert_eq!(links(&sandbox)[Path::new(".config/gh")], sandbox.real().join(".config/gh"));
}

/// The account was switched: never two halves.
#[test]
fn w27_claudes_settings_never_stay_with_another_account() {
    let elsewhere = ["/no/such/volume/x", "another.json", "real/.claude-work.json"];
    for text in elsewhere {
        let sandbox = with_sources();
        sandbox.write("another.json", "{}");
        let text = sandbox.path(text);
        put_link(&sandbox, ".claude.json", &text);
        share_all(&sandbox);
        assert_eq!(links(&sandbox)[Path::new(".claude.json")], sandbox.real().join(".claude.json"), "{text:?}");
    }
    // In a profile whose own state stays, its settings do.
    let sandbox = with_sources();
    let text = sandbox.write("another.json", "{}");
    put_link(&sandbox, ".claude.json", &text);
    sandbox.mkdir(sandbox.home().join(".claude"));
    share_all(&sandbox);
    assert_eq!(links(&sandbox)[Path::new(".claude.json")], text);
}

/// Whatever `put` makes at a place is left untouched, named with its source under `-v`, not mentioned without, and the
/// other places are linked as ever.
#[track_caller]
fn left_untouched(what: &str, put: impl Fn(&Sandbox, &Path)) {
    left_untouched_at(&PLACES, what, put);
}

/// The same for links: as Claude Code's settings one to elsewhere is another account's.
#[track_caller]
fn link_left_untouched(what: &str, put: impl Fn(&Sandbox, &Path)) {
    let places: Vec<_> = PLACES.into_iter().filter(|place| *place != ".claude.json").collect();
    left_untouched_at(&places, what, put);
}

#[track_caller]
fn left_untouched_at(places: &[&str], what: &str, put: impl Fn(&Sandbox, &Path)) {
    for &place in places {
        let sandbox = with_sources();
        let at = Path::new("real/.hermes/profiles/builder/home").join(place);
        put(&sandbox, &at);
        let at = sandbox.path(at);
        let before = (at.symlink_metadata().unwrap().ino(), fs::read_link(&at).ok(), fs::read(&at).ok());
        let outcome = share_all(&sandbox);
        let after = (at.symlink_metadata().unwrap().ino(), fs::read_link(&at).ok(), fs::read(&at).ok());
        assert_eq!(after, before, "{what} at {place}");

        let source = sandbox.real().join(place);
        let named = |line: &str| [&at, &source].iter().all(|path| line.contains(path.to_str().unwrap()));
        assert!(
            outcome.stderr.lines().any(|line| line.starts_with("hermes-exec: ") && named(line)),
            "{what} at {place} is a finding that names both paths: {outcome:?}"
        );
        let others = PLACES.iter().filter(|other| **other != place);
        for other in others {
            let skipped = place == ".claude" && *other == ".claude.json";
            assert_eq!(sandbox.home().join(other).is_symlink(), !skipped, "{what} at {place}: {other}");
        }
        let mut quiet = ALL.to_vec();
        quiet.push("/bin/true");
        sandbox.hx(quiet).run().ok();
    }
}

#[test]
fn a_file_is_left_untouched() {
    left_untouched("a file", |sandbox, at| drop(sandbox.write(at, "mine")));
}

#[test]
fn a_directory_is_left_untouched() {
    left_untouched("a directory", |sandbox, at| drop(sandbox.write(at.join("inner"), "mine")));
}

#[test]
fn a_link_to_somewhere_else_is_left_untouched() {
    link_left_untouched("a link to a directory", |sandbox, at| drop(sandbox.link(sandbox.mkdir("elsewhere"), at)));
    link_left_untouched("a link to a file", |sandbox, at| drop(sandbox.link(sandbox.write("elsewhere", "x"), at)));
    link_left_untouched("a link to another place of the real home", |sandbox, at| {
        sandbox.link(sandbox.mkdir("real/another"), at);
    });
}

#[test]
fn a_dangling_link_to_outside_is_left_untouched() {
    link_left_untouched("a volume not mounted", |sandbox, at| drop(sandbox.link("/no/such/volume/x", at)));
    link_left_untouched("the neighbour of the real home", |sandbox, at| {
        let text = format!("{}ms/x", sandbox.real().display());
        sandbox.link(text, at);
    });
}

#[test]
fn a_dangling_link_into_the_root_is_left_untouched() {
    left_untouched("into the root", |sandbox, at| drop(sandbox.link(sandbox.root().join("gone"), at)));
    left_untouched("into this home", |sandbox, at| drop(sandbox.link(sandbox.home().join("gone"), at)));
}

#[test]
fn a_link_that_cannot_be_examined_is_left_untouched() {
    left_untouched("a loop", |sandbox, at| drop(sandbox.link(sandbox.path(at), at)));
    link_left_untouched("through a file", |sandbox, at| {
        sandbox.link(sandbox.write("real/some-file", "").join("x"), at);
    });
}

#[test]
fn a_named_pipe_is_left_and_does_not_block() {
    let sandbox = with_sources();
    let at = sandbox.mkdir("real/.hermes/profiles/builder/home").join(".gitconfig");
    nix::unistd::mkfifo(&at, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    share_all(&sandbox);
    assert!(!at.is_symlink());
}

#[test]
fn a_source_inside_the_home_is_refused() {
    for target in ["", "inner"] {
        let sandbox = with_sources();
        sandbox.mkdir("real/.hermes/profiles/builder/home/inner");
        sandbox.link(sandbox.home().join(target), "real/loop");
        let outcome = sandbox.hx(["-v", "-p", "builder", "--share", "loop", "true"]).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        assert!(!sandbox.home().join("loop").is_symlink());
        assert!(outcome.stderr.contains(sandbox.home().to_str().unwrap()), "a finding: {outcome:?}");
    }
}

#[test]
fn a_source_that_contains_the_home_is_refused() {
    let sandbox = with_sources();
    sandbox.link("..", "real/up");
    for item in [".hermes", ".hermes/profiles", ".hermes/profiles/builder", "up"] {
        let outcome = sandbox.hx(["-v", "-p", "builder", "--share", item, "true"]).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        assert!(!sandbox.home().join(item).is_symlink(), "{item}");
        assert!(outcome.stderr.contains(sandbox.home().to_str().unwrap()), "{item}: a finding: {outcome:?}");
    }
}
