//! Foreign bytes: fit to print, and fit to paste.

use hermes_exec::text::{escaped, harmless, shell_quoted};

#[test]
fn odd_bytes_are_escaped_and_plain_text_is_not() {
    assert_eq!(escaped("größe/ö b".as_bytes()), "größe/ö b");
    assert_eq!(escaped(b"a\x1b[31m\n\xff"), "a\\u{1b}[31m\\n\\xff");
    assert_eq!(escaped("a\u{202e}b".as_bytes()), "a\\u{202e}b");
}

/// A backslash is doubled: what stands for a byte can be told from the characters that look like it.
#[test]
fn an_escape_is_not_taken_for_its_own_characters() {
    for (odd, shown) in
        [(&b"a\x1b"[..], r"a\u{1b}"), (br"a\u{1b}", r"a\\u{1b}"), (b"\xff", r"\xff"), (br"\xff", r"\\xff")]
    {
        assert_eq!(escaped(odd), shown);
        // A message is made of such pieces, and they are not escaped again.
        assert_eq!(harmless(shown), shown);
    }
    assert_eq!(harmless("a\x1b[2J"), r"a\u{1b}[2J");
}

#[test]
fn a_pasted_word_is_one_word_of_the_same_bytes() {
    assert_eq!(shell_quoted(b"/home/me/.claude"), "/home/me/.claude");
    assert_eq!(shell_quoted("/größe/it's a $HOME".as_bytes()), r"'/größe/it'\''s a $HOME'");
    assert_eq!(shell_quoted(b""), "''");
    assert_eq!(shell_quoted(b"a\x1b'\xff b"), r"$'a\x1b\x27\xff\x20b'");
}
