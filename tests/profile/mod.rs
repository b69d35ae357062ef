//! Which profile, which root, and which directory is the user's own home.

mod nesting;
mod planted;
mod policy;

crate::pages! { active names nesting planted real_home root sources }

#[cfg(target_os = "linux")]
crate::pages! { active_linux nesting_linux planted_linux real_home_linux }
