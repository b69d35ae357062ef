//! The page of a report for people.

use hermes_exec::output::Page;

#[test]
fn long_lines_are_folded_on_a_terminal_only() {
    let words = "word ".repeat(40);
    for (folds, lines) in [(true, true), (false, false)] {
        let mut page = Page::new(folds, false);
        page.section("Title", words.trim());
        page.item("NAME", words.trim());
        let text = page.finish();
        assert_eq!(text.lines().all(|line| line.len() <= 80), lines);
        assert_eq!(text.split_whitespace().count(), 82);
    }
}
