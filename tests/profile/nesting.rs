//! Starts within starts, and blocks that somebody else's session left behind: HOME points into a profile already, and
//! HERMES_REAL_HOME may be another user's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Outcome, Run, Sandbox, listing};

const ALICE: u32 = 10001;
const BOB: u32 = 10002;

/// Three profiles, and a real home with a login and more.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    ["builder", "writer", "reader"].iter().for_each(|name| drop(sandbox.profile(name)));
    sandbox.write("real/.claude/.credentials.json", "{}");
    sandbox.write("real/.claude.json", "{}");
    sandbox.write("real/.config/gh/hosts.yml", "");
    sandbox.mkdir("real/.rustup");
    sandbox
}

/// One start within the other, the outermost first, around `env -0`.
fn nested(sandbox: &Sandbox, levels: &[&[&str]]) -> Run {
    let binary = sandbox.copied_binary();
    let mut words: Vec<&str> = levels[0].to_vec();
    words.push("--");
    for level in &levels[1..] {
        words.push(binary.to_str().unwrap());
        words.extend(*level);
        words.push("--");
    }
    words.extend(["env", "-0"]);
    sandbox.hx(words)
}

/// Every link in the homes of the profiles, by its path below the root.
fn links(sandbox: &Sandbox) -> BTreeMap<PathBuf, PathBuf> {
    let root = sandbox.root();
    let all = listing(&root).into_keys();
    all.filter_map(|path| Some((path.strip_prefix(&root).unwrap().to_owned(), fs::read_link(&path).ok()?))).collect()
}

#[track_caller]
fn homes(outcome: &Outcome) -> [String; 3] {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    ["HOME", "HERMES_REAL_HOME", "HERMES_HOME"].map(|name| outcome.var(name).unwrap_or_default())
}

fn texts<const N: usize>(paths: [PathBuf; N]) -> [String; N] {
    paths.map(|path| path.into_os_string().into_string().unwrap())
}

#[test]
fn three_levels_of_one_profile_hand_on_the_same_block_byte_for_byte() {
    for options in [
        &["-p", "builder"][..],
        &["-p", "builder", "--share", ".config/gh"],
        &["-p", "builder", "--home", "real"],
        &["--home", "profile"],
        &["-p", "default"],
        &["--home", "auto"],
    ] {
        for variable in [None, Some("profiles/writer"), Some("")] {
            let sandbox = sandbox();
            let start = |levels: &[&[&str]]| {
                let run = nested(&sandbox, levels);
                let run = variable.into_iter().fold(run, |run, rel| run.env("HERMES_HOME", sandbox.root().join(rel)));
                run.env("HERMES_PROFILE", " ").env("DISPLAY", ":0").env("XDG_CONFIG_HOME", sandbox.path("real/.config"))
            };
            let once = start(&[options]).run().ok();
            let before = listing(&sandbox.real());
            let thrice = start(&[options, options, options]).run().ok();
            assert_eq!(thrice.entries(), once.entries(), "{options:?} {variable:?}");
            assert_eq!(listing(&sandbox.real()), before, "{options:?} {variable:?}: there is nothing left to do");
        }
    }
}

#[test]
fn an_inner_start_in_another_profile_is_as_if_it_were_the_only_one() {
    let orders: [[&str; 3]; 4] = [
        ["builder", "writer", "reader"],
        ["builder", "writer", "builder"],
        ["default", "builder", "default"],
        ["writer", "default", "reader"],
    ];
    for order in orders {
        let sandbox = sandbox();
        sandbox.mkdir("real/.hermes/home");
        let levels: Vec<[&str; 4]> = order.iter().map(|name| ["-p", *name, "--share", ".config/gh"]).collect();
        let levels: Vec<&[&str]> = levels.iter().map(|level| &level[..]).collect();
        let outcome = nested(&sandbox, &levels).run().ok();
        let alone = nested(&sandbox, &levels[2..]).run().ok();
        let sorted = |outcome: &Outcome| {
            let mut entries = outcome.entries();
            entries.sort();
            entries
        };
        assert_eq!(sorted(&outcome), sorted(&alone), "{order:?}");

        // And every link of every level leads to the user's own file, in one hop.
        let links = links(&sandbox);
        let mut profiles: Vec<_> = order.to_vec();
        profiles.sort();
        profiles.dedup();
        assert_eq!(links.len(), profiles.len() * 3, "{order:?}: {links:?}");
        for (path, text) in links {
            let place = path.to_str().unwrap().rsplit_once("home/").unwrap().1.to_owned();
            assert_eq!(text, sandbox.real().join(place), "{order:?}: {}", path.display());
        }
    }
}

