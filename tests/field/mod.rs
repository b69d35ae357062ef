//! The tools themselves, without and with hermes-exec.

mod cost;
mod goes_on;
mod growth;
mod held;
mod layouts;
mod picture;
mod readers;
mod schema;
mod session;
mod side_by_side;
mod trace;

crate::pages! { agent doctor git hermes home logins pip poetry policy_schema python recipes tmux toolchains uv }

#[cfg(target_os = "linux")]
crate::pages! { claude_linux git_linux logins_linux recipes_linux sealed_linux sudo_linux trace_linux }
