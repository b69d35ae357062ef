//! Which HOME the command gets, and the steps that prepare a profile's home. `act/` carries them out.
#![forbid(unsafe_code)]

pub mod items;
pub mod links;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::HomeMode;
use crate::error::Failure;
use crate::plan::diagnostic::{Diagnostic, Origin};
use crate::plan::profile::layout::Profile;
use crate::plan::profile::{Selection, refuse_foreign_link};
use crate::plan::remedy::{Remedy, as_owner, as_root, move_aside};
use crate::text::{escaped_path, os_message, shell_quoted_path};
use crate::world::place::{Place, is_below};
use crate::world::{Input, Kind, World, is_directory, is_missing};
use items::{ANTHROPIC, Item};
use links::{Link, LinkContext, State};

/// Hermes' own variable: followed if possible, and otherwise ignored.
const TERMINAL: Origin = Origin::Variable("TERMINAL_HOME_MODE");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeChoice {
    pub mode: HomeMode,
    pub source: Origin,
}

impl ModeChoice {
    /// `--home`, then HERMES_EXEC_HOME_MODE, then Hermes' own TERMINAL_HOME_MODE, then the policy file's `home`, then
    /// `terminal.home_mode` of the profile's `config.yaml`, which Hermes exports as that variable, then `auto`. Errors: 125
    /// for a word in HERMES_EXEC_HOME_MODE that is not a mode.
    pub fn make(
        option: Option<HomeMode>,
        of_file: Option<HomeMode>,
        of_config: Option<&str>,
        input: &Input<'_>,
    ) -> Result<Self, Failure> {
        let choice = |mode, source| Ok(Self { mode, source });
        if let Some(mode) = option {
            return choice(mode, Origin::Option("--home"));
        }
        if let Some(word) = &input.settings.home_mode {
            let mode = match word.as_slice() {
                b"auto" => HomeMode::Auto,
                b"profile" => HomeMode::Profile,
                b"real" => HomeMode::Real,
                _ => {
                    return Err(Failure::new("invalid HERMES_EXEC_HOME_MODE")
                        .about("home")
                        .hint("set it to auto, profile or real")
                        .cure("unset HERMES_EXEC_HOME_MODE"));
                }
            };
            return choice(mode, Origin::Variable("HERMES_EXEC_HOME_MODE"));
        }
        let of_config = of_config.map(|word| word.trim().to_ascii_lowercase());
        let variable = input.settings.terminal_home_mode.as_deref().and_then(hermes_mode);
        let config = of_config.as_ref().and_then(|word| hermes_mode(word.as_bytes()));
        match (variable, of_file, config) {
            (Some(mode), ..) => choice(mode, TERMINAL),
            (None, Some(mode), _) => choice(mode, Origin::Policy),
            (None, None, Some(mode)) => choice(mode, Origin::Config),
            (None, None, None) => choice(HomeMode::Auto, Origin::Default),
        }
    }
}

/// The mode for Hermes' words (hermes-agent 0.19, `hermes_constants.py`); `None` for its `auto` and any other word.
fn hermes_mode(word: &[u8]) -> Option<HomeMode> {
    match word {
        b"profile" | b"isolated" | b"profile_home" | b"profile-home" => Some(HomeMode::Profile),
        b"real" | b"host" | b"user" | b"real_home" | b"real-home" => Some(HomeMode::Real),
        _ => None,
    }
}

#[derive(Clone, Debug)]
pub struct HomePlan {
    pub choice: ModeChoice,
    pub from: Option<OsString>,
    /// The new value of HOME; `None` if it stays as it is.
    pub to: Option<PathBuf>,
    /// The profile's home, if HOME is redirected there.
    pub redirect: Option<Redirect>,
    pub links: Vec<Link>,
    /// What should be fixed in the setup.
    pub findings: Vec<Diagnostic>,
    /// What the user must know about the run.
    pub warnings: Vec<Diagnostic>,
}

/// The profile's home as the new HOME.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub home: PathBuf,
    pub make: bool,
    /// The profile directory, canonical: nothing is created outside it.
    pub profile_dir: PathBuf,
    /// Its device and inode, to notice if it has been replaced.
    pub identity: (u64, u64),
    /// The owner and group of new entries, if we run as root in another user's profile.
    pub owner: Option<(u32, u32)>,
}

impl Redirect {
    /// The context of links from this home to the real one.
    pub fn sharing<'a>(&'a self, real: &'a Place, root: &'a Place, world: &'a dyn World) -> LinkContext<'a> {
        LinkContext { home: &self.home, exists: !self.make, real, root, config: None, world }
    }
}

