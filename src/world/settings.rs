//! The variables that control hermes-exec itself, and the usual ones for output. They are read here and nowhere else; their
//! values are validated where they are used.
#![forbid(unsafe_code)]

use crate::environ::Environ;

/// The variable that stops shims from calling us in an endless loop.
pub const GUARD: &[u8] = b"HERMES_EXEC_GUARD";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    Never,
    OnTerminal,
    Always,
}

impl Colours {
    /// `NO_COLOR` (no-color.org) comes before all others; then `FORCE_COLOR` (force-color.org) and `CLICOLOR_FORCE`, unless they are
    /// 0; then a `CLICOLOR` of 0 (bixense.com/clicolors), and a terminal without colours.
    fn read(environ: &Environ) -> Self {
        let is_forced = |name| environ.given(name).is_some_and(|value| value != b"0");
        if environ.given(b"NO_COLOR").is_some() {
            Self::Never
        } else if is_forced(b"FORCE_COLOR") || is_forced(b"CLICOLOR_FORCE") {
            Self::Always
        } else if environ.given(b"CLICOLOR") == Some(b"0") || environ.get(b"TERM") == Some(b"dumb") {
            Self::Never
        } else {
            Self::OnTerminal
        }
    }
}

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
    pub colours: Colours,
    /// `COLUMNS`, for a terminal that does not say how wide it is.
    pub columns: Option<u16>,
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
            colours: Colours::read(environ),
            columns: word(b"COLUMNS").and_then(|word| std::str::from_utf8(&word).ok()?.parse().ok()),
        }
    }
}
