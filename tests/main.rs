//! The tests that need no foreign tool. One integration crate, one file a subject.
#![allow(missing_docs, clippy::unwrap_used)]

mod agreement;
mod cli;
mod doctor;
mod environment;
mod explain;
#[cfg(target_os = "linux")]
mod failing_output;
mod families;
mod home;
mod json;
mod launch;
#[cfg(target_os = "linux")]
mod launch_matrix;
mod layering;
mod messages;
mod owners;
mod planted;
mod profile;
mod readme;
mod shares;
mod shim_chains;
mod shims;
#[cfg(target_os = "linux")]
mod signals;
mod support;
mod transcript;
#[cfg(target_os = "linux")]
mod transparency;
