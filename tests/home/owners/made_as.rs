//! W53: what root creates in another user's profile is created as that user. Each call is looked at while it is made.

use std::fs;
use std::os::unix::fs::MetadataExt;

use nix::libc;
use nix::unistd::Pid;

use super::held::{Caller, Scene, WORKS, Work};
use super::{GROUP, USER};

/// The calls that give something away.
const GIVING: [i64; 4] = [libc::SYS_chown, libc::SYS_fchown, libc::SYS_lchown, libc::SYS_fchownat];
const CREATING: [i64; 2] = [libc::SYS_mkdirat, libc::SYS_symlinkat];

/// Lines of `/proc/<pid>/status`: the last id is the one that files go by (proc_pid_status(5)).
fn ids(pid: Pid) -> [String; 3] {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = |fact: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(fact)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    [line("Uid:"), line("Gid:"), line("Groups:")]
}

#[test]
fn w53_what_root_creates_is_created_as_the_owner_and_nothing_is_given_away() {
    for work in WORKS {
        let scene = Scene::new(Caller::Root, work);
        scene.set_up();
        let start = scene.start().groups(&[0, 4]);
        let mut held = scene.hold(&start);
        let mut created = 0;
        let owner = [format!("0 0 0 {USER}"), format!("0 0 0 {GROUP}"), String::new()];
        while let Some(call) = held.next_call() {
            assert!(!GIVING.contains(&call), "{work:?} gives away");
            if CREATING.contains(&call) {
                assert_eq!(ids(held.pid()), owner, "{work:?}");
                created += 1;
            }
            // Whatever is read, opened or started belongs to the caller.
            if [libc::SYS_openat, libc::SYS_open, libc::SYS_execve, libc::SYS_read].contains(&call) {
                assert_eq!(ids(held.pid()), ["0 0 0 0", "0 0 0 0", "0 4"], "{work:?}");
            }
        }
        assert_eq!(created > 0, matches!(work, Work::First | Work::Replace), "{work:?}: {created}");
        if work != Work::Unlink {
            assert_eq!(ids(held.pid()), ["0 0 0 0", "0 0 0 0", "0 4"], "{work:?}: the command");
        }
        assert_eq!(held.release().code(), 0);
    }
}

#[test]
fn w53_a_kill_at_any_call_leaves_nothing_of_roots() {
    for work in [Work::First, Work::Replace] {
        let scene = Scene::new(Caller::Root, work);
        for count in 0.. {
            scene.set_up();
            let start = scene.start();
            let Some(held) = scene.hold_at_entry(&start, count) else {
                assert!(count >= 3, "{work:?}: {count}");
                break;
            };
            held.kill();
            for path in crate::support::listing(&scene.sandbox.profile("builder")).into_keys() {
                let meta = path.symlink_metadata().unwrap();
                assert_eq!((meta.uid(), meta.gid()), (USER, GROUP), "{work:?} at call {count}: {}", path.display());
            }
        }
    }
}

/// What only root's group may enter is closed to the owner.
#[test]
fn w53_roots_groups_open_nothing_to_the_owner() {
    let scene = Scene::new(Caller::Root, Work::Steady);
    scene.set_up();
    let config = scene.home().join(".config");
    fs::remove_file(config.join("gh")).unwrap();
    super::of_root(&config, 0o770);
    let start = scene.start().groups(&[0]);
    let ended = scene.hold(&start).release();
    assert!(ended.err.contains(".config/gh is not linked"), "{ended:?}");
    assert_eq!(fs::read_dir(config).unwrap().count(), 0);
}
