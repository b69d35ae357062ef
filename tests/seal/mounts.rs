//! Bind mounts that were there before: a secret file has as many paths as mounts show it. Each test mounts in a namespace of
//! its own, which ends with it.

use super::{USER, full, text};
use crate::support::{Outcome, Sandbox};

/// Does `mounts` as root, in the directory of the sandbox, then starts the binary as the user.
fn with_mounts(sandbox: &Sandbox, mounts: &str, options: &[&str], script: &str) -> Outcome {
    let binary = sandbox.copied_binary();
    let prelude = format!(
        "set -e\ncd '{}'\n{mounts}\ncd work\nexec setpriv --reuid {USER} --regid {USER} --clear-groups \"$@\"",
        sandbox.dir.display()
    );
    let args = [
        &["--mount", "--propagation", "private", "sh", "-c", &prelude, "sh", text(&binary)],
        options,
        &["-p", "builder", "--", "sh", "-c", script],
    ];
    sandbox.hx(args.concat()).program("/usr/bin/unshare").run()
}

/// With these mounts the secret files are open without the seal and closed with it; the others are open.
#[track_caller]
fn assert_closed(mounts: &str, secret: &[&str], open: &[&str]) {
    let sandbox = full();
    for dir in ["work/bound", "volume", "outer/inner"] {
        sandbox.mkdir(dir);
    }
    sandbox.write("work/file", "to mount over");
    sandbox.chown_all(USER);
    let cat: String =
        [secret, open].concat().iter().map(|file| format!("cat ../{file} >/dev/null && echo {file}\n")).collect();
    let script = format!("exec 2>/dev/null\n{cat}:");
    let lines = |options| {
        let outcome = with_mounts(&sandbox, mounts, options, &script).ok();
        outcome.out().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&[]), [secret, open].concat(), "without a seal");
    assert_eq!(lines(&["--seal=files"]), open);
}

#[test]
fn of_the_root() {
    let secret = ["work/bound/.env", "work/bound/profiles/other/state.db", "real/.hermes/.env"];
    let open = ["work/bound/config.yaml", "work/main.c", "work/bound/skills/one/SKILL.md"];
    assert_closed("mount --bind real/.hermes work/bound", &secret, &open);
}

#[test]
fn of_a_profile() {
    let secret = ["work/bound/.env", "real/.hermes/profiles/other/.env"];
    assert_closed("mount --bind real/.hermes/profiles/other work/bound", &secret, &["work/bound/config.yaml"]);
}

#[test]
fn of_all_profiles() {
    assert_closed("mount --bind real/.hermes/profiles work/bound", &["work/bound/other/.env"], &["work/main.c"]);
}

#[test]
fn of_the_real_home() {
    let secret = ["work/bound/.hermes/.env", "work/bound/.hermes/profiles/builder/auth.json"];
    assert_closed(
        "mount --bind real work/bound",
        &secret,
        &["work/bound/.gitconfig", "work/bound/projects/one/main.c"],
    );
}

#[test]
fn of_the_whole_machine() {
    let mounts = "mount --bind / outer/inner; here=outer/inner$PWD; test -e $here/real/.hermes/.env; mount --bind $here work/bound";
    assert_closed(mounts, &["work/bound/real/.hermes/.env"], &["work/bound/real/.gitconfig"]);
}

/// No secret file is there yet, but may come.
#[test]
fn of_a_profile_without_secret_files() {
    let sandbox = full();
    sandbox.profile("fresh");
    sandbox.mkdir("work/bound");
    sandbox.mkdir("work/free");
    sandbox.chown_all(USER);
    let mounts = "mount --bind real/.hermes/profiles/fresh work/bound";
    // Hermes makes it, outside of the seal. The working directory is above it now, so that the command makes its files below.
    let made = "(until [ -e free/go ]; do sleep 0.01; done; echo new >../real/.hermes/profiles/fresh/.env; mkdir made) >/dev/null 2>&1 &";
    let script =
        "echo >free/go || exit 9; until [ -e made ]; do sleep 0.01; done; rm free/go; rmdir made; cat bound/.env";
    let mounts = format!("{mounts}\ncd work\n{made}\ncd ..");
    assert_eq!(with_mounts(&sandbox, &mounts, &[], script).out(), "new\n");
    std::fs::remove_file(sandbox.path("real/.hermes/profiles/fresh/.env")).unwrap();
    let outcome = with_mounts(&sandbox, &mounts, &["--seal=files"], script);
    assert_eq!((outcome.code(), outcome.out().as_str()), (1, ""), "{outcome:?}");
}

