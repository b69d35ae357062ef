//! What is written to the two outputs: lines for standard error, texts for standard output, and the layout of a report for
//! people: titles on the left, text on the right, folded at 80 columns on a terminal. Elsewhere each fact is one line, for
//! `grep`. It decides on no exit status.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;

use anyhow::Context;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::error::Failure;
use crate::text::escaped;

/// Prints an error and its cure; the exit status is the caller's business.
pub fn complain(failure: &Failure) {
    let mut text = format!("hermes-exec: error: {}\n", escaped(failure.message.as_bytes()));
    if let Some(hint) = &failure.hint {
        text.push_str(&format!("hermes-exec: hint: {}\n", escaped(hint.as_bytes())));
    }
    say(&text);
}

/// Writes to standard error by one call where that is possible; nobody is left to tell when it fails. A pipe that nobody
/// reads is left alone: SIGPIPE would be the end of a run that has only something to remark, and of the right exit status.
pub fn say(text: &str) {
    let stderr = io::stderr();
    let mut ready = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
    let _ = poll(&mut ready, PollTimeout::ZERO);
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP;
    if !ready[0].revents().is_some_and(|events| events.intersects(gone)) {
        let _ = write_all(&stderr, text);
    }
}

pub fn print(text: &str) -> anyhow::Result<()> {
    write_all(&io::stdout(), text).context("cannot write to standard output")
}

fn write_all(to: &impl AsFd, text: &str) -> nix::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match nix::unistd::write(to, rest) {
            Ok(written) => rest = &rest[written..],
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

const INDENT: usize = 13;
const REASON: usize = 42;
const CHECK: usize = 9;
/// The width of a terminal that everybody has.
const WIDTH: usize = 80;

pub struct Page {
    out: String,
    folds: bool,
    colours: bool,
}

impl Page {
    /// An empty page for standard output, in colours where that is a terminal and `colours` says so.
    pub fn for_stdout(colours: bool) -> Self {
        let is_terminal = io::stdout().is_terminal();
        Self::new(is_terminal, is_terminal && colours)
    }

    /// An empty page that folds long lines, or not, and marks titles, or not.
    pub fn new(folds: bool, colours: bool) -> Self {
        Self { out: String::new(), folds, colours }
    }

    pub fn section(&mut self, title: &str, text: &str) {
        self.title(&format!("{title:<INDENT$}"), !title.is_empty());
        self.fold(text, INDENT, INDENT);
    }

    fn title(&mut self, padded: &str, is_marked: bool) {
        match self.colours && is_marked {
            true => {
                let _ = write!(self.out, "\x1b[1m{padded}\x1b[0m");
            }
            false => self.out.push_str(padded),
        }
    }

    pub fn line(&mut self, text: &str) {
        let _ = write!(self.out, "{:INDENT$}", "");
        self.fold(text, INDENT, INDENT);
    }

    pub fn group(&mut self, text: &str) {
        self.out.push_str("  ");
        self.fold(text, 2, 4);
    }

    pub fn item(&mut self, name: &str, reason: &str) {
        let left = REASON - 5;
        let _ = write!(self.out, "    {name:<left$} ");
        if self.folds && name.chars().count() > left {
            self.turn(REASON);
        }
        self.fold(reason, REASON, REASON);
    }

    /// The level and the text of a check; marked when something is to be done.
    pub fn check(&mut self, level: &str, text: &str, is_marked: bool) {
        self.title(&format!("{level:<CHECK$}"), is_marked);
        self.fold(text, CHECK, CHECK);
    }

    /// What fixes the last check: one line, however long, so that it can be pasted.
    pub fn cure(&mut self, command: &str) {
        let _ = writeln!(self.out, "{:CHECK$}cure: {command}", "");
    }

    pub fn plain(&mut self, text: &str) {
        self.fold(text, 0, 0);
    }

    /// Writes a text that begins in column `at`; further lines begin in column `indent`.
    fn fold(&mut self, text: &str, mut at: usize, indent: usize) {
        let mut is_first = true;
        for word in text.split(' ') {
            let width = word.chars().count();
            if !is_first && self.folds && at + 1 + width > WIDTH {
                self.turn(indent);
                at = indent;
            } else if !is_first {
                self.out.push(' ');
                at += 1;
            }
            self.out.push_str(word);
            at += width;
            is_first = false;
        }
        self.out.push('\n');
    }

    /// Goes on in a new line, and leaves no space at the end of this one.
    fn turn(&mut self, indent: usize) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        let _ = write!(self.out, "\n{:indent$}", "");
    }

    pub fn finish(self) -> String {
        self.out
    }
}
