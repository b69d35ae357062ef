//! Hermes' own places, recognised by what they contain: its venvs, its code and its runtimes, wherever an installer has put
//! them; and how they are removed from PATH, PYTHONPATH and other lists. No marker shows them: Hermes strips its markers
//! before it starts a command, but leaves its venv's `bin` first on PATH (hermes-agent 0.19,
//! `tools/environments/local.py`).
//!
//! It finds no programs (`command.rs` does), and leaves every other venv alone. What counts on PATH is only what a nested
//! start still sees, so that a nested start changes nothing.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::environ::is_blank;
use crate::world::place::{Place, is_below, resolve_allow_missing};
use crate::world::{Kind, PATH_MAX, World};

/// Where Hermes is in its container image, and when root installs it.
const SYSTEM_WIDE: [&str; 2] = ["/opt/hermes", "/usr/local/lib/hermes-agent"];
/// Below the root: the checkout, what the installer creates, and the tools that come with Hermes.
const BELOW_ROOT: [&str; 5] = ["hermes-agent", "installs", "tools", "node", "node_modules"];
/// Directories of the system, which are never part of a venv.
const SYSTEM: [&[u8]; 4] = [b"/bin", b"/sbin", b"/usr/bin", b"/usr/sbin"];
/// The Python package by which Hermes' code is recognised.
const PACKAGE: &str = "hermes_cli";
/// Where a checkout has its venv.
pub const VENVS: [&str; 2] = ["venv", ".venv"];

/// Hermes' own places.
#[derive(Clone, Debug)]
pub struct HermesPlaces {
    root: Option<Place>,
    /// The spellings of the root, each once, an outer one before an inner one.
    roots: Vec<PathBuf>,
    /// The real home, which is never Hermes' own, nor is a directory above it.
    real: Option<PathBuf>,
    /// The directory of `--chdir`, to which relative paths refer.
    base: Option<PathBuf>,
}

/// What an element of PATH is.
struct Bin {
    dir: PathBuf,
    /// In a place known by its path.
    is_named: bool,
    /// The venv of Hermes' own whose `bin` it is. In a place known by its path, Hermes need not be in it.
    venv: Option<PathBuf>,
}

impl HermesPlaces {
    pub fn new(root: Option<&Place>, real: Option<&Path>, base: Option<&Path>) -> Self {
        let mut roots: Vec<_> =
            root.into_iter().flat_map(|root| [root.spelled.clone(), root.canonical.clone()]).collect();
        roots.sort();
        roots.dedup();
        Self { root: root.cloned(), roots, real: real.map(Path::to_owned), base: base.map(Path::to_owned) }
    }

    /// The directories of Hermes' code that may be on PYTHONPATH and contain a venv, whether or not they exist.
    pub fn checkouts(&self) -> impl Iterator<Item = PathBuf> {
        let of_root = self.root.iter().map(|root| root.spelled.join("hermes-agent"));
        of_root.chain(SYSTEM_WIDE.map(PathBuf::from))
    }

    /// A value as the path that the command will see. A word without a slash is a path only if it exists.
    fn path(&self, value: &[u8], world: &dyn World) -> Option<PathBuf> {
        let path = self.based(&self.at_home(value));
        let path = if path.is_absolute() { path } else { world.canonical(Path::new(".")).ok()?.join(path) };
        let path = Some(path).filter(|path| path.as_os_str().len() < PATH_MAX)?;
        (value.contains(&b'/') || world.stat(&path).is_ok()).then_some(path)
    }

    /// bash (in PATH), pip and npm expand `~`; for other programs it is a name that does not exist.
    fn at_home(&self, value: &[u8]) -> PathBuf {
        let path = Path::new(OsStr::from_bytes(value));
        if !value.starts_with(b"~") {
            return path.to_owned();
        }
        let in_home = self.real.as_ref().zip(path.strip_prefix("~").ok());
        in_home.map_or_else(|| path.to_owned(), |(real, rest)| real.join(rest))
    }

    fn based(&self, path: &Path) -> PathBuf {
        self.base.as_ref().map_or_else(|| path.to_owned(), |base| base.join(path))
    }

    fn element_dir(&self, element: &[u8]) -> PathBuf {
        element_dir(self.at_home(element).as_os_str().as_bytes(), self.base.as_deref())
    }

    /// Is one of these pyenv versions, `PYENV_ROOT/versions/NAME`, in one of the places?
    pub fn hold_version(&self, versions: &[u8], root: Option<&[u8]>, world: &dyn World) -> bool {
        let usual = || self.real.as_ref().map(|real| real.join(".pyenv"));
        let root = root.map(|root| PathBuf::from(OsStr::from_bytes(root))).or_else(usual).unwrap_or_default();
        let dir = |name: &[u8]| root.join("versions").join(OsStr::from_bytes(name.trim_ascii()));
        let mut dirs = versions.split(|&byte| byte == b':').filter(|name| !is_blank(name)).map(dir);
        dirs.any(|dir| self.hold(dir.as_os_str().as_bytes(), world))
    }

