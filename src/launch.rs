//! Finds the program as `execvp(3)` would on the command's own PATH, and starts it in this process. It passes over shims
//! that would only call us again, and refuses the `pip` of Hermes' own venv.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::unistd::execve;

use crate::environ::Environ;
use crate::facts::{Facts, Files, Kind, Stat, Text, is_missing, own_pid};
use crate::message::{Failure, Status, reason, shown, shown_path};
use crate::search_path::{OwnVenvs, element_dir};

/// What `execvp(3)` searches when there is no PATH (glibc's `confstr(_CS_PATH)`; macOS has more directories in it).
const NO_PATH: &[u8] = b"/bin:/usr/bin";
/// The shell that runs a file which the kernel takes for no program.
const SHELL: &CStr = c"/bin/sh";
/// The variable that keeps shims from calling us for ever.
pub const GUARD: &[u8] = b"HERMES_EXEC_GUARD";
/// Why it is set.
pub const GUARD_REASON: &str = "the program is a script that calls hermes-exec";
/// A candidate that called us this often is passed over, whoever's process it is.
const MOST_CALLS: usize = 16;
/// How much of a script is searched for a call of ours, in bytes.
const HEAD: usize = 4096;

/// A program that can be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its path as `execve` gets it: relative to the directory in which the command starts.
    pub path: PathBuf,
    /// The new value of HERMES_EXEC_GUARD, when the program is a script that calls us.
    pub guard: Option<Vec<u8>>,
}

/// The search for a command, candidate after candidate.
pub struct Search<'a> {
    facts: &'a Facts<'a>,
    word: &'a OsStr,
    base: Option<&'a Path>,
    own: Option<&'a OwnVenvs>,
    elements: std::vec::IntoIter<Vec<u8>>,
    guard: Guard,
    /// Something of that name was there and could not be executed.
    denied: Option<Failure>,
    /// A script of that name was there whose interpreter was not.
    broken: Option<Failure>,
    /// Shims of that name that were passed over.
    shims: usize,
}

impl<'a> Search<'a> {
    /// The search for a word on the PATH of the command's block. A word with a slash is its own only candidate.
    pub fn new(
        word: &'a OsStr,
        base: Option<&'a Path>,
        child: &Environ,
        own: Option<&'a OwnVenvs>,
        facts: &'a Facts<'a>,
    ) -> Self {
        let elements = if word.is_empty() || word.as_bytes().contains(&b'/') {
            Vec::new()
        } else {
            let path = child.get(b"PATH").unwrap_or(NO_PATH);
            path.split(|&byte| byte == b':').map(<[u8]>::to_vec).collect()
        };
        let guard = Guard::parse(facts.environ.get(GUARD).unwrap_or_default());
        Self { facts, word, base, own, elements: elements.into_iter(), guard, denied: None, broken: None, shims: 0 }
    }

    /// The first program to try.
    ///
    /// # Errors
    /// As [`Search::next_program`].
    pub fn first(&mut self) -> Result<Program, Failure> {
        if self.word.as_bytes().contains(&b'/') { self.explicit() } else { self.next_program() }
    }

