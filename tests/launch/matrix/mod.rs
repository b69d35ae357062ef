//! The start against the real thing: each command is started by GNU `env` and by hermes-exec, in the same directory, with the
//! same environment, as the same user. Exit status and output must be the same. The one agreed difference is a directory on
//! PATH that cannot be searched. Linux glibc is the reference: on macOS `execvp` has `/usr/bin:/bin:/usr/sbin:/sbin` when
//! PATH is unset, and its `posix_spawn` does not hand a script without `#!` to the shell, while `execvp` does, as here.

mod privileges;
mod scripts;
mod sizes;

use std::ffi::OsStr;
use std::os::unix::fs::FileTypeExt;

use crate::support::{Outcome, Run, Sandbox, bytes};

/// One command, to be started twice.
struct Case {
    sandbox: Sandbox,
    path: Option<String>,
    dir: Option<String>,
    uid: Option<u32>,
}

impl Case {
    fn new() -> Self {
        Self { sandbox: Sandbox::new(), path: Some("/usr/bin:/bin".into()), dir: None, uid: None }
    }

    /// PATH, from places in the sandbox and absolute ones.
    fn path(mut self, places: &[&str]) -> Self {
        let all: Vec<_> = places.iter().map(|place| self.sandbox.path(place).display().to_string()).collect();
        self.path = Some(all.join(":"));
        self
    }

    /// PATH as it stands.
    fn raw_path(mut self, path: Option<&str>) -> Self {
        self.path = path.map(Into::into);
        self
    }

    /// `-C`.
    fn chdir(mut self, place: &str) -> Self {
        self.dir = Some(self.sandbox.mkdir(place).display().to_string());
        self
    }

    fn uid(mut self, uid: u32) -> Self {
        self.uid = Some(uid);
        self
    }

    fn start<S: AsRef<OsStr>>(&self, command: &[S]) -> Run {
        let mut args: Vec<&OsStr> = Vec::new();
        if let Some(dir) = &self.dir {
            args.extend([OsStr::new("-C"), OsStr::new(dir)]);
        }
        args.push(OsStr::new("--"));
        args.extend(command.iter().map(AsRef::as_ref));
        let run = self.sandbox.hx(args).no_env("ANTHROPIC_API_KEY");
        let run = if let Some(path) = &self.path { run.env("PATH", path) } else { run.no_env("PATH") };
        if let Some(uid) = self.uid { run.uid(uid) } else { run }
    }

    /// Runs both; the status must be the same and, where the command ran, all that it wrote.
    #[track_caller]
    fn both<S: AsRef<OsStr>>(&self, command: &[S]) -> (Outcome, Outcome) {
        let env = self.start(command).program("/usr/bin/env").run();
        let ours = if self.uid.is_some() {
            self.start(command).program(self.sandbox.copied_binary()).run()
        } else {
            self.start(command).run()
        };
        (ours, env)
    }

    /// The command runs, and does the same.
    #[track_caller]
    fn runs<S: AsRef<OsStr>>(&self, command: &[S]) -> String {
        let (ours, env) = self.both(command);
        assert_eq!(ours.code(), env.code(), "env is on the right; ours: {ours:?}");
        assert_eq!(ours.out(), env.out(), "env is on the right");
        assert!(!ours.stderr.contains("hermes-exec"), "{ours:?}");
        assert!(!env.stderr.starts_with("env: "), "env did not start it: {env:?}");
        ours.out()
    }

    /// The command cannot be started, with this status from both, and our message holds these words.
    #[track_caller]
    fn fails<S: AsRef<OsStr>>(&self, code: i32, command: &[S], words: &[&str]) -> Outcome {
        let (ours, env) = self.both(command);
        assert_eq!(env.code(), code, "env's own: {env:?}");
        ours.fails(code, words)
    }
}

const GOOD: &str = "#!/bin/sh\necho \"good $0 $*\"\n";

