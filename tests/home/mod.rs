//! Which HOME the command gets, how the home is made, and what is said about it. The variables that follow from it
//! are in the transcript `redirect`.

mod links;
#[cfg(target_os = "linux")]
mod owners;
mod planted;
mod random_trees;

crate::pages! { cases directory mode odd_paths }
#[cfg(target_os = "linux")]
crate::pages! { directory_linux mode_linux odd_names_linux }
