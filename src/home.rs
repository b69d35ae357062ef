//! Which HOME the command gets, and the steps that get a profile's home ready. It takes none of them.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::HomeMode;
use crate::facts::{Facts, Files, Kind, is_missing};
use crate::message::{Failure, pasted_path, reason, shown_path};
use crate::profile::{Profile, Selection, is_directory};
use crate::real_home::Place;
use crate::shares::{Item, Link, Sharing, State};

/// Places in the real home that hold no secret, and the variables by which their tools find them under another HOME.
pub const POINTERS: [(&str, &str); 9] = [
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("SDKMAN_DIR", ".sdkman"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("XAUTHORITY", ".Xauthority"),
];

/// The mode and where it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeChoice {
    /// The mode.
    pub mode: HomeMode,
    /// Who said so.
    pub source: &'static str,
}

impl ModeChoice {
    /// The mode in a word.
    pub fn word(self) -> &'static str {
        self.mode.word()
    }

    /// `--home`, then HERMES_EXEC_HOME_MODE, then Hermes' own TERMINAL_HOME_MODE, then the policy file's `home`, then `auto`.
    ///
    /// # Errors
    /// 125 for a word in HERMES_EXEC_HOME_MODE that is no mode.
    pub fn make(option: Option<HomeMode>, of_file: Option<HomeMode>, facts: &Facts<'_>) -> Result<Self, Failure> {
        if let Some(mode) = option {
            return Ok(Self { mode, source: "--home" });
        }
        if let Some(word) = facts.environ.given(b"HERMES_EXEC_HOME_MODE") {
            let mode = match word.trim_ascii().to_ascii_lowercase().as_slice() {
                b"auto" => HomeMode::Auto,
                b"profile" => HomeMode::Profile,
                b"real" => HomeMode::Real,
                _ => {
                    return Err(Failure::new("HERMES_EXEC_HOME_MODE is no mode")
                        .hint("set it to auto, profile or real")
                        .cure("unset HERMES_EXEC_HOME_MODE"));
                }
            };
            return Ok(Self { mode, source: "HERMES_EXEC_HOME_MODE" });
        }
        let word = facts.environ.given(b"TERMINAL_HOME_MODE").unwrap_or_default().trim_ascii().to_ascii_lowercase();
        let mode = match word.as_slice() {
            b"profile" | b"isolated" | b"profile_home" | b"profile-home" => HomeMode::Profile,
            b"real" | b"host" | b"user" | b"real_home" | b"real-home" => HomeMode::Real,
            _ => match of_file {
                Some(mode) => return Ok(Self { mode, source: "policy file" }),
                None => return Ok(Self { mode: HomeMode::Auto, source: "default" }),
            },
        };
        Ok(Self { mode, source: "TERMINAL_HOME_MODE" })
    }
}

/// What is done about HOME, and for it.
#[derive(Clone, Debug)]
pub struct HomePlan {
    /// The mode.
    pub choice: ModeChoice,
    /// HOME as inherited.
    pub from: Option<OsString>,
    /// The value that HOME gets; none where it stays as it is.
    pub to: Option<PathBuf>,
    /// The profile's home, when HOME is redirected there.
    pub redirect: Option<Redirect>,
    /// The links in it.
    pub links: Vec<Link>,
    /// Findings about the set-up.
    pub findings: Vec<String>,
    /// What always has to be said.
    pub warnings: Vec<String>,
}

/// The profile's home as the new HOME.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Its canonical path.
    pub home: PathBuf,
    /// It is to be made.
    pub make: bool,
    /// The profile directory, canonical: nothing is made outside of it.
    pub profile_dir: PathBuf,
    /// Its device and inode: what has come into its place since is not the profile.
    pub identity: (u64, u64),
    /// New entries belong to this owner and group: we run as root, and the profile is somebody else's.
    pub owner: Option<(u32, u32)>,
}

impl Redirect {
    /// The sharing of items between this home and the real one.
    pub fn sharing<'a>(&'a self, real: &'a Place, root: &'a Place, files: &'a dyn Files) -> Sharing<'a> {
        Sharing { home: &self.home, exists: !self.make, real, root, files }
    }
}

/// What stands at the home's place.
enum Found {
    Nothing,
    /// A directory, or a link to this one.
    Directory(PathBuf),
    /// Neither, in words.
    Unusable(String),
}

