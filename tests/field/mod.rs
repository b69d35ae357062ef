//! Pages with foreign tools.

crate::pages! { agent doctor policy_schema recipes }

#[cfg(target_os = "linux")]
crate::pages! { recipes_linux sealed_linux trace_linux }
