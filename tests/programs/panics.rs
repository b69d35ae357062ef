//! A program for the tests that panics after hermes-exec was started in it. hermes-exec itself has no panic that can be asked
//! for, so this shows what becomes of one: the hook that [`hermes_exec::start`] puts in is still in place afterwards.
#![no_main]
#![allow(missing_docs)]

use std::ffi::{c_char, c_int};
use std::hint::black_box;

/// The C entry point.
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    hermes_exec::start(argc, argv);
    let secret = std::env::var("SECRET").unwrap_or_default();
    // The message would hold a value.
    black_box(Err::<(), _>(secret)).expect("a panic on purpose");
    0
}
