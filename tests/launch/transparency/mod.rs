//! With and without hermes-exec a program starts in the same state. The twin test runs the program `probe`
//! directly and through hermes-exec in one situation, and compares the two reports line by line. Only the environment may
//! differ, and only as in a plain start. Linux is the reference; macOS has no `/proc` to compare, and `execve` there
//! keeps the same things (its manual lists them).

mod context;
mod descriptors;
mod environment;
mod limits;
mod signals;

use std::fs::File;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;
use snapbox::{Assert, IntoData};

use crate::support::start::{Start, caller, emptied, example};
use crate::support::{BINARY, Sandbox};

/// Two runs in one situation.
struct Twin {
    sandbox: Sandbox,
    block: Vec<Vec<u8>>,
    program: PathBuf,
    word: String,
    binary: PathBuf,
    out: File,
    err: File,
}

impl Twin {
    /// The block holds everything that no shell would make, a key, Hermes' own venv and a marker.
    fn new() -> Self {
        let sandbox = Sandbox::with_builder();
        sandbox.hermes_venv("real/.hermes/hermes-agent/venv");
        sandbox.write("real/.claude.json", "{}");
        sandbox.mkdir("real/.claude");
        sandbox.write("real/.hermes/.env", "SOME_TOKEN=x\n");
        sandbox.write("real/.hermes/config.yaml", "terminal:\n  env_passthrough: [SOME_OTHER]\n");
        let venv = sandbox.root().join("hermes-agent/venv");
        let venv = venv.display();
        let mut block: Vec<Vec<u8>> = [
            format!("PATH={venv}/bin:/usr/bin::/bin"),
            format!("HOME={}", sandbox.real().display()),
            format!("VIRTUAL_ENV={venv}"),
            "ZED=1".into(),
            "ANTHROPIC_API_KEY=a".into(),
            "DUP=first".into(),
            "ANTHROPIC_API_KEY=b".into(),
            "DUP=second".into(),
            "SOME_TOKEN=y".into(),
        ]
        .map(String::into_bytes)
        .into();
        block.extend(odd_entries());
        let program = example("probe");
        let word = program.to_str().unwrap().to_owned();
        let [out, err] = ["out", "err"].map(|name| {
            let file = sandbox.write(name, "");
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
            File::options().read(true).write(true).open(file).unwrap()
        });
        Self { sandbox, block, program, word, binary: BINARY.into(), out, err }
    }

    /// Another environment block.
    fn block(mut self, entries: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        self.block = entries.into_iter().map(|entry| entry.as_ref().to_vec()).collect();
        self
    }

    /// The command is typed so, for instance as a word without a slash.
    fn typed(mut self, word: impl Into<String>) -> Self {
        self.word = word.into();
        self
    }

    /// Runs both in the situation that `make` adds to a plain start, with a HOME that stays and with one that is redirected,
    /// and fails where the reports differ by more than what is announced. Returns the last report of the direct run.
    #[track_caller]
    fn is_the_same<'a>(&'a self, make: impl Fn(Start<'a>) -> Start<'a>) -> String {
        let root = self.sandbox.root().display().to_string();
        let direct = self.report(&self.program, &make, &[]);
        let block: Vec<_> = self.block.iter().map(|entry| format!("env: {}", entry.escape_ascii())).collect();
        let (facts, env): (Vec<_>, Vec<_>) = direct.lines().partition(|line| !line.starts_with("env: "));
        assert_eq!(env, block, "the direct run does not see the block");

        for options in [&["--hermes-home", &root, "--home", "real"][..], &["--hermes-home", &root, "-p", "builder"]] {
            let wrapped =
                self.report(&self.binary, &make, &[&[self.binary.to_str().unwrap()], options, &["--"]].concat());
            println!("through hermes-exec {options:?}:");
            let expected = facts.iter().map(|&line| line.to_owned()).chain(self.plain_block(options));
            let expected = expected.fold(String::new(), |text, line| text + &line + "\n");
            Assert::new().normalize_paths(false).eq(wrapped, expected.raw());
        }
        direct
    }

    /// The probe's report of one run, without what differs from run to run.
    #[track_caller]
    fn report<'a>(&'a self, first: &Path, make: impl Fn(Start<'a>) -> Start<'a>, call: &[&str]) -> String {
        emptied(&self.out);
        emptied(&self.err);
        let report = self.sandbox.path("report");
        let _ = std::fs::remove_file(&report);
        let mut argv = call.to_vec();
        argv.extend([self.word.as_str(), "report", report.to_str().unwrap(), "--", "", "--help", "a b\n"]);
        let mut argv: Vec<&std::ffi::OsStr> = argv.into_iter().map(AsRef::as_ref).collect();
        argv.push(crate::support::bytes(b"\xff\xfe=\x01"));
        let plain = Start::new(self.sandbox.path("work")).block(&self.block).outputs(&self.out, &self.err);
        let ended = make(plain).run(first, argv);
        assert_eq!(ended.code(), 0, "{call:?}: {ended:?}");
        assert_eq!((ended.err.as_str(), ended.out.len()), ("", 0), "{call:?}");
        comparable(&std::fs::read_to_string(report).unwrap(), ended.pid)
    }

    /// The block that a command gets by these options in a plain start, which `report/agreement.rs` holds to what is announced.
    fn plain_block(&self, options: &[&str]) -> Vec<String> {
        let argv = [&["hermes-exec", "-q"], options, &["--", "/usr/bin/env", "-0"]].concat();
        let ended = Start::new(self.sandbox.path("work")).block(&self.block).run(Path::new(BINARY), argv);
        assert_eq!(ended.code(), 0, "{ended:?}");
        let entries = ended.out.strip_suffix(b"\0").map_or(Vec::new(), |out| out.split(|&byte| byte == 0).collect());
        entries.into_iter().map(|entry| format!("env: {}", entry.escape_ascii())).collect()
    }
}

/// Entries that no shell makes: `tests/transcripts/block.txt` has the rules for them.
fn odd_entries() -> Vec<Vec<u8>> {
    let odd: [&[u8]; 9] = [
        b"NOEQ", b"=weird", b"ABC=2", b"BASH_FUNC_x%%=() { :; }", b"EMPTY=", b"NL=a\nb", b"BAD=\xa3", b"N\xffAME=1",
        b"",
    ];
    odd.map(<[u8]>::to_vec).into()
}

/// A report without what differs from run to run: its own process id, and the number of the terminal that it has to itself.
fn comparable(report: &str, pid: Pid) -> String {
    let pid = pid.to_string();
    let lines = report.lines().map(|line| match line.split_once(": ") {
        Some((fact @ ("pid" | "pgid" | "sid" | "tpgid"), number)) if number == pid => format!("{fact}: itself\n"),
        Some(("tty_nr", number)) if number != "0" => "tty_nr: a terminal\n".to_owned(),
        _ => format!("{}\n", line.split_inclusive("/dev/pts/").next().unwrap_or_default()),
    });
    lines.collect()
}

#[test]
fn a_plain_start() {
    let report = Twin::new().is_the_same(|start| start);
    let ppid = format!("ppid: {}\n", caller());
    for fact in ["pid: itself\n", &ppid, "fd 0: /dev/null", "Threads: 1", "children: \"\"", "AT_SECURE: 0"] {
        assert!(report.contains(fact), "{fact:?} is missing from the probe's own report: {report}");
    }
}

#[test]
fn states_linux() {
    let probe = format!("probe='{}'\n", example("probe").display());
    crate::support::pages::play_with(file!(), "states_linux", &probe);
}
