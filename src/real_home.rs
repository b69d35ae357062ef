//! The OS user's own home: found although HOME may already point into a profile, and never taken from somebody else.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::facts::{Facts, Files, Kind};
use crate::profile::Profile;

/// A directory in the spelling that the user knows, and the canonical one that comparisons need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As it was given.
    pub spelled: PathBuf,
    /// Without links; the spelling again where the directory is not there.
    pub canonical: PathBuf,
}

impl Place {
    /// The place of a path.
    pub fn new(path: &Path, files: &dyn Files) -> Self {
        Self { spelled: path.to_owned(), canonical: files.canonical(path).unwrap_or_else(|_| path.to_owned()) }
    }

    /// Is `path` this directory or below it, by its spelling or by where it leads? A link's own place counts as well as
    /// where it points to, and a path need not exist.
    pub fn holds(&self, path: &Path, files: &dyn Files) -> bool {
        if !path.is_absolute() {
            return false;
        }
        let plain = !path.components().any(|part| part == Component::ParentDir);
        plain && (path.starts_with(&self.spelled) || path.starts_with(&self.canonical))
            || resolved(path, files).starts_with(&self.canonical)
            || match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => resolved(parent, files).join(name).starts_with(&self.canonical),
                _ => false,
            }
    }
}

/// `realpath -m`: as much of the path as is there without links, the rest as spelled.
fn resolved(path: &Path, files: &dyn Files) -> PathBuf {
    path.ancestors()
        .find_map(|there| {
            let canonical = files.canonical(there).ok()?;
            Some(path.strip_prefix(there).map_or(canonical.clone(), |rest| canonical.join(rest)))
        })
        .unwrap_or_else(|| path.to_owned())
}

/// Lexically: is `path` at or below a home that belongs to a profile of `root`? Both canonical.
pub fn is_in_a_profile_home(path: &Path, root: &Path) -> bool {
    let Ok(below) = path.strip_prefix(root) else { return false };
    let mut parts = below.components().map(Component::as_os_str);
    match parts.next() {
        Some(first) if first == "home" => true,
        Some(first) if first == "profiles" => parts.nth(1).is_some_and(|third| third == "home"),
        _ => false,
    }
}

/// Lexically: the parent directory is called `profiles`.
pub fn is_profile_shaped(path: &Path) -> bool {
    matches!(path.components().next_back(), Some(Component::Normal(_)))
        && path.parent().and_then(Path::file_name) == Some(OsStr::new("profiles"))
}

/// The root that a HERMES_HOME means: its grandparent when it is a profile's directory, else itself.
pub fn root_of(hermes_home: &Path) -> PathBuf {
    match hermes_home.parent().and_then(Path::parent) {
        Some(root) if is_profile_shaped(hermes_home) => root.to_owned(),
        _ => hermes_home.to_owned(),
    }
}

/// The first acceptable of HERMES_REAL_HOME, HOME and the password database's entry.
#[derive(Clone, Debug)]
pub struct RealHome {
    place: Option<Place>,
    /// The roots in whose profile homes nobody's real home can be, canonical.
    roots: Vec<PathBuf>,
    /// HOME points into a profile's home.
    pub home_is_a_profiles: bool,
    /// HERMES_REAL_HOME was given and not believed.
    pub variable_refused: bool,
    /// The profile belongs to this uid, we run as root, and no home of that user is known.
    pub owner_without_home: Option<u32>,
}

/// Replaces a leading `~/`; none when there is no home to put there.
pub fn expand(value: &OsStr, home: Option<&Path>) -> Option<PathBuf> {
    match value.as_bytes().strip_prefix(b"~/") {
        Some(rest) => {
            let below = rest.iter().position(|&byte| byte != b'/').map_or(&rest[..0], |start| &rest[start..]);
            Some(home?.join(OsStr::from_bytes(below)))
        }
        None => Some(PathBuf::from(value)),
    }
}

