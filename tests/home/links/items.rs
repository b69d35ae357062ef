//! Which items are shared, and what their links look like in a home that holds nothing yet.

use super::{PLACES, linked, links, share_all, stamps, with_sources};
use crate::support::{Sandbox, bytes};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_place_is_linked_to_the_same_place_in_the_real_home_and_the_next_run_writes_nothing() {
    let sandbox = with_sources();
    share_all(&sandbox);
    let before = stamps(&sandbox);
    share_all(&sandbox);
    assert_eq!(stamps(&sandbox), before);
    for place in PLACES {
        let target = sandbox.real().join(place);
        assert_eq!(fs::read_link(sandbox.home().join(place)).unwrap(), target, "{place}");
    }
    assert_eq!(links(&sandbox).len(), PLACES.len());
}

#[test]
fn the_defaults_are_keychain_and_claude() {
    let sandbox = with_sources();
    sandbox.builder(["true"]).run().ok();
    assert_eq!(linked(&sandbox), ".claude .claude.json Library/Keychains Library/Preferences/com.apple.security.plist");
}

#[test]
fn a_missing_source_makes_nothing_at_all() {
    let sandbox = Sandbox::with_builder();
    share_all(&sandbox);
    assert_eq!(crate::support::listing(&sandbox.home()), BTreeMap::new());
}

#[test]
fn each_source_stands_for_itself() {
    for place in PLACES.into_iter().filter(|place| *place != ".claude.json") {
        let sandbox = Sandbox::with_builder();
        sandbox.mkdir(format!("real/{place}"));
        share_all(&sandbox);
        let expected = if place == ".claude" { ".claude .claude.json" } else { place };
        assert_eq!(linked(&sandbox), expected);
    }
}

#[test]
fn claude_json_is_linked_before_it_exists_so_that_claude_creates_the_real_one() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let text = sandbox.real().join(".claude.json");
    sandbox.builder(["true"]).run().ok();
    assert_eq!(links(&sandbox)[Path::new(".claude.json")], text);

    let before = stamps(&sandbox);
    sandbox.builder(["true"]).run().ok();
    assert_eq!(stamps(&sandbox), before, "the dangling link is right already");

    sandbox.builder(["sh", "-c", "echo saved > ~/.claude.json"]).run().ok();
    assert_eq!(fs::read_to_string(text).unwrap(), "saved\n");
    assert!(sandbox.home().join(".claude.json").is_symlink());
}

#[test]
fn claude_is_all_or_none() {
    // The other way round, `.claude` is made where `.claude.json` is left: see `places`.
    let sandbox = with_sources();
    sandbox.mkdir("real/.hermes/profiles/builder/home/.claude");
    sandbox.builder(["true"]).run().ok();
    assert_eq!(linked(&sandbox), "Library/Keychains Library/Preferences/com.apple.security.plist");
}

#[test]
fn claude_is_skipped_with_a_note_when_the_command_has_its_own_directory() {
    for (variable, options, linked) in [
        ("/mine", &[][..], false),
        ("", &["--set", "CLAUDE_CONFIG_DIR=/mine"], false),
        ("", &[], true),
        (" ", &[], true),
        ("/mine", &["--unset", "CLAUDE_CONFIG_DIR"], true),
    ] {
        let sandbox = with_sources();
        let run = sandbox.hx([&["-v", "-p", "builder"], options, &["true"]].concat());
        let outcome = run.env("CLAUDE_CONFIG_DIR", variable).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        let places =
            [".claude", ".claude.json", "Library/Keychains"].map(|place| sandbox.home().join(place).is_symlink());
        assert_eq!(places, [linked, linked, true], "{variable:?} {options:?}");
        assert!(linked || outcome.stderr.contains("CLAUDE_CONFIG_DIR"), "{outcome:?}");
    }
}

