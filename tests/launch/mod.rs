//! Finding and starting the command, and that nothing else of its state is changed.

mod concurrency;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod dump;
#[cfg(target_os = "linux")]
mod signals;
mod status;
#[cfg(target_os = "linux")]
mod transparency;

crate::pages! { search shims unchanged }
// Needs neither root nor /proc.
#[cfg(target_os = "linux")]
crate::pages! { search_odd }
#[cfg(target_os = "linux")]
crate::pages! { search_linux sizes_linux unchanged_linux written_shims_linux }
