//! The tests that need no foreign tool. One integration crate, one file a subject.
#![allow(missing_docs, clippy::unwrap_used)]

mod agreement;
mod artefacts;
mod canaries;
mod cases;
mod cli;
mod concurrency;
#[cfg(target_os = "linux")]
mod container;
#[cfg(target_os = "linux")]
mod declared;
mod doctor;
mod env;
mod environment;
mod exec_cases;
mod explain;
mod explained;
#[cfg(target_os = "linux")]
mod failing_output;
mod families;
mod grants;
mod help;
mod home;
mod home_cases;
mod json;
mod launch;
#[cfg(target_os = "linux")]
mod launch_matrix;
mod layering;
mod messages;
mod minimal;
mod nesting;
mod notice;
mod odd_paths;
mod other_systems;
mod own_places;
#[cfg(target_os = "linux")]
mod owners;
mod planted;
mod policy;
mod profile;
mod properties;
mod quoting;
mod random_trees;
mod readme;
mod replay;
mod rule_order;
#[cfg(target_os = "linux")]
mod seal;
mod shape;
mod shares;
mod shim_chains;
mod shims;
#[cfg(target_os = "linux")]
mod signals;
mod strings;
mod support;
mod text;
mod transcript;
#[cfg(target_os = "linux")]
mod transparency;
mod values;
mod written_shims;