#[test]
fn a_command_that_is_not_there() {
    let case = Case::new();
    case.fails(127, &["no-such-tool"], &["no-such-tool", "PATH"]);
    case.fails(127, &["/no/such/tool"], &["/no/such/tool"]);
    case.fails(127, &["./no-such-tool"], &["./no-such-tool"]);
    case.fails(127, &["../gone/tool"], &["../gone/tool"]);
}

#[test]
fn a_file_that_is_not_executable() {
    let case = Case::new().path(&["bin"]);
    case.sandbox.write("bin/tool", GOOD);
    case.fails(126, &["tool"], &["bin/tool", "Permission denied"]);
    case.fails(126, &["../bin/tool"], &["../bin/tool", "Permission denied"]);
}

#[test]
fn a_directory() {
    let case = Case::new().path(&["bin"]);
    case.sandbox.mkdir("bin/tool");
    case.fails(126, &["tool"], &["bin/tool", "directory"]);
    case.fails(126, &["../bin/tool"], &["../bin/tool", "directory"]);
    case.fails(126, &["../bin/tool/"], &["directory"]);
    case.fails(126, &["/etc"], &["/etc"]);
    case.fails(126, &["."], &[]);
    case.fails(126, &["/"], &[]);
}

/// X08.
#[test]
fn a_file_used_as_a_directory() {
    let case = Case::new();
    case.sandbox.script("work/script", GOOD);
    case.fails(126, &["./script/x"], &["./script/x", "Not a directory"]);
    case.fails(126, &["script/"], &["script/", "Not a directory"]);
    case.fails(126, &["./script/../script"], &["Not a directory"]);
}

/// X09.
#[test]
fn a_file_that_is_not_executable_before_a_good_one() {
    let case = Case::new().path(&["plain", "empty", "good"]);
    case.sandbox.write("plain/tool", GOOD);
    case.sandbox.script("good/tool", GOOD);
    assert!(case.runs(&["tool", "a"]).ends_with("good/tool a\n"));
}

/// X09.
#[test]
fn a_directory_before_a_good_one() {
    let case = Case::new().path(&["directory", "good"]);
    case.sandbox.mkdir("directory/tool");
    case.sandbox.script("good/tool", GOOD);
    assert!(case.runs(&["tool", "a"]).ends_with("good/tool a\n"));
}

#[test]
fn elements_of_path_that_are_no_directories() {
    let case = Case::new().path(&["file", "gone", "gone/deeper", "link", "good"]);
    case.sandbox.write("file", "");
    case.sandbox.link("nowhere", "link");
    case.fails(127, &["tool"], &["tool"]);
    case.sandbox.script("good/tool", GOOD);
    case.runs(&["tool"]);
}

#[test]
fn something_else_than_a_file_or_directory() {
    let case = Case::new().path(&["bin"]);
    let fifo = case.sandbox.mkdir("bin").join("tool");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(fifo.metadata().unwrap().file_type().is_fifo());
    case.fails(126, &["tool"], &["bin/tool"]);
    case.fails(126, &["../bin/tool"], &["../bin/tool"]);
    case.fails(126, &["/dev/null"], &["/dev/null"]);
}

#[test]
fn links_to_a_program_to_nothing_and_to_themselves() {
    let case = Case::new().path(&["bin", "good"]);
    case.sandbox.script("good/tool", GOOD);
    case.sandbox.link("../good/tool", "bin/tool");
    assert!(case.runs(&["tool"]).ends_with("bin/tool \n"));
    case.sandbox.link("gone", "bin/dangling");
    case.fails(127, &["../bin/dangling"], &["../bin/dangling"]);
    case.fails(127, &["dangling"], &["dangling"]);
    case.sandbox.link("loop", "bin/loop");
    case.fails(126, &["../bin/loop"], &["../bin/loop", "symbolic link"]);
}

/// ETXTBSY.
#[test]
fn a_program_that_is_being_written() {
    let case = Case::new().path(&["bin"]);
    case.sandbox.copied("bin/tool", std::path::Path::new("/bin/true"));
    let _writer = std::fs::File::options().append(true).open(case.sandbox.path("bin/tool")).unwrap();
    case.fails(126, &["tool"], &["bin/tool", "Text file busy"]);
    case.fails(126, &["../bin/tool"], &["../bin/tool", "Text file busy"]);
}

