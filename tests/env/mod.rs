//! The environment: its block, the names in it, and the catalogue.

mod block;
mod catalogue;
mod config;
mod dotenv;
mod pattern;
mod secrets;
