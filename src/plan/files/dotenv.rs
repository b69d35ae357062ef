//! The names that a `.env` file assigns, as Hermes' reader would find them: python-dotenv (`dotenv/parser.py`) in version
//! 1.2.2, which hermes-agent 0.19.0 requires, and in later ones, which treat a backslash within quotes differently. Values
//! are skipped. A name counts even if its value is invalid and Hermes would ignore it, since it was meant as a variable.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::BTreeSet;

/// The names in the text. Lines that are not an assignment are skipped.
pub fn names(text: &[u8]) -> BTreeSet<Vec<u8>> {
    let text = decoded(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let mut names = BTreeSet::new();
    add(&mut names, &text, closing_quote);
    if text.contains('\\') {
        add(&mut names, &text, closing_quote_of_old);
    }
    names
}

/// The text as Hermes decodes it (`hermes_cli/env_loader.py`): Latin-1 if it is not UTF-8. A last character that the size
/// limit has cut in two does not matter.
fn decoded(text: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(text) {
        Ok(text) => text.into(),
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(text),
        Err(_) => text.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// Adds the names. `closing` finds a closing quote as one of the versions does.
fn add(names: &mut BTreeSet<Vec<u8>>, mut rest: &str, closing: fn(&[u8]) -> Option<usize>) {
    loop {
        rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            return;
        }
        let (name, after) = assignment(rest, closing);
        names.extend(name.map(|name| name.as_bytes().to_vec()));
        rest = &after[after.bytes().position(|byte| is_end_of_line(byte.into())).unwrap_or(after.len())..];
    }
}

/// The name that is assigned at the start of the text, and the text after the part that was read. The rest of that line
/// assigns nothing.
fn assignment(text: &str, closing: fn(&[u8]) -> Option<usize>) -> (Option<&str>, &str) {
    let exported = text.strip_prefix("export").filter(|rest| rest.starts_with(is_blank));
    let text = exported.map_or(text, |rest| rest.trim_start_matches(is_blank));
    // A quoted name or value may span lines, which then assign nothing else.
    let (name, after) = match text.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'').unwrap_or(("", text)),
        None => text.split_at(text.find(|c| is_space(c) || matches!(c, '=' | '#')).unwrap_or(text.len())),
    };
    let Some(value) = after.trim_start_matches(is_blank).strip_prefix('=').filter(|_| !name.is_empty()) else {
        return (None, if name.is_empty() { text } else { after });
    };
    let value = value.trim_start_matches(is_blank);
    let close = if value.starts_with(['\'', '"']) { closing(value.as_bytes()) } else { None };
    (Some(name), close.map_or(value, |close| &value[close + 1..]))
}

/// White space as Python defines it: Unicode's, and four ASCII separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// Python reads text with universal newlines, and python-dotenv knows no other line ends.
fn is_end_of_line(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

fn is_blank(c: char) -> bool {
    is_space(c) && !is_end_of_line(c)
}

/// Where the quote at the start of the text is closed; a backslash escapes the next character (python-dotenv since 1.2.3).
fn closing_quote(text: &[u8]) -> Option<usize> {
    let quote = *text.first()?;
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// As [`closing_quote`], before 1.2.3: the first quote without a backslash before it, or else the last one.
fn closing_quote_of_old(text: &[u8]) -> Option<usize> {
    let quote = *text.first()?;
    let mut last = None;
    for at in (1..text.len()).filter(|&at| text[at] == quote) {
        if text[at - 1] != b'\\' {
            return Some(at);
        }
        last = Some(at);
    }
    last
}