#[test]
fn an_empty_command_word() {
    let case = Case::new();
    case.fails(127, &[""], &[]);
    case.fails(127, &["", "argument"], &[]);
    let case = Case::new().raw_path(Some(":"));
    case.fails(127, &[""], &[]);
}

#[test]
fn a_name_longer_than_any_file_can_have() {
    let case = Case::new();
    case.fails(126, &[format!("./{}", "x".repeat(256))], &["too long"]);
    case.fails(126, &[format!("/{}", "x/".repeat(2100))], &["too long"]);
}

#[test]
fn an_explicit_path() {
    let case = Case::new();
    let tool = case.sandbox.script("else where/tool", GOOD).display().to_string();
    assert_eq!(case.runs(&[&tool, "a b"]), format!("good {tool} a b\n"));
    case.runs(&["../else where/tool", ""]);
    case.runs(&["/bin/echo", "-n", "--", "--help"]);
}

#[test]
fn a_name_of_odd_bytes() {
    let case = Case::new().path(&["bin"]);
    case.sandbox.script(bytes(b"bin/\xff tool\n"), "#!/bin/sh\necho odd\n");
    case.runs(&[bytes(b"\xff tool\n")]);
    case.runs(&[bytes(b"../bin/\xff tool\n"), bytes(b"\xa3")]);
    case.fails(127, &[bytes(b"\xfe")], &["\\xfe"]);
}

#[test]
fn a_relative_command_after_chdir() {
    let case = Case::new().chdir("there");
    case.sandbox.script("there/tool", GOOD);
    case.sandbox.script("work/here", GOOD);
    case.sandbox.script("there/bin/tool", GOOD);
    assert_eq!(case.runs(&["./tool", "a"]), "good ./tool a\n");
    assert_eq!(case.runs(&["bin/tool"]), "good bin/tool \n");
    case.fails(127, &["./here"], &["./here"]);
    case.fails(126, &["./bin"], &["./bin", "directory"]);
    case.fails(126, &["tool/"], &["tool/"]);
    for path in ["bin:/usr/bin", ":/usr/bin", "/usr/bin::", ".", "../there/bin"] {
        let case = Case { path: Some(path.into()), ..Case::new().chdir("there") };
        case.sandbox.script("there/tool", GOOD);
        case.sandbox.script("there/bin/tool", GOOD);
        case.runs(&["tool"]);
    }
}

#[test]
fn path_unset_empty_and_with_empty_elements() {
    for path in
        [None, Some(""), Some(":"), Some("/no/such:"), Some(":/no/such"), Some("/no::such"), Some("./"), Some(".")]
    {
        let case = Case::new().raw_path(path);
        let (ours, env) = case.both(&["true"]);
        assert_eq!(ours.code(), env.code(), "{path:?}: {ours:?} {env:?}");
        case.sandbox.script("work/here", GOOD);
        let (ours, env) = case.both(&["here", "a"]);
        assert_eq!((ours.code(), ours.out()), (env.code(), env.out()), "{path:?}");
    }
}

#[test]
fn the_status_and_the_signal_of_the_command() {
    use std::os::unix::process::ExitStatusExt;
    let case = Case::new();
    for status in [0, 1, 125, 126, 127, 255] {
        let (ours, env) = case.both(&["sh", "-c", &format!("echo out; echo err >&2; exit {status}")]);
        assert_eq!((ours.code(), ours.out(), &ours.stderr), (env.code(), env.out(), &env.stderr));
    }
    for signal in ["TERM", "KILL", "SEGV", "PIPE", "USR1"] {
        let (ours, env) = case.both(&["sh", "-c", &format!("ulimit -c 0; kill -{signal} $$")]);
        assert_eq!(ours.status.signal(), env.status.signal());
        assert!(ours.status.signal().is_some(), "{ours:?}");
    }
}
