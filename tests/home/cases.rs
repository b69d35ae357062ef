//! The H and S cases of tests/cases.md, reports of what an isolated home takes from the tools that run in it, as far as they
//! need no foreign tool and stand nowhere else: the page says which test holds which. The number in a test's name is the
//! report's.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::support::{Outcome, Sandbox, listing};

/// What a shell prints in the profile `builder`, started with these options.
#[track_caller]
fn sh(sandbox: &Sandbox, options: &[&str], script: &str) -> Outcome {
    sandbox.hx([options, &["-p", "builder", "--", "sh", "-c", script]].concat()).run().ok()
}

/// H03: the dialog of macOS that offers to reset the keychain comes where `Library/Keychains` is there and empty.
#[test]
fn h03_without_a_keychain_there_is_no_directory_for_one() {
    for (source, made) in [("Library/Preferences/other.plist", false), ("Library/Keychains/login.keychain-db", true)] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(Path::new("real").join(source), "keys");
        let outcome = sh(&sandbox, &[], "ls -A ~; test -s ~/Library/Keychains/login.keychain-db || echo none");
        assert_eq!(outcome.out(), if made { "Library\n" } else { "none\n" }, "{source}");
        assert_eq!(sandbox.home().join("Library/Keychains").is_symlink(), made);
    }
}

/// H06, H14, H17: what tools look up below HOME is out of sight, and comes into sight with `--share`.
#[test]
fn h06_h14_h17_logins_of_other_tools_are_shared_when_asked_for() {
    let logins = [
        ".config/gh/hosts.yml", ".config/gcloud/credentials.db", ".docker/config.json",
        ".docker/cli-plugins/docker-compose", ".netrc", ".aws/sso/cache/token.json", ".kube/config",
    ];
    let sandbox = Sandbox::with_builder();
    logins.iter().for_each(|login| drop(sandbox.write(Path::new("real").join(login), login)));
    let script = format!("cd; cat {} 2>/dev/null || true", logins.join(" "));
    assert_eq!(sh(&sandbox, &[], &script).out(), "");
    let share = ["--share", ".config/gh,.config/gcloud,.docker,.netrc", "--share=.aws,.kube"];
    assert_eq!(sh(&sandbox, &share, &script).out(), logins.concat());
}

/// H07: ssh takes the home from the passwd entry, so a link would only mislead. Keys are linked when asked for.
#[test]
fn h07_ssh_is_not_linked_by_default() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.ssh/id_ed25519", "key");
    sh(&sandbox, &[], "test ! -e ~/.ssh");
    sh(&sandbox, &["--share", ".ssh"], "test -e ~/.ssh/id_ed25519");
}

/// H13: programs under confinement need a HOME without a link on the way to it.
#[test]
fn h13_home_has_no_link_on_its_way() {
    for linked in ["profile", "root", "home", "way to the root"] {
        let sandbox = Sandbox::without_hermes();
        let profile = sandbox.mkdir("disk/hermes/profiles/builder");
        match linked {
            "profile" => {
                sandbox.mkdir("real/.hermes/profiles");
                sandbox.link(&profile, "real/.hermes/profiles/builder");
            }
            "root" => drop(sandbox.link(sandbox.path("disk/hermes"), "real/.hermes")),
            "home" => {
                sandbox.link(sandbox.path("disk/hermes"), "real/.hermes");
                sandbox.mkdir(profile.join("volume/home"));
                sandbox.link("volume/home", profile.join("home"));
            }
            _ => {
                fs::remove_dir(sandbox.real()).unwrap();
                sandbox.mkdir("disk/real");
                fs::rename(sandbox.path("disk/hermes"), sandbox.path("disk/real/.hermes")).unwrap();
                sandbox.link("disk/real", "real");
            }
        }
        let home = PathBuf::from(sh(&sandbox, &[], "cd; printf %s \"$HOME\"").out());
        assert_eq!(home.canonicalize().unwrap(), home, "{linked}");
        assert!(home.starts_with(sandbox.path("disk")), "{linked}: {}", home.display());
    }
}

