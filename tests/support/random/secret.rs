//! What stands for a secret in random input, and where a report may tell it all the same: in names, paths and keys.
#![allow(dead_code)]

/// What stands for a secret. It starts with no letter that an escape (`\x9c`) can end with.
pub const SECRET: &[u8] = b"s3cr3t";

/// Does the text hold it?
pub fn holds_secret(text: &[u8]) -> bool {
    text.windows(SECRET.len()).any(|window| window == SECRET)
}

/// Fails when a message tells it.
#[track_caller]
pub fn tells_no_secret(text: &str) {
    assert!(!holds_secret(text.as_bytes()), "a secret is told: {text}");
}

/// Does it stand in a key of a JSON text, which an error names? What stands in a key behind `=` counts as a value. Says yes
/// also where a key is spelled by escapes. A text that is no JSON is followed up to where that shows.
pub fn is_in_a_key(json: &[u8]) -> bool {
    let (mut open, mut before, mut at) = (Vec::new(), b' ', 0);
    while at < json.len() {
        let byte = json[at];
        match byte {
            b'"' => {
                let end = at + 1 + end_of_string(&json[at + 1..]);
                let named = json[at + 1..end].split(|&byte| byte == b'=').next().unwrap_or_default();
                let is_key = open.last() == Some(&b'{') && matches!(before, b'{' | b',');
                if is_key && (holds_secret(named) || named.contains(&b'\\')) {
                    return true;
                }
                at = end;
            }
            b'{' | b'[' => open.push(byte),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
    false
}

/// Where the quote is that ends a string.
fn end_of_string(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at.min(text.len())
}
