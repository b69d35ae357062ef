//! The rest of the state that takes a system call or a terminal. Ids, limits and directories are in `states-linux.txt`.

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;
use nix::unistd::{Pid, setpgid, setsid};

use super::Twin;
use crate::support::pty::Pty;

fn is(report: &str, fact: &str) {
    assert!(report.lines().any(|line| line == fact), "{fact:?} is not the situation: {report}");
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
    is(&report, "pgid: itself");
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
