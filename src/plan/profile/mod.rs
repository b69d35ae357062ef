//! Which root, which profile, and which home is the user's own (the real home). It creates nothing and has no fallback: a
//! named profile that does not exist is an error, never another profile.
#![forbid(unsafe_code)]

pub mod choice;
pub mod layout;
pub mod real_home;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::Options;
use crate::error::Failure;
use crate::plan::catalogue;
use crate::plan::diagnostic::{Diagnostic, Origin};
use crate::plan::remedy::{Remedy, with_program};
use crate::text::{escaped, escaped_path, shell_quoted, shell_quoted_path};
use crate::world::place::Place;
use crate::world::{Input, Kind, Stat, World, is_directory, is_missing};
pub use choice::{ACTIVE_PROFILE, OPTION, VARIABLE, failed, linked, unread};
use choice::{Choice, HERMES_HOME};
use layout::{Profile, expand, is_profile_shaped, root_of};
use real_home::RealHome;

#[derive(Clone, Debug)]
pub struct Selection {
    /// The Hermes root; `None` without Hermes.
    pub root: Option<Place>,
    /// The selected profile; `None` without Hermes.
    pub profile: Option<Profile>,
    pub real: RealHome,
    /// The given HERMES_HOME starts with `~/`, so that the expanded path must be exported.
    pub expanded: bool,
    pub warnings: Vec<Diagnostic>,
}

/// What is known before the file system is asked.
struct Located {
    /// The value of `--hermes-home` or HERMES_HOME.
    given: Option<PathBuf>,
    expanded: bool,
    real: RealHome,
    /// Empty if no home directory is known.
    root: PathBuf,
}

/// The option or variable that says where Hermes is.
fn label(options: &Options) -> &'static str {
    if options.hermes_home.is_some() { "--hermes-home" } else { "HERMES_HOME" }
}

/// The root, whether or not it exists; `None` if it is unknown.
pub fn root(options: &Options, input: &Input<'_>) -> Option<PathBuf> {
    locate(options, input).ok().map(|located| located.root).filter(|root| !root.as_os_str().is_empty())
}

