//! The command line: options, help, and the strings of `-c`. The completions are in `shells`, which needs real shells.

mod help;
mod quoting;

crate::pages! { helps mistyped options strings }
