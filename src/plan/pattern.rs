//! Name patterns over bytes: `*` matches any run of bytes, even an empty one, and `?` exactly one byte.
//!
//! Every other byte matches itself. There are no classes, escapes, characters or path separators, because variable names are
//! bytes. This file does not know what a pattern is for.
#![forbid(unsafe_code)]

/// Does the whole of `text` match `pattern`, byte for byte?
///
/// Takes at most `pattern.len() * text.len()` steps and allocates nothing, so that a user's pattern cannot make it hang.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    glob(pattern, text, |wanted, found| wanted == found)
}

/// As [`matches`], but ignores the case of ASCII letters.
pub fn matches_ignoring_case(pattern: &[u8], text: &[u8]) -> bool {
    glob(pattern, text, |wanted, found| wanted.eq_ignore_ascii_case(&found))
}

fn glob(pattern: &[u8], text: &[u8], same: impl Fn(u8, u8) -> bool) -> bool {
    let (mut p, mut t) = (0, 0);
    // The position after the latest star, and how far that star reaches. Earlier stars need no second try: whatever they
    // could match, the latest one can match as well.
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
                let Some((after, reach)) = star else { return false };
                star = Some((after, reach + 1));
                (p, t) = (after, reach + 1);
            }
        }
    }
    pattern[p..].iter().all(|&rest| rest == b'*')
}

/// The first bytes of texts that can match one of several patterns. Most names match none, and one lookup here avoids trying
/// them all.
pub(super) type FirstBytes = [bool; 256];

/// Adds a pattern's first byte, in both cases.
#[must_use]
pub const fn with_first_byte(mut set: FirstBytes, first: u8) -> FirstBytes {
    if matches!(first, b'*' | b'?') {
        return [true; 256];
    }
    set[first.to_ascii_lowercase() as usize] = true;
    set[first.to_ascii_uppercase() as usize] = true;
    set
}

/// Adds patterns, of which none is empty.
#[must_use]
pub const fn with_first_bytes(mut set: FirstBytes, patterns: &[&str]) -> FirstBytes {
    let mut at = 0;
    while at < patterns.len() {
        set = with_first_byte(set, patterns[at].as_bytes()[0]);
        at += 1;
    }
    set
}

/// Can the text match one of the patterns? Always true for an empty text.
pub fn may_match(set: &FirstBytes, text: &[u8]) -> bool {
    text.first().is_none_or(|&byte| set[usize::from(byte)])
}
