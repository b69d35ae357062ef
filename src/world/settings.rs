//! The variables that control hermes-exec itself, and the usual ones for output. They are read here and nowhere else; their
//! values are validated where they are used.
#![forbid(unsafe_code)]

use crate::environ::Environ;

/// The variable that stops shims from calling us in an endless loop.
pub const GUARD: &[u8] = b"HERMES_EXEC_GUARD";

/// The switches. A variable that is blank counts as unset.
pub struct Settings<'a> {
    pub quiet: bool,
    pub verbose: bool,
    /// `HERMES_EXEC_HOME_MODE`, in lower case.
    pub home_mode: Option<Vec<u8>>,
    /// Hermes' own `TERMINAL_HOME_MODE`, in lower case.
    pub terminal_home_mode: Option<Vec<u8>>,
    /// `HERMES_EXEC_GUARD`, as it was inherited.
    pub guard: &'a [u8],
    /// Colours are not ruled out by `NO_COLOR` (no-color.org) or by a terminal without them.
    pub colours: bool,
}

impl<'a> Settings<'a> {
    pub fn read(environ: &'a Environ) -> Self {
        let word = |name| environ.given(name).map(|value| value.trim_ascii().to_ascii_lowercase());
        let is_on = |name| {
            let off: [&[u8]; 4] = [b"0", b"false", b"no", b"off"];
            word(name).is_some_and(|word| !off.contains(&word.as_slice()))
        };
        Self {
            quiet: is_on(b"HERMES_EXEC_QUIET"),
            verbose: is_on(b"HERMES_EXEC_VERBOSE"),
            home_mode: word(b"HERMES_EXEC_HOME_MODE"),
            terminal_home_mode: word(b"TERMINAL_HOME_MODE"),
            guard: environ.get(GUARD).unwrap_or_default(),
            colours: environ.given(b"NO_COLOR").is_none() && environ.get(b"TERM") != Some(b"dumb"),
        }
    }
}
