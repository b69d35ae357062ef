//! The names that a `.env` file assigns, as Hermes' reader would find them: python-dotenv (`dotenv/parser.py`) in the version
//! that hermes-agent 0.19.0 asks for, 1.2.2, and in the later ones, which read a backslash within quotes otherwise. Values are
//! skipped, not read. A name counts also where its value is wrong and Hermes would pass over it: somebody meant it.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::HashSet;

/// The names in the text. Lines that are no assignment are passed over.
pub fn names(text: &[u8]) -> HashSet<Vec<u8>> {
    let text = decoded(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let mut names = HashSet::new();
    add(&mut names, &text, closing_quote);
    if text.contains('\\') {
        add(&mut names, &text, closing_quote_of_old);
    }
    names
}

/// The characters, as Hermes reads them (`hermes_cli/env_loader.py`): Latin-1 where they are no UTF-8. One that is cut in two
/// by the limit of the file's size makes no difference.
fn decoded(text: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(text) {
        Ok(text) => text.into(),
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(text),
        Err(_) => text.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// Adds the names, with the place of the closing quote as one of the versions sees it.
fn add(names: &mut HashSet<Vec<u8>>, mut rest: &str, closing: fn(&[u8]) -> Option<usize>) {
    loop {
        rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            return;
        }
        let (name, behind) = assignment(rest, closing);
        if let Some(name) = name.filter(|name| !names.contains(name.as_bytes())) {
            names.insert(name.as_bytes().to_vec());
        }
        rest = behind.trim_start_matches(|c| !is_end_of_line(c));
    }
}

/// The name that is assigned at the start of the text, and what stands behind the part of it that has been read. The rest of
/// that line assigns nothing.
fn assignment(text: &str, closing: fn(&[u8]) -> Option<usize>) -> (Option<&str>, &str) {
    let exported = text.strip_prefix("export").filter(|rest| rest.starts_with(is_blank));
    let text = exported.map_or(text, |rest| rest.trim_start_matches(is_blank));
    // A quoted name may go on over lines, and so may a quoted value: those assign nothing then.
    let (name, behind) = match text.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'').unwrap_or(("", text)),
        None => text.split_at(text.find(|c| is_space(c) || matches!(c, '=' | '#')).unwrap_or(text.len())),
    };
    let Some(value) = behind.trim_start_matches(is_blank).strip_prefix('=').filter(|_| !name.is_empty()) else {
        return (None, if name.is_empty() { text } else { behind });
    };
    let value = value.trim_start_matches(is_blank);
    let close = if value.starts_with(['\'', '"']) { closing(value.as_bytes()) } else { None };
    (Some(name), close.map_or(value, |close| &value[close + 1..]))
}

/// What Python takes for white space: Unicode's, and four separators of ASCII.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// Python reads text with universal newlines, and no other character ends a line for python-dotenv.
fn is_end_of_line(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

fn is_blank(c: char) -> bool {
    is_space(c) && !is_end_of_line(c)
}

/// Where the quote that opens the text is closed; a backslash takes the next character with it (python-dotenv since 1.2.3).
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

/// As [`closing_quote`], before 1.2.3: the first one without a backslash in front, and where there is none the last.
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

#[cfg(test)]
mod tests {
    use super::names;

    #[track_caller]
    fn assigns(text: &str, expected: &[&str]) {
        assigns_bytes(text.as_bytes(), expected);
    }

    #[track_caller]
    fn assigns_bytes(text: &[u8], expected: &[&str]) {
        let found = names(text).into_iter().map(|name| String::from_utf8(name).unwrap_or_default());
        let (mut found, mut expected) = (found.collect::<Vec<_>>(), expected.to_vec());
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", text[..text.len().min(100)].escape_ascii());
    }

    #[test]
    fn every_form_of_an_assignment_counts() {
        let text = "\u{feff}A_KEY=1\r\n  export B_KEY = 2\n'C_KEY'='x'\nD_KEY=\n#E_KEY=5\n # F_KEY=6\nexporter=1\nG\nH_KEY=a=b\rI_KEY=1";
        assigns(text, &["A_KEY", "B_KEY", "C_KEY", "D_KEY", "exporter", "H_KEY", "I_KEY"]);
        assigns(
            "A#B=1\nC D=1\n=E\nexport=1\nexport \nF=1\nexport 'G H'=1\n''=1\n'I\nJ=1",
            &["export", "F", "G H", "J"],
        );
        assigns("'A\nB'=1\nC=1", &["A\nB", "C"]);
    }

    #[test]
    fn what_stands_inside_a_quoted_value_is_no_assignment() {
        assigns("A=\"x\nB=1\n\\\"C=2\"\nD='\nE=1\n'\nF=1", &["A", "D", "F"]);
        assigns("A=\"never closed\nB=1\nC='x' # '\nD=1", &["A", "B", "C", "D"]);
        assigns("A=x\"\nB=1\n\"", &["A", "B"]);
    }

    /// `C` stands within the quotes for the older versions, `B` for the newer ones.
    #[test]
    fn both_readings_of_a_backslash_count() {
        assigns("A='\\\\'\nC=1\nA='\nB=1\n'\nD=1", &["A", "B", "C", "D"]);
        assigns("A='\\'\nB=1\n", &["A", "B"]);
    }

    #[test]
    fn white_space_is_that_of_unicode_and_does_not_end_a_line() {
        for space in "\t\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{1f} \u{85}\u{a0}\u{1680}\u{2000}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}".chars() {
            assigns(&format!("{space}A{space}={space}'\nX=1'\n{space}export{space}B=1\nC=1{space}D=1"), &["A", "B", "C"]);
        }
        for other in "\u{8}\u{1b}\u{180e}\u{200b}\u{2060}\u{feff}".chars() {
            assigns(&format!("\n{other}A=1"), &[&format!("{other}A")]);
        }
    }

    #[test]
    fn what_is_no_utf_8_is_latin_1() {
        assigns_bytes(b"\xa0A\xa0=\xff\n\x85B=1\nC\xff=1", &["A", "B", "C\u{ff}"]);
        assigns_bytes(b"A=\xc3\xa0\n\xc3\xa0B=1\nC=\xc3", &["A", "\u{e0}B", "C"]);
    }

    /// Each would take minutes if it took the square of its length.
    #[test]
    fn a_megabyte_of_anything_is_read_at_once() {
        let start = std::time::Instant::now();
        for part in [
            "'", "\"", "=", "A='", "A=\"\n", "A='\\'\n", "A=\"\\\\\"\n", "'\n", "''=\n", "\\'", "\\\n", "\u{3000}",
            "export ",
        ] {
            names(part.repeat((1 << 20) / part.len()).as_bytes());
        }
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
}
