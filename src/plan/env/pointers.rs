//! Rule 0 under another HOME: the variables by which tools find places in the real home that hold no secret, and those that
//! keep a tool from damaging what is shared. The ladder decides which of them the command gets, and never replaces a value
//! that the user has set.
#![forbid(unsafe_code)]

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::decision::{Change, Decision, Rule};
use crate::plan::home::HomePlan;
use crate::plan::home::items::CLAUDE;
use crate::plan::profile::Selection;
use crate::world::{Kind, World, is_missing};

/// Places in the real home that hold no secret, with the variables by which tools find them.
pub const POINTERS: [(&str, &str); 11] = [
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("MISE_STATE_DIR", ".local/state/mise"),
    ("MISE_GLOBAL_CONFIG_FILE", ".config/mise/config.toml"),
    ("SDKMAN_DIR", ".sdkman"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("XAUTHORITY", ".Xauthority"),
];

/// With `.claude` shared: Claude Code stores absolute paths of plugins in it, and would put its own updates, 235 MB each,
/// into the profile's home without updating the program on PATH (2.1.332).
pub const OF_CLAUDE: [(&str, &str); 3] =
    [("CLAUDE_CODE_PLUGIN_CACHE_DIR", ".claude/plugins"), ("DISABLE_AUTOUPDATER", "1"), ("DISABLE_UPDATES", "1")];

pub const GNUPGHOME: &str = "GNUPGHOME";

/// The variables of XDG directories (XDG Base Directory Specification 0.8), and their defaults.
pub const DIRECTORIES: [(&str, &str); 4] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
];

/// Is this one of the variables that are set under another HOME? `--minimal` keeps the user's value.
pub fn is_pointer(name: &[u8]) -> bool {
    let mut names = POINTERS.iter().chain(&OF_CLAUDE).map(|(known, _)| *known).chain([GNUPGHOME]);
    names.any(|known| known.as_bytes() == name)
}

#[derive(Clone, Debug)]
pub(in crate::plan) struct Pointer {
    pub name: &'static str,
    /// It is set only if this variable is.
    pub needs: Option<&'static str>,
    value: Value,
    reason: &'static str,
}

#[derive(Clone, Debug)]
enum Value {
    /// The first of these places that exists.
    Place(Vec<PathBuf>),
    Fixed(Vec<u8>),
}

impl Pointer {
    /// `None` if there is nothing to point to.
    pub fn decision(&self, world: &dyn World) -> Option<Decision> {
        let value = match &self.value {
            Value::Place(places) => {
                places.iter().find(|place| world.stat(place).is_ok())?.as_os_str().as_bytes().to_owned()
            }
            Value::Fixed(value) => value.clone(),
        };
        Some(Decision::new(self.name.as_bytes(), Change::Set(value), Rule::Computed, self.reason))
    }
}

/// The XDG directories as the command sees them, in the order of [`DIRECTORIES`].
#[derive(Clone, Debug, Default)]
pub(in crate::plan) struct Directories {
    /// The user's values that rule 7 removed.
    pub taken: [Option<PathBuf>; 4],
    /// The command has a value, and its tools look there.
    pub is_given: [bool; 4],
}

/// The variables for a home other than the real home. The links are already known.
pub(in crate::plan) fn pointers(
    selection: &Selection,
    home: &HomePlan,
    directories: &Directories,
    world: &dyn World,
) -> Vec<Pointer> {
    let (Some(redirect), Some(real)) = (&home.redirect, selection.real.path()) else { return Vec::new() };
    let mut all = Vec::new();
    for (name, place) in POINTERS {
        let needs = match name {
            "XAUTHORITY" => Some("DISPLAY"),
            "MISE_STATE_DIR" | "MISE_GLOBAL_CONFIG_FILE" => Some("MISE_DATA_DIR"),
            _ => None,
        };
        if let Some(places) = places(place, real, directories) {
            all.push(Pointer { name, needs, value: Value::Place(places), reason: "stays in the real home" });
        }
    }
    let mut fixed = |name, value, reason| all.push(Pointer { name, needs: None, value: Value::Fixed(value), reason });
    if home.links.iter().any(|link| link.place == Path::new(CLAUDE) && link.state.leads_there()) {
        let [(plugins, place), updates @ ..] = OF_CLAUDE;
        let reason = "shared with .claude";
        fixed(plugins, real.join(place).into_os_string().into_encoded_bytes(), reason);
        let reason = "no updates from here";
        updates.into_iter().for_each(|(name, value)| fixed(name, value.as_bytes().to_owned(), reason));
    }
    let gnupg = Path::new(".gnupg");
    let is_shared = || home.links.iter().any(|link| link.place == gnupg && link.state.leads_there());
    let is_own = match world.lstat(&redirect.home.join(gnupg)) {
        Ok(stat) => stat.kind == Kind::Directory,
        // gpg creates the directory, and would use the agent of the real home if that is running.
        Err(error) => is_missing(&error) && world.stat(&real.join(gnupg)).is_ok() && !is_shared(),
    };
    if is_own {
        let value = [redirect.home.as_os_str().as_bytes(), b"/", OWN_GNUPG.as_bytes()].concat();
        fixed(GNUPGHOME, value, "gives the profile's keys their own agent");
    }
    all
}

/// Where a place in the real home may be; `None` if the command's tools look elsewhere.
fn places(place: &str, real: &Path, directories: &Directories) -> Option<Vec<PathBuf>> {
    let below = |(_, usual): &(&str, &str)| place.strip_prefix(usual)?.strip_prefix('/');
    let found = DIRECTORIES.iter().enumerate().find_map(|(at, directory)| Some((at, below(directory)?)));
    let Some((at, rest)) = found else { return Some(vec![real.join(place)]) };
    let of_user = directories.taken[at].as_ref().map(|taken| taken.join(rest));
    (!directories.is_given[at]).then(|| of_user.into_iter().chain([real.join(place)]).collect())
}

/// Not spelled like the default: GnuPG gives the default `~/.gnupg` of every HOME the same socket in `/run/user/UID`, so
/// that the agent of one home would sign for the other (2.2.40, `common/homedir.c`).
const OWN_GNUPG: &str = "./.gnupg";

/// Was this value set by hermes-exec?
pub(super) fn is_own_gnupg(value: &[u8]) -> bool {
    value.strip_suffix(OWN_GNUPG.as_bytes()).is_some_and(|home| home.ends_with(b"/"))
}
