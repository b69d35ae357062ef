//! `--unlink` removes the links that hermes-exec makes, and nothing else.

use super::stamps;
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

/// Does it with these options, and gives what it tells, with places instead of paths; it ends well.
#[track_caller]
fn unlink(sandbox: &Sandbox, options: &[&str]) -> Vec<String> {
    let outcome = sandbox.hx([&["-p", "builder", "--unlink"], options].concat()).run().ok();
    let home = format!("{}/", sandbox.home().display());
    outcome.out().replace(&home, "").replace(sandbox.dir.to_str().unwrap(), "{dir}").lines().map(Into::into).collect()
}

/// Puts another link in the place of one of ours.
fn replace(sandbox: &Sandbox, place: &str, text: impl AsRef<std::path::Path>) {
    fs::remove_file(at(sandbox, place)).unwrap();
    sandbox.link(text, at(sandbox, place));
}

#[test]
fn unlink_removes_our_links_where_defaults_and_options_name_them_and_they_come_back() {
    const SHARE: [&str; 2] = ["--share", ".config/gh"];
    let sandbox = with_links();
    let before = sandbox.listing();
    let of_defaults = [
        "removed: .claude -> {dir}/real/.claude",
        "removed: .claude.json -> {dir}/real/.claude.json",
        "removed: Library/Keychains -> {dir}/real/Library/Keychains",
    ];
    assert_eq!(unlink(&sandbox, &[]), of_defaults);
    assert_eq!(unlink(&sandbox, &SHARE), ["removed: .config/gh -> {dir}/real/.config/gh"]);
    let mut expected = before.clone();
    expected.retain(|path, what| !(path.starts_with(sandbox.home()) && what.contains("link to")));
    assert_eq!(sandbox.listing(), expected, "directories and sources stay");

    let unlinked = stamps(&sandbox);
    assert_eq!(unlink(&sandbox, &SHARE), [""; 0], "a second time there is nothing to do or to say");
    assert_eq!(stamps(&sandbox), unlinked);
    sandbox.hx(["-p", "builder", "--share", ".config/gh", "true"]).run().ok();
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn unlink_leaves_what_is_not_ours_and_says_so() {
    let sandbox = with_links();
    replace(&sandbox, ".claude", sandbox.mkdir("elsewhere"));
    replace(&sandbox, ".claude.json", sandbox.root().join("gone"));
    replace(&sandbox, "Library/Keychains", "/no/such");
    sandbox.write(at(&sandbox, ".gitconfig"), "mine");
    let before = sandbox.listing();
    let left = [
        "left: .claude -> {dir}/elsewhere",
        "left: .claude.json -> {dir}/real/.hermes/gone",
        "left: Library/Keychains -> /no/such",
    ];
    assert_eq!(unlink(&sandbox, &["--share", ".gitconfig"])[..3], left);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn unlink_removes_stale_links_into_the_real_home() {
    let sandbox = with_links();
    replace(&sandbox, ".claude", sandbox.real().join("old/.claude"));
    fs::remove_dir_all(sandbox.real().join("Library")).unwrap();
    unlink(&sandbox, &[]);
    for place in [".claude", "Library/Keychains"] {
        assert!(!at(&sandbox, place).is_symlink(), "{place}");
    }
}

#[test]
fn unlink_does_not_follow_a_planted_parent() {
    let sandbox = with_links();
    sandbox.link(sandbox.real().join("Library/Keychains"), "victim/Keychains");
    fs::remove_dir_all(at(&sandbox, "Library")).unwrap();
    sandbox.link(sandbox.path("victim"), at(&sandbox, "Library"));
    let outcome = sandbox.hx(["-p", "builder", "--unlink"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(sandbox.path("victim/Keychains").is_symlink());
}

/// The user's own place is a link to a volume, and so is ours. While that is not mounted, no link to it would be made, and
/// none is removed.
#[test]
fn unlink_leaves_a_link_to_a_volume_that_is_gone() {
    let sandbox = Sandbox::with_builder();
    let volume = sandbox.mkdir("volume/claude");
    sandbox.link(&volume, "real/.claude");
    // As an earlier version made it.
    sandbox.link(&volume, at(&sandbox, ".claude"));
    fs::remove_dir(&volume).unwrap();
    assert!(unlink(&sandbox, &[]).contains(&"left: .claude -> {dir}/volume/claude".into()));
    assert!(at(&sandbox, ".claude").is_symlink());
    fs::create_dir(&volume).unwrap();
    unlink(&sandbox, &[]);
    assert!(!at(&sandbox, ".claude").is_symlink());
}

#[test]
fn unlink_of_an_unknown_profile_fails() {
    let sandbox = with_links();
    let before = sandbox.listing();
    sandbox.hx(["-p", "nobody", "--unlink"]).run().fails(125, &["nobody"]);
    assert_eq!(sandbox.listing(), before);
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
    sandbox.mkdir("real/.claude");
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
