//! Rule 0: the variables that hermes-exec itself sets, except those in `pointers.rs`. The ladder decides which of them the
//! command gets.
#![forbid(unsafe_code)]

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::decision::{Change, Decision, Rule};
use super::names::Variable;
use super::pointers::{GNUPGHOME, is_own_gnupg};
use crate::cli::Options;
use crate::plan::diagnostic::Origin;
use crate::plan::home::HomePlan;
use crate::plan::profile::{OPTION, Selection};
use crate::world::Input;

#[derive(Clone, Debug, Default)]
pub(in crate::plan) struct Computed {
    decisions: Vec<Decision>,
}

impl Computed {
    pub fn new(selection: &Selection, home: &HomePlan, options: &Options, input: &Input<'_>) -> Self {
        let redirected = home.redirect.is_some();
        let mut computed = Self::default();
        if let Some(to) = &home.to {
            computed.set("HOME", to, if redirected { "the profile's home" } else { "the real home" });
        }
        match selection.real.path() {
            Some(real) if redirected => computed.set("HERMES_REAL_HOME", real, "the user's own home"),
            None if redirected => computed.decisions.push(Decision::remove(
                b"HERMES_REAL_HOME",
                Rule::Computed,
                "does not name an acceptable home",
            )),
            _ => {}
        }
        computed.remove_gnupg(input);
        let Some(profile) = &selection.profile else { return computed };
        let named = profile.source != Origin::Default || options.hermes_home.is_some();
        if redirected || named || selection.expanded {
            computed.set("HERMES_HOME", &profile.dir, "the profile directory");
        }
        if profile.source == OPTION {
            computed.set("HERMES_PROFILE", Path::new(&profile.name), "--profile");
        }
        computed
    }

    /// A GNUPGHOME set by a start for another home would bring that home's keys here. For the same home it is set again.
    fn remove_gnupg(&mut self, input: &Input<'_>) {
        if input.environ.given(GNUPGHOME.as_bytes()).is_some_and(is_own_gnupg) {
            let reason = "names the keys of the profile whose HOME it was";
            self.decisions.push(Decision::remove(GNUPGHOME.as_bytes(), Rule::Computed, reason));
        }
    }

    fn set(&mut self, name: &str, value: &Path, reason: &'static str) {
        let value = Change::Set(value.as_os_str().as_bytes().to_owned());
        self.decisions.push(Decision::new(name.as_bytes(), value, Rule::Computed, reason));
    }

    /// The decision on a variable of the block. If it has the value already, it is kept.
    pub(super) fn decide(&self, variable: &Variable<'_>) -> Option<Decision> {
        let decision = self.decisions.iter().find(|decision| decision.name == variable.name)?.clone();
        let is_same = matches!(&decision.change, Change::Set(value) if variable.values().eq([value.as_slice()]));
        Some(if is_same { Decision { change: Change::Keep, ..decision } } else { decision })
    }

    /// The variables to set in a block without them.
    pub fn new_names(&self) -> impl Iterator<Item = Decision> {
        self.decisions.iter().filter(|decision| decision.change != Change::Remove).cloned()
    }
}
