//! Shares below shares, sources that are links themselves or go away, and places that changed since they were linked.

use super::{ALL, linked, links, put_link, share_all, stamps, with_sources};
use crate::support::{Outcome, Sandbox, listing};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

const CONFIG: [&str; 4] = ["-v", "-p", "builder", "--no-share"];

/// A run with `-v` that shares these paths and nothing else.
#[track_caller]
fn share(sandbox: &Sandbox, paths: &str) -> Outcome {
    let outcome = sandbox.hx([&CONFIG[..], &["all", "--share", paths, "true"]].concat()).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    outcome
}

fn has_finding(outcome: &Outcome) -> bool {
    outcome.stderr.contains("hermes-exec: warning: ")
}

#[test]
fn below_a_directory_that_is_linked_everything_is_there_already() {
    let sandbox = with_sources();
    share(&sandbox, ".config");
    let before = stamps(&sandbox);
    for paths in [".config/gh", ".config/gh,.config", ".config/gh/hosts.yml"] {
        let outcome = share(&sandbox, paths);
        assert!(!has_finding(&outcome), "{outcome:?}");
    }
    assert_eq!(stamps(&sandbox), before, "nothing was written, and least of all through the link");
}

#[test]
fn above_a_link_the_directory_stays_and_is_a_finding() {
    let sandbox = with_sources();
    share(&sandbox, ".config/gh");
    let before = stamps(&sandbox);
    for paths in [".config", ".config,.config/gh"] {
        let outcome = share(&sandbox, paths);
        assert!(outcome.stderr.contains("/home/.config is not linked"), "{outcome:?}");
        assert!(!outcome.stderr.contains(".config/gh is not linked"), "{outcome:?}");
    }
    assert_eq!(stamps(&sandbox), before);
}

#[test]
fn parents_at_every_depth_are_made_as_private_directories() {
    let sandbox = with_sources();
    sandbox.write("real/a/b/c/d/e", "");
    let run = sandbox.hx(["-p", "builder", "--no-share", "all", "--share", "a/b/c/d/e", "true"]);
    run.after_sh("umask 0").run().ok();
    let all = listing(&sandbox.home());
    for (path, what) in &all {
        assert_eq!(path.is_symlink(), path.ends_with("a/b/c/d/e"));
        assert!(path.is_symlink() || what.starts_with("40700 "), "{}: {what}", path.display());
    }
    assert_eq!(all.len(), 5);
}

#[test]
fn a_link_whose_source_went_away_stays_for_the_day_it_comes_back() {
    let sandbox = with_sources();
    share_all(&sandbox);
    let all = linked(&sandbox);
    for source in [".claude", ".config", "Library"] {
        fs::rename(sandbox.real().join(source), sandbox.path("aside")).unwrap();
        share_all(&sandbox);
        assert_eq!(linked(&sandbox), all, "{source}");
        fs::rename(sandbox.path("aside"), sandbox.real().join(source)).unwrap();
        let before = stamps(&sandbox);
        assert!(!has_finding(&share_all(&sandbox)));
        assert_eq!(stamps(&sandbox), before, "{source}: right as it was");
    }
}

#[test]
fn a_source_that_is_a_dangling_link_is_missing() {
    let sandbox = with_sources();
    fs::remove_file(sandbox.path("real/.gitconfig")).unwrap();
    sandbox.link("dotfiles/gitconfig", "real/.gitconfig");
    share_all(&sandbox);
    assert!(!sandbox.home().join(".gitconfig").is_symlink());
}

#[test]
fn claude_creates_its_settings_at_the_end_of_a_dangling_link() {
    // The one file that we link before it exists: it is to become the user's dotfile, not the link to it.
    let sandbox = with_sources();
    fs::remove_file(sandbox.path("real/.claude.json")).unwrap();
    sandbox.mkdir("dotfiles");
    sandbox.link("middle", "real/.claude.json");
    sandbox.link("../dotfiles/claude.json", "real/middle");
    share_all(&sandbox);
    let dotfile = sandbox.path("dotfiles/claude.json");
    assert_eq!(links(&sandbox)[Path::new(".claude.json")], dotfile);
    let before = stamps(&sandbox);
    share_all(&sandbox);
    assert_eq!(stamps(&sandbox), before);
    sandbox.builder(["sh", "-c", "echo saved >~/.claude.json"]).run().ok();
    assert_eq!(fs::read_to_string(dotfile).unwrap(), "saved\n");
}

#[test]
fn a_leftover_by_the_spelled_path_of_the_real_home_is_replaced() {
    let sandbox = with_sources();
    sandbox.link("real", "way");
    sandbox.link("way", "longer/way");
    symlink("../way", sandbox.path("longer/to")).unwrap();
    put_link(&sandbox, ".claude", sandbox.path("longer/to/old/.claude"));
    sandbox.builder(["true"]).env("HOME", sandbox.path("longer/to")).run().ok();
    assert_eq!(links(&sandbox)[Path::new(".claude")], sandbox.real().join(".claude"));
}

#[test]
fn a_socket_and_a_pipe_can_be_shared() {
    let sandbox = with_sources();
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.mkdir("real/run").join("agent")).unwrap();
    nix::unistd::mkfifo(&sandbox.path("real/run/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    share(&sandbox, "run/agent,run/pipe");
    assert_eq!(linked(&sandbox), "run/agent run/pipe");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_source_out_of_reach_is_a_finding_and_the_others_are_made() {
    let sandbox = with_sources();
    sandbox.copied_binary();
    sandbox.chown_all(54321);
    let closed = sandbox.path("real/.config");
    std::os::unix::fs::lchown(&closed, Some(0), Some(0)).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    let run = sandbox.hx([&["-v"], &ALL[..], &["echo", "ran"]].concat());
    let outcome = run.program(sandbox.copied_binary()).uid(54321).run();
    assert_eq!((outcome.code(), outcome.out().as_str()), (0, "ran\n"), "{outcome:?}");
    assert!(outcome.stderr.contains(".config/gh: Permission denied"), "{outcome:?}");
    assert!(!sandbox.home().join(".config").exists(), "not even the directory on the way to it");
    assert_eq!(links(&sandbox).len(), super::PLACES.len() - 1);
    assert_eq!(sandbox.home().metadata().unwrap().uid(), 54321);
}