impl HomePlan {
    /// Decides over HOME. The links come later ([`HomePlan::share`]), since they depend on what the command's environment is.
    ///
    /// # Errors
    /// 125 where a home is wanted and cannot be one.
    pub fn build(choice: ModeChoice, selection: &Selection, facts: &Facts<'_>) -> Result<Self, Failure> {
        let mut plan = Self {
            choice,
            from: facts.environ.get(b"HOME").map(|home| OsStr::from_bytes(home).to_owned()),
            to: None,
            redirect: None,
            links: Vec::new(),
            findings: Vec::new(),
            warnings: Vec::new(),
        };
        let Some(profile) = &selection.profile else {
            if choice.mode == HomeMode::Profile && choice.source != "TERMINAL_HOME_MODE" {
                return Err(Failure::new(format!(
                    "{} asks for a profile's home, and there is no Hermes here",
                    choice.source
                ))
                .hint("name the Hermes root with --hermes-home"));
            }
            plan.stay_real(selection, facts);
            return Ok(plan);
        };
        let found = find_home(profile, facts);
        let wanted = match choice.mode {
            HomeMode::Real => false,
            HomeMode::Profile => true,
            HomeMode::Auto => profile.name != "default" || !matches!(found, Found::Nothing),
        };
        if !wanted {
            plan.stay_real(selection, facts);
            return Ok(plan);
        }
        let (home, make) = match found {
            Found::Nothing => (profile.canonical.join("home"), true),
            Found::Directory(home) => (home, false),
            Found::Unusable(what) => {
                let path = profile.dir.join("home");
                let cure = format!("mv {0} {0}.old", pasted_path(&path));
                return Err(Failure::new(format!("{} is {what}, so it cannot be HOME", shown_path(&path)))
                    .hint(format!("move it away, or run with --home real: {cure}"))
                    .cure(cure));
            }
        };
        if profile.canonical.starts_with(&home) {
            plan.findings.push(format!(
                "{} is a link to {}, which holds the profile itself: HOME is not redirected",
                shown_path(&profile.dir.join("home")),
                shown_path(&home)
            ));
            plan.stay_real(selection, facts);
            return Ok(plan);
        }
        match facts.files.writable(if make { &profile.canonical } else { &home }) {
            Ok(()) => {}
            Err(error) if make => {
                let cure = format!("sudo install -d -m 700 -o {} {}", facts.uid, pasted_path(&home));
                return Err(cannot_make(&home, &reason(&error)).cure(cure));
            }
            Err(error) => {
                plan.findings.push(format!("the home {} is not writable: {}", shown_path(&home), reason(&error)))
            }
        }
        plan.to = Some(home.clone());
        let owner = (facts.uid == 0 && profile.owner.0 != 0).then_some(profile.owner);
        let Profile { canonical: profile_dir, identity, .. } = profile.clone();
        plan.redirect = Some(Redirect { home, make, profile_dir, identity, owner });
        Ok(plan)
    }

    /// Mode `real`: HOME is touched only where it is no usable one.
    fn stay_real(&mut self, selection: &Selection, facts: &Facts<'_>) {
        let usable = facts.environ.given(b"HOME").is_some_and(|home| Path::new(OsStr::from_bytes(home)).is_absolute());
        if usable && !selection.real.home_is_a_profiles {
            return;
        }
        self.to = Some(match selection.real.path() {
            Some(home) => home.to_owned(),
            None => {
                self.warnings.push("no home directory is known; HOME is set to /".into());
                "/".into()
            }
        });
    }

    /// Plans the links for the items, where HOME is redirected. `skips_claude`: the command will have CLAUDE_CONFIG_DIR.
    pub fn share(&mut self, items: &[Item], skips_claude: bool, selection: &Selection, facts: &Facts<'_>) {
        let Some(redirect) = &self.redirect else { return };
        let Redirect { home, profile_dir, .. } = redirect;
        let (Some(root), Some(real)) = (&selection.root, selection.real.place()) else {
            if !items.is_empty() {
                self.findings.push(match selection.real.owner_without_home {
                    Some(uid) => {
                        format!("nothing is linked: the profile belongs to uid {uid}, whose home is not known")
                    }
                    None => "nothing is linked: the real home is not known".into(),
                });
            }
            return;
        };
        if !home.starts_with(profile_dir) {
            self.findings.push(format!(
                "nothing is linked: the home {} lies outside the profile {}",
                shown_path(home),
                shown_path(profile_dir)
            ));
            return;
        }
        let (skipped, shared): (Vec<_>, Vec<_>) =
            items.iter().cloned().partition(|item| *item == Item::Claude && skips_claude);
        self.links = redirect.sharing(real, root, facts.files).links(&shared);
        if !skipped.is_empty() {
            self.findings.push("claude is not linked: CLAUDE_CONFIG_DIR says where Claude Code keeps its state".into());
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

/// The home is wanted and missing, and there is no way to make it.
pub fn cannot_make(home: &Path, why: &str) -> Failure {
    let home = shown_path(home);
    Failure::new(format!("the home {home} cannot be made: {why}"))
        .hint(format!("make it by hand (mkdir -m 700 {home}), or run with --home real"))
}

fn find_home(profile: &Profile, facts: &Facts<'_>) -> Found {
    let path = profile.canonical.join("home");
    match facts.files.lstat(&path).map(|stat| stat.kind) {
        Err(error) if is_missing(&error) => Found::Nothing,
        Err(error) => Found::Unusable(format!("out of reach ({})", reason(&error))),
        Ok(Kind::Directory) => Found::Directory(path),
        Ok(Kind::Link) => match facts.files.canonical(&path) {
            Ok(home) if is_directory(facts.files, &home) => Found::Directory(home),
            Ok(home) => Found::Unusable(format!("a link to {}, which is no directory", shown_path(&home))),
            Err(_) => {
                let text = facts.files.link_text(&path).unwrap_or_default();
                Found::Unusable(format!("a link that leads nowhere ({})", shown_path(&text)))
            }
        },
        Ok(_) => Found::Unusable("not a directory".into()),
    }
}
