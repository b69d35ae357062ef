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

#[cfg(test)]
mod tests {
    use super::names;

    fn found(text: &str) -> Vec<String> {
        names(text.as_bytes()).into_iter().map(|name| String::from_utf8(name).unwrap_or_default()).collect()
    }

    #[test]
    fn every_form_of_an_assignment_counts() {
        let text = "\u{feff}A_KEY=1\r\n  export B_KEY = 2\n'C_KEY'='x'\nD_KEY=\n#E_KEY=5\n # F_KEY=6\nexporter=1\nG\nH_KEY=a=b\rI_KEY=1";
        assert_eq!(found(text), ["A_KEY", "B_KEY", "C_KEY", "D_KEY", "exporter", "H_KEY", "I_KEY"]);
    }

    #[test]
    fn what_stands_inside_a_quoted_value_is_no_assignment() {
        assert_eq!(found("A=\"x\nB=1\n\\\"C=2\"\nD='\nE=1\n'\nF=1"), ["A", "D", "F"]);
        assert_eq!(found("A=\"never closed\nB=1\nC='x' # '\nD=1"), ["A", "B", "C", "D"]);
    }
}
