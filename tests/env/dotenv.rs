//! The names that a `.env` assigns.

use hermes_exec::plan::files::dotenv::names;

use super::transcript::unescape;

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
fn each_file_of_the_table_assigns_its_names() {
    let rows = include_str!("../data/dotenvs.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let mut number = 0;
    for row in rows {
        let (text, expected) = row.split_once(" => ").unwrap_or_else(|| panic!("{row:?} has no =>"));
        let expected = String::from_utf8(unescape(expected)).unwrap();
        assigns_bytes(&unescape(text), &expected.split(", ").collect::<Vec<_>>());
        number += 1;
    }
    assert_eq!(number, 10);
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

/// Each would take minutes if it took the square of its length.
#[ignore = "long: tests/run plays it"]
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
