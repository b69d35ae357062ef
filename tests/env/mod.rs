//! The environment: its block, the names in it, the catalogue, and the rules 0 to 11. Most cases are transcripts.

mod block;
mod catalogue;
mod config;
#[cfg(target_os = "linux")]
mod declared;
mod dotenv;
mod grants;
mod hermes_places;
mod order;
mod pattern;
mod properties;
mod rules;
mod secrets;
mod transcript;

crate::pages! { families grants set_from set_from_fd shape whole_block }

#[cfg(target_os = "linux")]
crate::pages! { declared_linux whole_block_linux }