    /// The only candidate of a word with a slash.
    fn explicit(&self) -> Result<Program, Failure> {
        let path = PathBuf::from(self.word);
        let seen = self.base.map_or_else(|| path.clone(), |base| base.join(&path));
        let stat = self.facts.files.stat(&seen).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.not_found(""),
            _ => denied(&path, &reason(&error)),
        })?;
        self.examine(&path, &seen, stat)?;
        self.refuse_own_pip(&seen)?;
        Ok(Program { path, guard: None })
    }

    /// The next candidate on PATH that can be tried.
    ///
    /// # Errors
    /// When there is none left: 127 or 126, or 125 when only shims were there; and 126 when it is Hermes' own `pip`.
    pub fn next_program(&mut self) -> Result<Program, Failure> {
        while let Some(element) = self.elements.next() {
            // As execvp(3) writes it, since a script sees it as its `$0`: no "./" for an empty element, no slash saved.
            let slash: &[u8] = if element.is_empty() { b"" } else { b"/" };
            let path = PathBuf::from(OsString::from_vec([&element, slash, self.word.as_bytes()].concat()));
            let seen = element_dir(&element, self.base).join(self.word);
            // A directory that cannot be searched holds no file that we know of.
            let Ok(stat) = self.facts.files.stat(&seen) else { continue };
            let head = match self.examine(&path, &seen, stat) {
                Ok(head) => head,
                Err(failure) => {
                    let first = if failure.status == Status::CannotRun { &mut self.denied } else { &mut self.broken };
                    first.get_or_insert(failure);
                    continue;
                }
            };
            self.refuse_own_pip(&seen)?;
            if !calls_us(&head, &self.facts.own_name) {
                return Ok(Program { path, guard: None });
            }
            let pid = own_pid();
            if self.guard.stops(pid, stat.identity) {
                self.shims += 1;
                continue;
            }
            return Ok(Program { path, guard: Some(self.guard.with(pid, stat.identity)) });
        }
        Err(self.nothing_left())
    }

    /// Can this be started? Gives the start of the file.
    ///
    /// # Errors
    /// 126 when it cannot be executed, 127 when its interpreter is not there.
    fn examine(&self, path: &Path, seen: &Path, stat: Stat) -> Result<Vec<u8>, Failure> {
        match stat.kind {
            Kind::File => {}
            Kind::Directory => return Err(denied(path, "it is a directory")),
            _ => return Err(denied(path, "it is not a regular file")),
        }
        self.facts.files.executable(seen).map_err(|error| denied(path, &reason(&error)))?;
        let head = head(seen, self.facts.files);
        match missing_interpreter(&head, self.base, self.facts.files) {
            Some(interpreter) => Err(no_interpreter(path, &interpreter)),
            None => Ok(head),
        }
    }

    fn nothing_left(&mut self) -> Failure {
        if let Some(failure) = self.denied.take().or_else(|| self.broken.take()) {
            return failure;
        }
        let word = self.shown_word();
        if self.shims > 0 {
            return Failure::new(format!("shim loop: every '{word}' on PATH is a script that calls hermes-exec"))
                .hint(format!("install {word} itself, or put its directory on PATH"));
        }
        self.not_found(" on PATH")
    }

    fn not_found(&self, place: &str) -> Failure {
        let word = self.shown_word();
        let failure = Failure::new(format!("'{word}' was not found{place}")).status(Status::NotFound);
        match word.ends_with('=') {
            true => failure.hint("to set a variable: --set NAME=VALUE, before the command"),
            false => failure,
        }
    }

    /// The word for a message.
    fn shown_word(&self) -> String {
        shown(without_value(self.word.as_bytes()))
    }

    fn refuse_own_pip(&self, program: &Path) -> Result<(), Failure> {
        let Some(venv) = self.own.and_then(|own| own.venv_of_pip(program, self.facts.files)) else { return Ok(()) };
        let message = format!("'{}' would install into Hermes' own venv {}", self.shown_word(), shown_path(venv));
        Err(Failure::new(message)
            .status(Status::CannotRun)
            .hint("make a venv for the project (python3 -m venv .venv), or allow it: --keep VIRTUAL_ENV"))
    }
}

/// A word that is no command: one with `=` was meant as a variable, and what stands behind it may be a secret.
pub fn without_value(word: &[u8]) -> &[u8] {
    word.split_inclusive(|&byte| byte == b'=').next().unwrap_or_default()
}

fn denied(path: &Path, why: &str) -> Failure {
    Failure::new(format!("'{}' cannot be executed: {why}", shown_path(path))).status(Status::CannotRun)
}

fn no_interpreter(path: &Path, interpreter: &[u8]) -> Failure {
    Failure::new(format!("'{}' needs the interpreter '{}', which is not there", shown_path(path), shown(interpreter)))
        .status(Status::NotFound)
}

/// The start of a file; empty when it cannot be read.
fn head(program: &Path, files: &dyn Files) -> Vec<u8> {
    match files.text(program, HEAD) {
        Text::Read(content) => content.bytes,
        Text::Missing | Text::Unreadable(_) | Text::NoDescriptor(_) => Vec::new(),
    }
}

/// The interpreter of a script's first line, when it is not there.
fn missing_interpreter(head: &[u8], base: Option<&Path>, files: &dyn Files) -> Option<Vec<u8>> {
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?.trim_ascii_start();
    let interpreter = line.split(|byte| matches!(byte, b' ' | b'\t')).next().filter(|word| !word.is_empty())?;
    let path = Path::new(OsStr::from_bytes(interpreter));
    let seen = base.map_or_else(|| path.to_owned(), |base| base.join(path));
    let missing = files.stat(&seen).is_err_and(|error| is_missing(&error));
    missing.then(|| interpreter.to_vec())
}