/// A rule holds for an inode: what is mounted beside the path is the directory above the secret files.
#[test]
fn of_a_directory_above_without_what_is_mounted_in_it() {
    let mounts =
        "mount -t tmpfs none volume; cp -a real/. volume/; mount --bind volume real; mount --bind \"$PWD\" outer";
    assert_closed(mounts, &["real/.hermes/.env", "volume/.hermes/.env", "outer/real/.hermes/.env"], &["work/main.c"]);
}

#[test]
fn of_a_single_secret_file() {
    let secret = ["work/file", "real/.hermes/.env"];
    assert_closed("mount --bind real/.hermes/.env work/file", &secret, &["work/main.c"]);
}

#[test]
fn of_a_mount() {
    let mounts = "mount --bind real/.hermes outer/inner; mount --bind outer/inner work/bound";
    assert_closed(mounts, &["work/bound/.env", "outer/inner/.env"], &["work/bound/config.yaml"]);
}

/// The real home is a mount itself, and the file system that it is of is mounted as a whole elsewhere.
#[test]
fn of_a_volume_that_holds_the_real_home() {
    let mounts = "mount -t tmpfs none volume; cp -a real volume/homes; mount --bind volume/homes real; mount --bind volume outer";
    let secret = ["real/.hermes/.env", "volume/homes/.hermes/.env", "outer/homes/.hermes/profiles/other/.env"];
    assert_closed(mounts, &secret, &["real/.gitconfig", "volume/homes/.gitconfig", "outer/homes/.gitconfig"]);
}

/// As a container has it: the secret file is mounted over from elsewhere.
#[test]
fn over_a_secret_file() {
    let mounts = "cp work/main.c volume/env; mount --bind volume/env real/.hermes/.env";
    assert_closed(mounts, &["real/.hermes/.env", "volume/env"], &["work/main.c"]);
}

#[test]
fn with_an_odd_name() {
    let mounts = "mkdir -p 'work/b d\\'; mount --bind real/.hermes 'work/b d\\'; ln -sfn 'b d\\' work/plain";
    assert_closed(mounts, &["work/plain/.env"], &["work/plain/config.yaml"]);
}

/// A mount that is hidden below another one is no path any more, and closes nothing.
#[test]
fn that_is_hidden() {
    let mounts = "mount --bind real/.hermes work/bound; mount -t tmpfs none work/bound; mkdir work/bound/logs; cp work/main.c work/bound/.env";
    assert_closed(mounts, &["real/.hermes/.env"], &["work/bound/.env"]);
}

/// Nothing can be mounted inside, in a namespace of the command's own either.
#[test]
fn that_the_command_would_make() {
    let sandbox = full();
    let script =
        "unshare --user --map-root-user --mount sh -c 'mkdir -p m; mount --bind ../real/.hermes m && cat m/.env'";
    assert!(with_mounts(&sandbox, ":", &[], script).ok().out().starts_with("secret"), "without a seal");
    for level in ["--seal=on", "--seal=files"] {
        let outcome = with_mounts(&sandbox, ":", &[level], script);
        assert_ne!(outcome.code(), 0, "{level}: {outcome:?}");
        assert_eq!(outcome.out(), "", "{level}");
    }
}

/// Where the mounts cannot be known, neither can the paths.
#[test]
fn that_cannot_be_listed() {
    let sandbox = full();
    let mounts = "mount -t tmpfs none /proc";
    with_mounts(&sandbox, mounts, &["--seal=files"], "true").fails(125, &["/proc/self/mountinfo"]);
    with_mounts(&sandbox, mounts, &["--seal"], "true").ok();
}
