//! Each system call of a start fails in turn, and the start is killed after each that changes files: a first start, one with
//! nothing to do, one that replaces a link, and `--unlink`, by the user and by root in the user's profile. Nothing of the
//! user's is lost, nothing changes outside the home, no credential is shown, and the next start makes everything right.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;

use super::held::{Caller, Scene, WORKS, Work};
use super::{GROUP, PLACES, USER, give};
use crate::support::start::Ended;
use crate::support::{CANARY, listing};

/// What a call fails with: one that changes files with each of these, any other with one of them, from call to call the next.
const ERRORS: [Errno; 5] = [Errno::EIO, Errno::ENOSPC, Errno::EACCES, Errno::EMFILE, Errno::EINTR];

const CHANGES: [i64; 7] = [
    libc::SYS_mkdirat,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    libc::SYS_fchownat,
];

/// The process's own memory and the C library's start, without which nothing is left that could say so; and calls that never
/// fail.
const OF_THE_RUNTIME: [i64; 20] = [
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_arch_prctl,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_prlimit64,
    libc::SYS_getrandom,
    libc::SYS_exit_group,
    libc::SYS_rt_sigaction,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getpid,
    libc::SYS_getppid,
];

/// A start in which the call after `count` others fails. None when it has no such call.
fn with_fault(scene: &Scene, count: usize, fault: Option<Errno>) -> Option<(i64, Ended)> {
    let start = scene.start();
    let mut held = scene.hold(&start);
    let mut left = count;
    let call = loop {
        match held.next_call()? {
            call if OF_THE_RUNTIME.contains(&call) => {}
            call if left == 0 => break call,
            _ => left -= 1,
        }
    };
    match fault {
        Some(errno) => held.fail(errno),
        None => held.end(),
    }
    Some((call, held.release()))
}

/// Everything outside the home, with what it holds.
fn outside(scene: &Scene) -> BTreeMap<PathBuf, String> {
    let mut all = listing(&scene.sandbox.real());
    all.extend(listing(&scene.sandbox.path("login")));
    all.retain(|path, _| !path.starts_with(scene.home()));
    all
}

/// Stands in the home and is not ours.
const OF_USER: [(&str, &str); 2] = [("notes", "mine"), (".config/notes", "mine, too")];

fn set_up(scene: &Scene) {
    scene.set_up();
    if scene.work != Work::First {
        for (place, text) in OF_USER {
            scene.sandbox.write(scene.home().join(place), text);
        }
        give(&scene.home());
    }
}

#[track_caller]
fn ended_well(scene: &Scene, fault: Option<Errno>, ended: &Ended, what: &str) {
    match ended.status {
        WaitStatus::Exited(_, code) => assert!([0, 125, 126, 127].contains(&code), "{what}: {ended:?}"),
        WaitStatus::Signaled(_, signal, _) => assert_eq!((fault, signal), (None, Signal::SIGKILL), "{what}: {ended:?}"),
        _ => panic!("{what}: {ended:?}"),
    }
    assert!(!ended.err.contains("this is a bug"), "{what}: {ended:?}");
    assert!(
        fault != Some(Errno::EACCES) || !ended.err.contains("just now"),
        "the hint fits the error: {what}: {ended:?}"
    );
    assert!(!ended.err.contains(CANARY) && ended.out.escape_ascii().to_string().find(CANARY).is_none(), "{what}");
    let group = if scene.caller == Caller::Root { GROUP } else { USER };
    for entry in scene.entries() {
        let path = scene.home().join(&entry);
        let meta = path.symlink_metadata().unwrap();
        assert!(
            meta.uid() == USER && [group, GROUP].contains(&meta.gid()),
            "{what}: {entry} {}:{}",
            meta.uid(),
            meta.gid()
        );
        let known = |place: &&str| entry == **place || place.starts_with(&format!("{entry}/"));
        let is_known = PLACES.iter().chain(&OF_USER.map(|(place, _)| place)).any(known);
        let is_temporary = entry.contains(".hermes-exec.") && meta.is_symlink();
        assert!(is_known || is_temporary, "{what}: {entry}");
    }
}

#[track_caller]
fn next_is_right(scene: &Scene, what: &str) {
    if !scene.temporaries().is_empty() || scene.work == Work::Unlink {
        let outcome = scene.run("--unlink").run();
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{what}: {outcome:?}");
        assert!(scene.temporaries().is_empty(), "{what}: {:?}", scene.entries());
        let left = PLACES.into_iter().find(|place| scene.home().join(place).symlink_metadata().is_ok());
        assert_eq!(left, None, "{what}");
    }
    scene.run("true").run().ok();
    scene.assert_linked(what);
    for (place, text) in OF_USER.into_iter().filter(|_| scene.work != Work::First) {
        assert_eq!(fs::read_to_string(scene.home().join(place)).unwrap(), text, "{what}");
    }
}

/// A start with a fault at this call, and the next one. Returns the number of the call; none when there is no such call.
fn try_fault(scene: &Scene, count: usize, fault: Option<Errno>) -> Option<i64> {
    set_up(scene);
    let before = outside(scene);
    let (call, ended) = with_fault(scene, count, fault)?;
    let what = format!("{:?} {:?}, call {count} (number {call}): {fault:?}", scene.caller, scene.work);
    ended_well(scene, fault, &ended, &what);
    assert_eq!(outside(scene), before, "{what}");
    next_is_right(scene, &what);
    assert_eq!(outside(scene), before, "{what}, and the next start");
    Some(call)
}

fn at_every_call(caller: Caller, work: Work) {
    let scene = Scene::new(caller, work);
    // The same call of another start fails with another error.
    let first = WORKS.len() * caller as usize + work as usize;
    let mut has_changed = true;
    for count in 0.. {
        let error = ERRORS[(first + count) % ERRORS.len()];
        let Some(call) = try_fault(&scene, count, Some(error)) else {
            assert!(count > 20, "{caller:?} {work:?}: {count} calls");
            break;
        };
        // Killed before this call, it leaves what it would have left killed before the last one, unless that changed files.
        if std::mem::replace(&mut has_changed, CHANGES.contains(&call)) {
            try_fault(&scene, count, None);
        }
        for other in ERRORS.into_iter().filter(|other| has_changed && *other != error) {
            try_fault(&scene, count, Some(other));
        }
    }
}

#[ignore = "long: tests/run plays it"]
#[test]
fn a_fault_at_any_call_of_the_users_start_loses_nothing() {
    WORKS.into_iter().for_each(|work| at_every_call(Caller::User, work));
}

#[ignore = "long: tests/run plays it"]
#[test]
fn a_fault_at_any_call_of_roots_start_in_the_users_profile_loses_nothing() {
    WORKS.into_iter().for_each(|work| at_every_call(Caller::Root, work));
}
