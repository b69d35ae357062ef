//! The names that a `.env` assigns.

use hermes_exec::plan::files::dotenv::names;

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
    assigns("A#B=1\nC D=1\n=E\nexport=1\nexport \nF=1\nexport 'G H'=1\n''=1\n'I\nJ=1", &["export", "F", "G H", "J"]);
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
