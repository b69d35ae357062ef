//! The sources, the tests and the README themselves.

mod cases;
mod claims;
mod layering;
mod readme;
