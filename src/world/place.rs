//! A directory with both its spelled and its canonical path, and `realpath -m`. It knows nothing of Hermes.
#![forbid(unsafe_code)]

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::{PATH_MAX, World};

/// How many links in a row the kernel follows (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// A directory as the user spells it, and its canonical path for comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub spelled: PathBuf,
    /// With all links resolved; the spelling if the directory does not exist.
    pub canonical: PathBuf,
}

impl Place {
    pub fn new(path: &Path, world: &dyn World) -> Self {
        Self { spelled: path.to_owned(), canonical: world.canonical(path).unwrap_or_else(|_| path.to_owned()) }
    }

    /// Is `path` this directory or below it, by its spelling or once resolved? For a link both its own place and its target
    /// count; the path need not exist.
    pub fn holds(&self, path: &Path, world: &dyn World) -> bool {
        if !path.is_absolute() {
            return false;
        }
        let plain = !path.components().any(|part| part == Component::ParentDir);
        plain && (path.starts_with(&self.spelled) || path.starts_with(&self.canonical))
            || resolve_allow_missing(path, world).starts_with(&self.canonical)
            || match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => {
                    resolve_allow_missing(parent, world).join(name).starts_with(&self.canonical)
                }
                _ => false,
            }
    }
}

/// [`Path::starts_with`], usually by the bytes alone: splitting both paths into components costs as much as a system call.
pub fn is_below(path: &Path, dir: &Path) -> bool {
    let [bytes, above] = [path, dir].map(|path| path.as_os_str().as_bytes());
    if matches!(bytes.strip_prefix(above), Some([] | [b'/', ..])) {
        return true;
    }
    // Bytes that differ within a name make the names differ; a slash or a dot may mean nothing.
    let is_of_name = |byte: &u8| !b"/.".contains(byte);
    match bytes.iter().zip(above).find(|(one, other)| one != other) {
        Some((one, other)) if is_of_name(one) && is_of_name(other) => false,
        _ => path.starts_with(dir),
    }
}

/// `realpath -m`: links are resolved, even dangling ones; the part that does not exist stays as spelled.
pub fn resolve_allow_missing(path: &Path, world: &dyn World) -> PathBuf {
    let mut path = path.to_owned();
    if path.as_os_str().len() >= PATH_MAX {
        return path;
    }
    for _ in 0..MOST_LINKS {
        let existing = path.ancestors().find_map(|above| Some((world.canonical(above).ok()?, above)));
        let Some((canonical, above)) = existing else { break };
        let Ok(missing) = path.strip_prefix(above) else { break };
        let mut parts = missing.components();
        let Some(first) = parts.next() else { return canonical };
        let next = canonical.join(first);
        let below = parts.as_path();
        let joined = |path: PathBuf| if below.as_os_str().is_empty() { path } else { path.join(below) };
        match world.link_text(&next) {
            Ok(text) => path = joined(canonical.join(text)),
            Err(_) => return joined(next),
        }
    }
    path
}

/// Does resolving `path` pass through the entry `below` in `base`, which is canonical? A link to that entry does, however
/// its directory is reached; a link straight to the target of a link at that entry does not.
pub fn leads_through(path: &Path, base: &Path, below: &Path, world: &dyn World) -> bool {
    let words = |path: &Path| path.components().rev().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    // The parts still to be resolved, the next one last.
    let (wanted, mut left) = (words(below), words(path));
    let mut done = PathBuf::new();
    let mut links = 0;
    while path.as_os_str().len() < PATH_MAX && links <= MOST_LINKS {
        if left.len() == wanted.len() && left == wanted && done == base {
            return true;
        }
        let Some(part) = left.pop() else { break };
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => drop(done.pop()),
            Some(Component::Normal(name)) => match world.link_text(&done.join(name)) {
                Ok(text) => {
                    left.extend(words(&text));
                    links += 1;
                }
                Err(_) => done.push(name),
            },
            Some(Component::RootDir) => done = "/".into(),
            _ => {}
        }
    }
    false
}
