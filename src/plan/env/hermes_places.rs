//! What is Hermes' own, known by what is there: its venvs, its code and its runtimes, wherever an installer has left them; and
//! what is done about them on PATH, on PYTHONPATH and in other lists. Hermes strips its markers before a command starts and
//! leaves its venv's `bin` first on PATH (hermes-agent 0.19, `tools/environments/local.py`), so that no marker tells.
//!
//! It finds no program (`command.rs` does), and leaves every other venv where it is. On PATH a place counts only by what a
//! start within this one still sees, so that it changes nothing.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::environ::is_blank;
use crate::world::place::{Place, resolve_allow_missing};
use crate::world::{Kind, PATH_MAX, World};

/// Where system-wide installations keep Hermes: the container image, and an installation by root.
const SYSTEM_WIDE: [&str; 2] = ["/opt/hermes", "/usr/local/lib/hermes-agent"];
/// Below the root: the checkout, what the installer makes, and the tools that Hermes brings with it.
const BELOW_ROOT: [&str; 5] = ["hermes-agent", "installs", "tools", "node", "node_modules"];
/// Directories of the system, in which nobody makes a venv.
const SYSTEM: [&[u8]; 4] = [b"/bin", b"/sbin", b"/usr/bin", b"/usr/sbin"];
/// The package that Hermes' code is known by.
const PACKAGE: &str = "hermes_cli";
/// Where a venv has been made from a checkout.
pub const VENVS: [&str; 2] = ["venv", ".venv"];

/// Hermes' own places.
#[derive(Clone, Debug)]
pub struct HermesPlaces {
    /// Those that are known by their names.
    named: Vec<PathBuf>,
    root: Option<Place>,
    /// The real home, which is never Hermes' own, and no directory above it.
    real: Option<PathBuf>,
    /// The directory of `--chdir`, from which relative paths count.
    base: Option<PathBuf>,
}

impl HermesPlaces {
    pub fn new(root: Option<&Place>, real: Option<&Path>, base: Option<&Path>) -> Self {
        let spellings = root.into_iter().flat_map(|root| [&root.spelled, &root.canonical]);
        let below = spellings.flat_map(|root| BELOW_ROOT.iter().map(|name| root.join(name)));
        let mut named: Vec<_> = SYSTEM_WIDE.iter().map(PathBuf::from).chain(below).collect();
        // Mostly the two spellings are one.
        named.sort();
        named.dedup();
        Self { named, root: root.cloned(), real: real.map(Path::to_owned), base: base.map(Path::to_owned) }
    }

    /// The directories of Hermes' code that may stand on PYTHONPATH and hold a venv, whether or not they exist.
    pub fn checkouts(&self) -> impl Iterator<Item = PathBuf> {
        let of_root = self.root.iter().map(|root| root.spelled.join("hermes-agent"));
        of_root.chain(SYSTEM_WIDE.map(PathBuf::from))
    }

    /// A path as the command will read it. A word without a slash is one only if it exists.
    fn path(&self, value: &[u8], world: &dyn World) -> Option<PathBuf> {
        let path = self.based(&self.at_home(value));
        let path = if path.is_absolute() { path } else { world.canonical(Path::new(".")).ok()?.join(path) };
        let path = Some(path).filter(|path| path.as_os_str().len() < PATH_MAX)?;
        (value.contains(&b'/') || world.stat(&path).is_ok()).then_some(path)
    }

    /// bash in PATH, pip and npm read `~` as the home, and others take it for a name that nothing has.
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

    /// Does this version of pyenv's, `PYENV_ROOT/versions/NAME`, lead into one of the places? Several may be named.
    pub fn hold_version(&self, versions: &[u8], root: Option<&[u8]>, world: &dyn World) -> bool {
        let usual = || self.real.as_ref().map(|real| real.join(".pyenv"));
        let root = root.map(|root| PathBuf::from(OsStr::from_bytes(root))).or_else(usual).unwrap_or_default();
        let dir = |name: &[u8]| root.join("versions").join(OsStr::from_bytes(name.trim_ascii()));
        let mut dirs = versions.split(|&byte| byte == b':').filter(|name| !is_blank(name)).map(dir);
        dirs.any(|dir| self.hold(dir.as_os_str().as_bytes(), world))
    }

    /// Does this value lead into one of the places?
    pub fn hold(&self, value: &[u8], world: &dyn World) -> bool {
        !is_blank(value) && self.path(value, world).is_some_and(|path| self.place_of(&path, world).is_some())
    }

    /// The place in which a path is, by its spelling or by where it leads.
    pub fn place_of(&self, path: &Path, world: &dyn World) -> Option<PathBuf> {
        let resolved = resolve_allow_missing(path, world);
        // Where `..` leads is known only by what is there.
        let is_plain = !path.components().any(|part| part == Component::ParentDir);
        [Some(path).filter(|_| is_plain), Some(&resolved)].into_iter().flatten().find_map(|path| {
            let venv = venv_around(path, world);
            let checkout = || path.ancestors().find(|dir| self.is_checkout(dir, world)).map(Path::to_owned);
            venv.map(Path::to_owned).or_else(|| self.named(path)).or_else(checkout)
        })
    }

    /// The place of those that are known by their names in which a path lies.
    pub fn named(&self, path: &Path) -> Option<PathBuf> {
        self.named.iter().find(|place| path.starts_with(place)).cloned()
    }