/// S02: a relative link is resolved from the place where it lies, which may be reached through a link.
#[test]
fn s02_links_are_absolute_and_hold_no_other_link() {
    let sandbox = Sandbox::without_hermes();
    sandbox.mkdir("disk/user/.hermes/profiles/builder");
    sandbox.mkdir("disk/user/.claude");
    sandbox.link("disk", "mnt");
    let home = sandbox.path("mnt/user");
    sandbox.builder(["true"]).env("HOME", &home).run().ok();
    let link = home.join(".hermes/profiles/builder/home/.claude");
    assert_eq!(fs::read_link(link).unwrap(), sandbox.path("disk/user/.claude"));
}

/// S03: a refreshed login is renamed into place. Within a shared directory that reaches everybody; over a shared file it
/// would make a private copy.
#[test]
fn s03_a_login_renamed_into_place_is_the_users_own() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.claude/.credentials.json", "old");
    sh(&sandbox, &[], "cd ~/.claude && echo new >tmp && mv tmp .credentials.json");
    assert_eq!(fs::read_to_string(sandbox.path("real/.claude/.credentials.json")).unwrap(), "new\n");
    let links = listing(&sandbox.home()).into_keys().filter(|path| path.is_symlink());
    let names: Vec<_> = links.map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, [".claude", ".claude.json"], "no file in it is linked");
}

/// S04: a profile with a login of its own: the shared items are listed, and can be switched off.
#[test]
fn s04_shared_items_are_listed_and_can_be_switched_off() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let told = |options: &[&str]| sandbox.hx([&["-n", "-p", "builder"], options, &["true"]].concat()).run().ok().out();
    assert!(told(&[]).contains(".claude"), "{}", told(&[]));
    assert!(!told(&["--no-share", "claude"]).contains(".claude"), "{}", told(&["--no-share", "claude"]));
    sh(&sandbox, &["--no-share", "claude"], "mkdir ~/.claude");
    // From now on the profile's own login stands in the way of the link, with no option.
    sh(&sandbox, &[], "echo own >~/.claude/.credentials.json");
    assert!(fs::read_dir(sandbox.path("real/.claude")).unwrap().next().is_none());
}

/// S12: parallel sessions ruin files that several programs rewrite. We are not one of them.
#[test]
fn s12_what_is_shared_is_never_written() {
    let sandbox = Sandbox::with_builder();
    for file in [".claude/.credentials.json", ".claude.json", "Library/Keychains/login.keychain-db", ".netrc"] {
        sandbox.write(Path::new("real").join(file), "state");
    }
    let stamps = || -> Vec<_> {
        let all = listing(&sandbox.real()).into_keys().filter(|path| !path.starts_with(sandbox.root()));
        all.map(|path| {
            let meta = path.symlink_metadata().unwrap();
            (path, meta.ino(), meta.ctime(), meta.ctime_nsec())
        })
        .collect()
    };
    let before = stamps();
    for last in ["true", "-n", "true", "--unlink", "true"] {
        sandbox.hx(["-p", "builder", "--share", ".netrc", last]).run().ok();
        assert_eq!(stamps(), before, "{last}");
    }
}

/// S15: Codex writes its login in place, and wants CODEX_HOME to be there.
#[test]
fn s15_codex_is_linked_never_copied() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.codex/auth.json", "old");
    sh(&sandbox, &["--share", ".codex"], "echo new >~/.codex/auth.json");
    assert_eq!(fs::read_to_string(sandbox.path("real/.codex/auth.json")).unwrap(), "new\n");
    let codex_home = sandbox.path("real/.codex").display().to_string();
    let run = sandbox.builder(["sh", "-c", "printf %s \"$CODEX_HOME\""]).env("CODEX_HOME", &codex_home);
    assert_eq!(run.run().ok().out(), codex_home);
}
