//! What a program finds under another HOME, held against what it finds in the real home: its login or configuration, settings
//! that mean another place here, and a `.env` of Hermes' above the working directory. It is asked for the program concerned
//! alone, and says nothing where it cannot be sure.
#![forbid(unsafe_code)]

pub mod claude;
pub mod climb;
pub mod settings;
pub mod tools;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::environ::Environ;
use crate::plan::home::items::Item;
use crate::plan::home::links::Link;
use crate::world::World;
use crate::world::place::Place;

/// A home that is another one than the real home, as the command will see it.
pub struct Reach<'a> {
    pub real: &'a Place,
    pub home: &'a Path,
    pub links: &'a [Link],
    pub items: &'a [Item],
    /// The user's XDG_CONFIG_HOME that rule 7 took away.
    pub config: Option<&'a Path>,
    pub child: &'a Environ,
    pub world: &'a dyn World,
}

/// The JSON in a text; null where it is none.
fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or(Value::Null)
}

impl Reach<'_> {
    /// The link that leads from a place, or from above it, into the real home.
    fn link(&self, place: &Path) -> Option<&Link> {
        self.links.iter().find(|link| link.state.leads_there() && place.starts_with(&link.place))
    }

    /// What the command finds at a place of its HOME, once the links are made.
    fn here(&self, place: &Path) -> PathBuf {
        let through = |link: &Link| {
            let rest = place.strip_prefix(&link.place).ok()?;
            let target = link.target.as_ref()?;
            Some(if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) })
        };
        self.link(place).and_then(through).unwrap_or_else(|| self.home.join(place))
    }

    /// The same place of the real home.
    fn there(&self, place: &Path) -> PathBuf {
        let usual = self.real.canonical.join(place);
        match (self.config, place.strip_prefix(".config")) {
            (Some(config), Ok(rest)) if !self.is_there(&usual) => config.join(rest),
            _ => usual,
        }
    }

    fn is_there(&self, path: &Path) -> bool {
        self.world.stat(path).is_ok()
    }

    fn is_given(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.child.given(name.as_bytes()).is_some())
    }
}
