//! Finds the program as `execvp(3)` would, on the command's own PATH. It skips shims that would only call us again, and
//! refuses the `pip` of Hermes' own venv. It does not use the crate `which`, since it must match `execvp`'s order, errno
//! and `$0`. It starts nothing; `act/exec.rs` does.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::cli::Options;
use crate::environ::Environ;
use crate::error::{Failure, Status};
use crate::plan::diagnostic::Diagnostic;
use crate::plan::env::hermes_places::{HermesPlaces, element_dir};
use crate::text::{escaped, escaped_path, os_message};
use crate::world::which::program_in;
use crate::world::{Input, Kind, Stat, World, is_missing};

/// Where users install programs for themselves, below the real home; often missing from PATH.
const USER_BIN: [&str; 2] = [".local/bin", ".cargo/bin"];
/// Options that other programs have as subcommands.
const MODES: [&str; 8] = ["catalogue", "completions", "doctor", "dry-run", "explain", "help", "shims", "version"];
/// A candidate that has called us this often is skipped, in whichever process.
const MOST_CALLS: usize = 16;
/// How many bytes of a script are searched for a call of hermes-exec.
const HEAD: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its path as passed to `execve`; a relative one counts from the directory in which the command starts.
    pub path: PathBuf,
    /// The new value of HERMES_EXEC_GUARD, if the program is a script that calls us.
    pub guard: Option<Vec<u8>>,
}

pub struct Search {
    word: OsString,
    args: Vec<OsString>,
    base: Option<PathBuf>,
    /// The places whose `pip` is refused; `None` if the user keeps the active venv.
    places: Option<HermesPlaces>,
    real: Option<PathBuf>,
    elements: std::vec::IntoIter<Vec<u8>>,
    guard: Guard,
    is_run: bool,
    /// The first candidate that exists but cannot be executed.
    denied: Option<Failure>,
    /// The first script whose interpreter does not exist.
    broken: Option<Failure>,
    /// How many shims were skipped.
    shims: usize,
}

impl Search {
    /// The search for the command word on the PATH of its environment. A word with a slash is the only candidate. `real` is
    /// the real home, for the hint if nothing is found.
    pub fn new(
        options: &Options,
        child: &Environ,
        places: Option<HermesPlaces>,
        real: Option<&Path>,
        input: &Input<'_>,
    ) -> Self {
        let mut command = options.command.iter();
        let word = command.next().cloned().unwrap_or_default();
        let elements = if word.is_empty() || has_slash(&word) {
            Vec::new()
        } else {
            let path = child.get(b"PATH").unwrap_or(input.world.facts().no_path.as_bytes());
            path.split(|&byte| byte == b':').map(<[u8]>::to_vec).collect()
        };
        Self {
            word,
            args: command.cloned().collect(),
            base: options.chdir.as_ref().map(PathBuf::from),
            places,
            real: real.map(Path::to_owned),
            elements: elements.into_iter(),
            guard: Guard::parse(input.settings.guard),
            is_run: options.is_run(),
            denied: None,
            broken: None,
            shims: 0,
        }
    }

    /// Errors: as [`Search::next_program`].
    pub fn first(&mut self, input: &Input<'_>) -> Result<Program, Failure> {
        if has_slash(&self.word) { self.explicit(input) } else { self.next_program(input) }
    }

