//! The tests that need no foreign tool. One integration crate, one file a subject.
#![allow(missing_docs, clippy::unwrap_used)]

mod cli;
mod environment;
mod families;
mod home;
mod launch;
mod layering;
mod messages;
mod owners;
mod planted;
mod profile;
#[cfg(target_os = "linux")]
mod seal;
mod shares;
mod shims;
mod support;
mod transcript;
#[cfg(target_os = "linux")]
mod transparency;
