//! A `.env` of Hermes' that programs find by going upwards from the working directory: python-dotenv's `load_dotenv()` and
//! others take the first that they meet, and set again what was removed.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use crate::plan::diagnostic::Diagnostic;
use crate::text::escaped_path;
use crate::world::World;
use crate::world::place::Place;

/// The file, where the first one upwards is Hermes'. `chdir`: where the command is to start.
pub fn climbed(root: &Place, chdir: Option<&Path>, world: &dyn World) -> Option<PathBuf> {
    let dir = world.cwd()?;
    let dir = match chdir {
        Some(chdir) => world.canonical(&dir.join(chdir)).ok()?,
        None => dir,
    };
    if !dir.starts_with(&root.canonical) {
        return None;
    }
    let found = dir.ancestors().find(|dir| world.stat(&dir.join(".env")).is_ok())?;
    let below = found.strip_prefix(&root.canonical).ok()?;
    let is_profile = below.parent() == Some(Path::new("profiles"));
    let is_hermes = below.as_os_str().is_empty() || is_profile || below == Path::new("hermes-agent");
    is_hermes.then(|| found.join(".env"))
}

pub fn finding(file: &Path) -> Diagnostic {
    let file = escaped_path(file);
    let message = format!(
        "programs that look for a .env upwards from the working directory find {file}: what was removed is set again"
    );
    Diagnostic::warning("dotenv", message).hint("work outside of the Hermes root, or close the file: --seal=files")
}
