//! DO: the only place that writes. It carries out a plan, and decides nothing.
#![forbid(unsafe_code)]

mod entry;
pub mod exec;
mod hold;
mod home_dir;
pub mod links;
pub mod owner;
pub mod seal;
pub mod shims;
