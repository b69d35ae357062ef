//! What is written to the two outputs: lines for standard error, texts for standard output, and the layout of a report for
//! people: titles on the left, text on the right, folded at the width of a terminal. Elsewhere each fact is one line, for
//! `grep`. It decides on no exit status.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::ops::RangeInclusive;
use std::os::fd::AsFd;

use anyhow::Context;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::error::Failure;
use crate::sys::columns;
use crate::text::harmless;
use crate::world::settings::{Colours, Settings};

/// Prints an error and its cure; the exit status is the caller's business.
pub fn complain(failure: &Failure) {
    let mut text = format!("hermes-exec: error: {}\n", harmless(&failure.message));
    if let Some(hint) = &failure.hint {
        text.push_str(&format!("hermes-exec: hint: {}\n", harmless(hint)));
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
const BOLD: u8 = 1;
/// The width of a terminal that does not say.
const WIDTH: u16 = 80;
/// Narrower ones wrap by themselves; longer lines are hard to read.
const WIDTHS: RangeInclusive<u16> = 60..=120;

pub struct Page {
    out: String,
    /// Where long lines are folded.
    width: Option<usize>,
    colours: bool,
}

/// As the terminal has them (ECMA-48, SGR 31 to 36).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Cyan = 36,
}

impl Page {
    /// An empty page for standard output.
    pub fn for_stdout(settings: &Settings<'_>) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let columns = || columns(&stdout).or(settings.columns).unwrap_or(WIDTH);
        let width = is_terminal.then(|| columns().clamp(*WIDTHS.start(), *WIDTHS.end()));
        let colours = match settings.colours {
            Colours::Never => false,
            Colours::OnTerminal => is_terminal,
            Colours::Always => true,
        };
        Self::new(width.map(usize::from), colours)
    }

    /// An empty page that folds lines longer than `width`, and marks titles and levels, or not.
    pub fn new(width: Option<usize>, colours: bool) -> Self {
        Self { out: String::new(), width, colours }
    }

    pub fn section(&mut self, title: &str, text: &str) {
        self.marked(&format!("{title:<INDENT$}"), (!title.is_empty()).then_some(BOLD));
        self.fold(text, INDENT, INDENT);
    }

    fn marked(&mut self, padded: &str, mark: Option<u8>) {
        match mark.filter(|_| self.colours) {
            Some(mark) => {
                let _ = write!(self.out, "\x1b[{mark}m{padded}\x1b[0m");
            }
            None => self.out.push_str(padded),
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
        if self.width.is_some() && name.chars().count() > left {
            self.turn(REASON);
        }
        self.fold(reason, REASON, REASON);
    }

    /// The level and the text of a check.
    pub fn check(&mut self, level: &str, text: &str, colour: Colour) {
        self.marked(&format!("{level:<CHECK$}"), Some(colour as u8));
        self.fold(text, CHECK, CHECK);
    }

    /// What helps with the last check, in words.
    pub fn hint(&mut self, text: &str) {
        let _ = write!(self.out, "{:CHECK$}", "");
        self.fold(&format!("hint: {text}"), CHECK, CHECK);
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
            if !is_first && self.width.is_some_and(|most| at + 1 + width > most) {
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
