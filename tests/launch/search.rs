//! The search on PATH and what comes of a start: plays `tests/transcripts/starts.txt`, whose form stands at its top. Linux
//! glibc is the reference: on macOS `execvp` has `/usr/bin:/bin:/usr/sbin:/sbin` when PATH is unset, and its `posix_spawn`
//! does not hand a script without `#!` to the shell, while `execvp` does, as here.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

use crate::support::{Outcome, Sandbox, spawn};

const NOBODY: u32 = 65534;
const IS_LINUX: bool = cfg!(target_os = "linux");

/// What a line `:` may use.
const FUNCTIONS: &str = r#"set -e
made() { mkdir -p "$(dirname "$1")"; printf '%b' "$2" >"$1"; }
script() { made "$@"; chmod 755 "$1"; }
good() { for file; do script "$file" '#!/bin/sh\nset -- good "$0" "$@"\necho "$*"\n'; done; }
plain() { made "$1" '#!/bin/sh\n'; }
"#;

/// What bash prints for this script.
fn bash(sandbox: &Sandbox, script: &str) -> Vec<u8> {
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", script]).current_dir(&sandbox.dir).stdout(std::process::Stdio::piped());
    let output = spawn(&mut command).wait_with_output().unwrap();
    assert!(output.status.success(), "{script}");
    output.stdout
}

/// A case as far as it has been read.
struct Case {
    sandbox: Sandbox,
    paths: Vec<Option<String>>,
    dir: Option<String>,
    options: Vec<String>,
    uid: Option<u32>,
    status_of_env: Option<i32>,
    commands: Vec<Vec<OsString>>,
}

impl Case {
    fn new() -> Self {
        Self {
            sandbox: Sandbox::new(),
            paths: vec![Some("/usr/bin:/bin".into())],
            dir: None,
            options: Vec::new(),
            uid: None,
            status_of_env: None,
            commands: Vec::new(),
        }
    }

    /// The command as started by `env`, if it is asked, and by us.
    fn both(&self, path: Option<&str>, command: &[OsString]) -> (Option<Outcome>, Outcome) {
        let chdir = self.dir.iter().flat_map(|dir| ["-C", dir]);
        let words = chdir.chain(self.options.iter().map(String::as_str)).chain(["--"]).map(OsString::from);
        let run = self.sandbox.hx(words.chain(command.iter().cloned())).no_env("ANTHROPIC_API_KEY");
        let run = if let Some(path) = path { run.env("PATH", path) } else { run.no_env("PATH") };
        let run = if let Some(uid) = self.uid { run.program(self.sandbox.copied_binary()).uid(uid) } else { run };
        let is_asked = IS_LINUX && self.options.is_empty();
        (is_asked.then(|| run.clone().program("/usr/bin/env").run()), run.run())
    }

    /// Starts every command with every PATH; what comes of it must be what `expected` says.
    fn ends(&self, expected: &str) {
        for (path, command) in self.paths.iter().flat_map(|path| self.commands.iter().map(move |words| (path, words))) {
            let (env, ours) = self.both(path.as_deref(), command);
            match (env, self.status_of_env) {
                (None, _) => {}
                (Some(env), Some(status)) => assert_eq!(env.code(), status, "{path:?}: {env:?}"),
                (Some(env), None) => {
                    let is_started = !env.stderr.starts_with("/usr/bin/env: ");
                    assert!(!is_started || env.stderr == ours.stderr, "{path:?}: {env:?}, ours: {ours:?}");
                    assert_eq!((env.code(), env.out()), (ours.code(), ours.out()), "{path:?}: {env:?}, ours: {ours:?}");
                }
            }
            match (expected.strip_prefix("> "), expected.get(..3)) {
                (Some(printed), _) => assert_eq!(ours.ok().out(), format!("{printed}\n"), "{path:?}"),
                (_, Some(code @ ("126" | "127"))) => {
                    let words: Vec<_> = expected[3..].split(" | ").map(str::trim).collect();
                    ours.fails(code.parse().unwrap(), &words);
                }
                _ => assert_eq!(expected, "as env"),
            }
        }
    }
}

