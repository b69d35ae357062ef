//! DO: the only place that writes. It carries out a plan and decides nothing.
#![forbid(unsafe_code)]

pub mod exec;
pub mod links;
pub mod seal;
pub mod shims;
