//! The names that the profiles' own files speak of: credentials that nobody listed, and names to pass through. Reads the
//! `.env` and `config.yaml` of the selected profile, of the root, and of the profile that the inherited HERMES_HOME points
//! to; names only.
#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::core;
use crate::error::Failure;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::files::config::{self, Config};
use crate::plan::files::dotenv;
use crate::plan::profile::{Selection, unread};
use crate::text::escaped_path;
use crate::world::{FILE_LIMIT, FileText, Input};

#[derive(Clone, Debug, Default)]
pub struct Declared {
    pub passthrough: HashSet<Vec<u8>>,
    /// Names with a secret word from a `.env`, and whatever a `config.yaml` declares.
    credentials: HashSet<Vec<u8>>,
}

impl Declared {
    /// Reads the files. A file that cannot be read is empty, and a warning. Errors: 125 when no descriptor is free to
    /// read them: what they declare is not guessed.
    pub fn gather(selection: &Selection, input: &Input<'_>, warnings: &mut Vec<Diagnostic>) -> Result<Self, Failure> {
        let mut declared = Self::default();
        let Some(profile) = &selection.profile else { return Ok(declared) };
        let inherited = input.environ.given(b"HERMES_HOME").map(|value| PathBuf::from(OsStr::from_bytes(value)));
        let root = selection.root.as_ref().map(|root| root.spelled.clone());
        let mut seen = Vec::new();
        for dir in [Some(profile.dir.clone()), root, inherited.filter(|path| path.is_absolute())].into_iter().flatten()
        {
            let Ok(canonical) = input.world.canonical(&dir) else { continue };
            let is_selected = seen.is_empty();
            if seen.contains(&canonical) {
                continue;
            }
            seen.push(canonical);
            let names = read(&dir.join(".env"), input, warnings, true)?.map(|text| dotenv::names(&text));
            let names = names.unwrap_or_default();
            declared.credentials.reserve(names.len());
            declared.credentials.extend(names.into_iter().filter(|name| core::has_secret_word(name)));
            let config = configuration(&dir.join("config.yaml"), input, warnings)?;
            declared.credentials.extend(config.declared);
            if is_selected {
                declared.passthrough = config.passthrough;
            }
        }
        Ok(declared)
    }

    pub fn is_credential(&self, name: &[u8]) -> bool {
        self.credentials.contains(name)
            && !core::is_core(name)
            && !name.starts_with(b"HERMES_")
            && !name.starts_with(b"TERMINAL_")
    }
}

fn configuration(path: &Path, input: &Input<'_>, warnings: &mut Vec<Diagnostic>) -> Result<Config, Failure> {
    let Some(text) = read(path, input, warnings, false)? else { return Ok(Config::default()) };
    Ok(config::read(&text).unwrap_or_else(|why| {
        let why = format!("{why}; nothing is passed through by it, and credentials that it declares are not known");
        warnings.push(unread(path, &why));
        Config::default()
    }))
}

/// The text of a file, up to the limit. One that is cut is read only where its first part says something by itself.
/// Errors: 125 when no descriptor is free.
fn read(
    path: &Path,
    input: &Input<'_>,
    warnings: &mut Vec<Diagnostic>,
    is_of_lines: bool,
) -> Result<Option<Vec<u8>>, Failure> {
    Ok(match input.world.text(path, FILE_LIMIT) {
        FileText::NoDescriptor(why) => {
            return Err(Failure::new(format!("{} cannot be read: {why}", escaped_path(path)))
                .hint("close descriptors that are not needed, or raise the limit: ulimit -n"));
        }
        FileText::Missing => None,
        FileText::Unreadable(why) => {
            warnings.push(unread(path, &format!("{why}; read as empty")));
            None
        }
        FileText::Found { bytes, is_cut: false, .. } => Some(bytes),
        FileText::Found { bytes, .. } => {
            let rest = if is_of_lines { "only its first 1 MiB is read" } else { "read as empty" };
            warnings.push(unread(path, &format!("larger than 1 MiB; {rest}")));
            is_of_lines.then_some(bytes)
        }
    })
}
