//! The README's section on the policy file.

use serde_json::Value;

/// The JSON texts of the section: the example and the schema.
pub fn texts() -> (String, Value) {
    let readme = include_str!("../../README.md");
    let section = readme.split_once("\n## Policy file\n").unwrap().1.split("\n## ").next().unwrap();
    let mut blocks = section.split("\n```json\n").skip(1).map(|block| block.split_once("\n```").unwrap().0);
    let (example, schema) = (blocks.next().unwrap(), blocks.next().unwrap());
    assert_eq!(blocks.next(), None);
    (example.to_owned(), serde_json::from_str(schema).expect("the schema is JSON"))
}
