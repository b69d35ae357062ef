//! `tests/programs/linux/probe.rs` on Linux, whose state it tells; nothing elsewhere.
#![cfg_attr(target_os = "linux", no_main)]
#![allow(missing_docs)]

#[cfg(target_os = "linux")]
#[path = "linux/probe.rs"]
mod probe;

#[cfg(not(target_os = "linux"))]
fn main() {}
