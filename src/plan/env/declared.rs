//! The names in Hermes' own files: credentials that are not in the catalogue, and names to pass through. Reads what Hermes
//! loads (hermes-agent 0.19.0: `hermes_cli/env_loader.py`, and `hermes_cli/managed_scope.py` for an administrator's
//! settings): `.env`, `.op.env` and `config.yaml` of the selected profile, of the root, and of the profile that the
//! inherited HERMES_HOME points to; the `.env` next to Hermes' code in the root, and the machine's. Names only.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{core, secrets};
use crate::error::Failure;
use crate::plan::catalogue;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::files::config::{self, Config};
use crate::plan::files::dotenv;
use crate::plan::profile::layout::managed_dir;
use crate::plan::profile::{Selection, failed, unread};
use crate::world::{FILE_LIMIT, FileText, Input};

#[derive(Clone, Debug, Default)]
pub struct Declared {
    pub passthrough: BTreeSet<Vec<u8>>,
    /// The selected profile's `terminal.home_mode`, as written.
    pub home_mode: Option<String>,
    /// Every name that a `.env` assigns.
    assigned: BTreeSet<Vec<u8>>,
    /// Every name that a `config.yaml` declares as a credential.
    credentials: BTreeSet<Vec<u8>>,
    /// The directory of a managed installation, whose `.env` Hermes also loads.
    pub managed: Option<PathBuf>,
}

impl Declared {
    /// Reads the files. One that is not readable counts as empty, with a warning. Errors: 125 if reading one fails for
    /// another reason, since what it declares is then unknown.
    pub fn gather(selection: &Selection, input: &Input<'_>, warnings: &mut Vec<Diagnostic>) -> Result<Self, Failure> {
        let mut declared = Self::default();
        let Some(profile) = &selection.profile else { return Ok(declared) };
        let inherited = input.environ.given(b"HERMES_HOME").map(|value| PathBuf::from(OsStr::from_bytes(value)));
        let root = selection.root.as_ref().map(|root| root.spelled.clone());
        let mut seen = Vec::new();
        for dir in
            [Some(profile.dir.clone()), root.clone(), inherited.filter(|path| path.is_absolute())].into_iter().flatten()
        {
            let Ok(canonical) = input.world.canonical(&dir) else { continue };
            let is_selected = seen.is_empty();
            if seen.contains(&canonical) {
                continue;
            }
            seen.push(canonical);
            for file in [".env", ".op.env"] {
                declared.add_assigned(&dir.join(file), input, warnings)?;
            }
            let config = configuration(&dir.join("config.yaml"), input, warnings)?;
            declared.credentials.extend(config.declared);
            if is_selected {
                declared.passthrough = config.passthrough;
                declared.home_mode = config.home_mode;
            }
        }
        let managed = managed_dir(input.environ);
        for dir in [root.map(|root| root.join("hermes-agent")), managed.clone()].into_iter().flatten() {
            declared.add_assigned(&dir.join(".env"), input, warnings)?;
        }
        declared.managed = managed;
        Ok(declared)
    }

    fn add_assigned(&mut self, path: &Path, input: &Input<'_>, warnings: &mut Vec<Diagnostic>) -> Result<(), Failure> {
        if let Some(text) = read(path, input, warnings, true)? {
            self.assigned.append(&mut dotenv::names(&text));
        }
        Ok(())
    }

    /// Is a variable with these values a credential according to the files? A name that a `.env` assigns is one if it
    /// contains a secret word, or if a value contains a URL with a password. Settings are not, nor are Hermes' own names
    /// without a secret word.
    pub fn is_credential<'a>(&self, name: &[u8], mut values: impl Iterator<Item = &'a [u8]>) -> bool {
        let [is_declared, is_assigned] = [&self.credentials, &self.assigned].map(|names| names.contains(name));
        // Few names are in the files; only of those it is asked what they look like.
        if !is_declared && !is_assigned {
            return false;
        }
        let has_word = secrets::has_secret_word(name);
        let mut looks_secret = || has_word || values.any(secrets::has_credentials_in_url);
        let is_of_hermes = name.starts_with(b"HERMES_") || name.starts_with(b"TERMINAL_");
        (is_declared || looks_secret())
            && (has_word || !is_of_hermes)
            && !core::is_core(name)
            && !catalogue::is_setting(name)
    }
}

fn configuration(path: &Path, input: &Input<'_>, warnings: &mut Vec<Diagnostic>) -> Result<Config, Failure> {
    let Some(text) = read(path, input, warnings, false)? else { return Ok(Config::default()) };
    Ok(config::read(&text).unwrap_or_else(|why| {
        let why = format!("{why}; its env_passthrough is ignored, and credentials that it declares are not recognised");
        warnings.push(unread("config", path, &why, input));
        Config::default()
    }))
}

/// The text of a file, up to the limit. The start of a longer file is used only if it `is_of_lines`. Errors: 125 if reading
/// fails.
fn read(
    path: &Path,
    input: &Input<'_>,
    warnings: &mut Vec<Diagnostic>,
    is_of_lines: bool,
) -> Result<Option<Vec<u8>>, Failure> {
    let id = if is_of_lines { "env-file" } else { "config" };
    Ok(match input.world.text(path, FILE_LIMIT) {
        FileText::Failed(why) => return Err(failed(path, &why).about(id)),
        FileText::Missing | FileText::Link => None,
        FileText::Unreadable(why) => {
            warnings.push(unread(id, path, &format!("{why}; treated as empty"), input));
            None
        }
        FileText::Found { bytes, is_cut: false, .. } => Some(bytes),
        FileText::Found { bytes, .. } => {
            let rest = if is_of_lines { "only its first 1 MiB is read" } else { "treated as empty" };
            warnings.push(unread(id, path, &format!("larger than 1 MiB; {rest}"), input));
            is_of_lines.then_some(bytes)
        }
    })
}
