//! The sources, the tests and the README themselves. `recipes` does as the README says, with real tools.

mod cases;
mod claims;
mod layering;
mod readme;
