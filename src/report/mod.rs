//! SAY: what is printed about a plan. It decides nothing, and knows no variable's value.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod checks;
pub mod json;
pub mod profiles;
pub mod text;
pub mod verbose;
