//! What is shipped beside the binary, other systems, and containers. The packages are in `packages`, which needs what
//! `tests/run` packs.

mod artefacts;
mod other_systems;

#[cfg(target_os = "linux")]
crate::pages! { container_linux }
