//! The tests that need no foreign tool: one crate, whose folders are those of the source. `README.md` says where is what.
#![allow(missing_docs, clippy::unwrap_used)]

mod cli;
mod dist;
mod doctor;
mod env;
mod home;
mod launch;
mod meta;
mod profile;
#[path = "fuzz/replay.rs"]
mod replay;
mod report;
#[cfg(target_os = "linux")]
mod seal;
mod support;