    /// Does this value point into one of the places?
    pub fn hold(&self, value: &[u8], world: &dyn World) -> bool {
        !is_blank(value) && self.path(value, world).is_some_and(|path| self.place_of(&path, world).is_some())
    }

    /// The place that contains a path, by its spelling or once resolved.
    pub fn place_of(&self, path: &Path, world: &dyn World) -> Option<PathBuf> {
        let resolved = resolve_allow_missing(path, world);
        // What `..` refers to depends on the links before it.
        let is_plain = !path.components().any(|part| part == Component::ParentDir);
        [Some(path).filter(|_| is_plain), Some(&resolved)].into_iter().flatten().find_map(|path| {
            let venv = venv_around(path, world);
            let checkout = || path.ancestors().find(|dir| self.is_checkout(dir, world)).map(Path::to_owned);
            venv.map(Path::to_owned).or_else(|| self.named(path)).or_else(checkout)
        })
    }

    /// The place, of those known by their paths, that contains a path.
    pub fn named(&self, path: &Path) -> Option<PathBuf> {
        let wide = SYSTEM_WIDE.iter().map(Path::new).find(|place| is_below(path, place)).map(Path::to_owned);
        // Asked for every element of PATH, and comparing paths is slow: a root is compared once, not with each name below it.
        let below = |root: &PathBuf| {
            let first = is_below(path, root).then(|| path.strip_prefix(root).ok()?.components().next()).flatten()?;
            BELOW_ROOT.iter().find(|name| first.as_os_str() == **name).map(|name| root.join(name))
        };
        wide.or_else(|| self.roots.iter().find_map(below))
    }

    /// Does this directory contain Hermes' code and a venv of Hermes' own?
    fn is_checkout(&self, dir: &Path, world: &dyn World) -> bool {
        self.is_code(dir, world) && VENVS.iter().any(|name| is_venv(&dir.join(name), world))
    }

    /// Does this directory contain Hermes' code?
    fn is_code(&self, dir: &Path, world: &dyn World) -> bool {
        let is_home = || self.real.as_ref().is_some_and(|real| real.starts_with(dir));
        world.stat(&dir.join(PACKAGE)).is_ok() && !is_home()
    }

    /// A PATH with Hermes' own elements at its end, and those elements; `None` if nothing changes. The elements keep their
    /// bytes, and their order among the moved and among the others.
    pub fn demote_on_path(&self, path: &[u8], world: &dyn World) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        let elements: Vec<_> = path.split(|&byte| byte == b':').collect();
        let bins: Vec<_> = elements.iter().map(|element| self.bin(element, world)).collect();
        let around = bins.iter().filter_map(|bin| bin.venv.as_ref()?.parent());
        let checkouts: Vec<_> = around.filter(|dir| self.is_code(dir, world)).collect();
        let is_own = |bin: &Bin| {
            bin.venv.is_some() || bin.is_named || checkouts.iter().any(|checkout| bin.dir.starts_with(checkout))
        };
        let (moved, others): (Vec<_>, Vec<_>) = elements.iter().zip(&bins).partition(|(_, bin)| is_own(bin));
        let value = others.iter().chain(&moved).map(|(element, _)| **element).collect::<Vec<_>>().join(&b':');
        (value != path).then(|| (value, moved.iter().map(|(element, _)| element.to_vec()).collect()))
    }

    /// The venv of Hermes' own whose `bin` is this element of PATH.
    pub fn venv_of_bin(&self, element: &[u8], world: &dyn World) -> Option<PathBuf> {
        self.bin(element, world).venv
    }

    fn bin(&self, element: &[u8], world: &dyn World) -> Bin {
        let dir = self.element_dir(element);
        let is_named = self.named(&dir).is_some();
        let parent = |bin: &Path| bin.parent().map(Path::to_owned).filter(|venv| has_interpreter(venv, world));
        let is_hermes = !SYSTEM.contains(&element) && (is_named || has_hermes(&dir, world));
        let venv = is_hermes.then(|| parent(&dir).or_else(|| parent(&world.canonical(&dir).ok()?))).flatten();
        Bin { dir, is_named, venv }
    }

    /// A list without Hermes' own entries, blank if nothing is left; `None` if nothing changes.
    pub fn filter(&self, list: &[u8], separator: u8, is_own: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
        let left: Vec<_> = list.split(|&byte| byte == separator).filter(|entry| !is_own(entry)).collect();
        let value = left.join(&separator);
        (value != list).then_some(value)
    }

    /// Is an entry of PYTHONPATH Hermes' own: in one of its places, or with Hermes' code in it?
    pub fn is_python_entry(&self, entry: &[u8], world: &dyn World) -> bool {
        let is_code = || self.path(entry, world).is_some_and(|path| self.is_code(&path, world));
        !entry.is_empty() && (self.hold(entry, world) || is_code())
    }

    /// Does this value point to a `.env` of the root, of a profile or of the `managed` directory, or into one of the places?
    pub fn is_env_file(&self, value: &[u8], managed: Option<&Path>, world: &dyn World) -> bool {
        let Some(path) = self.path(value, world).filter(|_| !value.is_empty()) else { return false };
        let resolved = resolve_allow_missing(&path, world);
        let is_secret = |path: &Path| {
            let [dir, above] = [path.parent(), path.parent().and_then(Path::parent)];
            let is = |dir: Option<&Path>, place: &dyn Fn(&Path) -> PathBuf| {
                let spellings = self.root.iter().flat_map(|root| [&root.spelled, &root.canonical]);
                spellings.into_iter().any(|root| dir == Some(&place(root)))
            };
            let name = path.file_name().unwrap_or_default().as_bytes();
            let is_managed = managed.is_some() && dir == managed;
            let is_of_hermes = is_managed || is(dir, &Path::to_owned) || is(above, &|root| root.join("profiles"));
            name.ends_with(b".env") && is_of_hermes
        };
        is_secret(&path) || is_secret(&resolved) || self.place_of(&path, world).is_some()
    }

    /// The place into which a program would install, if it is Hermes' own `pip`, or its Python with `-m pip` or `-m
    /// ensurepip`. `args` are the words after the program.
    pub fn installs_into(&self, program: &Path, args: &[impl AsRef<OsStr>], world: &dyn World) -> Option<PathBuf> {
        // A venv's interpreter is a link to another one: its own directory counts.
        let of = |program: &Path| {
            let name = program.file_name()?.as_bytes();
            let installs = is_pip(name) || (is_python(name) && runs_pip(args));
            let dir = installs.then(|| program.parent()).flatten()?;
            self.place_of(&world.canonical(dir).ok()?, world)
        };
        of(program).or_else(|| of(&has_pip_name(program).then(|| world.canonical(program).ok()).flatten()?))
    }
}

