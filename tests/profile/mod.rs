//! Which profile, which root, and which directory is the user's own home.

mod active;
mod names;
mod nesting;
mod planted;
mod policy;
mod real_home;
mod root;
mod sources;

use crate::support::{Run, Sandbox};

/// The name of the profile that a run selects, told by the HOME that it hands on; nothing is printed on stderr.
#[track_caller]
pub fn selected(sandbox: &Sandbox, run: Run) -> String {
    profile_of(sandbox, &run.run().ok().var("HOME").expect("HOME is set"))
}

/// Each of these lines (see [`Sandbox::line`]) selects the profile.
#[track_caller]
pub fn selects(sandbox: &Sandbox, profile: &str, lines: &[&str]) {
    for line in lines {
        assert_eq!(selected(sandbox, sandbox.line(line)), profile, "{line}");
    }
}

/// The profile whose home this is; `default` for the real home.
#[track_caller]
pub fn profile_of(sandbox: &Sandbox, home: &str) -> String {
    if home == sandbox.real().to_str().unwrap() {
        return "default".into();
    }
    let profiles = sandbox.root().join("profiles");
    let name = home.strip_prefix(profiles.to_str().unwrap()).and_then(|rest| rest.strip_suffix("/home"));
    name.unwrap_or_else(|| panic!("{home:?} is the home of no profile")).trim_matches('/').to_owned()
}
