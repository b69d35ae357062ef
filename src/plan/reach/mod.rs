//! What a program finds under another HOME, compared with the real home: its login or configuration, settings that mean a
//! different place here, and Hermes' `.env` above the working directory. Only the program that is run is examined, and
//! nothing is reported that is not certain.
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

/// A home other than the real home, as the command will see it.
pub struct Reach<'a> {
    pub real: &'a Place,
    pub home: &'a Path,
    pub links: &'a [Link],
    pub items: &'a [Item],
    /// The user's XDG_CONFIG_HOME, if rule 7 removed it.
    pub config: Option<&'a Path>,
    pub child: &'a Environ,
    pub world: &'a dyn World,
}

/// The JSON in a text; null if it is invalid.
fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or(Value::Null)
}

impl Reach<'_> {
    /// The link at a place, or above it, that points into the real home.
    fn link(&self, place: &Path) -> Option<&Link> {
        self.links.iter().find(|link| link.state.leads_there() && place.starts_with(&link.place))
    }

    /// What the command finds at a place in its HOME, once the links have been created.
    fn here(&self, place: &Path) -> PathBuf {
        let through = |link: &Link| {
            let rest = place.strip_prefix(&link.place).ok()?;
            let target = link.target.as_ref()?;
            Some(if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) })
        };
        self.link(place).and_then(through).unwrap_or_else(|| self.home.join(place))
    }

    /// The same place in the real home.
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
