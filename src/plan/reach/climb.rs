//! Hermes' `.env` files that programs find by searching upwards from the working directory: python-dotenv's `load_dotenv()`
//! and others load the first one they find, which sets removed variables again.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use crate::plan::diagnostic::Diagnostic;
use crate::text::escaped_path;
use crate::world::World;
use crate::world::place::Place;

/// The first `.env` upwards, if it is one of Hermes'. `chdir`: where the command will start.
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
        "programs that search upwards from the working directory for a .env find {file}, which sets removed variables again"
    );
    Diagnostic::warning("dotenv", message)
        .hint("work outside the Hermes root, or make the file unreadable with --seal=files")
}
