//! Which root, which profile, and which home is the user's own (the real home). It creates nothing and falls back to
//! nothing: a profile that was named and is not there is an error, never another profile.
#![forbid(unsafe_code)]

mod choice;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::facts::{Facts, Files, Kind};
use crate::message::{Failure, shown, shown_path};
use crate::real_home::{self, Place, RealHome, root_of};
use choice::Choice;

/// `active_profile`, `.env` and `config.yaml` are read up to this many bytes.
pub const FILE_LIMIT: usize = 1 << 20;

/// Where the name of the profile came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `--profile`.
    Option,
    /// A profile directory given as `--hermes-home` or `HERMES_HOME`.
    HermesHome,
    /// `HERMES_PROFILE`.
    Variable,
    /// The root's `active_profile`.
    ActiveProfile,
    /// Nothing named one.
    Default,
}

impl Source {
    /// The source in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Option => "--profile",
            Self::HermesHome => "HERMES_HOME",
            Self::Variable => "HERMES_PROFILE",
            Self::ActiveProfile => "active_profile",
            Self::Default => "default",
        }
    }
}

/// A profile that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Its directory, in the spelling that is exported.
    pub dir: PathBuf,
    /// The same, canonical, for comparisons.
    pub canonical: PathBuf,
    /// Who named it.
    pub source: Source,
    /// The directory's device and inode.
    pub identity: (u64, u64),
    /// The directory's owner and group.
    pub owner: (u32, u32),
}

/// Root, profile and real home, settled.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The Hermes root; none where there is no Hermes.
    pub root: Option<Place>,
    /// The selected profile; none where there is no Hermes.
    pub profile: Option<Profile>,
    /// The user's own home.
    pub real: RealHome,
    /// The value of HERMES_HOME was given in a form that has to be expanded before it can be exported.
    pub expanded: bool,
    /// What the user should know about the choice.
    pub warnings: Vec<String>,
}

/// The options that have a say here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// `--profile`.
    pub profile: Option<&'a OsStr>,
    /// `--hermes-home`.
    pub hermes_home: Option<&'a OsStr>,
}

/// What is settled before it is asked what is there.
struct Located {
    /// What `--hermes-home` or HERMES_HOME says.
    given: Option<PathBuf>,
    expanded: bool,
    real: RealHome,
    /// Empty where no home directory is known to look in.
    root: PathBuf,
}

impl Wanted<'_> {
    /// The name of what says where Hermes is.
    fn label(self) -> &'static str {
        if self.hermes_home.is_some() { "--hermes-home" } else { "HERMES_HOME" }
    }
}

/// The root, whether or not it is there, and whichever profile is wanted; none where it cannot be said.
pub fn root(wanted: Wanted<'_>, facts: &Facts<'_>) -> Option<PathBuf> {
    locate(wanted, facts).ok().map(|located| located.root).filter(|root| !root.as_os_str().is_empty())
}

fn locate(wanted: Wanted<'_>, facts: &Facts<'_>) -> Result<Located, Failure> {
    let variable = facts.environ.given(b"HERMES_HOME").map(OsStr::from_bytes);
    let given = wanted.hermes_home.or(variable);
    let label = wanted.label();
    let refuse = |message: String| {
        let failure = Failure::new(message).hint(format!("give {label} as an absolute path"));
        if wanted.hermes_home.is_none() { failure.cure("unset HERMES_HOME") } else { failure }
    };
    if let Some(value) = given
        && !Path::new(value).is_absolute()
        && !value.as_bytes().starts_with(b"~/")
    {
        return Err(refuse(format!("{label} is relative: '{}'", shown(value.as_bytes()))));
    }

    let suffix = facts.environ.given(b"HERMES_DATA_DIR_SUFFIX").unwrap_or_default();
    let dot_hermes = OsString::from_iter([OsStr::new(".hermes"), OsStr::from_bytes(suffix)]);
    let expanded = given.is_some_and(|value| value.as_bytes().starts_with(b"~/"));
    let real = real_home::settle(facts, given, &dot_hermes);
    let given = match given {
        Some(value) => Some(
            real_home::expand(value, real.path())
                .ok_or_else(|| refuse(format!("{label} starts with ~/ and no home directory is known")))?,
        ),
        None => None,
    };
    let root = match (&given, real.path()) {
        (Some(path), _) => root_of(path),
        (None, Some(home)) => home.join(&dot_hermes),
        (None, None) => PathBuf::new(),
    };
    Ok(Located { given, expanded, real, root })
}

/// Settles root, profile and real home.
///
/// # Errors
/// 125 when what was named is not there, is no name, or is relative.
pub fn select(wanted: Wanted<'_>, facts: &Facts<'_>) -> Result<Selection, Failure> {
    let Located { given, expanded, mut real, root } = locate(wanted, facts)?;
    let choice = Choice::make(wanted, given.as_deref(), &root, facts);
    let named = choice.source != Source::Default;
    if !is_directory(facts.files, &root) {
        if given.is_none() && !named {
            return Ok(Selection { root: None, profile: None, real, expanded, warnings: choice.warnings });
        }
        let failure = no_root(given.is_some().then_some(wanted.label()), &root, &choice, facts);
        return Err(if given.is_some() { undone(failure, Source::HermesHome, wanted) } else { failure });
    }
    let root = Place::new(&root, facts.files);
    let found = choice
        .directory(given.as_deref(), &root.spelled)
        .and_then(|(name, dir)| find(name, dir, choice.source, &root, facts));
    let profile = found.map_err(|failure| undone(failure, choice.source, wanted))?;
    real.pass_over_home_of(&profile, &root, facts);
    Ok(Selection { root: Some(root), profile: Some(profile), real, expanded, warnings: choice.warnings })
}

