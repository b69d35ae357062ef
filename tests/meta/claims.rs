//! `tests/claims.md` says which test shows which claim of the README and of the man page, or that none does. Each claim stands
//! in its page, in that order, and what no test shows is called "not tested" there.

use super::cases::{file, missing};

/// Macros of mdoc(7) that the page uses within a line.
const MACROS: [&str; 24] = [
    "Ar", "Cm", "D1", "Em", "Ev", "Fl", "It", "Li", "Nd", "Nm", "No", "Ns", "Op", "Pa", "Pf", "Pq", "Ql", "Sh", "Ss",
    "Sx", "Va", "Xc", "Xo", "Xr",
];

/// A page of mdoc(7) as its reader sees the words: no macros, options with their dashes, `env(1)` for a reference.
fn words_of(page: &str) -> String {
    let mut text = String::new();
    for line in page.lines() {
        let Some(request) = line.strip_prefix('.') else {
            text += line;
            text += " ";
            continue;
        };
        let mut words = request.split_whitespace().peekable();
        if !words.peek().is_some_and(|first| MACROS.contains(first)) {
            continue;
        }
        let mut prefix = "";
        while let Some(word) = words.next() {
            match word {
                "Fl" => prefix = "-",
                "Nm" if words.peek().is_none_or(|next| next.len() == 1) => text += "hermes-exec ",
                "Xr" => text += &format!("{}({}) ", words.next().unwrap(), words.next().unwrap()),
                _ if MACROS.contains(&word) => prefix = "",
                _ if word.len() == 1 && ",.;:".contains(word) => {
                    text.truncate(text.trim_end().len());
                    text += word;
                    text += " ";
                }
                _ => {
                    text += std::mem::take(&mut prefix);
                    text += word;
                    text += if words.peek() == Some(&"Ns") { "" } else { " " };
                }
            }
        }
    }
    for (escape, plain) in [("\\-", "-"), ("\\&", ""), ("\\(dq", "\""), ("\\e", "\\")] {
        text = text.replace(escape, plain);
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is wrong with rows of the table, of which each is `page: "claim" | tests`.
fn faults(table: &str, readme: &str, man: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut reached = [0, 0];
    for row in table.lines().skip_while(|line| !line.starts_with("|---")).skip(1) {
        let (claim, shown_by) =
            row.trim_matches(['|', ' ']).split_once("\" | ").unwrap_or_else(|| panic!("two columns: {row}"));
        let (page, claim) = claim.split_once(": \"").unwrap_or_else(|| panic!("a page and a quote: {row}"));
        let (text, reached) = match page {
            "README.md" => (readme, &mut reached[0]),
            "man" => (man, &mut reached[1]),
            _ => panic!("{page} is not a page: {row}"),
        };
        match text[*reached..].find(claim) {
            Some(at) => *reached += at,
            None if text.contains(claim) => faults.push(format!("{page}, out of order: {claim}")),
            None => faults.push(format!("not in {page}: {claim}")),
        }
        if shown_by == "not tested" {
            if !claim.to_lowercase().contains("not tested") {
                faults.push(format!("{page} does not say so: {claim}"));
            }
        } else if !shown_by.contains("::") && !shown_by.contains(".txt`: \"") {
            faults.push(format!("no test: {claim}"));
        }
        faults.extend(missing(shown_by));
    }
    faults
}

#[test]
fn every_claim_has_a_test_or_says_not_tested() {
    let table = file("tests/claims.md");
    assert!(table.lines().count() < 250);
    let (readme, man) = (one_line(&file("README.md")), one_line(&words_of(&file("man/hermes-exec.1"))));
    let faults = faults(&table, &readme, &man);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_row_that_is_wrong_is_seen() {
    let seen = |row: &str| faults(&format!("|---|---|\n| {row} |"), "It runs. It is fast (not tested). It stops.", "");
    let good = "`cli/help.rs::the_short_help_is_one_screen_and_names_every_option`";
    assert_eq!(seen(&format!("README.md: \"It runs.\" | {good}")), [""; 0]);
    assert_eq!(seen("README.md: \"fast (not tested)\" | not tested"), [""; 0]);
    assert_eq!(seen(&format!("README.md: \"It walks.\" | {good}")), ["not in README.md: It walks."]);
    assert_eq!(seen("README.md: \"It runs.\" | not tested"), ["README.md does not say so: It runs."]);
    assert_eq!(seen("README.md: \"It runs.\" | its author"), ["no test: It runs."]);
    assert_eq!(seen("README.md: \"It runs.\" | `cli/help.rs::none`"), ["cli/help.rs::none"]);
    let disordered = format!("README.md: \"It stops.\" | {good} |\n| README.md: \"It runs.\" | {good}");
    assert_eq!(seen(&disordered), ["README.md, out of order: It runs."]);
}

#[test]
fn the_page_is_read_without_its_macros() {
    let page = ".Sh SEAL\nWith\n.Fl -seal Ns = Ns Cm files ,\n.Nm\nkeeps\n.Xr env 1\nand\n.Ql git push \\-\\-force .\n.Bl -bullet\n.It\n.Pa a , b\n";
    assert_eq!(
        one_line(&words_of(page)),
        "SEAL With --seal=files, hermes-exec keeps env(1) and git push --force. a, b"
    );
}