/// Plays a case; the last line that was read tells where it failed.
fn play(section: &str, told: &mut Told) {
    let mut case = Case::new();
    let placed = section.replace("{dir}", case.sandbox.dir.to_str().unwrap());
    let lines: Vec<_> = placed.lines().skip(1).filter(|line| !line.is_empty()).collect();
    let mark = |line: &str| line.split([' ', '=']).next().unwrap_or_default().to_owned();
    let (mut at, mut status_of_env) = (0, None);
    while let Some(&line) = lines.get(at) {
        told.0 = line.to_owned();
        let is_first = at == 0 || mark(lines[at - 1]) != mark(line);
        at += 1;
        match line.split_once([' ', '=']).unwrap_or((line, "")) {
            (":", script) => drop(bash(&case.sandbox, &format!("{FUNCTIONS}{script}"))),
            ("PATH", path) => {
                if is_first {
                    case.paths.clear();
                }
                case.paths.push((line != "PATH unset").then(|| path.to_owned()));
            }
            ("in", dir) => case.dir = Some(dir.to_owned()),
            ("with", options) => case.options = options.split(' ').map(str::to_owned).collect(),
            ("but", status) => status_of_env = status.strip_prefix("env ").map(|code| code.parse().unwrap()),
            ("as", "nobody") => case.uid = Some(NOBODY),
            ("$", words) => {
                if is_first {
                    case.commands.clear();
                    case.status_of_env = status_of_env.take();
                }
                let words = bash(&case.sandbox, &format!("printf '%s\\0' {words}"));
                let words = words.strip_suffix(b"\0").unwrap().split(|&byte| byte == 0);
                case.commands.push(words.map(|word| OsString::from_vec(word.to_vec())).collect());
            }
            (">", _) => {
                let more = lines[at..].iter().take_while(|line| line.starts_with("> ")).count();
                let printed: Vec<_> = lines[at..at + more].iter().map(|line| &line[2..]).collect();
                case.ends(&[&[line], &printed[..]].concat().join("\n"));
                at += more;
            }
            _ => case.ends(line),
        }
    }
}

/// Says where a case failed.
struct Told(String);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in tests/transcripts/starts.txt: {}", self.0);
        }
    }
}

#[test]
fn a_start_ends_as_the_transcript_says_and_as_with_env() {
    play_all(|title| !title.ends_with(" (root)") && (IS_LINUX || !title.ends_with(" (Linux)")));
}

/// Only root can start a program as another user.
#[cfg(target_os = "linux")]
#[test]
fn so_does_a_start_as_a_user_without_privileges() {
    play_all(|title| title.ends_with(" (root)"));
}

fn play_all(is_meant: impl Fn(&str) -> bool) {
    let sections = include_str!("../transcripts/starts.txt").split("\n=== ").skip(1);
    let titled = sections.map(|section| (section.lines().next().unwrap(), section));
    let meant: Vec<_> = titled.filter(|(title, _)| is_meant(title)).collect();
    assert!(!meant.is_empty());
    for (title, section) in meant {
        let _title = Told(format!("=== {title}"));
        play(section, &mut Told(String::new()));
    }
}

/// X09.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: env of GNU")]
#[test]
fn every_pair_of_candidates_ends_as_with_env() {
    let kinds = ["plain", "directory", "interpreter", "noexec", "text", "good", "dangling", "gone"];
    let mut case = Case::new();
    let script = "plain plain/tool; mkdir -p directory/tool dangling; ln -s nowhere dangling/tool; good good/tool
        script interpreter/tool '#!/no/such/interpreter\n'; script noexec/tool '#!/etc/passwd\n'
        script text/tool 'echo text\n'";
    bash(&case.sandbox, &format!("{FUNCTIONS}{script}"));
    let dir = case.sandbox.dir.display().to_string();
    let paths = kinds.iter().flat_map(|first| kinds.map(|second| Some(format!("{dir}/{first}:{dir}/{second}"))));
    case.paths = paths.collect();
    case.commands.push(vec!["tool".into()]);
    case.ends("as env");
}

/// ETXTBSY.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: a program that is open for writing")]
#[test]
fn a_program_that_is_being_written() {
    let mut case = Case::new();
    let tool = case.sandbox.copied("bin/tool", "/bin/true".as_ref());
    let _writer = File::options().append(true).open(tool).unwrap();
    case.paths = vec![Some(case.sandbox.path("bin").display().to_string())];
    case.commands = ["tool", "../bin/tool"].map(|word| vec![word.into()]).into();
    case.ends("126 bin/tool | Text file busy");
}

#[test]
fn chdir_does_not_set_pwd() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.hx(["-C", "/", "printenv", "PWD"]).env("PWD", "/elsewhere").run().ok();
    assert_eq!(outcome.out(), "/elsewhere\n");
}

/// PATH of cron and of services has no directory of the user's own, where `uv` and `claude` install themselves.
#[test]
fn w35_a_command_that_is_not_on_path_but_where_users_install_is_named_by_the_hint() {
    let sandbox = Sandbox::with_builder();
    for dir in [".local/bin", ".cargo/bin"] {
        let tool = sandbox.script(format!("real/{dir}/mytool"), "#!/bin/sh\necho ran\n");
        let path = tool.display().to_string();
        sandbox.builder(["mytool"]).run().fails(127, &["'mytool' was not found on PATH", "hint: it is", &path]);
        sandbox.builder([&path]).run().ok();
        std::fs::remove_file(tool).unwrap();
    }
    sandbox.write("real/.local/bin/mytool", "not executable");
    let outcome = sandbox.builder(["mytool"]).run().fails(127, &["'mytool' was not found on PATH"]);
    outcome.assert().stderr(predicates::str::contains("hint:").count(0));
}
