//! The files of `--shims`: for each tool a script of two lines that starts it through us, and one file that puts their
//! directory first on PATH. It writes nothing; `act/shims.rs` does.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::cli::{Assignment, Options, words};
use crate::error::Failure;
use crate::plan::Draft;
use crate::text::{escaped, escaped_path, harmless};
use crate::world::Input;

/// The fixed parts of a shim, whatever the path and the options are.
const FIRST: &[u8] = b"#!/bin/sh\n";
const EXEC: &[u8] = b"exec ";

/// The file next to the shims that puts their directory first on PATH.
pub const PATH_FILE: &str = ".path.sh";
/// Its first line.
pub const PATH_TITLE: &[u8] = b"# Puts the shims of hermes-exec first on PATH, once.\n";

pub struct Shims {
    pub dir: PathBuf,
    /// For each tool its name and the text of its shim.
    pub files: Vec<(OsString, Vec<u8>)>,
    /// The text of `.path.sh`.
    pub path: Vec<u8>,
    /// The lines to print: for a shell, and for Hermes' `config.yaml`.
    pub lines: [String; 2],
}

impl Shims {
    /// The shims in a directory for the words of the command. The options are checked as for a run, so that a shim cannot
    /// always fail. `own` is the path of this program, `base` the working directory. Errors: 125.
    pub fn build(dir: &OsStr, options: &Options, own: &Path, base: &Path, input: &Input<'_>) -> Result<Self, Failure> {
        let dir = base.join(dir);
        if dir.as_os_str().as_bytes().contains(&b':') {
            return Err(Failure::new(format!("--shims: {} contains a colon", escaped_path(&dir)))
                .hint("PATH separates directories with colons: choose another directory"));
        }
        if options.sets.iter().any(|set| matches!(set, Assignment::Value(_))) {
            return Err(Failure::new("--shims: the value of --set would be in a file").hint("use --set-from NAME=FILE"));
        }
        if options.argv0.is_some() {
            return Err(Failure::new("--shims: --argv0 would give every tool the same name").hint("leave --argv0 out"));
        }
        for tool in &options.command {
            check_tool(tool)?;
            let mut asked = options.clone();
            asked.command = vec![tool.clone()];
            if let Some(failure) = Draft::build(&asked, input).error {
                return Err(failure);
            }
        }
        let shim = Written { program: own.to_owned(), options: words::of_run(options, base) };
        let files = options.command.iter().map(|tool| (tool.clone(), shim.text(tool))).collect();
        let shown = quoted(dir.as_os_str());
        let path = [
            PATH_TITLE, b"case $PATH: in\n    ", &shown, b":*) ;;\n    *) PATH=", &shown,
            b":$PATH; export PATH ;;\nesac\n",
        ]
        .concat();
        // With its backslashes doubled, as YAML wants them, too.
        let file = escaped_path(&dir.join(PATH_FILE)).replace('"', "\\\"");
        let lines = [
            format!("export PATH={}:\"$PATH\"", harmless(&shown)),
            format!("shell_init_files: [\"~/.profile\", \"~/.bashrc\", \"{file}\"]"),
        ];
        Ok(Self { dir, files, path, lines })
    }
}

/// The content of a shim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The hermes-exec that it starts.
    pub program: PathBuf,
    pub options: Vec<OsString>,
}

impl Written {
    pub fn text(&self, tool: &OsStr) -> Vec<u8> {
        let words = [self.program.as_os_str()].into_iter().chain(self.options.iter().map(OsString::as_os_str));
        let line = words.map(quoted).collect::<Vec<_>>().join(&b' ');
        [FIRST, EXEC, &line, &end(tool)].concat()
    }

    /// Parses the text of a shim for the tool; `None` if it is anything else.
    pub fn read(text: &[u8], tool: &OsStr) -> Option<Self> {
        let line = text.strip_prefix(FIRST)?.strip_prefix(EXEC)?.strip_suffix(&end(tool)[..])?;
        let mut words = unquoted(line)?.into_iter();
        Some(Self { program: words.next()?.into(), options: words.collect() })
    }
}

/// The words of a line of [`quoted`] words, separated by one blank.
fn unquoted(mut line: &[u8]) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    loop {
        line = line.strip_prefix(b"'")?;
        let mut word = Vec::new();
        loop {
            let at = line.iter().position(|&byte| byte == b'\'')?;
            word.extend(&line[..at]);
            line = &line[at + 1..];
            let Some(rest) = line.strip_prefix(br"\''") else { break };
            word.push(b'\'');
            line = rest;
        }
        words.push(OsString::from_vec(word));
        if line.is_empty() {
            return Some(words);
        }
        line = line.strip_prefix(b" ")?;
    }
}

fn end(tool: &OsStr) -> Vec<u8> {
    [b" -- ".as_slice(), &quoted(tool), b" \"$@\"\n"].concat()
}

fn check_tool(tool: &OsStr) -> Result<(), Failure> {
    let bytes = tool.as_bytes();
    if bytes.is_empty() || bytes.starts_with(b"-") || bytes.contains(&b'/') || bytes.contains(&b'\n') {
        return Err(Failure::new(format!("--shims: '{}' is not a tool name", escaped(bytes)))
            .hint("give the name as it is typed, for example uv; options go before --shims"));
    }
    Ok(())
}

/// A word quoted for any POSIX shell, byte for byte.
fn quoted(word: &OsStr) -> Vec<u8> {
    let parts: Vec<_> = word.as_bytes().split(|&byte| byte == b'\'').collect();
    [b"'".as_slice(), &parts.join(&br"'\''"[..]), b"'"].concat()
}