/// A start in a mount namespace in which Alice has the sandbox's real home, and Bob another one.
fn with_users(sandbox: &Sandbox, run: Run, uid: u32) -> Run {
    sandbox.mkdir("bob/.claude");
    let home = |dir: &str| sandbox.path(dir).display().to_string();
    sandbox.write(
        "passwd",
        format!(
            "root:x:0:0::/root:/bin/sh\nalice:x:{ALICE}:{ALICE}::{}:/bin/sh\nbob:x:{BOB}:{BOB}::{}:/bin/sh\n",
            home("real"),
            home("bob")
        ),
    );
    let binary = sandbox.copied_binary();
    sandbox.chown_all(ALICE);
    for path in listing(&sandbox.path("bob")).into_keys().chain([sandbox.path("bob")]) {
        std::os::unix::fs::lchown(path, Some(BOB), Some(BOB)).unwrap();
    }
    run.program(binary).uid(uid).mounted(&format!("mount --bind {} /etc/passwd", home("passwd")))
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn from_a_home_that_points_into_a_profile_the_user_is_found_by_the_passwd_entry() {
    let sandbox = sandbox();
    let doubled = "profiles/builder/home/.hermes/profiles/builder/home";
    sandbox.mkdir(Path::new("real/.hermes").join(doubled));
    sandbox.mkdir("real/.hermes/profiles/writer/home/deeper");
    sandbox.mkdir("real/.hermes/home");
    for home in ["profiles/builder/home", "profiles/writer/home", "profiles/writer/home/deeper", "home", doubled] {
        for variable in [None, Some(""), Some("profiles/writer")] {
            for real in [None, Some("real"), Some("real/.hermes/profiles/writer/home")] {
                let mut run = sandbox.hx(["-p", "builder", "--", "env", "-0"]).env("HOME", sandbox.root().join(home));
                if let Some(rel) = variable {
                    run = run.env("HERMES_HOME", sandbox.root().join(rel));
                }
                if let Some(real) = real {
                    run = run.env("HERMES_REAL_HOME", sandbox.path(real));
                }
                let outcome = with_users(&sandbox, run, ALICE).run().ok();
                let expected = texts([sandbox.home(), sandbox.real(), sandbox.profile("builder")]);
                assert_eq!(homes(&outcome), expected, "HOME={home} HERMES_HOME={variable:?} HERMES_REAL_HOME={real:?}");
            }
        }
    }
    for (path, text) in links(&sandbox) {
        assert!(text.starts_with(sandbox.real()) && !text.starts_with(sandbox.root()), "{path:?} -> {text:?}");
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn with_mode_real_a_home_in_a_profile_becomes_the_users_own_again() {
    let sandbox = sandbox();
    let doubled = sandbox.mkdir("real/.hermes/profiles/builder/home/.hermes/profiles/builder/home");
    for home in [sandbox.home(), doubled] {
        let run = sandbox.hx(["--home", "real", "--", "env", "-0"]).env("HOME", home);
        let outcome = with_users(&sandbox, run, ALICE).run().ok();
        assert_eq!(homes(&outcome)[0], sandbox.real().to_str().unwrap());
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn after_su_the_real_home_is_the_new_users() {
    // `su bob` sets HOME and leaves the rest; Bob has a Hermes of his own.
    let sandbox = sandbox();
    let profile = sandbox.mkdir("bob/.hermes/profiles/builder");
    let run = sandbox.hx(["-p", "builder", "--", "env", "-0"]).env("HOME", sandbox.path("bob"));
    let run = run.env("HERMES_REAL_HOME", sandbox.real());
    let outcome = with_users(&sandbox, run, BOB).run().ok();
    assert_eq!(homes(&outcome), texts([profile.join("home"), sandbox.path("bob"), profile.clone()]));
    assert_eq!(fs::read_link(profile.join("home/.claude")).unwrap(), sandbox.path("bob/.claude"));
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn after_su_with_the_whole_block_nothing_is_done_in_the_other_users_profile() {
    // `su -m bob` from within a run: HOME and everything else are Alice's, and Bob may not write there.
    let sandbox = sandbox();
    sandbox.mkdir(sandbox.home());
    let run = sandbox.hx(["-v", "-p", "builder", "--", "env", "-0"]).env("HOME", sandbox.home());
    let run = run.env("HERMES_REAL_HOME", sandbox.real()).env("HERMES_HOME", sandbox.profile("builder"));
    let outcome = with_users(&sandbox, run, BOB).run();
    assert_eq!(homes(&outcome)[0], sandbox.home().to_str().unwrap());
    assert!(outcome.stderr.contains("not writable: Permission denied"), "{outcome:?}");
    assert!(links(&sandbox).is_empty(), "{:?}", links(&sandbox));

    let run = sandbox.hx(["-p", "writer", "true"]).env("HOME", sandbox.home());
    let run = run.env("HERMES_REAL_HOME", sandbox.real()).env("HERMES_HOME", sandbox.profile("builder"));
    with_users(&sandbox, run, BOB).run().fails(125, &["profiles/writer/home: Permission denied"]);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn root_with_the_whole_block_of_a_user_stays_in_that_users_home() {
    // `sudo -E` from within a run of Alice's.
    let sandbox = sandbox();
    for real in [sandbox.real(), sandbox.path("bob"), "/root".into()] {
        let run = sandbox.hx(["-p", "builder", "--", "env", "-0"]).env("HOME", sandbox.path("real"));
        let run = run.env("HERMES_REAL_HOME", real).env("HERMES_HOME", sandbox.root());
        let outcome = with_users(&sandbox, run, 0).run().ok();
        assert_eq!(homes(&outcome), texts([sandbox.home(), sandbox.real(), sandbox.profile("builder")]));
        assert_eq!(fs::read_link(sandbox.home().join(".claude")).unwrap(), sandbox.real().join(".claude"));
    }
}
