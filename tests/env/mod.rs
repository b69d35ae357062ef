//! The environment: its block, the names in it, the catalogue, and the rules 0 to 11. Most cases are transcripts.

mod block;
mod catalogue;
mod config;
#[cfg(target_os = "linux")]
mod declared;
mod dotenv;
mod families;
mod grants;
mod hermes_places;
mod order;
mod pattern;
mod properties;
mod rules;
mod secrets;
mod set_from;
mod shape;
mod transcript;
