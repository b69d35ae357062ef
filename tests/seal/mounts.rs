//! Bind mounts that were there before: a secret file has as many paths as mounts show it. Each test mounts in a namespace of
//! its own, which ends with it.

use super::{USER, assert_closed, full, text};
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

/// What is mounted; the commands; secret files, which are open without a seal and closed with it; files that stay open.
type Row = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const MOUNTS: [Row; 12] = [
    (
        "the root",
        "mount --bind real/.hermes work/bound",
        &["work/bound/.env", "work/bound/profiles/other/state.db", "real/.hermes/.env"],
        &["work/bound/config.yaml", "work/main.c", "work/bound/skills/one/SKILL.md"],
    ),
    (
        "a profile",
        "mount --bind real/.hermes/profiles/other work/bound",
        &["work/bound/.env", "real/.hermes/profiles/other/.env"],
        &["work/bound/config.yaml"],
    ),
    ("all profiles", "mount --bind real/.hermes/profiles work/bound", &["work/bound/other/.env"], &["work/main.c"]),
    (
        "the real home",
        "mount --bind real work/bound",
        &["work/bound/.hermes/.env", "work/bound/.hermes/profiles/builder/auth.json"],
        &["work/bound/.gitconfig", "work/bound/projects/one/main.c"],
    ),
    (
        "the whole machine",
        "mount --bind / outer/inner; here=outer/inner$PWD; test -e $here/real/.hermes/.env
         mount --bind $here work/bound",
        &["work/bound/real/.hermes/.env"],
        &["work/bound/real/.gitconfig"],
    ),
    (
        // A rule holds for an inode: what is mounted beside the path is the directory above the secret files.
        "a directory above without what is mounted in it",
        "mount -t tmpfs none volume; cp -a real/. volume/; mount --bind volume real; mount --bind \"$PWD\" outer",
        &["real/.hermes/.env", "volume/.hermes/.env", "outer/real/.hermes/.env"],
        &["work/main.c"],
    ),
    (
        "a single secret file",
        "mount --bind real/.hermes/.env work/file",
        &["work/file", "real/.hermes/.env"],
        &["work/main.c"],
    ),
    (
        "a mount",
        "mount --bind real/.hermes outer/inner; mount --bind outer/inner work/bound",
        &["work/bound/.env", "outer/inner/.env"],
        &["work/bound/config.yaml"],
    ),
    (
        "the file system as a whole of which the real home is a mount",
        "mount -t tmpfs none volume; cp -a real volume/homes; mount --bind volume/homes real; mount --bind volume outer",
        &["real/.hermes/.env", "volume/homes/.hermes/.env", "outer/homes/.hermes/profiles/other/.env"],
        &["real/.gitconfig", "volume/homes/.gitconfig", "outer/homes/.gitconfig"],
    ),
    (
        // As a container has it.
        "a file over a secret file",
        "cp work/main.c volume/env; mount --bind volume/env real/.hermes/.env",
        &["real/.hermes/.env", "volume/env"],
        &["work/main.c"],
    ),
    (
        "the root at an odd name",
        r"mkdir -p 'work/b d\'; mount --bind real/.hermes 'work/b d\'; ln -sfn 'b d\' work/plain",
        &["work/plain/.env"],
        &["work/plain/config.yaml"],
    ),
    (
        // No path any more, and so nothing to close.
        "the root below another mount, hidden",
        "mount --bind real/.hermes work/bound; mount -t tmpfs none work/bound
         mkdir work/bound/logs; cp work/main.c work/bound/.env",
        &["real/.hermes/.env"],
        &["work/bound/.env"],
    ),
];

#[test]
fn a_secret_file_is_closed_by_every_path_that_mounts_give_it() {
    for (what, mounts, secret, open) in MOUNTS {
        let sandbox = full();
        for dir in ["work/bound", "volume", "outer/inner"] {
            sandbox.mkdir(dir);
        }
        sandbox.write("work/file", "to mount over");
        sandbox.chown_all(USER);
        let run = |level: &[&str], script: &str| with_mounts(&sandbox, mounts, level, script);
        assert_closed(&sandbox, run, secret, open, what);
    }
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
