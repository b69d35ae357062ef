//! Why a run failed: the exit status, one line, and how to fix it. It prints nothing; `output.rs` does.
#![forbid(unsafe_code)]

use std::fmt;

/// Our own exit statuses, the same as those of `env(1)`; any other status is the command's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Failed = 125,
    /// The command was found but cannot be started.
    CannotRun = 126,
    NotFound = 127,
}

/// A typed error. Any other error becomes a failure with status 125.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub status: Status,
    /// What it is about, as the id of a check of `--doctor`.
    pub subject: &'static str,
    /// One line, without the program's name and the word "error".
    pub message: String,
    /// At most one line that says what to type.
    pub hint: Option<String>,
    /// A command line that fixes it when it is pasted, for `--doctor`.
    pub cure: Option<String>,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self { status: Status::Failed, subject: "run", message: message.into(), hint: None, cure: None }
    }

    pub fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    pub fn about(mut self, subject: &'static str) -> Self {
        self.subject = subject;
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
