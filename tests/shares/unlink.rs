//! SPEC 6, last sentence: `--unlink` removes the links that hermes-exec makes, and nothing else.

use crate::support::Sandbox;
use std::fs;
use std::path::PathBuf;

fn with_links() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/Library/Keychains");
    sandbox.mkdir("real/.claude");
    sandbox.write("real/.claude.json", "{}");
    sandbox.mkdir("real/.config/gh");
    sandbox.hx(["-p", "builder", "--share", ".config/gh", "true"]).run().ok();
    sandbox
}

fn at(sandbox: &Sandbox, place: &str) -> PathBuf {
    sandbox.home().join(place)
}

#[test]
fn unlink_removes_our_links_and_leaves_directories_and_sources() {
    let sandbox = with_links();
    let sources = crate::support::listing(&sandbox.real().join(".claude"));
    let outcome = sandbox.hx(["-p", "builder", "--unlink"]).run();
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    for place in [".claude", ".claude.json", "Library/Keychains"] {
        assert!(!at(&sandbox, place).is_symlink(), "{place}");
    }
    assert!(at(&sandbox, "Library").is_dir());
    assert!(sandbox.real().join(".claude.json").is_file());
    assert_eq!(crate::support::listing(&sandbox.real().join(".claude")), sources);
}

#[test]
fn unlink_looks_at_the_places_that_defaults_and_options_name() {
    let sandbox = with_links();
    sandbox.hx(["-p", "builder", "--unlink"]).run();
    assert!(at(&sandbox, ".config/gh").is_symlink(), "no option names it");
    let outcome = sandbox.hx(["-p", "builder", "--unlink", "--share", ".config/gh"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(!at(&sandbox, ".config/gh").is_symlink());
    assert!(at(&sandbox, ".config").is_dir());
}

#[test]
fn unlink_leaves_what_is_not_ours() {
    let sandbox = with_links();
    let elsewhere = sandbox.mkdir("elsewhere");
    let root = sandbox.root();
    for (place, text) in
        [(".claude", elsewhere), (".claude.json", root.join("gone")), ("Library/Keychains", "/no/such".into())]
    {
        fs::remove_file(at(&sandbox, place)).unwrap();
        std::os::unix::fs::symlink(text, at(&sandbox, place)).unwrap();
    }
    sandbox.write("real/.hermes/profiles/builder/home/.gitconfig", "mine");
    let before = sandbox.listing();
    let outcome = sandbox.hx(["-p", "builder", "--unlink", "--share", ".gitconfig"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn unlink_removes_stale_links_into_the_real_home() {
    let sandbox = with_links();
    fs::remove_file(at(&sandbox, ".claude")).unwrap();
    sandbox.link(sandbox.real().join("old/.claude"), "real/.hermes/profiles/builder/home/.claude");
    fs::remove_dir_all(sandbox.real().join("Library")).unwrap();
    sandbox.hx(["-p", "builder", "--unlink"]).run();
    for place in [".claude", "Library/Keychains"] {
        assert!(!at(&sandbox, place).is_symlink(), "{place}");
    }
}

#[test]
fn unlink_makes_nothing() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let before = sandbox.listing();
    let outcome = sandbox.hx(["-p", "builder", "--unlink"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn unlink_does_not_follow_a_planted_parent() {
    let sandbox = with_links();
    let victim = sandbox.mkdir("victim");
    sandbox.link(sandbox.real().join("Library/Keychains"), "victim/Keychains");
    fs::remove_dir_all(at(&sandbox, "Library")).unwrap();
    sandbox.link(&victim, "real/.hermes/profiles/builder/home/Library");
    let outcome = sandbox.hx(["-p", "builder", "--unlink"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(victim.join("Keychains").is_symlink());
}

#[test]
fn links_come_back_with_the_next_run() {
    let sandbox = with_links();
    let before = sandbox.listing();
    sandbox.hx(["-p", "builder", "--unlink", "--share", ".config/gh"]).run();
    assert_ne!(sandbox.listing(), before);
    sandbox.hx(["-p", "builder", "--share", ".config/gh", "true"]).run().ok();
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn unlink_of_an_unknown_profile_fails() {
    let sandbox = with_links();
    let before = sandbox.listing();
    sandbox.hx(["-p", "nobody", "--unlink"]).run().fails(125, &["nobody"]);
    assert_eq!(sandbox.listing(), before);
}
