//! Name patterns over bytes: `*` stands for any run of bytes, an empty one too, and `?` for exactly one byte.
//!
//! Every other byte stands for itself. There are no classes, no escapes and no notion of characters or of path
//! separators, because variable names are bytes. This file does not know what a pattern is for.
#![forbid(unsafe_code)]

/// Whether the whole of `text` fits `pattern`, byte for byte.
///
/// Works in `pattern.len() * text.len()` steps at worst, without memory of its own: a pattern that comes from a user
/// cannot make it hang.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    glob(pattern, text, |wanted, found| wanted == found)
}

/// As [`matches`], but ASCII letters fit in either case. Other bytes are not folded.
pub fn matches_ignoring_case(pattern: &[u8], text: &[u8]) -> bool {
    glob(pattern, text, |wanted, found| wanted.eq_ignore_ascii_case(&found))
}

fn glob(pattern: &[u8], text: &[u8], same: impl Fn(u8, u8) -> bool) -> bool {
    let (mut p, mut t) = (0, 0);
    // Just after the latest star, and how far that star reaches. Earlier stars need no second try: whatever they could
    // take, the latest one can take too.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                p += 1;
                star = Some((p, t));
            }
            Some(&wanted) if wanted == b'?' || same(wanted, text[t]) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((behind, reach)) = star else { return false };
                star = Some((behind, reach + 1));
                (p, t) = (behind, reach + 1);
            }
        }
    }
    pattern[p..].iter().all(|&rest| rest == b'*')
}

/// The bytes with which a text can begin that fits one of several patterns. Most names fit none of a list, and one look here
/// saves the walk along it.
pub(super) type FirstBytes = [bool; 256];

/// Adds a pattern by its first byte, to fit in either case.
#[must_use]
pub const fn with_first_byte(mut set: FirstBytes, first: u8) -> FirstBytes {
    if matches!(first, b'*' | b'?') {
        return [true; 256];
    }
    set[first.to_ascii_lowercase() as usize] = true;
    set[first.to_ascii_uppercase() as usize] = true;
    set
}

/// Can the text fit one of the patterns? An empty one fits stars alone, and is let by.
pub fn may_match(set: &FirstBytes, text: &[u8]) -> bool {
    text.first().is_none_or(|&byte| set[usize::from(byte)])
}
