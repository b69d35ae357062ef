//! What is said, and where: `--explain`, `--json`, messages, the notice; and that no value is in it.

mod agreement;
mod canaries;
mod explain;
#[cfg(target_os = "linux")]
mod failing_output;
mod json;
mod text;

crate::pages! { messages notice }
#[cfg(target_os = "linux")]
crate::pages! { messages_linux }