fn locate(options: &Options, input: &Input<'_>) -> Result<Located, Failure> {
    let variable = input.environ.given(b"HERMES_HOME").map(OsStr::from_bytes);
    let given = options.hermes_home.as_deref().or(variable);
    let label = label(options);
    let refuse = |message: String| {
        let failure = Failure::new(message).about("hermes-home").hint(format!("give {label} as an absolute path"));
        if options.hermes_home.is_none() { failure.cure("unset HERMES_HOME") } else { failure }
    };
    if let Some(value) = given
        && !Path::new(value).is_absolute()
        && !value.as_bytes().starts_with(b"~/")
    {
        return Err(refuse(format!("{label} is a relative path: '{}'", escaped(value.as_bytes()))));
    }

    let suffix = input.environ.given(b"HERMES_DATA_DIR_SUFFIX").unwrap_or_default();
    let dot_hermes = OsString::from_iter([OsStr::new(".hermes"), OsStr::from_bytes(suffix)]);
    let expanded = given.is_some_and(|value| value.as_bytes().starts_with(b"~/"));
    let real = real_home::settle(input, given, &dot_hermes);
    let given = match given {
        Some(value) => Some(
            expand(value, real.path())
                .ok_or_else(|| refuse(format!("{label} starts with ~/, but no home directory is known")))?,
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

/// Determines root, profile and real home. Errors: 125 for a root or profile that does not exist, an invalid name, or a
/// relative path.
pub fn select(options: &Options, input: &Input<'_>) -> Result<Selection, Failure> {
    let Located { given, expanded, mut real, root } = locate(options, input)?;
    let choice = Choice::make(options.profile.as_deref(), given.as_deref(), &root, input)?;
    let named = choice.source != Origin::Default;
    if !is_directory(input.world, &root) {
        if given.is_none() && !named {
            return Ok(Selection { root: None, profile: None, real, expanded, warnings: choice.warnings });
        }
        let failure = no_root(given.is_some().then_some(label(options)), &root, &choice, input);
        let source = if given.is_some() { HERMES_HOME } else { choice.source };
        return Err(undone(failure, source, options, input));
    }
    let root = Place::new(&root, input.world);
    let found = choice
        .directory(given.as_deref(), &root.spelled)
        .and_then(|(name, dir)| find(name, dir, &choice, &root, options, input));
    let profile = found.map_err(|failure| undone(failure, choice.source, options, input))?;
    real.pass_over_home_of(&profile, &root, input);
    Ok(Selection { root: Some(root), profile: Some(profile), real, expanded, warnings: choice.warnings })
}

/// Adds the command that undoes the source's choice, unless the source is an option.
fn undone(failure: Failure, source: Origin, options: &Options, input: &Input<'_>) -> Failure {
    match source {
        HERMES_HOME if options.hermes_home.is_none() => failure.cure("unset HERMES_HOME"),
        VARIABLE => failure.cure("unset HERMES_PROFILE"),
        // A link is not followed, and not written through.
        Origin::ActiveProfile if failure.cure.is_none() => {
            Failure { cure: hermes("profile use default", options, input).cure, ..failure }
        }
        _ => failure,
    }
}

/// A command of Hermes' own. While `active_profile` names a profile that does not exist, these run only with `-p`.
pub fn hermes(words: &str, options: &Options, input: &Input<'_>) -> Remedy {
    let root = options.hermes_home.as_deref().map(|dir| format!("HERMES_HOME={} ", shell_quoted(dir.as_bytes())));
    with_program("hermes", format!("{}hermes -p default {words}", root.unwrap_or_default()), input)
}

/// The profile in its directory. Errors: 125 if it does not exist or was deleted.
fn find(
    name: String,
    dir: PathBuf,
    choice: &Choice,
    root: &Place,
    options: &Options,
    input: &Input<'_>,
) -> Result<Profile, Failure> {
    let source = choice.source;
    let create = || hermes(&format!("profile create {name}"), options, input).cure;
    let tombstone = root.spelled.join("profiles/.deleted").join(&name);
    if name != "default" && input.world.lstat(&tombstone).is_ok() {
        let hint =
            format!("{}; recreate it with: hermes -p default profile create {name}", known(&root.spelled, input.world));
        let failure = Failure::new(format!("the profile '{name}' (from {source}) was deleted"));
        return Err(Failure { cure: create(), ..failure.about(choice.subject()).hint(hint) });
    }
    // Checked under the path that is used from here on, so that a directory that replaces it meanwhile is noticed.
    let canonical = input.world.canonical(&dir).ok();
    let found = canonical.and_then(|canonical| Some((input.world.lstat(&canonical).ok()?, canonical)));
    let Some((stat, canonical)) = found.filter(|(stat, _)| stat.kind == Kind::Directory) else {
        let failure = not_there(&name, source, &dir, &root.spelled, input).about(choice.subject());
        let cure = if source == Origin::ActiveProfile || sudo_hint(&name, input).is_some() { None } else { create() };
        return Err(Failure { cure, ..failure });
    };
    let profiles = dir.parent().filter(|_| is_profile_shaped(&dir));
    profiles.into_iter().chain([dir.as_path()]).try_for_each(|path| refuse_foreign_link(path, input))?;
    let (identity, owner) = (stat.identity, (stat.uid, stat.gid));
    Ok(Profile { name, dir, canonical, source, identity, owner })
}

/// Another user's link could send root into any directory. The Hermes root itself may be a link, since the caller names it.
/// Errors: 125 for root, if this is another user's link.
pub fn refuse_foreign_link(path: &Path, input: &Input<'_>) -> Result<(), Failure> {
    let link = |stat: &Stat| stat.kind == Kind::Link && stat.uid != 0;
    let Some(stat) = input.world.lstat(path).ok().filter(|stat| input.uid == 0 && link(stat)) else { return Ok(()) };
    let target = input.world.link_text(path).unwrap_or_default();
    let [shown, target] = [path, &target].map(escaped_path);
    let cure = format!("rm {}", shell_quoted_path(path));
    Err(Failure::new(format!("{shown} is a symlink to {target}, owned by uid {}: root does not follow it", stat.uid))
        .about("profile")
        .hint(format!("remove it, or run as the user who owns the profile: {cure}"))
        .cure(cure))
}

pub fn stale(active_profile: &Path) -> String {
    format!("{} names a profile that does not exist", escaped_path(active_profile))
}

fn not_there(name: &str, source: Origin, dir: &Path, root: &Path, input: &Input<'_>) -> Failure {
    let message = match source {
        // Its text is never shown.
        Origin::ActiveProfile => stale(&root.join(ACTIVE_PROFILE)),
        _ => format!("no profile '{name}' (from {source}): {} is not a directory", escaped_path(dir)),
    };
    match sudo_hint(name, input) {
        Some(hint) => Failure::new(message).hint(hint),
        None if source == Origin::ActiveProfile => Failure::new(message).hint(known(root, input.world)),
        None => Failure::new(message).hint(format!(
            "{}{}; create it with: hermes -p default profile create {name}",
            meant(name, root, input.world),
            known(root, input.world)
        )),
    }
}

fn no_root(label: Option<&str>, root: &Path, choice: &Choice, input: &Input<'_>) -> Failure {
    let name = match choice.name(root) {
        Ok(name) => name,
        Err(failure) => return failure,
    };
    match label {
        Some(label) => Failure::new(format!("{label}: {} is not a directory", escaped_path(root)))
            .about("hermes-home")
            .hint(format!("set {label} to the Hermes root, or unset it")),
        None if root.as_os_str().is_empty() => {
            Failure::new(format!("no profile '{name}' (from {}): no home directory is known", choice.source))
                .about("profile")
                .hint("name the Hermes root with --hermes-home")
        }
        None => Failure::new(format!(
            "no profile '{name}' (from {}): there is no Hermes in {}",
            choice.source,
            escaped_path(root)
        ))
        .about("profile")
        .hint(sudo_hint(&name, input).unwrap_or_else(|| "name the Hermes root with --hermes-home".into())),
    }
}

/// Under sudo: a hint if not root but the user who ran sudo has the profile.
fn sudo_hint(name: &str, input: &Input<'_>) -> Option<String> {
    let user = input.environ.given(b"SUDO_USER").filter(|_| input.uid == 0)?;
    let root = input.world.home_of_user(OsStr::from_bytes(user))?.join(".hermes");
    let dir = if name == "default" { root.clone() } else { root.join("profiles").join(name) };
    is_directory(input.world, &dir).then(|| {
        format!(
            "the user {user} has it: sudo -u {user} hermes-exec ..., or --hermes-home {root}",
            user = escaped(user),
            root = escaped_path(&root)
        )
    })
}

/// The closest known name, as a question.
fn meant(name: &str, root: &Path, world: &dyn World) -> String {
    let names = names(root, world);
    let close = catalogue::closest(name, names.iter().map(String::as_str));
    close.map(|close| format!("did you mean '{close}'? ")).unwrap_or_default()
}

fn known(root: &Path, world: &dyn World) -> String {
    format!("known profiles: {}", names(root, world).join(", "))
}

/// Those that can be named.
fn names(root: &Path, world: &dyn World) -> Vec<String> {
    let is_there = |name: &OsString| is_directory(world, &root.join("profiles").join(name));
    let listed = listed(root, world).unwrap_or_default().into_iter().filter(is_there);
    std::iter::once("default".to_owned()).chain(listed.map(|name| escaped(name.as_bytes()))).collect()
}

/// What lies in the directory of profiles and may be one: not hidden, not deleted, a directory or a link, which may dangle.
/// The default profile is not among them. Errors: the directory exists and cannot be read.
pub fn listed(root: &Path, world: &dyn World) -> io::Result<Vec<OsString>> {
    let profiles = root.join("profiles");
    let entries = match world.entries(&profiles) {
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        entries => entries?,
    };
    let may_be = |(name, kind): &(OsString, Kind)| {
        let is_deleted = || world.lstat(&profiles.join(".deleted").join(name)).is_ok();
        let leads_to_a_file = || world.stat(&profiles.join(name)).is_ok_and(|stat| stat.kind != Kind::Directory);
        matches!(kind, Kind::Directory | Kind::Link)
            && !name.as_bytes().starts_with(b".")
            && !is_deleted()
            && !leads_to_a_file()
    };
    Ok(entries.into_iter().filter(may_be).map(|(name, _)| name).collect())
}
