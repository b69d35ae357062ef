//! The formats of the files that are read: text in, values out; and who may have written a policy file.
#![forbid(unsafe_code)]

pub mod config;
pub mod dotenv;
pub mod policy;
pub mod trust;
pub mod value;
