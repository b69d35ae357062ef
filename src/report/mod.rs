//! What is printed about a plan. It decides nothing, and knows no variable's value.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod checks;
pub mod json;
pub mod page;
pub mod text;

use std::path::PathBuf;

use crate::message::Failure;

/// The command word, and the program that it comes to or why to none.
pub struct Found {
    /// As it was typed.
    pub word: Vec<u8>,
    /// The program.
    pub program: Result<PathBuf, Failure>,
}