/// Is this the start of a script that names hermes-exec, or the name by which we were called?
fn calls_us(head: &[u8], own_name: &[u8]) -> bool {
    let is_script = head.starts_with(b"#!") || !head.contains(&0);
    let names = |name: &[u8]| !name.is_empty() && head.windows(name.len()).any(|window| window == name);
    is_script && (names(b"hermes-exec") || names(own_name))
}

/// HERMES_EXEC_GUARD: which scripts called us on the way here, as `pid:device:inode` with commas between.
#[derive(Clone, Debug, Default)]
struct Guard(Vec<(u32, (u64, u64))>);

impl Guard {
    /// Reads the variable; one that does not parse is dropped.
    fn parse(text: &[u8]) -> Self {
        let one = |call: &str| {
            let mut parts = call.split(':');
            let parsed = (parts.next()?.parse().ok()?, (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?));
            parts.next().is_none().then_some(parsed)
        };
        Self(std::str::from_utf8(text).ok().and_then(|text| text.split(',').map(one).collect()).unwrap_or_default())
    }

    /// Is this script to be passed over: it called us in this very process, or too often?
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

/// A login or interactive shell reads start files after us, and BASH_ENV or ENV name one for the others: they may set again
/// what was removed.
pub fn shell_findings(argv: &[OsString], child: &Environ) -> Vec<String> {
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
        findings.push("a login or interactive shell reads start files, which may set removed variables again".into());
    }
    for name in ["BASH_ENV", "ENV"] {
        if child.given(name.as_bytes()).is_some() {
            findings.push(format!("{name} names a start file, which may set removed variables again"));
        }
    }
    findings
}

/// Starts a program in this process. Comes back only when that failed.
pub fn start(program: &Path, argv: &[OsString], environ: &Environ) -> Errno {
    let argv: Vec<CString> = argv.iter().map(|word| c_string(word.as_bytes())).collect();
    let path = c_string(program.as_os_str().as_bytes());
    let errno = match execve(&path, &argv, environ.entries()) {
        Err(errno) => errno,
        Ok(never) => match never {},
    };
    if errno != Errno::ENOEXEC {
        return errno;
    }
    // As execvp(3): a file that the kernel takes for no program is a script of the shell.
    let mut words = vec![SHELL.to_owned(), path];
    words.extend(argv.into_iter().skip(1));
    match execve(SHELL, &words, environ.entries()) {
        Err(errno) => errno,
        Ok(never) => match never {},
    }
}

/// Does `execvp(3)` go on with the next element of PATH after this error of `execve(2)`?
pub fn goes_on_after(errno: Errno) -> bool {
    use Errno::{EACCES, ENODEV, ENOENT, ENOTDIR, ESTALE, ETIMEDOUT};
    matches!(errno, EACCES | ENODEV | ENOENT | ENOTDIR | ESTALE | ETIMEDOUT)
}

/// What a failed start comes to.
pub fn failure(program: &Path, errno: Errno, environ: &Environ, files: &dyn Files) -> Failure {
    let path = shown_path(program);
    match errno {
        Errno::ENOENT => {
            let head = head(program, files);
            match missing_interpreter(&head, None, files) {
                Some(interpreter) => no_interpreter(program, &interpreter),
                None if head.is_empty() => Failure::new(format!("'{path}' was not found")).status(Status::NotFound),
                None => Failure::new(format!("'{path}' cannot be started: its loader is not there"))
                    .status(Status::NotFound),
            }
        }
        Errno::E2BIG => too_big(&path, environ),
        errno => denied(program, errno.desc()),
    }
}

/// E2BIG: Linux bounds one entry (MAX_ARG_STRLEN, 32 pages) and the sum of all (a quarter of the stack limit); execve(2).
fn too_big(path: &str, environ: &Environ) -> Failure {
    let largest = environ.entries().iter().max_by_key(|entry| entry.to_bytes().len());
    let named = largest.map_or(String::new(), |entry| {
        let bytes = entry.to_bytes();
        let name = crate::environ::split(bytes).map_or(&b"an entry without a name"[..], |(name, _)| name);
        format!("; the largest variable is {} with {} bytes", shown(name), bytes.len())
    });
    Failure::new(format!("'{path}' cannot be started: its arguments and environment are too large{named}"))
        .status(Status::CannotRun)
        .hint("the kernel takes up to 131,071 bytes for one entry, and a quarter of `ulimit -s` for all; drop one with --unset NAME")
}

fn c_string(bytes: &[u8]) -> CString {
    // Arguments come from the kernel, which ends them at the first NUL: there is none inside.
    CString::new(bytes).unwrap_or_default()
}
