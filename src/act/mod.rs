//! DO: the only place that writes. It carries out a plan and decides nothing.
#![forbid(unsafe_code)]

mod entry;
pub mod exec;
mod home_dir;
pub mod links;
mod owner;
pub mod seal;
pub mod shims;
