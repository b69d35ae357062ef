//! The glob of names: what fits and what does not.

use hermes_exec::plan::pattern::{matches, matches_ignoring_case, may_match, with_first_byte};

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