/// Is this a venv, or a conda environment, with Hermes in it?
fn is_venv(dir: &Path, world: &dyn World) -> bool {
    has_hermes(&dir.join("bin"), world) && has_interpreter(dir, world)
}

fn has_hermes(bin: &Path, world: &dyn World) -> bool {
    world.stat(&bin.join("hermes")).is_ok_and(|stat| stat.kind == Kind::File)
}

/// The venv of Hermes' own that contains a path, unless a venv of the user's inside it does, as conda's environments are
/// inside its base.
fn venv_around<'a>(path: &'a Path, world: &dyn World) -> Option<&'a Path> {
    let venv = path.ancestors().find(|dir| is_venv(dir, world))?;
    let mut nearer = path.ancestors().take_while(|dir| *dir != venv);
    (!nearer.any(|dir| has_interpreter(dir, world))).then_some(venv)
}

fn has_interpreter(dir: &Path, world: &dyn World) -> bool {
    ["pyvenv.cfg", "conda-meta"].iter().any(|name| world.stat(&dir.join(name)).is_ok())
}

fn has_pip_name(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name.as_bytes().starts_with(b"pip"))
}

/// `pip`, `pip3`, `pip3.N` and `pip-3.N`.
fn is_pip(name: &[u8]) -> bool {
    let is_minor = |minor: &[u8]| !minor.is_empty() && minor.iter().all(u8::is_ascii_digit);
    let minor = name.strip_prefix(b"pip3.").or_else(|| name.strip_prefix(b"pip-3."));
    name == b"pip" || name == b"pip3" || minor.is_some_and(is_minor)
}

fn is_python(name: &[u8]) -> bool {
    name.strip_prefix(b"python")
        .is_some_and(|version| version.iter().all(|byte| byte.is_ascii_digit() || b".t".contains(byte)))
}

/// Do these arguments make Python run pip? As in python(1), flags may be combined in one word, and `-W`, `-X` and
/// `--check-hash-based-pycs` take a value.
fn runs_pip(args: &[impl AsRef<OsStr>]) -> bool {
    let mut words = args.iter().map(|word| word.as_ref().as_bytes());
    while let Some(word) = words.next() {
        if word == b"--check-hash-based-pycs" {
            words.next();
            continue;
        }
        let Some(flags) = word.strip_prefix(b"-").filter(|flags| !flags.is_empty()) else { return false };
        let Some(at) = flags.iter().position(|flag| b"cmWX".contains(flag)).filter(|_| flags[0] != b'-') else {
            continue;
        };
        let value = if at + 1 < flags.len() { Some(&flags[at + 1..]) } else { words.next() };
        match flags[at] {
            b'm' => return value.is_some_and(|module| [&b"pip"[..], b"ensurepip"].contains(&module)),
            b'c' => return false,
            _ => {}
        }
    }
    false
}

/// The directory that an element of PATH names. An empty one is the current directory (`base`), to which relative ones
/// refer.
pub fn element_dir(element: &[u8], base: Option<&Path>) -> PathBuf {
    let element = Path::new(OsStr::from_bytes(if element.is_empty() { b"." } else { element }));
    base.map_or_else(|| element.to_owned(), |base| base.join(element))
}
