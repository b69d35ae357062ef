//! Pages with foreign tools.

crate::pages! { agent doctor recipes }

#[cfg(target_os = "linux")]
crate::pages! { recipes_linux sealed_linux }
