//! Pages with foreign tools.

crate::pages! { doctor }

#[cfg(target_os = "linux")]
crate::pages! { sealed_linux }
