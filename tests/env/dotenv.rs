//! The names that a `.env` assigns.

use hermes_exec::plan::files::dotenv::names;

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