    /// Is this directory above a venv of Hermes' own, and holds its code?
    fn is_checkout(&self, dir: &Path, world: &dyn World) -> bool {
        self.is_code(dir, world) && VENVS.iter().any(|name| is_venv(&dir.join(name), world))
    }

    /// Does this directory hold Hermes' code?
    fn is_code(&self, dir: &Path, world: &dyn World) -> bool {
        let is_home = || self.real.as_ref().is_some_and(|real| real.starts_with(dir));
        world.stat(&dir.join(PACKAGE)).is_ok() && !is_home()
    }

    /// A PATH with Hermes' own elements at its end, and what was moved there; none where nothing changes. All elements keep
    /// their bytes, and their order among the moved and among the others.
    pub fn demote_on_path(&self, path: &[u8], world: &dyn World) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        let elements: Vec<_> = path.split(|&byte| byte == b':').collect();
        let venvs: Vec<_> = elements.iter().map(|element| self.venv_of_bin(element, world)).collect();
        let checkouts: Vec<_> = venvs.iter().flatten().filter_map(|venv| venv.parent()).collect();
        let checkouts: Vec<_> = checkouts.into_iter().filter(|dir| self.is_code(dir, world)).collect();
        let is_own = |element: &[u8]| {
            let path = self.element_dir(element);
            self.named(&path).is_some() || checkouts.iter().any(|dir| path.starts_with(dir))
        };
        let marked = elements.iter().zip(&venvs).map(|(element, venv)| (venv.is_some() || is_own(element), *element));
        let (moved, others): (Vec<_>, Vec<_>) = marked.partition(|(is_own, _)| *is_own);
        let value = others.iter().chain(&moved).map(|(_, element)| *element).collect::<Vec<_>>().join(&b':');
        (value != path).then(|| (value, moved.iter().map(|(_, element)| element.to_vec()).collect()))
    }

    /// The venv of Hermes' own whose `bin` an element of PATH is. In a place that is known by its name, it need not have Hermes
    /// in it.
    pub fn venv_of_bin(&self, element: &[u8], world: &dyn World) -> Option<PathBuf> {
        let bin = self.element_dir(element);
        if SYSTEM.contains(&element) || (self.named(&bin).is_none() && !has_hermes(&bin, world)) {
            return None;
        }
        let parent = |bin: &Path| bin.parent().map(Path::to_owned).filter(|venv| has_interpreter(venv, world));
        parent(&bin).or_else(|| parent(&world.canonical(&bin).ok()?))
    }

    /// A list without the entries that are Hermes' own: the new value, blank when nothing is left; none where nothing changes.
    pub fn filter(&self, list: &[u8], separator: u8, is_own: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
        let left: Vec<_> = list.split(|&byte| byte == separator).filter(|entry| !is_own(entry)).collect();
        let value = left.join(&separator);
        (value != list).then_some(value)
    }

    /// Is an entry of PYTHONPATH Hermes' own: in one of its places, or code of Hermes wherever it is?
    pub fn is_python_entry(&self, entry: &[u8], world: &dyn World) -> bool {
        let is_code = || self.path(entry, world).is_some_and(|path| self.is_code(&path, world));
        !entry.is_empty() && (self.hold(entry, world) || is_code())
    }

    /// Does this value lead to a `.env` of the root, of a profile or of the `managed` directory, or into one of the places?
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

    /// The place into which a program would install, if it is an installer of Hermes' own: its `pip`, or its Python with
    /// `-m pip` or `-m ensurepip`. `args` are the words after the program.
    pub fn installs_into(&self, program: &Path, args: &[impl AsRef<OsStr>], world: &dyn World) -> Option<PathBuf> {
        // A venv's interpreter is a link to another one: what counts is the directory in which it is found.
        let of = |program: &Path| {
            let name = program.file_name()?.as_bytes();
            let installs = is_pip(name) || (is_python(name) && runs_pip(args));
            let dir = installs.then(|| program.parent()).flatten()?;
            self.place_of(&world.canonical(dir).ok()?, world)
        };
        of(program).or_else(|| of(&has_pip_name(program).then(|| world.canonical(program).ok()).flatten()?))
    }
}

/// A venv, or an environment of conda's, with Hermes in it.
fn is_venv(dir: &Path, world: &dyn World) -> bool {
    has_hermes(&dir.join("bin"), world) && has_interpreter(dir, world)
}

fn has_hermes(bin: &Path, world: &dyn World) -> bool {
    world.stat(&bin.join("hermes")).is_ok_and(|stat| stat.kind == Kind::File)
}

/// The venv of Hermes' own in which a path is. One of the user's may lie within it, as conda's environments do in its base.
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

/// Do these arguments of Python run pip, after nothing but options? As python(1) reads them: flags may stand in one word, and
/// `-W`, `-X` and `--check-hash-based-pycs` take a value.
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

/// The directory that an element of PATH names: the current one (`base`) when it is empty, and relative to that when it is
/// relative.
pub fn element_dir(element: &[u8], base: Option<&Path>) -> PathBuf {
    let element = Path::new(OsStr::from_bytes(if element.is_empty() { b"." } else { element }));
    base.map_or_else(|| element.to_owned(), |base| base.join(element))
}
