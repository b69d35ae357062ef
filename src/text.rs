//! Makes untrusted bytes safe to print or to paste, and gives the system's words for an error. It prints nothing itself;
//! `output.rs` does.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A name, a path or a word from outside, as text that cannot control a terminal: control characters, characters that
/// reorder or hide text, and bytes that are not UTF-8 become escapes, and a backslash is doubled, so that an escape can be
/// told from the same characters in the name. Everything else is unchanged.
pub fn escaped(bytes: &[u8]) -> String {
    escape(bytes, true)
}

/// A whole message or command line, made of escaped and quoted pieces, as text that cannot control a terminal: as above, but
/// its backslashes are escapes already.
pub fn harmless(text: impl AsRef<[u8]>) -> String {
    escape(text.as_ref(), false)
}

fn escape(bytes: &[u8], doubles_backslashes: bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() || is_invisible(character) || (character == '\\' && doubles_backslashes) {
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

pub fn escaped_path(path: &Path) -> String {
    escaped(path.as_os_str().as_bytes())
}

/// Bytes as one word of a shell command line, safe to print and to paste.
pub fn shell_quoted(bytes: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%".contains(byte);
    let text = escape(bytes, false);
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

pub fn shell_quoted_path(path: &Path) -> String {
    shell_quoted(path.as_os_str().as_bytes())
}

/// The system's words for an error, without Rust's "(os error 2)".
pub fn os_message(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(number) => nix::errno::Errno::from_raw(number).desc().to_owned(),
        None => error.to_string(),
    }
}

/// An error and its causes; an error number is given in the system's words.
pub fn chain(error: &anyhow::Error) -> String {
    let words = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<nix::errno::Errno>() {
        Some(errno) => errno.desc().to_owned(),
        None => cause.to_string(),
    };
    error.chain().map(words).collect::<Vec<_>>().join(": ")
}

/// The bidirectional controls, line and paragraph separators, and zero-width characters (Unicode 16, chapter 23.2).
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
