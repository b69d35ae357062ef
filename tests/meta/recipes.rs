//! The blocks of the README, for a test that plays them; the others are in pages of `tests/field`.

use std::fs;
use std::path::Path;

/// The first block is a grant, the second claude as yourself.
pub const KEYS: &str = "Keys for `claude`";

/// The blocks below a heading.
pub fn blocks_of(heading: &str) -> Vec<String> {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, section) = readme.split_once(&format!("# {heading}\n")).unwrap_or_else(|| panic!("no {heading:?}"));
    // A heading within a block is a comment.
    let parts: Vec<_> = section.split("\n```").collect();
    let texts = parts.chunks(2).take_while(|pair| !pair[0].contains("\n#"));
    texts.map(|pair| format!("{}\n", pair[1].split_once('\n').expect("a language").1)).collect()
}
