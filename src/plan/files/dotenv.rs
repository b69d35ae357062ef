//! The names that a `.env` file assigns, as Hermes' reader (python-dotenv) would find them. Values are skipped, not read.
#![forbid(unsafe_code)]

/// The names in the text, in order. Lines that are no assignment are passed over.
pub fn names(text: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut names = Vec::new();
    while !rest.is_empty() {
        let end = line_end(rest);
        let Some(equals) = rest[..end].iter().position(|&byte| byte == b'=') else {
            rest = after(rest, end);
            continue;
        };
        if let Some(name) = name(&rest[..equals]) {
            names.push(name.to_vec());
            // A quoted value may go on over lines, which assign nothing then.
            let value =
                equals + 1 + rest[equals + 1..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let close = matches!(rest.get(value), Some(b'\'' | b'"')).then(|| closing_quote(&rest[value..])).flatten();
            rest = &rest[close.map_or(equals, |close| value + close)..];
        }
        let end = line_end(rest);
        rest = after(rest, end);
    }
    names
}

/// Where the line ends. A lone carriage return ends one, too: Python reads text with universal newlines.
fn line_end(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len())
}

fn after(text: &[u8], newline: usize) -> &[u8] {
    text.get(newline + 1..).unwrap_or_default()
}

/// The name before a `=`: perhaps behind `export`, perhaps in single quotes. None for a comment.
fn name(left: &[u8]) -> Option<&[u8]> {
    let left = left.trim_ascii();
    let left = match left.strip_prefix(b"export") {
        Some(rest) if rest.first().is_some_and(u8::is_ascii_whitespace) => rest.trim_ascii(),
        _ => left,
    };
    let name = left.strip_prefix(b"'").and_then(|name| name.strip_suffix(b"'")).unwrap_or(left);
    let is_word = !name.is_empty() && !name.starts_with(b"#") && !name.iter().any(u8::is_ascii_whitespace);
    is_word.then_some(name)
}

/// Where the quote that opens the text is closed; a backslash takes the next byte with it.
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
