//! Errors while there is nowhere to report them: the status is right, nothing aborts, and nobody gets a write error instead
//! of the command's own end. Every case runs with standard error as it is, closed, full, and as a pipe that nobody reads.

use std::fs::File;
use std::path::Path;

use nix::fcntl::OFlag;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;
use nix::unistd::pipe2;

use crate::support::start::{Ended, Start, example};
use crate::support::{BINARY, CANARY, Sandbox};

/// What a descriptor can be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Output {
    AsItIs,
    Closed,
    Full,
    ReadOnly,
    /// With SIGPIPE ignored: a write then fails with EPIPE.
    NobodyReads,
    /// With SIGPIPE at its default: a write is then the end.
    Broken,
}

const ALL: [Output; 6] =
    [Output::AsItIs, Output::Closed, Output::Full, Output::ReadOnly, Output::NobodyReads, Output::Broken];

fn start<'a>(sandbox: &'a Sandbox, number: i32, output: Output) -> Start<'a> {
    let block = [
        format!("HOME={}", sandbox.real().display()),
        "PATH=/usr/bin:/bin".into(),
        format!("OPENAI_API_KEY={CANARY}"),
        format!("SECRET={CANARY}"),
    ];
    let start = Start::new(sandbox.path("work")).block(block).step(|| setrlimit(Resource::RLIMIT_CORE, 0, 0));
    match output {
        Output::AsItIs => start,
        Output::Closed => start.closed(number),
        Output::Full => start.with_file(number, File::options().write(true).open("/dev/full").unwrap()),
        Output::ReadOnly => start.with_file(number, File::open("/dev/null").unwrap()),
        Output::NobodyReads => {
            let (_, write) = pipe2(OFlag::O_CLOEXEC).unwrap();
            start.ignored(Signal::SIGPIPE).with_file(number, write)
        }
        Output::Broken => start.with_file(number, pipe2(OFlag::O_CLOEXEC).unwrap().1),
    }
}

fn run(sandbox: &Sandbox, number: i32, output: Output, args: &[&str]) -> Ended {
    let ended = start(sandbox, number, output).run(Path::new(BINARY), [&["hermes-exec"], args].concat());
    assert!(!ended.err.contains(CANARY) && !String::from_utf8_lossy(&ended.out).contains(CANARY), "{ended:?}");
    ended
}

/// An error of usage, one of a run, and a command that cannot be started end with their status, whatever standard error is.
#[test]
fn an_error_that_cannot_be_told() {
    let calls: [(i32, &[&str]); 14] = [
        (125, &["--no-such-option"]),
        (125, &[]),
        (125, &["--home=nowhere", "true"]),
        (125, &["--home"]),
        (125, &["-p"]),
        (125, &["--explain", "--unlink"]),
        (125, &["--verbose=1", "true"]),
        (125, &["--inherit-credentials", "github", "true"]),
        (125, &["-p", "nobody", "true"]),
        (125, &["--share", "../x", "true"]),
        (125, &["-C", "/no/such/place", "true"]),
        (126, &["/etc"]),
        (127, &["no-such-command"]),
        (127, &["/no/such/command"]),
    ];
    let sandbox = Sandbox::with_builder();
    for (code, args) in calls {
        for output in ALL {
            let ended = run(&sandbox, 2, output, args);
            assert_eq!(ended.status, WaitStatus::Exited(ended.pid, code), "{args:?}, {output:?}: {ended:?}");
            let is_told = ended.err.starts_with("hermes-exec: error: ");
            assert_eq!(is_told, output == Output::AsItIs, "{args:?}, {output:?}: {ended:?}");
        }
    }
}

/// What we say before a run is lost, and the run is not.
#[test]
fn a_run_with_something_to_say() {
    for output in ALL {
        let sandbox = Sandbox::with_builder();
        sandbox.write("real/.hermes/profiles/builder/config.yaml", "terminal: [:\n  env_passthrough: }\n");
        let ended = run(&sandbox, 2, output, &["-v", "-p", "builder", "--", "sh", "-c", "echo out; exit 3"]);
        assert_eq!((ended.code(), ended.out.as_slice()), (3, &b"out\n"[..]), "{output:?}: {ended:?}");
        assert_eq!(ended.err.contains("removed OPENAI_API_KEY"), output == Output::AsItIs, "{ended:?}");
    }
}