#[test]
fn share_and_no_share_apply_from_left_to_right() {
    const KEYCHAIN: &str = "Library/Keychains Library/Preferences/com.apple.security.plist";
    const CLAUDE: &str = ".claude .claude.json";
    for (options, expected) in [
        (vec!["--no-share", "all"], String::new()),
        (vec!["--no-share", "claude"], KEYCHAIN.into()),
        (vec!["--no-share", "keychain,claude"], String::new()),
        (vec!["--no-share", "all", "--share", "claude"], CLAUDE.into()),
        (vec!["--share", "claude", "--no-share", "all"], String::new()),
        (vec!["--no-share", "claude", "--share", "claude"], format!("{CLAUDE} {KEYCHAIN}")),
        (vec!["--share=.gitconfig", "--no-share=all", "--share=.config/gh"], ".config/gh".into()),
        (vec!["--share", ".gitconfig,.config/gh", "--no-share", "keychain,.gitconfig"], format!("{CLAUDE} .config/gh")),
        (vec!["--no-share", "all", "--share", ".gitconfig", "--share", ".gitconfig"], ".gitconfig".into()),
        (vec!["--no-share", ".never/shared", "--no-share", "all"], String::new()),
    ] {
        let sandbox = with_sources();
        let args = ["-p", "builder"].iter().chain(&options).chain(&["true"]);
        sandbox.hx(args).run().ok();
        assert_eq!(linked(&sandbox), expected, "{options:?}");
    }
}

#[test]
fn dot_parts_and_repeated_slashes_of_a_path_are_dropped() {
    for path in [".config/gh/", "./.config/gh", ".config//gh", ".config/./gh/.", ".//.config/gh//"] {
        let sandbox = with_sources();
        sandbox.hx(["-p", "builder", "--no-share", "all", "--share", path, "true"]).run().ok();
        let expected = (PathBuf::from(".config/gh"), sandbox.real().join(".config/gh"));
        assert_eq!(links(&sandbox).into_iter().collect::<Vec<_>>(), [expected], "{path}");
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: names that are not UTF-8")]
#[test]
fn other_paths_are_taken_byte_for_byte() {
    let odd = bytes(b"a b/\xff\n*");
    let sandbox = Sandbox::with_builder();
    sandbox.write(Path::new("real").join(odd), "odd");
    let option = [b"--share=".as_slice(), b"a b/\xff\n*"].concat();
    sandbox.hx([bytes(b"-pbuilder"), bytes(&option), bytes(b"true")]).run().ok();
    assert_eq!(links(&sandbox)[Path::new(odd)], sandbox.real().join(odd));
}

#[test]
fn a_path_that_leaves_the_home_is_refused() {
    let sandbox = with_sources();
    let before = sandbox.listing();
    let bad =
        ["", ".", "./", "..", "../x", "a/../b", "a/..", "/", "/etc", "//etc", ".gitconfig,", ",", ".gitconfig,/etc"];
    for path in bad {
        for option in ["--share", "--no-share"] {
            sandbox.hx(["-p", "builder", option, path, "true"]).run().fails(125, &[]);
        }
    }
    // A bad value is not repeated: `Run` fails when the planted word is printed.
    let secret = format!("../{}", crate::support::CANARY);
    sandbox.hx(["-p", "builder", "--share", &secret, "true"]).run().fails(125, &[]);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn outer_paths_are_made_before_inner_ones() {
    for paths in [".config/gh,.config", ".config,.config/gh"] {
        let sandbox = with_sources();
        let real = crate::support::listing(&sandbox.real().join(".config"));
        sandbox.hx(["-p", "builder", "--no-share", "all", "--share", paths, "true"]).run().ok();
        assert_eq!(linked(&sandbox), ".config", "{paths}");
        assert_eq!(crate::support::listing(&sandbox.real().join(".config")), real, "nothing is written through it");
    }
}

#[test]
fn nothing_is_linked_when_home_stays() {
    let sandbox = with_sources();
    let before = sandbox.listing();
    sandbox.hx(["-p", "builder", "--home", "real", "true"]).run().ok();
    sandbox.hx(["true"]).run().ok();
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn w60_at_most_a_thousand_items_are_named() {
    let sandbox = with_sources();
    let words = |count: usize| (0..count).map(|at| format!("dir/{at}")).collect::<Vec<_>>().join(",");
    let share = |count| sandbox.hx(["-p", "builder", "--no-share", "all", "--share", &words(count), "true"]).run();
    share(997).ok();
    share(998).fails(125, &["more than 1000 shared items", "share a directory"]);
    let items: Vec<_> = (0..100_000).map(|at| format!("\"{at:x}\"")).collect();
    let policy = sandbox.write("policy.json", format!("{{\"share\": [{}]}}", items.join(",")));
    let outcome = sandbox.hx(["-p", "builder", "--policy", policy.to_str().unwrap(), "true"]).run();
    outcome.fails(125, &["more than 1000 shared items"]);
}
