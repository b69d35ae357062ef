//! Finding and starting the command, and that nothing else of its state is changed.

mod cases;
mod concurrency;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod dump;
#[cfg(target_os = "linux")]
mod matrix;
mod search;
mod shim_chains;
mod shims;
#[cfg(target_os = "linux")]
mod signals;
mod status;
#[cfg(target_os = "linux")]
mod transparency;
mod written_shims;