/// Finds the real home before the root is known: `hermes_home` is what `--hermes-home` or HERMES_HOME says, and
/// `dot_hermes` the name of the root in a home where neither is given.
pub fn settle(facts: &Facts<'_>, hermes_home: Option<&OsStr>, dot_hermes: &OsStr) -> RealHome {
    let mut real = RealHome {
        place: None,
        roots: Vec::new(),
        home_is_a_profiles: false,
        variable_refused: false,
        owner_without_home: None,
    };
    let home = directory(facts, b"HOME");
    let variable = directory(facts, b"HERMES_REAL_HOME");
    let root_in = |home: &Path| match hermes_home {
        Some(value) => expand(value, Some(home)).map(|path| root_of(&path)),
        None => Some(home.join(dot_hermes)),
    };
    match hermes_home.map(Path::new).filter(|path| path.is_absolute()) {
        Some(path) => real.add_root(&root_of(path), facts.files),
        None => {
            for candidate in [&variable, &home].into_iter().flatten() {
                real.add_root(&root_in(&candidate.place.spelled).unwrap_or_default(), facts.files);
                // HOME may lie in a profile's home that no variable tells of: its own path names the root then.
                let inside = candidate.place.canonical.ancestors().filter(|path| path.file_name() == Some(dot_hermes));
                real.roots.extend(inside.map(Path::to_owned));
            }
            // Asking the password database costs; a root elsewhere needs it only when the path has the shape of a home in it.
            let shaped = |place: &Place| place.canonical.components().skip(2).any(|part| part.as_os_str() == "home");
            if home.as_ref().is_some_and(|home| shaped(&home.place))
                && let Some(own) = facts.files.home_of(facts.uid)
            {
                real.add_root(&root_in(&own).unwrap_or_default(), facts.files);
            }
        }
    }
    real.home_is_a_profiles = home.as_ref().is_some_and(|home| real.is_a_profiles(&home.place));
    // Whoever redirected HOME set both; otherwise the variable may be a leftover of another user's session.
    let believed = variable.filter(|found| found.uid == facts.uid || facts.uid == 0 || real.home_is_a_profiles);
    real.variable_refused = believed.as_ref().is_none_or(|found| real.is_a_profiles(&found.place))
        && facts.environ.given(b"HERMES_REAL_HOME").is_some();
    real.place = [believed, home]
        .into_iter()
        .flatten()
        .map(|found| found.place)
        .find(|place| !real.is_a_profiles(place))
        .or_else(|| real.acceptable(&facts.files.home_of(facts.uid)?, facts.files));
    real
}

struct Found {
    place: Place,
    uid: u32,
}

/// The directory that a variable names, when it is absolute and there.
fn directory(facts: &Facts<'_>, name: &[u8]) -> Option<Found> {
    let path = Path::new(OsStr::from_bytes(facts.environ.given(name)?));
    existing(path, facts.files)
}

fn existing(path: &Path, files: &dyn Files) -> Option<Found> {
    let stat = files.stat(path).ok().filter(|stat| path.is_absolute() && stat.kind == Kind::Directory)?;
    Some(Found { place: Place { spelled: path.to_owned(), canonical: files.canonical(path).ok()? }, uid: stat.uid })
}

impl RealHome {
    /// The real home as it was spelled.
    pub fn path(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| place.spelled.as_path())
    }

    /// The real home.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    fn add_root(&mut self, root: &Path, files: &dyn Files) {
        if let Ok(canonical) = files.canonical(root) {
            self.roots.push(canonical);
        }
    }

    fn is_a_profiles(&self, place: &Place) -> bool {
        self.roots.iter().any(|root| is_in_a_profile_home(&place.canonical, root))
    }

    fn acceptable(&self, path: &Path, files: &dyn Files) -> Option<Place> {
        existing(path, files).map(|found| found.place).filter(|place| !self.is_a_profiles(place))
    }

    /// With the profile known: its own home is nobody's real home, and root's login is not for a profile of somebody else.
    /// The root stays where it is.
    pub fn pass_over_home_of(&mut self, profile: &Profile, root: &Place, facts: &Facts<'_>) {
        let own = profile.dir.join("home");
        let is_link = || facts.files.lstat(&own).is_ok_and(|stat| stat.kind == Kind::Link);
        let own = match is_link().then(|| facts.files.canonical(&own).ok()).flatten() {
            Some(resolved) => resolved,
            None => profile.canonical.join("home"),
        };
        let isolates = !profile.canonical.starts_with(&own);
        let in_own = |place: &Place| isolates && place.canonical.starts_with(&own);
        self.home_is_a_profiles |= directory(facts, b"HOME").is_some_and(|home| in_own(&home.place));

        let (owner, _) = profile.owner;
        if facts.uid == 0 && owner != 0 {
            let account = facts.files.home_of(owner);
            let holder = root.spelled.file_name().filter(|name| *name == ".hermes").and(root.spelled.parent());
            self.place = [account.as_deref(), holder]
                .into_iter()
                .flatten()
                .find_map(|path| self.acceptable(path, facts.files).filter(|place| !in_own(place)));
            if self.place.is_none() {
                self.owner_without_home = Some(owner);
            }
            return;
        }
        if self.place.as_ref().is_some_and(in_own) {
            let home = directory(facts, b"HOME").map(|found| found.place);
            let account = || self.acceptable(&facts.files.home_of(facts.uid)?, facts.files);
            let next = home.filter(|place| !self.is_a_profiles(place) && !in_own(place)).or_else(account);
            self.place = next.filter(|place| !in_own(place));
        }
    }
}
