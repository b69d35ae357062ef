//! `--explain` for people, `--only`, and `-v` on a run. What programs read is in `json`, and that it is true in
//! `agreement`.

mod escapes;
mod page;
mod silent;
#[cfg(target_os = "linux")]
mod terminal;

crate::pages! { failing only sections shells verbose }
#[cfg(target_os = "linux")]
crate::pages! { failing_linux }
