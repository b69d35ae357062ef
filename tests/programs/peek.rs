//! `tests/programs/linux/peek.rs` on Linux, whose ways into a process it tries; nothing elsewhere.
#![allow(missing_docs)]

#[cfg(target_os = "linux")]
#[path = "linux/peek.rs"]
mod peek;

fn main() {
    #[cfg(target_os = "linux")]
    peek::main();
}
