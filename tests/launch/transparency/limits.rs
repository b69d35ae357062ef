//! What cannot be kept, each pinned by a test or in `states-linux.txt`, so that the LIMITS of the man page say no more and no less. The rest of that
//! list follows from there being two `execve`: a label that was set for the next one (setexeccon(3), aa_change_onexec(2)) is
//! spent on hermes-exec, and debuggers, auditing and resource usage see both.

use std::path::Path;

use nix::errno::Errno;
use nix::libc;

use super::Twin;
use crate::support::BINARY;
use crate::support::start::Start;

/// A record lock that the process holds on this file, open at descriptor 3.
fn locked<'a>(start: Start<'a>, file: &std::path::Path) -> Start<'a> {
    let path = std::ffi::CString::new(file.as_os_str().as_encoded_bytes()).unwrap();
    start.step(move || {
        // SAFETY: the path ends with NUL; the structure is ours, and all zero is the whole file.
        unsafe {
            let number = Errno::result(libc::open(path.as_ptr(), libc::O_RDWR))?;
            Errno::result(libc::dup2(number, 3))?;
            let mut lock: libc::flock = std::mem::zeroed();
            lock.l_type = libc::F_WRLCK as libc::c_short;
            Errno::result(libc::fcntl(3, libc::F_SETLK, &lock)).map(drop)
        }
    })
}

/// A record lock goes when its process closes any descriptor of the file (fcntl(2)), and of these files we open and close
/// one of our own. Locks of other files, and those of flock(2) and F_OFD_SETLK, are kept.
#[test]
fn a_record_lock_on_a_file_that_we_read_is_lost() {
    let twin = Twin::new();
    let other = twin.sandbox.write("work/other", "");
    let env = twin.sandbox.root().join(".env");
    let root = twin.sandbox.root().display().to_string();
    let call = [twin.binary.to_str().unwrap(), "--hermes-home", &root, "-p", "builder", "--"];
    for (file, kept) in [(&other, true), (&env, false)] {
        for (first, call, kept) in [(&twin.program, &[][..], true), (&twin.binary, &call, kept)] {
            let report = twin.report(first, |start| locked(start, file), call);
            assert_eq!(report.contains("lock: 1: POSIX ADVISORY WRITE"), kept, "{}: {report}", file.display());
        }
    }
}

/// `execve` with an empty `argv`, which Linux turns into one empty argument (since 5.18).
#[test]
fn no_arguments_at_all() {
    let twin = Twin::new();
    let none: [&str; 0] = [];
    let ended = Start::new(twin.sandbox.path("work")).block(&twin.block).run(Path::new(BINARY), none);
    assert_eq!(ended.code(), 125, "{ended:?}");
    assert!(ended.err.starts_with("hermes-exec: error: no command given"), "{ended:?}");
}
