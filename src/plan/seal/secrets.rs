//! Hermes' secret files, by every path on which they can be reached, and what is next to those paths. Hard links to a
//! secret file, and copies of one, are not found.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::mounts::Mounts;
use crate::plan::profile::Selection;
use crate::plan::profile::layout::{MANAGED, managed_dir};
use crate::world::{Input, Kind, World, is_missing};

/// A directory on the path of a secret file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialDir {
    pub dir: PathBuf,
    /// The names in it that are granted; a directory with everything below it.
    pub granted: Vec<OsString>,
}

/// Is a file of this name in the root or in a profile's directory secret? A name that starts with a secret one is a new
/// version that will replace it (Hermes writes `.env_` and random letters), a backup, or one of SQLite's companion files
/// (sqlite.org/tempfiles.html).
fn is_secret(name: &OsStr) -> bool {
    [".env", ".op.env", "auth.json", "state.db"].iter().any(|secret| name.as_bytes().starts_with(secret.as_bytes()))
}

/// Secret files elsewhere below the root, of Hermes' code and of its login.
const ELSEWHERE: [&str; 2] = ["hermes-agent/.env", "shared/nous_auth.json"];

pub(super) struct Secrets<'a> {
    world: &'a dyn World,
    mounts: Mounts,
    /// The directories that contain secret files now or later.
    secret_dirs: BTreeSet<PathBuf>,
    pub found: BTreeSet<PathBuf>,
}

/// A directory that could not be listed, and why.
pub(super) struct Unlisted(pub PathBuf, pub io::Error);

impl<'a> Secrets<'a> {
    /// The secret files of the root, of every profile (each directory in `profiles` counts as one) and of the inherited
    /// HERMES_HOME, and the machine's `.env`. `mounts` is the text of proc_pid_mountinfo(5). Errors: if a directory cannot
    /// be listed.
    pub fn gather(selection: &Selection, mounts: &[u8], input: &Input<'a>) -> Result<Self, Unlisted> {
        let (mounts, world) = (Mounts::parse(mounts), input.world);
        let mut secrets = Self { world, mounts, secret_dirs: BTreeSet::new(), found: BTreeSet::new() };
        if let Some(root) = &selection.root {
            secrets.gather_in(&root.canonical)?;
            ELSEWHERE.iter().for_each(|file| secrets.hold_file(&root.canonical.join(file)));
        }
        if let Some(profile) = &selection.profile {
            secrets.hold(profile.canonical.clone())?;
        }
        let inherited = input.environ.given(b"HERMES_HOME").map(|value| Path::new(OsStr::from_bytes(value)));
        if let Some(inherited) = inherited.filter(|path| path.is_absolute()) {
            secrets.hold_target(inherited)?;
        }
        for dir in managed_dir(input.environ).into_iter().chain([PathBuf::from(MANAGED)]) {
            secrets.hold_file(&dir.join(".env"));
        }
        let others: Vec<_> = secrets.found.iter().flat_map(|path| secrets.other_paths(path)).collect();
        secrets.found.extend(others);
        Ok(secrets)
    }

    fn gather_in(&mut self, root: &Path) -> Result<(), Unlisted> {
        self.hold(root.to_owned())?;
        let profiles = root.join("profiles");
        match self.world.canonical(&profiles) {
            Ok(profiles) => {
                for (name, kind) in self.entries(&profiles)? {
                    let path = profiles.join(name);
                    match kind {
                        Kind::Directory => self.hold(path)?,
                        Kind::Link => self.hold_target(&path)?,
                        Kind::File | Kind::Other => {}
                    }
                }
                self.secret_dirs.insert(profiles);
            }
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(Unlisted(profiles, error)),
        }
        Ok(())
    }

    fn hold(&mut self, dir: PathBuf) -> Result<(), Unlisted> {
        if !self.secret_dirs.insert(dir.clone()) {
            return Ok(());
        }
        for (name, kind) in self.entries(&dir)? {
            let path = dir.join(&name);
            match kind {
                _ if !is_secret(&name) => {}
                Kind::Directory => {}
                Kind::File | Kind::Other => drop(self.found.insert(path)),
                Kind::Link => self.hold_file(&path),
            }
        }
        self.other_paths(&dir).into_iter().try_for_each(|other| self.hold(other))
    }

    /// Adds a single secret file. One that is created only later is not protected.
    fn hold_file(&mut self, path: &Path) {
        // It can be a link to /dev/null, which is not a secret; a file in /dev/shm is.
        let is_to_close = |target: &PathBuf| match self.world.stat(target).map(|stat| stat.kind) {
            Ok(Kind::Directory) => false,
            Ok(Kind::File) => true,
            _ => !target.starts_with("/dev"),
        };
        self.found.extend(self.world.canonical(path).ok().filter(is_to_close));
    }

    /// As [`Secrets::hold`], for the target of a link, if that is a directory.
    fn hold_target(&mut self, link: &Path) -> Result<(), Unlisted> {
        match self.world.canonical(link) {
            Ok(target) if self.is_directory(&target) => self.hold(target),
            _ => Ok(()),
        }
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.world.stat(path).is_ok_and(|stat| stat.kind == Kind::Directory)
    }

    /// Other paths to the same file or directory, through mounts.
    fn other_paths(&self, path: &Path) -> Vec<PathBuf> {
        let identity = |path: &Path| self.world.stat(path).ok().map(|stat| stat.identity);
        let mut others = self.mounts.other_paths(path);
        others.retain(|other| identity(other).is_some_and(|found| Some(found) == identity(path)));
        others
    }

    fn entries(&self, dir: &Path) -> Result<Vec<(OsString, Kind)>, Unlisted> {
        self.world.entries(dir).map_err(|error| Unlisted(dir.to_owned(), error))
    }

    /// What must not get a rule. A rule applies to an inode (landlock(7)), and a bind mount can make a directory that
    /// contains a secret file appear elsewhere, where it would be granted.
    pub fn identities(&self, narrow: &[PartialDir]) -> BTreeSet<(u64, u64)> {
        let paths = narrow.iter().map(|narrow| &narrow.dir).chain(&self.found);
        paths.filter_map(|path| self.world.stat(path).ok()).map(|stat| stat.identity).collect()
    }

    /// The directories above the secret files, outer ones first, and what else is in each. A link needs no rule, since its
    /// target counts. Errors: if a directory cannot be listed.
    pub fn narrow(&self) -> Result<Vec<PartialDir>, Unlisted> {
        let parents = self.found.iter().filter_map(|path| path.parent());
        let mut dirs: BTreeSet<&Path> = BTreeSet::new();
        for dir in self.secret_dirs.iter().map(PathBuf::as_path).chain(parents) {
            dirs.extend(dir.ancestors());
        }
        let narrow = |dir: &&Path| {
            let is_granted = |path: &Path| !dirs.contains(path) && !self.found.contains(path);
            let there = self.entries(dir)?.into_iter().filter(|(_, kind)| *kind != Kind::Link).map(|(name, _)| name);
            Ok(PartialDir {
                dir: dir.to_path_buf(),
                granted: there.filter(|name| is_granted(&dir.join(name))).collect(),
            })
        };
        dirs.iter().map(narrow).collect()
    }
}
