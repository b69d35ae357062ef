//! Hermes' own venv, and what is done about it on PATH and PYTHONPATH. It finds no program (`command.rs` does) and
//! leaves every other venv where it is.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::environ::{Environ, is_blank};
use crate::world::place::Place;
use crate::world::{World, is_directory};

const SYSTEM_WIDE: &str = "/opt/hermes";

/// The variables that can name Hermes' own venv.
pub const MARKERS: [&[u8]; 3] = [b"VIRTUAL_ENV", b"CONDA_PREFIX", b"UV_PROJECT_ENVIRONMENT"];

#[derive(Clone, Debug)]
struct Venv {
    place: Place,
    /// Device and inode of its `bin`, if it has one.
    bin: Option<(u64, u64)>,
    markers: Vec<&'static [u8]>,
    /// It is one of the venvs of the Hermes root, whatever the markers say.
    of_root: bool,
}

#[derive(Clone, Debug)]
pub struct HermesVenvs {
    venvs: Vec<Venv>,
    code: Vec<PathBuf>,
}

impl HermesVenvs {
    /// Finds them: the value of a marker with `bin/hermes` in it or inside Hermes' code, and the venvs of the root.
    pub fn find(environ: &Environ, root: Option<&Place>, world: &dyn World) -> Self {
        let agent = root.map(|root| root.spelled.join("hermes-agent"));
        let code = agent.iter().cloned().chain([SYSTEM_WIDE.into()]).collect();
        let mut own = Self { venvs: Vec::new(), code };
        for marker in MARKERS {
            for value in environ.copies(marker).filter(|value| !is_blank(value)) {
                let path = Path::new(OsStr::from_bytes(value));
                if path.is_absolute() && (world.stat(&path.join("bin/hermes")).is_ok() || own.is_in_code(path, world)) {
                    own.add(path, Some(marker), world);
                }
            }
        }
        let agent = agent.filter(|agent| world.canonical(agent).is_ok());
        for venv in agent.iter().flat_map(|agent| ["venv", ".venv"].map(|name| agent.join(name))) {
            if is_directory(world, &venv) {
                own.add(&venv, None, world);
            }
        }
        own
    }

    fn add(&mut self, path: &Path, marker: Option<&'static [u8]>, world: &dyn World) {
        let place = Place::new(path, world);
        let at = self.venvs.iter().position(|venv| venv.place.canonical == place.canonical).unwrap_or_else(|| {
            let bin = world.stat(&path.join("bin")).ok().map(|stat| stat.identity);
            self.venvs.push(Venv { place, bin, markers: Vec::new(), of_root: false });
            self.venvs.len() - 1
        });
        match marker {
            Some(marker) => self.venvs[at].markers.push(marker),
            None => {
                // The order of the root's venvs is fixed, however early a marker named one of them.
                let mut venv = self.venvs.remove(at);
                venv.of_root = true;
                self.venvs.push(venv);
            }
        }
    }

    fn is_in_code(&self, path: &Path, world: &dyn World) -> bool {
        self.code.iter().any(|code| Place::new(code, world).holds(path, world))
    }

    pub fn dirs(&self) -> impl Iterator<Item = &Path> {
        self.venvs.iter().map(|venv| venv.place.spelled.as_path())
    }

    /// Does this path lead into one of the venvs?
    pub fn contains(&self, path: &Path, world: &dyn World) -> bool {
        self.venvs.iter().any(|venv| venv.place.holds(path, world))
    }

    /// Does it lead into one that is Hermes' own whatever the markers say?
    pub fn root_contains(&self, path: &Path, world: &dyn World) -> bool {
        self.venvs.iter().any(|venv| venv.of_root && venv.place.holds(path, world))
    }

    /// The `bin` directories in the order in which they go to the end of PATH: first the venv that only a removed marker
    /// names, since a nested start no longer knows it and would leave it where it is.
    fn bins(&self, is_kept: impl Fn(&[u8]) -> bool) -> Vec<(u64, u64)> {
        let class = |venv: &Venv| match venv {
            _ if venv.of_root => 2,
            _ if venv.markers.iter().any(|marker| is_kept(marker)) => 1,
            _ => 0,
        };
        let mut venvs: Vec<_> = self.venvs.iter().collect();
        venvs.sort_by_key(|venv| class(venv));
        venvs.iter().filter_map(|venv| venv.bin).collect()
    }

    /// A PATH with the venvs' `bin` at its end, and the elements that were moved there; none where nothing changes. Relative elements count from `base`. All other
    /// elements keep their bytes and their order.
    pub fn demote_on_path(
        &self,
        path: &[u8],
        base: Option<&Path>,
        world: &dyn World,
        is_kept: impl Fn(&[u8]) -> bool,
    ) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        let bins = self.bins(is_kept);
        if bins.is_empty() {
            return None;
        }
        let rank = |element: &[u8]| {
            let identity = world.stat(&element_dir(element, base)).ok()?.identity;
            bins.iter().position(|bin| *bin == identity)
        };
        let ranked: Vec<_> = path.split(|&byte| byte == b':').map(|element| (rank(element), element)).collect();
        let (mut moved, others): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|(rank, _)| rank.is_some());
        moved.sort_by_key(|(rank, _)| *rank);
        let elements = others.iter().chain(&moved).map(|(_, element)| *element);
        let value = elements.collect::<Vec<_>>().join(&b':');
        (value != path).then(|| (value, moved.iter().map(|(_, element)| element.to_vec()).collect()))
    }

    /// A PYTHONPATH without entries that lie in a venv or in Hermes' code: the new value, blank when nothing is left; none
    /// where nothing changes.
    pub fn filter_python_path(&self, path: &[u8], world: &dyn World) -> Option<Vec<u8>> {
        let is_own = |entry: &&[u8]| {
            let entry = Path::new(OsStr::from_bytes(entry));
            self.contains(entry, world) || self.is_in_code(entry, world)
        };
        let left: Vec<_> = path.split(|&byte| byte == b':').filter(|entry| !is_own(entry)).collect();
        let value = left.join(&b':');
        (value != path).then_some(value)
    }

    /// The venv whose `pip` this program is, directly or through a link.
    pub fn venv_of_pip(&self, program: &Path, world: &dyn World) -> Option<&Path> {
        let of = |program: &Path| {
            let name = program.file_name()?.as_bytes();
            let minor = name.strip_prefix(b"pip3.").is_some_and(|minor| minor.iter().all(u8::is_ascii_digit));
            let identity = world.stat(program.parent()?).ok()?.identity;
            let venv = self.venvs.iter().find(|venv| venv.bin == Some(identity))?;
            (name == b"pip" || name == b"pip3" || minor).then_some(venv.place.spelled.as_path())
        };
        if self.venvs.is_empty() {
            return None;
        }
        of(program).or_else(|| of(&world.canonical(program).ok()?))
    }
}

/// The directory that an element of PATH names: the current one (`base`) when it is empty, and relative to that when it is
/// relative.
pub fn element_dir(element: &[u8], base: Option<&Path>) -> PathBuf {
    let element = Path::new(OsStr::from_bytes(if element.is_empty() { b"." } else { element }));
    base.map_or_else(|| element.to_owned(), |base| base.join(element))
}
