//! The environment: its block, the names in it, and the catalogue.

mod block;
mod catalogue;
mod config;
mod core;
mod dotenv;
mod pattern;
