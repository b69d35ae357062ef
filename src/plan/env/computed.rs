//! Rule 0: the variables that hermes-exec itself sets, and the places of the real home that tools are to find under another
//! HOME. Which of them the command gets is decided in the ladder.
#![forbid(unsafe_code)]

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::decision::{Change, Decision, Rule};
use super::names::Variable;
use crate::cli::Options;
use crate::plan::diagnostic::Origin;
use crate::plan::home::HomePlan;
use crate::plan::profile::{OPTION, Selection};
use crate::world::World;

/// Places in the real home that hold no secret, and the variables by which their tools find them.
pub const POINTERS: [(&str, &str); 9] = [
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("SDKMAN_DIR", ".sdkman"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("XAUTHORITY", ".Xauthority"),
];

#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub name: &'static str,
    /// The variable without which it is of no use.
    pub needs: Option<&'static [u8]>,
    place: PathBuf,
}

impl Pointer {
    pub fn is_in(&self, world: &dyn World) -> bool {
        world.stat(&self.place).is_ok()
    }

    pub fn decision(&self) -> Decision {
        let value = Change::Set(self.place.as_os_str().as_bytes().to_owned());
        Decision::new(self.name.as_bytes(), value, Rule::Computed, "stays in the real home")
    }
}

#[derive(Clone, Debug, Default)]
pub(in crate::plan) struct Computed {
    decisions: Vec<Decision>,
    pub(super) pointers: Vec<Pointer>,
}

impl Computed {
    pub fn new(selection: &Selection, home: &HomePlan, options: &Options) -> Self {
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
                "leads to no acceptable home",
            )),
            _ => {}
        }
        let Some(profile) = &selection.profile else { return computed };
        let named = profile.source != Origin::Default || options.hermes_home.is_some();
        if redirected || named || selection.expanded {
            computed.set("HERMES_HOME", &profile.dir, "the profile's directory");
        }
        if profile.source == OPTION {
            computed.set("HERMES_PROFILE", Path::new(&profile.name), "--profile");
        }
        if let Some(real) = selection.real.path().filter(|_| redirected) {
            let needs = |name| (name == "XAUTHORITY").then_some(&b"DISPLAY"[..]);
            let pointer =
                |(name, place): (&'static str, &str)| Pointer { name, needs: needs(name), place: real.join(place) };
            computed.pointers = POINTERS.map(pointer).into();
        }
        computed
    }

    fn set(&mut self, name: &str, value: &Path, reason: &'static str) {
        let value = Change::Set(value.as_os_str().as_bytes().to_owned());
        self.decisions.push(Decision::new(name.as_bytes(), value, Rule::Computed, reason));
    }

    /// What becomes of a variable of the block. One that has the value already is kept.
    pub(super) fn decide(&self, variable: &Variable<'_>) -> Option<Decision> {
        let decision = self.decisions.iter().find(|decision| decision.name == variable.name)?.clone();
        let is_same = matches!(&decision.change, Change::Set(value) if variable.values().eq([value.as_slice()]));
        Some(if is_same { Decision { change: Change::Keep, ..decision } } else { decision })
    }

    /// The variables that are set, for a block without them.
    pub fn new_names(&self) -> impl Iterator<Item = Decision> {
        self.decisions.iter().filter(|decision| decision.change != Change::Remove).cloned()
    }
}
