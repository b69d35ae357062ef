//! The symlinks in a profile's home, to items of the real home that are shared.

crate::pages! { shared created left replaced removed }
#[cfg(target_os = "linux")]
crate::pages! { rights_linux }
