//! The page of a report for people.

use hermes_exec::output::Page;

#[test]
fn long_lines_are_folded_on_a_terminal_only() {
    let words = "word ".repeat(40);
    for (width, longest) in [(Some(80), 80), (Some(120), 120), (None, 241)] {
        let mut page = Page::new(width, false);
        page.section("Title", words.trim());
        page.item("NAME", words.trim());
        let text = page.finish();
        let found = text.lines().map(str::len).max().unwrap();
        assert!(found <= longest && found + 5 > longest, "{width:?}: {found}");
        assert_eq!(text.split_whitespace().count(), 82);
    }
}