/// The failure with the command that takes back what the source says, where the source is no option. Of Hermes' own commands
/// none runs while `active_profile` names a profile that is not there, unless `-p` says another.
fn undone(failure: Failure, source: Source, wanted: Wanted<'_>) -> Failure {
    match source {
        Source::HermesHome if wanted.hermes_home.is_none() => failure.cure("unset HERMES_HOME"),
        Source::Variable => failure.cure("unset HERMES_PROFILE"),
        Source::ActiveProfile => failure.cure("hermes -p default profile use default"),
        _ => failure,
    }
}

/// The profile's directory, if it is there and not deleted.
fn find(name: String, dir: PathBuf, source: Source, root: &Place, facts: &Facts<'_>) -> Result<Profile, Failure> {
    let tombstone = root.spelled.join("profiles/.deleted").join(&name);
    if name != "default" && facts.files.lstat(&tombstone).is_ok() {
        return Err(Failure::new(format!("the profile '{name}' ({}) was deleted", source.words()))
            .hint(format!(
                "{}; to make it anew: hermes -p default profile create {name}",
                known(&root.spelled, facts.files)
            ))
            .cure(format!("hermes -p default profile create {name}")));
    }
    // Looked at under the path that is used from here on, so that a directory put there in between is not taken for it.
    let canonical = facts.files.canonical(&dir).ok();
    let found = canonical.and_then(|canonical| Some((facts.files.lstat(&canonical).ok()?, canonical)));
    let Some((stat, canonical)) = found.filter(|(stat, _)| stat.kind == Kind::Directory) else {
        return Err(not_there(&name, source, &dir, &root.spelled, facts));
    };
    // Whoever owns the profiles could lead root into any directory with a link; into his own is his business.
    let link = facts.files.lstat(&dir).ok().filter(|link| link.kind == Kind::Link && facts.uid == 0);
    if link.is_some_and(|link| link.uid != 0 && link.uid != stat.uid) {
        return Err(Failure::new(format!(
            "the profile '{name}' ({}) is another user's link to {}, which is not that user's",
            source.words(),
            shown_path(&canonical)
        ))
        .hint("run as the user who owns the profile"));
    }
    let (identity, owner) = (stat.identity, (stat.uid, stat.gid));
    Ok(Profile { name, dir, canonical, source, identity, owner })
}

fn not_there(name: &str, source: Source, dir: &Path, root: &Path, facts: &Facts<'_>) -> Failure {
    let message = format!("there is no profile '{name}' ({}): {} is not a directory", source.words(), shown_path(dir));
    match sudo_hint(name, facts) {
        Some(hint) => Failure::new(message).hint(hint),
        None => Failure::new(message)
            .hint(format!("{}; to make it: hermes -p default profile create {name}", known(root, facts.files)))
            .cure(format!("hermes -p default profile create {name}")),
    }
}

fn no_root(label: Option<&str>, root: &Path, choice: &Choice, facts: &Facts<'_>) -> Failure {
    let name = match choice.name() {
        Ok(name) => name,
        Err(failure) => return failure,
    };
    match label {
        Some(label) => Failure::new(format!("{label}: {} is not a directory", shown_path(root)))
            .hint(format!("set {label} to the Hermes root, or unset it")),
        None if root.as_os_str().is_empty() => Failure::new(format!(
            "there is no profile '{name}' ({}): no home directory is known",
            choice.source.words()
        ))
        .hint("name the Hermes root with --hermes-home"),
        None => Failure::new(format!(
            "there is no profile '{name}' ({}): no Hermes at {}",
            choice.source.words(),
            shown_path(root)
        ))
        .hint(sudo_hint(&name, facts).unwrap_or_else(|| "name the Hermes root with --hermes-home".into())),
    }
}

/// Under sudo: the profile that root does not have, but the user who typed sudo does.
fn sudo_hint(name: &str, facts: &Facts<'_>) -> Option<String> {
    let user = facts.environ.given(b"SUDO_USER").filter(|_| facts.uid == 0)?;
    let root = facts.files.home_of_user(OsStr::from_bytes(user))?.join(".hermes");
    let dir = if name == "default" { root.clone() } else { root.join("profiles").join(name) };
    is_directory(facts.files, &dir).then(|| {
        format!(
            "the user {user} has it: sudo -u {user} hermes-exec ..., or --hermes-home {root}",
            user = shown(user),
            root = shown_path(&root)
        )
    })
}

/// The known profiles, for a hint.
fn known(root: &Path, files: &dyn Files) -> String {
    let profiles = root.join("profiles");
    let mut names = vec!["default".to_owned()];
    for name in files.names(&profiles) {
        let is_deleted = || files.lstat(&profiles.join(".deleted").join(&name)).is_ok();
        if !name.as_bytes().starts_with(b".") && is_directory(files, &profiles.join(&name)) && !is_deleted() {
            names.push(shown(name.as_bytes()));
        }
    }
    format!("known profiles: {}", names.join(", "))
}

/// Is there a directory, perhaps through a link?
pub fn is_directory(files: &dyn Files, path: &Path) -> bool {
    files.stat(path).is_ok_and(|stat| stat.kind == Kind::Directory)
}