/// A panic: one line without its message, which can hold a value, and 125 instead of 101 or 134.
#[test]
fn a_panic() {
    let panics = example("panics");
    for output in ALL {
        let sandbox = Sandbox::new();
        let ended = start(&sandbox, 2, output).run(&panics, ["hermes-exec", "--version"]);
        assert_eq!(ended.status, WaitStatus::Exited(ended.pid, 125), "{output:?}: {ended:?}");
        assert!(!ended.err.contains(CANARY), "{ended:?}");
        if output == Output::AsItIs {
            assert!(ended.err.starts_with("hermes-exec: error: ") && ended.err.lines().count() == 1, "{ended:?}");
        } else {
            assert_eq!(ended.err, "");
        }
    }
}

/// Standard output: what was asked for could not be given, and that is an error, as with `env --help`.
#[test]
fn standard_output_that_takes_nothing() {
    for args in [&["--help"][..], &["--version"], &["--explain", "true"], &["--explain", "--json", "true"]] {
        for output in ALL.into_iter().filter(|&output| output != Output::Broken) {
            let sandbox = Sandbox::with_builder();
            let ended = run(&sandbox, 1, output, args);
            let code = if output == Output::AsItIs { 0 } else { 125 };
            assert_eq!(ended.status, WaitStatus::Exited(ended.pid, code), "{args:?}, {output:?}: {ended:?}");
            assert_eq!(ended.err.lines().count(), usize::from(code != 0), "{ended:?}");
        }
    }
    for output in [Output::Closed, Output::Full] {
        let sandbox = Sandbox::new();
        let ended = start(&sandbox, 1, output).run(Path::new("/usr/bin/env"), ["env", "--help"]);
        assert_eq!(ended.code(), 125, "env's own: {ended:?}");
    }
}

/// As every program that is asked to print, so that `hermes-exec --catalogue | head` is silent.
#[test]
fn standard_output_that_nobody_reads_any_more() {
    let sandbox = Sandbox::new();
    for (program, argv) in [(BINARY, ["hermes-exec", "--help"]), ("/usr/bin/env", ["env", "--help"])] {
        let ended = start(&sandbox, 1, Output::Broken).run(Path::new(program), argv);
        assert_eq!((ended.status, ended.err.as_str()), (WaitStatus::Signaled(ended.pid, Signal::SIGPIPE, false), ""));
    }
}

/// The command's output is no business of ours.
#[test]
fn a_run_with_standard_output_that_takes_nothing() {
    for output in ALL {
        let sandbox = Sandbox::with_builder();
        let ended = run(&sandbox, 1, output, &["-p", "builder", "sh", "-c", "exit 4"]);
        assert_eq!((ended.code(), ended.err.as_str()), (4, ""), "{output:?}");
    }
}

/// Both closed at once: the first file that we open gets the number of standard output.
#[test]
fn everything_closed() {
    for (code, args) in [
        (125, &["--no-such-option"][..]),
        (125, &["--help"]),
        (125, &["-p", "nobody", "true"]),
        (127, &["no-such-command"]),
        (6, &["-v", "-p", "builder", "sh", "-c", "exit 6"]),
    ] {
        let sandbox = Sandbox::with_builder();
        let before = sandbox.listing();
        let start = start(&sandbox, 0, Output::Closed).closed(1).closed(2);
        let ended = start.run(Path::new(BINARY), [&["hermes-exec"], args].concat());
        assert_eq!(ended.status, WaitStatus::Exited(ended.pid, code), "{args:?}: {ended:?}");
        let after = sandbox.listing();
        let changed = before.iter().filter(|&(path, text)| path.is_file() && after.get(path) != Some(text));
        assert_eq!(changed.count(), 0, "a message went into a file");
    }
}
