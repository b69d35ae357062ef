//! The rest of the state: session, terminal, ids, limits, directory. Tools that set a state are real ones.

use std::fs::File;

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::stat::{Mode, umask};
use nix::unistd::{Gid, Pid, Uid, chdir, setgroups, setpgid, setresgid, setresuid, setsid};

use super::Twin;
use crate::support::pty::Pty;

const NOBODY: u32 = 65534;

fn is(report: &str, fact: &str) {
    assert!(report.lines().any(|line| line == fact), "{fact:?} is not the situation: {report}");
}

/// By tools that set a state and execute their arguments.
#[test]
fn under_a_tool() {
    let others: &[&str] =
        &["/usr/bin/setpriv", "--inh-caps=+kill,+chown", "--ambient-caps=+kill", "--bounding-set=-mknod"];
    for (tool, fact) in [
        (&["/usr/bin/setsid"][..], "sid: itself, as the caller started it"),
        (&["/usr/bin/nice", "-n", "19"], "nice: 19"),
        (&["/usr/bin/setpriv", "--no-new-privs"], "NoNewPrivs: 1"),
        (others, "CapAmb: 0000000000000020"),
        (&["/usr/bin/setpriv", "--pdeathsig", "TERM"], "parent death signal: Some(SIGTERM)"),
    ] {
        is(&Twin::new().through(tool).is_the_same(|start| start), fact);
    }
}

#[test]
fn under_nohup() {
    let report = Twin::new().through(&["/usr/bin/nohup"]).is_the_same(|start| start);
    assert!(report.lines().any(|line| line.starts_with("SigIgn: ") && line.ends_with('1')), "{report}");
}

#[test]
fn as_an_unprivileged_uid() {
    let report = Twin::new().owned_by(NOBODY).is_the_same(|start| start.uid(NOBODY));
    is(&report, "CapEff: 0000000000000000");
}

#[test]
fn as_an_unprivileged_uid_with_groups() {
    let groups = [Gid::from_raw(7), Gid::from_raw(42), Gid::from_raw(NOBODY)];
    let report = Twin::new().owned_by(NOBODY).is_the_same(|start| {
        start.step(move || {
            setgroups(&groups)?;
            let (gid, uid) = (Gid::from_raw(NOBODY), Uid::from_raw(NOBODY));
            setresgid(gid, gid, gid)?;
            setresuid(uid, uid, uid)
        })
    });
    is(&report, "Groups: 7 42 65534");
}

/// W53: what is created is created as the owner, and the command has the caller's ids, groups and parent-death signal.
#[test]
fn w53_as_root_in_a_profile_of_another_user() {
    let tool = ["/usr/bin/setpriv", "--groups", "0,4,42", "--pdeathsig", "TERM"];
    let report = Twin::new().owned_by(NOBODY).through(&tool).is_the_same(|start| start);
    is(&report, "parent death signal: Some(SIGTERM)");
    is(&report, "Groups: 0 4 42");
}

/// As a set-user-id program leaves it: AT_SECURE is then set for every program that is started.
#[test]
fn with_an_effective_uid_that_is_not_the_real_one() {
    let report = Twin::new()
        .is_the_same(|start| start.step(|| setresuid(Uid::from_raw(NOBODY), Uid::from_raw(0), Uid::from_raw(0))));
    is(&report, "AT_SECURE: 1");
}

#[test]
fn in_a_deleted_working_directory() {
    let twin = Twin::new();
    let gone = twin.sandbox.path("gone");
    let report = twin.is_the_same(|start| {
        let gone = gone.clone();
        start.step(move || {
            std::fs::create_dir(&gone).map_err(|_| Errno::EEXIST)?;
            chdir(&gone)?;
            std::fs::remove_dir(&gone).map_err(|_| Errno::ENOTEMPTY)
        })
    });
    assert!(report.contains("gone (deleted)\n") && report.contains("getcwd: ENOENT"), "{report}");
}

/// X15: a directory whose name is not UTF-8.
#[test]
fn in_a_working_directory_of_odd_bytes() {
    let twin = Twin::new();
    let odd = twin.sandbox.mkdir(crate::support::bytes(b"odd \xa3\n"));
    twin.is_the_same(|start| start.dir(&odd));
}

