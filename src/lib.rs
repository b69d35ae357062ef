//! Stub.
use std::ffi::{c_char, c_int};
/// Stub.
pub fn start(_argc: c_int, _argv: *const *const c_char) -> c_int {
    125
}
