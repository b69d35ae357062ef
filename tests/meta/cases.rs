//! `tests/cases.md` says which test shows which public report, and the man page which test holds which promise. Everything
//! that they name is there.

use std::fs;
use std::path::Path;

pub fn file(rel: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(rel);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Texts from which `cases.md` quotes, words and macros as they stand there.
const PAGES: [&str; 2] = ["README.md", "man/hermes-exec.1"];

/// What a row's last column names and is not there.
pub fn missing(shown_by: &str) -> Vec<String> {
    let mut missing = Vec::new();
    for (source, test) in shown_by.split('`').skip(1).step_by(2).filter_map(|name| name.split_once("::")) {
        let text = file(&format!("tests/{source}"));
        let text = text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        if !text.contains(&format!("#[test]\nfn {test}()")) {
            missing.push(format!("{source}::{test}"));
        }
    }
    // A scene of a page, or a case of a transcript.
    for (before, after) in
        shown_by.match_indices(".txt`: \"").map(|(at, mark)| (&shown_by[..at], &shown_by[at + mark.len()..]))
    {
        let (_, name) = before.rsplit_once('`').unwrap();
        let (title, _) = after.split_once('"').unwrap();
        if !file(&format!("tests/{name}.txt")).contains(&format!("\n=== {title}\n")) {
            missing.push(format!("{name}: {title}"));
        }
    }
    for page in PAGES {
        let text = file(page).split_whitespace().collect::<Vec<_>>().join(" ");
        let mark = format!("{page}: \"");
        let quoted = shown_by.split(&mark).skip(1).filter_map(|rest| rest.split_once('"'));
        missing.extend(quoted.map(|(quote, _)| quote).filter(|quote| !text.contains(quote)).map(str::to_owned));
    }
    missing
}

#[test]
fn every_report_has_a_test_that_is_there() {
    let table = file("tests/cases.md");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .map(|line| line.split(" | ").collect())
        .collect();
    assert!(rows.len() > 90, "{} rows", rows.len());
    for row in rows {
        let [case, _, shown_by] = row[..] else { panic!("three columns: {row:?}") };
        let is_quoted = PAGES.iter().any(|page| shown_by.contains(&format!("{page}: \"")));
        assert!(shown_by.contains('`') || is_quoted, "{case} names nothing");
        assert_eq!(missing(shown_by), [""; 0], "{case}");
    }
    assert_eq!(
        missing("`cli/help.rs::no_such_test`, `transcripts/block.txt`: \"none\", README.md: \"no such text\", man/hermes-exec.1: \"no such words\"").len(),
        4
    );
}

#[test]
fn every_promise_of_the_man_page_has_a_test_that_is_there() {
    let page = file("man/hermes-exec.1");
    let (_, promises) = page.split_once("\n.Sh PROMISES\n").unwrap();
    let (promises, _) = promises.split_once("\n.Sh ").unwrap();
    let all: Vec<&str> = promises.split("\n.It ").skip(1).collect();
    assert!(all.len() > 15, "{} promises", all.len());
    for promise in all {
        let tests: Vec<_> = promise.lines().filter_map(|line| line.strip_prefix(".D1 ")).collect();
        assert!(!tests.is_empty(), "{promise}");
        let named: String = tests.iter().map(|test| format!("`{test}`")).collect();
        assert_eq!(missing(&named), [""; 0]);
    }
}

#[test]
fn every_page_is_played() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")];
    let mut played = 0;
    while let Some(dir) = open.pop() {
        let module = fs::read_to_string(dir.join("mod.rs")).unwrap_or_default();
        let pages: String = module.split("pages! {").skip(1).filter_map(|rest| rest.split('}').next()).collect();
        let pages: Vec<_> = pages.split_whitespace().collect();
        for path in fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()) {
            let is_page = || fs::read_to_string(&path).unwrap().contains("\n=== ");
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|kind| kind == "txt")
                && !["data", "transcripts"].iter().any(|other| dir.ends_with(other))
                && is_page()
            {
                let name = path.file_stem().unwrap().to_str().unwrap().replace('-', "_");
                let is_played =
                    pages.contains(&name.as_str()) || module.contains(&format!("play_with(file!(), \"{name}\""));
                assert!(is_played, "{} is not named in the mod.rs beside it", path.display());
                played += 1;
            }
        }
    }
    assert!(played > 0);
}
