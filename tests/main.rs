//! The tests that need no foreign tool. One integration crate, one file a subject.
#![allow(missing_docs, clippy::unwrap_used)]

mod artefacts;
mod cli;
mod concurrency;
mod container;
mod declared;
mod environment;
mod exec_cases;
mod explained;
#[cfg(target_os = "linux")]
mod failing_output;
mod families;
mod home;
mod launch;
#[cfg(target_os = "linux")]
mod launch_matrix;
mod layering;
mod messages;
mod nesting;
mod owners;
mod planted;
mod policy;
mod profile;
mod shares;
mod shim_chains;
mod shims;
#[cfg(target_os = "linux")]
mod signals;
mod support;
mod transcript;
#[cfg(target_os = "linux")]
mod transparency;
