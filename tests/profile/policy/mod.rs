//! The policy file. Where it is looked for, who may have written it, what is wrong in it, and what its keys do.

mod schema;
mod strict;

crate::pages! { keys places strict }

#[cfg(target_os = "linux")]
crate::pages! { keys_linux places_linux trust_linux }

use crate::support::Sandbox;

/// The policy file of the profile `builder`.
pub const OF_PROFILE: &str = "real/.hermes/profiles/builder/hermes-exec.json";

/// A tree with the profile `builder`, which has this policy file.
pub fn with_policy(text: &str) -> Sandbox {
    let sandbox = Sandbox::with_builder();
    sandbox.write(OF_PROFILE, text);
    sandbox
}
