//! Pages with foreign tools.

crate::pages! { agent doctor git hermes home logins pip poetry policy_schema python recipes tmux toolchains uv }

#[cfg(target_os = "linux")]
crate::pages! { claude_linux git_linux logins_linux recipes_linux sealed_linux sudo_linux trace_linux }
