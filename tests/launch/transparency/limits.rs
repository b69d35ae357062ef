//! What cannot be kept, each pinned by a test, so that the LIMITS of the man page say no more and no less. The rest of that
//! list follows from there being two `execve`: a label that was set for the next one (setexeccon(3), aa_change_onexec(2)) is
//! spent on hermes-exec, and debuggers, auditing and resource usage see both.

use std::path::Path;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::{Uid, setresuid};

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

/// Real and effective uid differ only in what a set-user-id program starts. The C library of every program then drops the
/// variables that steer libraries (ld.so(8), secure-execution mode), ours as well as that of `env`; so a command that has
/// another library, or none, no longer sees them. On macOS dyld does so for DYLD_* only.
#[test]
fn variables_that_steer_libraries_are_lost_under_a_set_user_id_program() {
    let twin = Twin::new();
    let block = ["HOME=/", "PATH=/usr/bin", "TMPDIR=/no", "LD_LIBRARY_PATH=/no", "OTHER=1"];
    let seen = |program: &str, call: &[&str]| {
        let start = Start::new(twin.sandbox.path("work")).block(block);
        let start = start.step(|| setresuid(Uid::from_raw(65534), Uid::from_raw(0), Uid::from_raw(0)));
        // What the kernel was given, whatever the library of `cat` has made of it.
        let ended = start.run(Path::new(program), [call, &["/usr/bin/cat", "/proc/self/environ"]].concat());
        assert_eq!(ended.code(), 0, "{ended:?}");
        String::from_utf8(ended.out).unwrap().replace('\0', " ")
    };
    assert_eq!(seen("/usr/bin/cat", &[]), "HOME=/ PATH=/usr/bin TMPDIR=/no LD_LIBRARY_PATH=/no OTHER=1 ");
    assert_eq!(seen("/usr/bin/env", &["env"]), "HOME=/ PATH=/usr/bin OTHER=1 ");
    assert_eq!(seen(BINARY, &["hermes-exec", "--home", "real"]), "HOME=/ PATH=/usr/bin OTHER=1 ");
}

/// To read the files of a profile takes one descriptor. Where none is left we do not guess what is in them.
#[test]
fn without_a_free_descriptor_nothing_runs() {
    let twin = Twin::new();
    let limit = nix::sys::resource::Resource::RLIMIT_NOFILE;
    let start = Start::new(twin.sandbox.path("work"))
        .block(&twin.block)
        .step(move || nix::sys::resource::setrlimit(limit, 3, 3));
    let ended = start.run(Path::new(BINARY), ["hermes-exec", "-p", "builder", "true"]);
    assert_eq!((ended.code(), ended.out.len()), (125, 0), "{ended:?}");
    assert!(ended.err.contains("Too many open files"), "{ended:?}");

    // Also where nothing is to be made, and the files that declare credentials are all that there is to read.
    Start::new(twin.sandbox.path("work"))
        .block(&twin.block)
        .run(Path::new(BINARY), ["hermes-exec", "-p", "builder", "true"]);
    let again = Start::new(twin.sandbox.path("work"))
        .block(&twin.block)
        .step(move || nix::sys::resource::setrlimit(limit, 3, 3));
    let ended = again.run(Path::new(BINARY), ["hermes-exec", "-q", "-p", "builder", "/bin/true"]);
    assert_eq!((ended.code(), ended.out.len()), (125, 0), "{ended:?}");
    assert!(ended.err.contains("cannot be read: Too many open files"), "{ended:?}");
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
