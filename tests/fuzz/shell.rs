//! cargo-fuzz's way to `functions.rs`.
#![no_main]

use hermes_exec_fuzz::functions::shell;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| shell(text));
