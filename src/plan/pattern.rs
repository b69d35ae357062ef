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
pub type FirstBytes = [bool; 256];

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

#[cfg(test)]
mod tests {
    use super::{matches, matches_ignoring_case, may_match, with_first_byte};

    #[test]
    fn a_text_may_match_when_it_begins_as_a_pattern_does() {
        let set = with_first_byte(with_first_byte([false; 256], b'A'), b'_');
        for text in [&b"A"[..], b"ab", b"_", b""] {
            assert!(may_match(&set, text), "{text:?}");
        }
        for text in [&b"BA"[..], b"*", b"\xff"] {
            assert!(!may_match(&set, text), "{text:?}");
        }
        for wild in [b'*', b'?'] {
            assert!(may_match(&with_first_byte([false; 256], wild), b"B"));
        }
    }

    #[test]
    fn a_pattern_without_wildcards_fits_itself_only() {
        assert!(matches(b"PATH", b"PATH"));
        for other in [&b"PATHS"[..], b"XPATH", b"PAT", b"path", b""] {
            assert!(!matches(b"PATH", other));
        }
    }

    #[test]
    fn a_star_takes_any_run_of_bytes() {
        for text in [&b"A_B"[..], b"A__B", b"A_x_B", b"A_\xff\xfe_B", b"A_*_B"] {
            assert!(matches(b"A_*B", text), "{text:?}");
        }
        assert!(!matches(b"A_*_B", b"A_B"), "the two underscores are two bytes");
        assert!(matches(b"*", b""));
        assert!(matches(b"**", b"x"));
        assert!(matches(b"*KEY", b"KEYKEY"));
        assert!(!matches(b"*KEY", b"KEYMAP"));
    }

    #[test]
    fn a_question_mark_takes_one_byte() {
        assert!(matches(b"L?_ALL", b"LC_ALL"));
        assert!(matches(b"?", b"\xc3"));
        assert!(!matches(b"?", b""));
        assert!(!matches(b"?", b"\xc3\xa9"), "two bytes, though one character");
        assert!(matches(b"*?", b"x"));
        assert!(!matches(b"*?", b""));
    }

    #[test]
    fn an_empty_pattern_fits_the_empty_text_only() {
        assert!(matches(b"", b""));
        assert!(!matches(b"", b"x"));
    }

    #[test]
    fn case_is_folded_on_request_and_for_ascii_alone() {
        assert!(matches_ignoring_case(b"OPENAI_*", b"openai_api_Key"));
        assert!(!matches(b"OPENAI_*", b"openai_api_Key"));
        assert!(!matches_ignoring_case(b"\xc9", b"\xe9"));
        assert!(!matches_ignoring_case(b"_", b"?"), "only the pattern has wildcards");
    }

    #[test]
    fn many_stars_do_not_blow_up() {
        let pattern = b"*a".repeat(500);
        let mut text = vec![b'a'; 50_000];
        assert!(matches(&pattern, &text));
        text.push(b'b');
        assert!(!matches(&pattern, &text));
    }
}
