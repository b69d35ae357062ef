//! `--doctor --all`: the report of every profile of the root, each the one that `-p NAME` gives. A profile that is broken has
//! its report, too. It decides nothing about a profile by itself, but that a directory's name is not a profile's.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::examine;
use crate::cli::Options;
use crate::plan::diagnostic::{Diagnostic, Level};
use crate::plan::profile::{self, choice};
use crate::text::{escaped, escaped_path, os_message};
use crate::world::{Input, is_directory};

/// The checks of one profile.
pub struct Examined {
    /// As it is called in the directory of profiles, fit to print.
    pub name: String,
    /// None where no root is known.
    pub dir: Option<PathBuf>,
    pub checks: Vec<Diagnostic>,
}

impl Examined {
    /// The worst level of all its checks, or of those with these ids; none where none of them was made.
    pub fn worst(&self, ids: Option<&[&str]>) -> Option<Level> {
        let is_meant = |check: &&Diagnostic| ids.is_none_or(|ids| ids.contains(&check.id));
        self.checks.iter().filter(is_meant).map(|check| check.level).max()
    }

    /// Could the rules be asked? Where there would be no run, most checks are not made.
    pub fn is_planned(&self) -> bool {
        self.checks.iter().any(|check| check.id == "credentials")
    }
}

/// The reports of all profiles, the default one first; none where there is no Hermes.
pub fn examine_all(options: &Options, input: &Input<'_>) -> Vec<Examined> {
    let root = profile::root(options, input);
    let default =
        Examined { name: "default".into(), dir: root.clone(), checks: examine(&named(options, "default"), input) };
    let Some(root) = root.filter(|root| is_directory(input.world, root)) else {
        // One that is named and cannot be used is the matter of that report.
        let is_given = options.hermes_home.is_some() || input.environ.given(b"HERMES_HOME").is_some();
        return if is_given { vec![default] } else { Vec::new() };
    };
    let mut all = vec![default];
    let dir = root.join("profiles");
    match profile::listed(&root, input.world) {
        Ok(names) => all.extend(names.iter().map(|name| Examined {
            name: escaped(name.as_bytes()),
            dir: Some(dir.join(name)),
            checks: of_directory(name, &dir, options, input),
        })),
        Err(error) => {
            let message = format!("{} cannot be read: {}", escaped_path(&dir), os_message(&error));
            let check = Diagnostic::problem("profile", message).hint("make it readable for this user");
            all.push(Examined { name: "*".into(), dir: Some(dir), checks: vec![check] });
        }
    }
    all
}

fn named(options: &Options, name: impl Into<OsString>) -> Options {
    let mut options = options.clone();
    options.profile = Some(name.into());
    options
}

/// The report of a profile; for a directory that its name does not select, that it is none.
fn of_directory(name: &OsStr, dir: &Path, options: &Options, input: &Input<'_>) -> Vec<Diagnostic> {
    let meant = choice::folded(name);
    if meant == name.as_bytes() && meant != b"default" {
        return examine(&named(options, name), input);
    }
    let message =
        format!("{}: -p means another profile by that name, '{}'", escaped_path(&dir.join(name)), escaped(&meant));
    vec![Diagnostic::problem("profile", message).hint("rename the directory, or move it away")]
}