#[test]
fn in_a_working_directory_that_cannot_be_searched() {
    let twin = Twin::new().owned_by(NOBODY);
    let closed = twin.sandbox.mkdir("closed");
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    twin.is_the_same(|start| start.dir(&closed).uid(NOBODY));
}

#[test]
fn with_every_umask() {
    for mask in [0, 0o002, 0o077, 0o777] {
        let twin = Twin::new();
        let report = twin.is_the_same(|start| {
            start.step(move || {
                umask(Mode::from_bits_truncate(mask));
                Ok(())
            })
        });
        is(&report, &format!("Umask: {mask:04o}"));
    }
}

#[test]
fn with_limits_of_all_kinds() {
    let limits = [
        (Resource::RLIMIT_CORE, 0, 4096),
        (Resource::RLIMIT_CPU, 500, 1000),
        (Resource::RLIMIT_DATA, 1 << 30, 1 << 31),
        (Resource::RLIMIT_FSIZE, 1 << 20, 1 << 21),
        (Resource::RLIMIT_MEMLOCK, 1 << 15, 1 << 16),
        (Resource::RLIMIT_NOFILE, 64, 128),
        (Resource::RLIMIT_STACK, 1 << 20, 1 << 21),
    ];
    Twin::new().is_the_same(|start| {
        start.step(move || limits.into_iter().try_for_each(|(limit, soft, hard)| setrlimit(limit, soft, hard)))
    });
}

/// The kernel lays programs out in another way when the stack is unlimited, and the limit of arguments is another.
#[test]
fn with_an_unlimited_stack() {
    let unlimited = libc::RLIM_INFINITY;
    Twin::new().is_the_same(|start| start.step(move || setrlimit(Resource::RLIMIT_STACK, unlimited, unlimited)));
}

#[test]
fn as_a_subreaper_with_a_timer_slack_and_a_personality() {
    let report = Twin::new().is_the_same(|start| {
        start.step(|| {
            prctl::set_child_subreaper(true)?;
            prctl::set_timerslack(70_000)?;
            // SAFETY: only changes how this process is laid out from the next `execve` on.
            Errno::result(unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) }).map(drop)
        })
    });
    is(&report, "personality: 00040000\\n");
}

#[test]
fn under_a_seccomp_filter() {
    let report = Twin::new().is_the_same(|start| {
        start.step(|| {
            prctl::set_no_new_privs()?;
            // Allows every call: `return SECCOMP_RET_ALLOW`.
            let mut code = libc::sock_filter { code: 6, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW };
            let program = libc::sock_fprog { len: 1, filter: &mut code };
            // SAFETY: the program is one valid instruction, and the kernel copies it (PR_SET_SECCOMP(2const)).
            let set = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) };
            Errno::result(set).map(drop)
        })
    });
    is(&report, "Seccomp: 2");
}

#[test]
fn as_the_leader_of_a_process_group_and_of_a_session_without_terminal() {
    let report = Twin::new().is_the_same(|start| start.step(|| setpgid(Pid::from_raw(0), Pid::from_raw(0))));
    is(&report, "pgid: itself, as the caller started it");
    is(&Twin::new().is_the_same(|start| start.step(|| setsid().map(drop))), "tty_nr: 0");
}

/// Each run gets a terminal of its own: one that has lost its session is dead for the next.
#[test]
fn at_a_controlling_terminal_also_with_odd_settings() {
    for is_odd in [false, true] {
        let report = Twin::new().is_the_same(|start| {
            let pty = Pty::new();
            if is_odd {
                pty.resize(33, 77);
                pty.raw();
            }
            pty.controls(start, &[0])
        });
        is(&report, "a controlling terminal: yes");
        assert_eq!(report.contains("ws_row: 33, ws_col: 77"), is_odd, "{report}");
    }
}

#[test]
fn with_descriptors_that_a_supervisor_hands_down() {
    let twin = Twin::new();
    let socket = std::os::unix::net::UnixListener::bind(twin.sandbox.path("socket")).unwrap();
    let mut block = twin.block.clone();
    block.push(b"LISTEN_FDS=1".to_vec());
    let file = File::open("/dev/null").unwrap();
    let report = twin.block(block).is_the_same(|start| start.open_at(3, &socket).open_at(4, &file));
    is(&report, "env: LISTEN_FDS=1");
}
