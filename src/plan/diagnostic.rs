//! What a person should know, made where it is known, and who said what. No text of it is ever taken apart again.
#![forbid(unsafe_code)]

use std::fmt;

use super::remedy::Remedy;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Ok,
    Note,
    /// Something will not work as expected.
    Warning,
    Problem,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// A warning or a finding of a run, or the result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub id: &'static str,
    pub level: Level,
    pub message: String,
    /// What to do, in words.
    pub hint: Option<String>,
    /// A command line that fixes it when it is pasted into `sh`. See [`Remedy`].
    pub cure: Option<String>,
}

impl Diagnostic {
    pub fn new(level: Level, id: &'static str, message: impl Into<String>) -> Self {
        Self { id, level, message: message.into(), hint: None, cure: None }
    }

    pub fn ok(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Level::Ok, id, message)
    }

    pub fn note(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Level::Note, id, message)
    }

    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Level::Warning, id, message)
    }

    pub fn problem(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Level::Problem, id, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }

    /// Adds what fixes it, in words or as a command.
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.hint = remedy.hint.or(self.hint);
        self.cure = remedy.cure.or(self.cure);
        self
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    #[default]
    Default,
    Option(&'static str),
    Variable(&'static str),
    ActiveProfile,
    Policy,
    PolicyProgram,
    /// The profile's `config.yaml`.
    Config,
}

impl Origin {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Option(word) | Self::Variable(word) => word,
            Self::ActiveProfile => "active_profile",
            Self::Policy | Self::PolicyProgram => "policy file",
            Self::Config => "config.yaml",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