/// Variables of the command that move the places of shared items.
#[derive(Default)]
pub struct Elsewhere {
    /// CLAUDE_CONFIG_DIR is set.
    pub claude: bool,
    /// ANTHROPIC_CONFIG_DIR is set.
    pub anthropic: bool,
    /// The user's XDG_CONFIG_HOME, if it was removed.
    pub config: Option<Place>,
}

enum Found {
    Nothing,
    /// A directory, or a link to one.
    Directory(PathBuf),
    /// Neither: why, and what fixes it.
    Unusable(String, Remedy),
}

impl HomePlan {
    /// The new value of HOME; `None` if it stays, or is set to what it is.
    pub fn change(&self) -> Option<&Path> {
        self.to.as_deref().filter(|to| self.from.as_deref() != Some(to.as_os_str()))
    }

    /// Decides on HOME. The links come later ([`HomePlan::share`]), since they depend on the command's environment. Errors:
    /// 125 if a home is wanted and cannot be used.
    pub fn build(choice: ModeChoice, selection: &Selection, input: &Input<'_>) -> Result<Self, Failure> {
        let mut plan = Self {
            choice,
            from: input.environ.get(b"HOME").map(|home| OsStr::from_bytes(home).to_owned()),
            to: None,
            redirect: None,
            links: Vec::new(),
            findings: Vec::new(),
            warnings: Vec::new(),
        };
        let Some(profile) = &selection.profile else {
            if choice.mode == HomeMode::Profile && ![TERMINAL, Origin::Config].contains(&choice.source) {
                let message = format!("{} asks for a profile's home, but there is no Hermes here", choice.source);
                return Err(Failure::new(message).about("home").hint("name the Hermes root with --hermes-home"));
            }
            plan.stay_real(selection, input);
            return Ok(plan);
        };
        let found = find_home(profile, input);
        let wanted = match choice.mode {
            HomeMode::Real => false,
            HomeMode::Profile => true,
            HomeMode::Auto => profile.name != "default" || !matches!(found, Found::Nothing),
        };
        let foreign = refuse_foreign_link(&profile.canonical.join("home"), input);
        match found {
            _ if !wanted => plan.stay_real(selection, input),
            Found::Unusable(..) | Found::Directory(_) if foreign.is_err() => {
                return foreign.map(|()| plan).map_err(|failure| failure.about("home"));
            }
            Found::Unusable(what, cure) => return Err(unusable(&profile.dir.join("home"), &what, cure)),
            Found::Directory(home) if profile.canonical.starts_with(&home) => {
                let [link, target] = [&profile.dir.join("home"), &home].map(|path| escaped_path(path));
                let message = format!("{link} is a symlink to {target}, which contains the profile itself");
                plan.findings.push(Diagnostic::warning("home", message + ": HOME is not redirected"));
                plan.stay_real(selection, input);
            }
            Found::Directory(home) => plan.redirect_to(home, false, profile, input)?,
            Found::Nothing => plan.redirect_to(profile.canonical.join("home"), true, profile, input)?,
        }
        Ok(plan)
    }

    fn redirect_to(&mut self, home: PathBuf, make: bool, profile: &Profile, input: &Input<'_>) -> Result<(), Failure> {
        match input.world.writable(if make { &profile.canonical } else { &home }) {
            Ok(()) => {}
            Err(error) if make => {
                let Remedy { cure, .. } = match &error {
                    _ if error.kind() == io::ErrorKind::ReadOnlyFilesystem => Remedy::default(),
                    _ if profile.owner.0 == input.uid => {
                        Remedy::cure(format!("chmod u+rwx {}", shell_quoted_path(&profile.canonical)))
                    }
                    _ => as_root(&format!("install -d -m 700 -o {} {}", input.uid, shell_quoted_path(&home)), input),
                };
                return Err(Failure { cure, ..cannot_create(&home, &os_message(&error)) });
            }
            Err(error) => {
                let message = format!("the home {} is not writable: {}", escaped_path(&home), os_message(&error));
                self.findings.push(Diagnostic::warning("home", message));
            }
        }
        self.to = Some(home.clone());
        let owner = (input.uid == 0 && profile.owner.0 != 0).then_some(profile.owner);
        if let Some((uid, _)) = owner {
            let message =
                format!("the command runs as root in a profile of uid {uid}: the files it creates belong to root");
            let hint = "run as the user who owns the profile";
            self.findings.push(Diagnostic::warning("owner", message).hint(hint));
        }
        let Profile { canonical: profile_dir, identity, .. } = profile.clone();
        self.redirect = Some(Redirect { home, make, profile_dir, identity, owner });
        Ok(())
    }

