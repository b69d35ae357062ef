//! The formats of the files that are read: text in, values out; and whether a policy file can be trusted.
#![forbid(unsafe_code)]

pub mod config;
pub mod dotenv;
pub mod policy;
pub mod trust;
pub mod value;
