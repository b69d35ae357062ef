//! `--unlink` removes the links that hermes-exec makes, and nothing else.

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

/// The user's own place is a link to a volume, and so ours leads there, too. While that is not mounted, no link to it would
/// be made, and none is taken out.
#[test]
fn unlink_leaves_a_link_to_a_volume_that_is_gone() {
    let sandbox = Sandbox::with_builder();
    let volume = sandbox.mkdir("volume/claude");
    sandbox.link(&volume, "real/.claude");
    // As an earlier version made it.
    let link = at(&sandbox, ".claude");
    sandbox.link(&volume, &link);
    fs::remove_dir(&volume).unwrap();
    let outcome = sandbox.hx(["-p", "builder", "--unlink"]).run().ok();
    assert!(outcome.out().contains(&format!("left: {} -> {}", link.display(), volume.display())), "{outcome:?}");
    assert!(link.is_symlink());
    fs::create_dir(&volume).unwrap();
    sandbox.hx(["-p", "builder", "--unlink"]).run().ok();
    assert!(!link.is_symlink());
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

#[test]
fn unlink_tells_what_it_removed_and_what_it_left() {
    let sandbox = with_links();
    let gone = sandbox.root().join("gone");
    fs::remove_file(at(&sandbox, ".claude")).unwrap();
    sandbox.link(&gone, "real/.hermes/profiles/builder/home/.claude");
    let outcome = sandbox.hx(["-p", "builder", "--unlink"]).run().ok();
    let line = |what: &str, place: &str, text: PathBuf| {
        format!("{what}: {} -> {}", at(&sandbox, place).display(), text.display())
    };
    let expected = [
        line("left", ".claude", gone),
        line("removed", ".claude.json", sandbox.real().join(".claude.json")),
        line("removed", "Library/Keychains", sandbox.real().join("Library/Keychains")),
    ];
    assert_eq!(outcome.out().lines().collect::<Vec<_>>(), expected);
}

#[test]
fn unlink_a_second_time_has_nothing_to_do_or_to_say() {
    let sandbox = with_links();
    let unlink = || sandbox.hx(["-p", "builder", "--unlink", "--share", ".config/gh"]).run().ok();
    assert_eq!(unlink().out().lines().count(), 4);
    let before = super::stamps(&sandbox);
    assert_eq!(unlink().out(), "");
    assert_eq!(super::stamps(&sandbox), before);
}

/// The mode says what a run does with HOME; the links of earlier runs are in the home all the same.
#[test]
fn unlink_does_not_ask_for_the_mode() {
    for (option, variable) in
        [("--home=real", "X"), ("--verbose", "HERMES_EXEC_HOME_MODE"), ("-q", "TERMINAL_HOME_MODE")]
    {
        let sandbox = with_links();
        let run = sandbox.hx(["-p", "builder", "--unlink", option]).env(variable, "real");
        assert_eq!(run.run().ok().out().lines().count(), 3, "{option} {variable}");
        assert!(!at(&sandbox, ".claude").is_symlink(), "{option} {variable}");
    }
}

#[test]
fn unlink_where_there_is_no_home_or_no_hermes_is_nothing() {
    let sandbox = Sandbox::with_builder();
    let before = sandbox.listing();
    for options in [&["--unlink"][..], &["-p", "builder", "--unlink"], &["--unlink", "--home", "profile"]] {
        assert_eq!(sandbox.hx(options).run().ok().out(), "");
    }
    assert_eq!(sandbox.listing(), before);
    let bare = Sandbox::without_hermes();
    assert_eq!(bare.hx(["--unlink"]).run().ok().out(), "");
}

#[test]
fn unlink_of_the_default_profile_works_in_the_home_of_the_root() {
    let sandbox = with_links();
    sandbox.mkdir("real/.hermes/home");
    sandbox.hx(["true"]).run().ok();
    assert!(sandbox.root().join("home/.claude").is_symlink());
    sandbox.hx(["--unlink"]).run().ok();
    assert!(!sandbox.root().join("home/.claude").is_symlink());
    assert!(at(&sandbox, ".claude").is_symlink(), "the other profile's are not meant");
}

/// Which links are ours is told by where they lead; where the real home is not known, nothing can be told.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn unlink_without_a_real_home_is_an_error() {
    let sandbox = with_links();
    sandbox.copied_binary();
    sandbox.chown_all(54321);
    let before = sandbox.listing();
    let run = sandbox.hx(["-p", "builder", "--unlink"]).env("HERMES_HOME", sandbox.root());
    run.no_env("HOME").program(sandbox.copied_binary()).uid(54321).run().fails(125, &["the real home is unknown"]);
    assert_eq!(sandbox.listing(), before);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn unlink_in_a_home_that_cannot_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with_links();
    sandbox.copied_binary();
    sandbox.chown_all(54321);
    fs::set_permissions(sandbox.home(), fs::Permissions::from_mode(0o555)).unwrap();
    let run = sandbox.hx(["-p", "builder", "--unlink"]).program(sandbox.copied_binary()).uid(54321);
    run.run().fails(125, &[".claude cannot be removed: Permission denied"]);
}

/// `hermes profile import` refuses an archive with links.
#[test]
fn after_unlink_an_archive_of_the_profile_holds_no_link() {
    let sandbox = with_links();
    sandbox.write("real/.hermes/profiles/builder/config.yaml", "model: x\n");
    sandbox.write("real/.hermes/profiles/builder/home/notes", "mine");
    let archive = || {
        let tar = ["tar", "-C", sandbox.root().to_str().unwrap(), "-cf", "profile.tar", "profiles/builder"].join(" ");
        let command = format!("{tar} && tar -tvf profile.tar");
        sandbox.hx(["--no-share", "all", "--", "sh", "-c", &command]).run().ok().out()
    };
    let links = |listing: &str| listing.lines().filter(|line| line.starts_with('l')).count();
    assert_eq!(links(&archive()), 4);
    sandbox.hx(["-p", "builder", "--unlink", "--share", ".config/gh"]).run().ok();
    let after = archive();
    assert_eq!(links(&after), 0, "{after}");
    assert!(after.contains("builder/config.yaml") && after.contains("home/notes"), "{after}");
}
