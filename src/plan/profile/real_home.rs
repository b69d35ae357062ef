//! The OS user's own home: found even if HOME already points into a profile, and never another user's.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::layout::{Profile, expand, is_in_a_profile_home, root_of};
use crate::world::place::{Place, is_below};
use crate::world::{Input, Kind, World};

/// The first acceptable one of HERMES_REAL_HOME, HOME and the entry in the password database.
#[derive(Clone, Debug)]
pub struct RealHome {
    place: Option<Place>,
    /// The roots, canonical: a home of one of their profiles cannot be a real home.
    roots: Vec<PathBuf>,
    pub home_is_a_profiles: bool,
    /// HERMES_REAL_HOME was set but not accepted.
    pub variable_refused: bool,
    /// We run as root, and the profile's owner, this uid, has no known home.
    pub owner_without_home: Option<u32>,
}

/// Finds the real home before the root is known. `hermes_home` is the value of `--hermes-home` or HERMES_HOME, `dot_hermes`
/// the name of the root in a home if neither is given.
pub fn settle(input: &Input<'_>, hermes_home: Option<&OsStr>, dot_hermes: &OsStr) -> RealHome {
    let mut real = RealHome {
        place: None,
        roots: Vec::new(),
        home_is_a_profiles: false,
        variable_refused: false,
        owner_without_home: None,
    };
    let home = directory(input, b"HOME").map(|home| own_or_given(home, input));
    let variable = directory(input, b"HERMES_REAL_HOME");
    let root_in = |home: &Path| match hermes_home {
        Some(value) => expand(value, Some(home)).map(|path| root_of(&path)),
        None => Some(home.join(dot_hermes)),
    };
    match hermes_home.map(Path::new).filter(|path| path.is_absolute()) {
        Some(path) => real.add_root(&root_of(path), input.world),
        None => {
            for candidate in [&variable, &home].into_iter().flatten() {
                real.add_root(&root_in(&candidate.place.spelled).unwrap_or_default(), input.world);
                // HOME may be in a profile's home without a variable that says so: then its own path contains the root.
                let inside = candidate.place.canonical.ancestors().filter(|path| path.file_name() == Some(dot_hermes));
                real.roots.extend(inside.map(Path::to_owned));
            }
            // The password database costs a read; it is needed only if the path looks like it is inside a profile's home.
            let shaped = |place: &Place| place.canonical.components().skip(2).any(|part| part.as_os_str() == "home");
            if home.as_ref().is_some_and(|home| shaped(&home.place))
                && let Some(own) = input.world.home_of(input.uid)
            {
                real.add_root(&root_in(&own).unwrap_or_default(), input.world);
            }
        }
    }
    real.home_is_a_profiles = home.as_ref().is_some_and(|home| real.is_a_profiles(&home.place));
    // Whatever redirected HOME also set the variable; otherwise it may be left over from another user's session.
    let believed = variable.filter(|found| found.uid == input.uid || real.home_is_a_profiles);
    real.variable_refused = believed.as_ref().is_none_or(|found| real.is_a_profiles(&found.place))
        && input.environ.given(b"HERMES_REAL_HOME").is_some();
    real.place = [believed, home]
        .into_iter()
        .flatten()
        .map(|found| found.place)
        .find(|place| !real.is_a_profiles(place))
        .or_else(|| real.acceptable(&input.world.home_of(input.uid)?, input.world));
    real
}

struct Found {
    place: Place,
    uid: u32,
}

/// HOME; but the caller's own home if HOME belongs to another user and is not writable, as after dropping privileges.
fn own_or_given(home: Found, input: &Input<'_>) -> Found {
    if home.uid == input.uid || input.uid == 0 || input.world.writable(&home.place.spelled).is_ok() {
        return home;
    }
    let own = input.world.home_of(input.uid).and_then(|own| existing(&own, input.world));
    own.filter(|own| own.uid == input.uid).unwrap_or(home)
}

/// The directory that a variable names, if it is absolute and exists.
fn directory(input: &Input<'_>, name: &[u8]) -> Option<Found> {
    let path = Path::new(OsStr::from_bytes(input.environ.given(name)?));
    existing(path, input.world)
}

fn existing(path: &Path, world: &dyn World) -> Option<Found> {
    let stat = world.stat(path).ok().filter(|stat| path.is_absolute() && stat.kind == Kind::Directory)?;
    Some(Found { place: Place { spelled: path.to_owned(), canonical: world.canonical(path).ok()? }, uid: stat.uid })
}

impl RealHome {
    /// The real home as it was spelled.
    pub fn path(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| place.spelled.as_path())
    }

    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    fn add_root(&mut self, root: &Path, world: &dyn World) {
        if let Ok(canonical) = world.canonical(root) {
            self.roots.push(canonical);
        }
    }

    fn is_a_profiles(&self, place: &Place) -> bool {
        self.roots.iter().any(|root| is_in_a_profile_home(&place.canonical, root))
    }

    fn acceptable(&self, path: &Path, world: &dyn World) -> Option<Place> {
        existing(path, world).map(|found| found.place).filter(|place| !self.is_a_profiles(place))
    }

    /// Once the profile is known: its own home cannot be the real home, and for root in another user's profile the real
    /// home is that user's. The root does not change.
    pub fn pass_over_home_of(&mut self, profile: &Profile, root: &Place, input: &Input<'_>) {
        let own = profile.dir.join("home");
        let is_link = || input.world.lstat(&own).is_ok_and(|stat| stat.kind == Kind::Link);
        let own = match is_link().then(|| input.world.canonical(&own).ok()).flatten() {
            Some(resolved) => resolved,
            None => profile.canonical.join("home"),
        };
        let isolates = !is_below(&profile.canonical, &own);
        let in_own = |place: &Place| isolates && is_below(&place.canonical, &own);
        self.home_is_a_profiles |= directory(input, b"HOME").is_some_and(|home| in_own(&home.place));

        let (owner, _) = profile.owner;
        if input.uid == 0 && owner != 0 {
            let account = input.world.home_of(owner);
            let holder = root.spelled.file_name().filter(|name| *name == ".hermes").and(root.spelled.parent());
            self.place = [account.as_deref(), holder]
                .into_iter()
                .flatten()
                .find_map(|path| self.acceptable(path, input.world).filter(|place| !in_own(place)));
            if self.place.is_none() {
                self.owner_without_home = Some(owner);
            }
            return;
        }
        if self.place.as_ref().is_some_and(in_own) {
            let home = directory(input, b"HOME").map(|found| found.place);
            let account = || self.acceptable(&input.world.home_of(input.uid)?, input.world);
            let next = home.filter(|place| !self.is_a_profiles(place) && !in_own(place)).or_else(account);
            self.place = next.filter(|place| !in_own(place));
        }
    }
}
