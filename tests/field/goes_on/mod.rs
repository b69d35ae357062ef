//! A home in which tools go on working: what a tool finds, changes or misses under the home of the profile `builder`, held
//! against what it does in the real home.

crate::pages! { claude dotenv git gpg home links mise plugins said settings }

#[cfg(target_os = "linux")]
crate::pages! { gpg_linux home_linux said_linux }
