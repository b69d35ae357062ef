//! Row by row, what is found at a link's place, and what is done.

use super::{ALL, PLACES, links, put_link, share_all, stamps, with_sources};
use crate::support::Sandbox;
use std::fs;
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

/// A link that reaches the source follows it all the same; Claude Code saves its settings through one link only. One into
/// the real home that dangles was ours.
#[test]
fn a_link_that_reaches_the_source_by_more_hops_stays_and_a_dangling_one_into_the_real_home_is_replaced() {
    for place in PLACES {
        for dangles in [false, true] {
            let sandbox = with_sources();
            let source = sandbox.real().join(place);
            let middle = sandbox.link(&source, "middle");
            let text = if dangles { sandbox.real().join("old/place") } else { middle };
            put_link(&sandbox, place, &text);
            share_all(&sandbox);
            let is_replaced = dangles || place == ".claude.json";
            assert_eq!(links(&sandbox)[Path::new(place)], if is_replaced { source } else { text });
            assert_eq!(links(&sandbox).len(), PLACES.len(), "no temporary is left");
        }
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

/// What can stand at a place and is not ours. Of links to elsewhere Claude Code's settings are not left: such a link is
/// another account's (see above).
type Put = fn(&Sandbox, &Path);
const NOT_OURS: [(&str, bool, Put); 12] = [
    ("a file", true, |sandbox, at| drop(sandbox.write(at, "mine"))),
    ("a directory", true, |sandbox, at| drop(sandbox.write(at.join("inner"), "mine"))),
    ("a named pipe", true, |sandbox, at| {
        sandbox.mkdir(at.parent().unwrap());
        nix::unistd::mkfifo(&sandbox.path(at), nix::sys::stat::Mode::S_IRWXU).unwrap();
    }),
    ("a link to itself", true, |sandbox, at| drop(sandbox.link(sandbox.path(at), at))),
    ("a dangling link into the root", true, |sandbox, at| drop(sandbox.link(sandbox.root().join("gone"), at))),
    ("a dangling link into this home", true, |sandbox, at| drop(sandbox.link(sandbox.home().join("gone"), at))),
    ("a link to a directory", false, |sandbox, at| drop(sandbox.link(sandbox.mkdir("elsewhere"), at))),
    ("a link to a file", false, |sandbox, at| drop(sandbox.link(sandbox.write("elsewhere", "x"), at))),
    ("a link to another place of the real home", false, |sandbox, at| {
        sandbox.link(sandbox.mkdir("real/another"), at);
    }),
    ("a link to a volume that is not mounted", false, |sandbox, at| drop(sandbox.link("/no/such/volume/x", at))),
    ("a dangling link beside the real home", false, |sandbox, at| {
        sandbox.link(format!("{}ms/x", sandbox.real().display()), at);
    }),
    ("a link through a file", false, |sandbox, at| {
        sandbox.link(sandbox.write("real/some-file", "").join("x"), at);
    }),
];

/// It is named with its source under `-v` and not mentioned without, and the other places are linked as ever.
#[test]
fn what_is_not_ours_is_left_untouched() {
    for (what, also_settings, put) in NOT_OURS {
        for place in PLACES.into_iter().filter(|place| also_settings || *place != ".claude.json") {
            let sandbox = with_sources();
            let at = sandbox.home().join(place);
            put(&sandbox, &Path::new("real/.hermes/profiles/builder/home").join(place));
            let there = || stamps(&sandbox).into_iter().filter(|(path, _)| path.starts_with(&at)).collect::<Vec<_>>();
            let before = there();
            let outcome = share_all(&sandbox);
            assert_eq!(there(), before, "{what} at {place}");

            let source = sandbox.real().join(place);
            let named = |line: &str| [&at, &source].iter().all(|path| line.contains(path.to_str().unwrap()));
            assert!(
                outcome.stderr.lines().any(|line| line.starts_with("hermes-exec: ") && named(line)),
                "{what} at {place} is a finding that names both paths: {outcome:?}"
            );
            for other in PLACES.into_iter().filter(|other| *other != place) {
                let skipped = (place, other) == (".claude", ".claude.json");
                assert_eq!(sandbox.home().join(other).is_symlink(), !skipped, "{what} at {place}: {other}");
            }
            sandbox.hx([&ALL[..], &["/bin/true"]].concat()).run().ok();
        }
    }
}

#[test]
fn a_source_that_contains_the_home_or_is_inside_it_is_refused() {
    let sandbox = with_sources();
    sandbox.write(sandbox.home().join("inner/file"), "");
    sandbox.link(sandbox.home(), "real/to-home");
    sandbox.link(sandbox.home().join("inner"), "real/to-inner");
    sandbox.link("..", "real/up");
    let before = crate::support::listing(&sandbox.home());
    for item in [
        "up",
        ".hermes",
        ".hermes/profiles",
        ".hermes/profiles/builder",
        ".hermes/profiles/builder/home",
        ".hermes/profiles/builder/home/inner",
        ".hermes/profiles/builder/home/inner/file",
        "to-home",
        "to-inner",
    ] {
        let outcome = sandbox.hx(["-v", "-p", "builder", "--no-share", "all", "--share", item, "true"]).run();
        assert_eq!(outcome.code(), 0, "{item}: {outcome:?}");
        let line = outcome.stderr.lines().find(|line| line.contains("one is inside the other"));
        assert!(line.is_some_and(|line| line.contains(sandbox.home().to_str().unwrap())), "{item}: {outcome:?}");
        assert_eq!(crate::support::listing(&sandbox.home()), before, "{item}: not even a directory on the way to it");
    }
}