    /// Mode `real`: HOME is changed only if it is unusable.
    fn stay_real(&mut self, selection: &Selection, input: &Input<'_>) {
        let usable = input.environ.given(b"HOME").is_some_and(|home| Path::new(OsStr::from_bytes(home)).is_absolute());
        if usable && !selection.real.home_is_a_profiles {
            return;
        }
        self.to = Some(match selection.real.path() {
            Some(home) => home.to_owned(),
            None => {
                let message = "no home directory is known; HOME is set to /";
                self.warnings.push(Diagnostic::warning("real-home", message).hint(SAY_HOME));
                "/".into()
            }
        });
    }

    /// Plans the links for the items, if HOME is redirected.
    pub fn share(&mut self, items: &[Item], elsewhere: &Elsewhere, selection: &Selection, input: &Input<'_>) {
        let Some(redirect) = &self.redirect else { return };
        let Redirect { home, profile_dir, .. } = redirect;
        let (Some(root), Some(real)) = (&selection.root, selection.real.place()) else {
            if !items.is_empty() {
                let why = match selection.real.owner_without_home {
                    Some(uid) => format!("the profile belongs to uid {uid}, whose home is unknown"),
                    None => "the real home is unknown".into(),
                };
                self.findings.push(unlinked(&why));
            }
            return;
        };
        if !is_below(home, profile_dir) {
            let [home, dir] = [home, profile_dir].map(|path| escaped_path(path));
            self.findings.push(unlinked(&format!("the home {home} is outside the profile {dir}")));
            return;
        }
        let (skipped, shared): (Vec<_>, Vec<_>) =
            items.iter().cloned().partition(|item| *item == Item::Claude && elsewhere.claude);
        let config = elsewhere.config.as_ref();
        self.links = LinkContext { config, ..redirect.sharing(real, root, input.world) }.links(&shared);
        let is_elsewhere = |link: &Link| link.item == Item::Claude && link.place == Path::new(ANTHROPIC);
        self.links.retain(|link| !(elsewhere.anthropic && is_elsewhere(link)));
        if !skipped.is_empty() {
            let message = "claude is not linked: CLAUDE_CONFIG_DIR says where Claude Code keeps its state";
            self.findings.push(Diagnostic::note("link", message));
        }
        self.links.extend(skipped.into_iter().map(|item| Link {
            item,
            place: ".claude".into(),
            target: None,
            state: State::Skipped,
            finding: None,
        }));
        self.findings.extend(self.links.iter().filter_map(|link| link.finding.clone()));
    }
}

/// Only the user knows it.
pub const SAY_HOME: &str = "say where your home is: export HOME=DIRECTORY";
/// The id of the finding that nothing is linked at all.
pub const UNLINKED: &str = "links";

fn unlinked(why: &str) -> Diagnostic {
    Diagnostic::warning(UNLINKED, format!("nothing is linked: {why}"))
}

fn unusable(path: &Path, what: &str, remedy: Remedy) -> Failure {
    let fix = remedy.cure.clone().or(remedy.hint).unwrap_or_default();
    let failure = Failure::new(format!("{} is {what}, so it cannot be HOME", escaped_path(path)));
    Failure { cure: remedy.cure, ..failure.about("home").hint(format!("use --home real, or fix it: {fix}")) }
}

/// The home is wanted and missing, but cannot be created.
pub fn cannot_create(home: &Path, why: &str) -> Failure {
    let home = escaped_path(home);
    Failure::new(format!("cannot create the home {home}: {why}"))
        .about("home")
        .hint(format!("create it (mkdir -m 700 {home}), or use --home real"))
}

fn find_home(profile: &Profile, input: &Input<'_>) -> Found {
    let path = profile.canonical.join("home");
    let aside = || Remedy::cure(move_aside(&path, input.world));
    match input.world.lstat(&path).map(|stat| stat.kind) {
        Err(error) if is_missing(&error) => Found::Nothing,
        Err(error) => {
            let open = format!("chmod u+rwx {}", shell_quoted_path(&profile.canonical));
            let remedy = as_owner(Some(profile.owner.0), &open, input);
            Found::Unusable(format!("inaccessible ({})", os_message(&error)), remedy)
        }
        Ok(Kind::Directory) => Found::Directory(path),
        Ok(Kind::Link) => match input.world.canonical(&path) {
            Ok(home) if is_directory(input.world, &home) => Found::Directory(home),
            Ok(home) => {
                let message = format!("a symlink to {}, which is not a directory", escaped_path(&home));
                Found::Unusable(message, aside())
            }
            Err(_) => {
                let text = input.world.link_text(&path).unwrap_or_default();
                Found::Unusable(format!("a dangling symlink to {}", escaped_path(&text)), aside())
            }
        },
        Ok(_) => Found::Unusable("not a directory".into(), aside()),
    }
}
