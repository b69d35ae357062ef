//! The variables that are switches of hermes-exec itself, and the usual ones for output: all of them are read here and nowhere
//! else. What a value is worth is decided where it is used.
#![forbid(unsafe_code)]

use crate::environ::Environ;

/// The variable that keeps shims from calling us for ever.
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
    /// Nobody said no to colours: `NO_COLOR` (no-color.org), and a terminal without any.
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