    fn explicit(&self, input: &Input<'_>) -> Result<Program, Failure> {
        let path = PathBuf::from(&self.word);
        let seen = self.base.as_ref().map_or_else(|| path.clone(), |base| base.join(&path));
        let stat = input.world.stat(&seen).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.not_found("", input),
            _ => denied(&path, &os_message(&error)),
        })?;
        let head = self.examine(&path, &seen, stat, input.world)?;
        self.refuse(&seen, &head, input)?;
        Ok(Program { path, guard: None })
    }

    /// The next candidate on PATH. Errors: if there is none left, 127 or 126, or 125 if all were shims; and 126 for Hermes'
    /// own `pip`.
    pub fn next_program(&mut self, input: &Input<'_>) -> Result<Program, Failure> {
        while let Some(element) = self.elements.next() {
            // As execvp(3) joins them, since a script sees this as its `$0`: no "./" for an empty element, and always a
            // slash.
            let slash: &[u8] = if element.is_empty() { b"" } else { b"/" };
            let path = PathBuf::from(OsString::from_vec([&element, slash, self.word.as_bytes()].concat()));
            let seen = element_dir(&element, self.base.as_deref()).join(&self.word);
            // As for execvp(3), a directory that cannot be searched contains no candidate.
            let Ok(stat) = input.world.stat(&seen) else { continue };
            let head = match self.examine(&path, &seen, stat, input.world) {
                Ok(head) => head,
                Err(failure) => {
                    let first = if failure.status == Status::CannotRun { &mut self.denied } else { &mut self.broken };
                    first.get_or_insert(failure);
                    continue;
                }
            };
            self.refuse(&seen, &head, input)?;
            if !calls_us(&head, &input.own_name) {
                return Ok(Program { path, guard: None });
            }
            if self.guard.stops(input.pid(), stat.identity) {
                self.shims += 1;
                continue;
            }
            return Ok(Program { path, guard: Some(self.guard.with(input.pid(), stat.identity)) });
        }
        Err(self.nothing_left(input))
    }

    /// Was a shim of this name skipped? A program that finds its own place by `argv[0]` on PATH, as CPython finds its venv,
    /// would find the shim.
    pub fn has_passed_a_shim(&self) -> bool {
        self.shims > 0
    }

    /// Can this be started? Returns the start of the file. Errors: 126 if it cannot be executed, 127 if its interpreter does
    /// not exist.
    fn examine(&self, path: &Path, seen: &Path, stat: Stat, world: &dyn World) -> Result<Vec<u8>, Failure> {
        match stat.kind {
            Kind::File => {}
            Kind::Directory => return Err(denied(path, "it is a directory")),
            _ => return Err(denied(path, "it is not a regular file")),
        }
        // For a file that everyone may execute, execve(2) decides: if the file system forbids it, the search continues.
        if !self.is_run || stat.mode & 0o111 != 0o111 {
            world.executable(seen).map_err(|error| denied(path, &os_message(&error)))?;
        }
        let head = head(seen, world);
        match missing_interpreter(&head, self.base.as_deref(), world) {
            Some(interpreter) => Err(no_interpreter(path, &interpreter)),
            None => Ok(head),
        }
    }

    fn nothing_left(&mut self, input: &Input<'_>) -> Failure {
        if let Some(failure) = self.denied.take().or_else(|| self.broken.take()) {
            return failure;
        }
        let word = self.shown_word();
        if self.shims > 0 {
            return Failure::new(format!("shim loop: every '{word}' on PATH is a script that calls hermes-exec"))
                .hint(format!("install {word} itself, or put its directory on PATH"));
        }
        self.not_found(" on PATH", input)
    }

    fn not_found(&self, place: &str, input: &Input<'_>) -> Failure {
        let word = self.shown_word();
        let failure = Failure::new(format!("'{word}' was not found{place}")).status(Status::NotFound);
        if word.ends_with('=') {
            return failure.hint("to set a variable: --set NAME=VALUE, before the command");
        }
        match self.elsewhere(input.world) {
            Some(path) => {
                failure.hint(format!("it is at {}; give that path, or add its directory to PATH", escaped_path(&path)))
            }
            None if MODES.contains(&word.as_str()) => failure.hint(format!("did you mean --{word}?")),
            None => failure,
        }
    }

    /// The program in one of the [`USER_BIN`] directories.
    fn elsewhere(&self, world: &dyn World) -> Option<PathBuf> {
        let real = self.real.as_ref().filter(|_| !self.word.is_empty() && !has_slash(&self.word))?;
        program_in(&self.word, &USER_BIN.map(|dir| real.join(dir)), world)
    }

    fn shown_word(&self) -> String {
        escaped(without_value(self.word.as_bytes()))
    }

    /// Refuses a command that would install into Hermes' own places, and a script that would only start us again.
    fn refuse(&self, program: &Path, head: &[u8], input: &Input<'_>) -> Result<(), Failure> {
        if runs_us_alone(head, &input.own_name) {
            let message = format!("'{}' would run hermes-exec without a command in an endless loop", self.shown_word());
            return Err(
                Failure::new(message).hint("change its first line to: #!/usr/bin/env -S hermes-exec -- INTERPRETER")
            );
        }
        let place = self.places.as_ref().and_then(|own| own.installs_into(program, &self.args, input.world));
        let Some(place) = place else { return Ok(()) };
        let (mut word, place) = (self.shown_word(), escaped_path(&place));
        if program.file_name().is_some_and(|name| name.as_bytes().starts_with(b"python")) {
            let is_ensurepip = self.args.iter().any(|word| word.as_bytes().ends_with(b"ensurepip"));
            word.push_str(if is_ensurepip { " -m ensurepip" } else { " -m pip" });
        }
        Err(Failure::new(format!("'{word}' would install into Hermes' own venv {place}"))
            .status(Status::CannotRun)
            .hint("create a venv for the project (python3 -m venv .venv), or allow it with --keep VIRTUAL_ENV"))
    }
}

/// Is this a script whose first line starts hermes-exec, directly or through env(1), without a command? The kernel passes
/// everything after the interpreter as one word (execve(2)), which is either a program or options, unless `env -S` splits
/// it.
fn runs_us_alone(head: &[u8], own_name: &[u8]) -> bool {
    let Some(line) = head.strip_prefix(b"#!").and_then(|rest| rest.split(|&byte| byte == b'\n').next()) else {
        return false;
    };
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let mut is_ours = || {
        let name = words.next().and_then(|word| word.rsplit(|&byte| byte == b'/').next()).unwrap_or_default();
        (name == b"env", name == b"hermes-exec" || (!own_name.is_empty() && name == own_name))
    };
    match is_ours() {
        (_, true) => words.next().is_none_or(|word| word.starts_with(b"-")),
        (true, _) => is_ours().1,
        _ => false,
    }
}

