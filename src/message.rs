//! What a user is told: failures with their exit status, and the one way in which foreign bytes are made fit to print.
//! It prints nothing itself; `lib.rs` does, in one place.
#![forbid(unsafe_code)]

use std::fmt;
use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The exit statuses that are ours, as `env(1)` has them; every other status is the command's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// hermes-exec itself failed.
    Failed = 125,
    /// The command was found but cannot be started.
    CannotRun = 126,
    /// The command was not found.
    NotFound = 127,
}

/// Why there is no run: a status, one line, and at most one line that says what to type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit status.
    pub status: Status,
    /// One line, without our name and without the word "error".
    pub message: String,
    /// The cure, in words.
    pub hint: Option<String>,
    /// The cure as a command line that can be pasted, for `--doctor`.
    pub cure: Option<String>,
}

impl Failure {
    /// A failure of hermes-exec itself (125).
    pub fn new(message: impl Into<String>) -> Self {
        Self { status: Status::Failed, message: message.into(), hint: None, cure: None }
    }

    /// The same failure with another status.
    pub fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// The same failure with a cure.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same failure with a command that mends it.
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

/// Bytes as text that cannot steer a terminal: control characters, characters that reorder or hide text, and bytes that are
/// not UTF-8 are written as escapes. Everything else stays as it is.
pub fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() || is_invisible(character) {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// A path, made fit to print.
pub fn shown_path(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

/// Bytes as one word of a shell's command line, fit to print and to paste.
pub fn pasted(bytes: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%".contains(byte);
    let text = shown(bytes);
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        text
    } else if text.as_bytes() == bytes {
        format!("'{}'", text.replace('\'', r"'\''"))
    } else {
        let escaped = bytes.iter().map(|byte| match is_plain(byte) {
            true => char::from(*byte).to_string(),
            false => format!("\\x{byte:02x}"),
        });
        format!("$'{}'", escaped.collect::<String>())
    }
}

/// A path as one word of a shell's command line.
pub fn pasted_path(path: &Path) -> String {
    pasted(path.as_os_str().as_bytes())
}

/// The system's words for an error, without Rust's "(os error 2)".
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// The bidirectional controls, line and paragraph separators, and zero-width characters (Unicode 16, chapter 23.2).
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::{pasted, shown};

    #[test]
    fn odd_bytes_are_escaped_and_plain_text_is_not() {
        assert_eq!(shown("größe/ö b".as_bytes()), "größe/ö b");
        assert_eq!(shown(b"a\x1b[31m\n\xff"), "a\\u{1b}[31m\\n\\xff");
        assert_eq!(shown("a\u{202e}b".as_bytes()), "a\\u{202e}b");
    }

    #[test]
    fn a_pasted_word_is_one_word_of_the_same_bytes() {
        assert_eq!(pasted(b"/home/me/.claude"), "/home/me/.claude");
        assert_eq!(pasted("/größe/it's a $HOME".as_bytes()), r"'/größe/it'\''s a $HOME'");
        assert_eq!(pasted(b""), "''");
        assert_eq!(pasted(b"a\x1b'\xff b"), r"$'a\x1b\x27\xff\x20b'");
    }
}
