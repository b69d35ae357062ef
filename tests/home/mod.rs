//! Which HOME the command gets, how the home is made, and what is said about it. The variables that follow from it
//! are in the transcript `redirect`.

mod cases;
mod links;
mod mode;
#[cfg(target_os = "linux")]
mod owners;
mod planted;
mod random_trees;

use crate::support::Run;

crate::pages! { directory odd_paths }
#[cfg(target_os = "linux")]
crate::pages! { directory_linux odd_names_linux }

/// HOME as the command sees it, after a run without a word on stderr.
#[track_caller]
pub fn home_of(run: Run) -> String {
    run.run().ok().var("HOME").expect("HOME is set")
}
