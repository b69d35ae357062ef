//! What is shipped beside the binary, other systems, and containers. The packages are in `packages`, which needs what
//! `tests/run` packs.

mod artefacts;
#[cfg(target_os = "linux")]
mod container;
mod other_systems;
