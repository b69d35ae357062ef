//! The picture of the README, drawn from a page.

use crate::support::picture::{self, Terminal};

crate::pages! { before_and_after }

#[test]
fn it_is_drawn_from_the_page() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/field/picture/before-and-after.txt");
    let page = std::fs::read_to_string(path).unwrap();
    let (without, with) = page.split_once("\n=== With hermes-exec").expect("two parts");
    // What is typed and what is printed, as a terminal shows it.
    let shown = |part: &str| -> String {
        let marks = ["=== ", ": ", "# ", "? "];
        let lines = part.lines().skip_while(|line| !line.starts_with("$ "));
        let lines = lines.filter(|line| !line.is_empty() && !marks.iter().any(|mark| line.starts_with(mark)));
        lines.map(|line| format!("{}\n", line.strip_prefix("! ").unwrap_or(line))).collect()
    };
    let before = Terminal { title: "without hermes-exec", colour: "#ff6b68", transcript: &shown(without) };
    let after = Terminal { title: "with hermes-exec", colour: "#5fd38d", transcript: &shown(with) };
    picture::is_drawn("before-and-after.svg", &picture::terminals(&[before, after]));
}