fn has_slash(word: &OsStr) -> bool {
    word.as_bytes().contains(&b'/')
}

/// A word that is not a command, up to its `=`: it was meant as a variable, and its value may be a secret.
pub fn without_value(word: &[u8]) -> &[u8] {
    word.split_inclusive(|&byte| byte == b'=').next().unwrap_or_default()
}

pub fn denied(path: &Path, why: &str) -> Failure {
    Failure::new(format!("'{}' cannot be executed: {why}", escaped_path(path))).status(Status::CannotRun)
}

pub fn no_interpreter(path: &Path, interpreter: &[u8]) -> Failure {
    Failure::new(format!(
        "'{}' cannot be started: interpreter '{}' not found",
        escaped_path(path),
        escaped(interpreter)
    ))
    .status(Status::NotFound)
}

/// The start of a program that is a regular file; empty if it cannot be read.
pub fn head(program: &Path, world: &dyn World) -> Vec<u8> {
    world.head(program, HEAD)
}

/// The interpreter of a script's first line, if it does not exist.
pub fn missing_interpreter(head: &[u8], base: Option<&Path>, world: &dyn World) -> Option<Vec<u8>> {
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?.trim_ascii_start();
    let interpreter = line.split(|byte| matches!(byte, b' ' | b'\t')).next().filter(|word| !word.is_empty())?;
    let path = Path::new(OsStr::from_bytes(interpreter));
    let seen = base.map_or_else(|| path.to_owned(), |base| base.join(path));
    let missing = world.stat(&seen).is_err_and(|error| is_missing(&error));
    missing.then(|| interpreter.to_vec())
}

/// Is this the start of a script that contains `hermes-exec`, or the name by which we were called?
fn calls_us(head: &[u8], own_name: &[u8]) -> bool {
    let is_script = head.starts_with(b"#!") || !head.contains(&0);
    let names = |name: &[u8]| !name.is_empty() && head.windows(name.len()).any(|window| window == name);
    is_script && (names(b"hermes-exec") || names(own_name))
}

/// HERMES_EXEC_GUARD: the scripts that called us on the way here, as `pid:device:inode`, separated by commas.
#[derive(Clone, Debug, Default)]
struct Guard(Vec<(u32, (u64, u64))>);

impl Guard {
    /// A value that does not parse counts as empty.
    fn parse(text: &[u8]) -> Self {
        let one = |call: &str| {
            let mut parts = call.split(':');
            let parsed = (parts.next()?.parse().ok()?, (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?));
            parts.next().is_none().then_some(parsed)
        };
        Self(std::str::from_utf8(text).ok().and_then(|text| text.split(',').map(one).collect()).unwrap_or_default())
    }

    /// Must this script be skipped, because it has called us in this very process, or too often?
    fn stops(&self, pid: u32, identity: (u64, u64)) -> bool {
        let mut calls = self.0.iter().filter(|(_, known)| *known == identity);
        self.0.contains(&(pid, identity)) || calls.by_ref().count() >= MOST_CALLS
    }

    fn with(&self, pid: u32, identity: (u64, u64)) -> Vec<u8> {
        let all = self.0.iter().copied().chain([(pid, identity)]);
        let texts: Vec<_> = all.map(|(pid, (device, inode))| format!("{pid}:{device}:{inode}")).collect();
        texts.join(",").into_bytes()
    }
}

/// A login or interactive shell reads start files after us, and BASH_ENV or ENV name one for other shells: these may set
/// removed variables again.
pub fn shell_findings(argv: &[OsString], child: &Environ) -> Vec<Diagnostic> {
    const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash"];
    let Some(word) = argv.first() else { return Vec::new() };
    let name = Path::new(word).file_name().unwrap_or_default().as_bytes();
    let login_name = name.strip_prefix(b"-");
    if !SHELLS.iter().any(|shell| shell.as_bytes() == login_name.unwrap_or(name)) {
        return Vec::new();
    }
    let is_flag = |word: &OsString| word.as_bytes().starts_with(b"-") && word.as_bytes() != b"--";
    let reads = |word: &OsString| match word.as_bytes() {
        b"--login" | b"--interactive" => true,
        [b'-', b'-', ..] => false,
        flags => flags.contains(&b'l') || flags.contains(&b'i'),
    };
    let flags = || argv.iter().skip(1).take_while(|word| is_flag(word));
    let is_script = argv.len() > 1 + flags().count() || flags().any(|word| word.as_bytes().contains(&b'c'));
    let mut findings = Vec::new();
    if login_name.is_some() || flags().any(reads) || !is_script {
        let message = "a login or interactive shell reads start files, which may set removed variables again";
        findings.push(Diagnostic::note("shell", message));
    }
    for name in ["BASH_ENV", "ENV"] {
        if child.given(name.as_bytes()).is_some() {
            let message = format!("{name} names a start file, which may set removed variables again");
            findings.push(Diagnostic::note("shell", message));
        }
    }
    findings
}
