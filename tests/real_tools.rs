//! The tests on foreign tools.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;
