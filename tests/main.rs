//! The tests that need no foreign tool. One integration crate, one file a subject.
#![allow(missing_docs, clippy::unwrap_used)]

mod canaries;
mod cli;
mod declared;
mod environment;
mod explained;
mod families;
mod grants;
mod home;
mod launch;
mod layering;
mod messages;
mod minimal;
mod notice;
mod policy;
mod profile;
mod rule_order;
mod shape;
mod shares;
mod shims;
mod support;
mod transcript;
#[cfg(target_os = "linux")]
mod transparency;
