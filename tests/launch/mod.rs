//! Finding and starting the command, and that nothing else of its state is changed.

mod cases;
mod concurrency;
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod dump;
mod search;
mod shims;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod sizes;
mod status;
#[cfg(target_os = "linux")]
mod transparency;
mod written_shims;
