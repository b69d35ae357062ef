//! The C `main`, nothing else. The Rust runtime would change the state that the command inherits: it ignores SIGPIPE and
//! opens closed descriptors 0 to 2.
#![no_main]

use std::ffi::{c_char, c_int};

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    hermes_exec::start(argc, argv)
}
