//! The layouts themselves: each is made anew for its test, from the wheels that `tests/run` fetches, by the installer that
//! makes it for users where that one can run without a network, else by hand with a real venv and the real package.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::gateway;
use crate::support::{Run, Sandbox};
use crate::{direct, installed, site_packages, system};

/// A row of the table of layouts.
#[derive(Clone, Copy, Debug)]
pub enum Row {
    /// A git checkout in the root, with the venv in it.
    GitCheckout,
    /// What the curl installer leaves today: the code in a checkout, the venv a numbered one elsewhere in the root.
    CurlInstaller,
    /// What the same leaves for root, in a mount namespace.
    RootInstall,
    /// The container image, in a mount namespace.
    Container,
    /// `uv tool install`.
    UvTool,
    /// `pipx install`.
    Pipx,
    /// Any venv anywhere.
    ByHand,
}

impl Row {
    /// The directory of the sandbox that stands in the place of one of the system's.
    fn mount(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::RootInstall => Some(("usr-local-lib", "/usr/local/lib")),
            Self::Container => Some(("opt", "/opt")),
            _ => None,
        }
    }

    fn root(self, sandbox: &Sandbox) -> PathBuf {
        if matches!(self, Self::Container) { "/opt/data".into() } else { sandbox.root() }
    }

    fn venv(self, sandbox: &Sandbox) -> PathBuf {
        match self {
            Self::GitCheckout => sandbox.root().join("hermes-agent/venv"),
            Self::CurlInstaller => sandbox.root().join("installs/0123456789abcdef/environments/1-7d3f"),
            Self::RootInstall => "/usr/local/lib/hermes-agent/venv".into(),
            Self::Container => "/opt/hermes/.venv".into(),
            Self::UvTool => sandbox.real().join(".local/share/uv/tools/hermes-agent"),
            Self::Pipx => sandbox.real().join(".local/share/pipx/venvs/hermes-agent"),
            Self::ByHand => sandbox.real().join("envs/assistant"),
        }
    }

    /// Where the code lies, when not in the venv.
    fn checkout(self, sandbox: &Sandbox) -> Option<PathBuf> {
        match self {
            Self::GitCheckout | Self::CurlInstaller => Some(sandbox.root().join("hermes-agent")),
            Self::RootInstall => Some("/usr/local/lib/hermes-agent".into()),
            Self::Container => Some("/opt/hermes".into()),
            Self::UvTool | Self::Pipx | Self::ByHand => None,
        }
    }
}

/// Takes the code out of the venv into the checkout, as an editable installation has it. A command sees the checkout at the
/// third place.
const MAKE_EDITABLE: &str = "
import pathlib, sys
packages, checkout = map(pathlib.Path, sys.argv[1:3])
checkout.mkdir(parents=True, exist_ok=True)
info = next(packages.glob('hermes_agent-*.dist-info'))
rows = (info / 'RECORD').read_text().splitlines()
tops = {row.split(',')[0].split('/')[0] for row in rows} - {'..', '__pycache__', info.name}
for top in sorted(tops):
    (packages / top).rename(checkout / top)
(packages / '__editable__.hermes_agent.pth').write_text(f'{sys.argv[3]}\\n')
left = [row for row in rows if row.startswith(('../', info.name + '/'))]
(info / 'RECORD').write_text('\\n'.join(left + ['__editable__.hermes_agent.pth,,', '']))
(checkout / 'pyproject.toml').write_text('[project]\\nname = \"hermes-agent\"\\nversion = \"0.19.0\"\\n')
";

/// Everything in a venv: mode, owner, and a file's bytes or a link's text.
pub type Bytes = BTreeMap<PathBuf, (u32, u32, u32, Vec<u8>)>;

/// A machine with Hermes Agent in one of the layouts, and the profile `builder`.
pub struct Layout {
    row: Row,
    /// The tree that everything is in.
    pub sandbox: Sandbox,
    /// Hermes' venv, as a command sees it.
    pub venv: PathBuf,
    /// The Hermes root, as a command sees it.
    pub root: PathBuf,
}

impl Layout {
    /// Installs it, with a pip in the venv: without one there would be nothing to refuse.
    pub fn new(row: Row) -> Self {
        let sandbox = Sandbox::new();
        let layout = Self { row, venv: row.venv(&sandbox), root: row.root(&sandbox), sandbox };
        if let Some((rel, _)) = row.mount() {
            layout.sandbox.mkdir(rel);
        }
        layout.sandbox.mkdir(layout.on_disk(&layout.root).join("profiles/builder"));
        layout.install();
        layout
    }

    fn install(&self) {
        match self.row {
            Row::UvTool => self.install_with(&[
                installed("uv/bin/uv"),
                "tool",
                "install",
                "--python",
                system("python3"),
                "--with",
                "pip",
                "hermes-agent",
            ]),
            Row::Pipx => self.install_with(&[
                installed("pipx/bin/pipx"),
                "install",
                "--python",
                system("python3"),
                "--preinstall",
                "pip",
                "hermes-agent",
            ]),
            _ => self.install_by_hand(),
        }
        match self.row {
            Row::CurlInstaller => self.add_installers_tools(),
            Row::Container => self.add_images_tools(),
            _ => {}
        }
    }

    /// Runs an installer of the user's, who has uv on PATH: then pipx takes it, too.
    fn install_with(&self, command: &[&str]) {
        let tools = Path::new(installed("uv/bin/uv")).parent().unwrap();
        let run = offline(direct(&self.sandbox, command)).env("PATH", format!("{}:/usr/bin:/bin", tools.display()));
        let outcome = run.run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
    }

    fn install_by_hand(&self) {
        // Where a mount puts it later: across a mount uv would have to copy each of seven thousand files.
        let venv = self.on_disk(&self.venv);
        let path = venv.to_str().unwrap();
        if matches!(self.row, Row::ByHand) {
            self.install_with(&[system("python3"), "-m", "venv", "--without-pip", path]);
        } else {
            self.install_with(&[installed("uv/bin/uv"), "venv", "--quiet", "--python", system("python3"), path]);
        }
        let uv_pip = [installed("uv/bin/uv"), "pip", "install", "--quiet", "--python", path];
        self.install_with(&[&uv_pip[..], &["hermes-agent", "pip"]].concat());
        if let Some(checkout) = self.checkout() {
            let [packages, place] = [&self.packages(), &checkout].map(|seen| self.on_disk(seen));
            let [packages, place] = [&packages, &place].map(|path| path.to_str().unwrap());
            self.install_with(&[system("python3"), "-c", MAKE_EDITABLE, packages, place, checkout.to_str().unwrap()]);
        }
        if self.row.mount().is_some() {
            self.name_the_mount(&venv.join("bin"));
        }
    }

    /// The scripts name the interpreter at the place where commands see it.
    fn name_the_mount(&self, bin: &Path) {
        let [disk, seen] = [self.on_disk(&self.venv), self.venv.clone()].map(|venv| venv.display().to_string());
        for entry in fs::read_dir(bin).unwrap() {
            let path = entry.unwrap().path();
            if let (false, Ok(text)) = (path.is_symlink(), fs::read_to_string(&path)) {
                self.sandbox.write(&path, text.replace(&disk, &seen));
            }
        }
    }

    /// Its launcher, and what it brings along.
    fn add_installers_tools(&self) {
        let start = format!(
            "#!/bin/sh\nPYTHONPATH={}:{} exec {}/bin/python -m hermes_cli.main \"$@\"\n",
            self.checkout().unwrap().display(),
            self.packages().display(),
            self.venv.display()
        );
        self.sandbox.script(self.root.join("hermes-agent/.hermes/bin/hermes"), start);
        for tool in ["node/bin/node", "ripgrep/bin/rg", "uv/bin/uv"] {
            self.sandbox.script(self.root.join("tools").join(tool), "#!/bin/sh\necho own\n");
        }
    }

    fn add_images_tools(&self) {
        let start = format!("#!/bin/sh\nexec {}/bin/hermes \"$@\"\n", self.venv.display());
        self.sandbox.script("opt/hermes/bin/hermes", start);
        self.sandbox.script("opt/hermes/tools/node/bin/node", "#!/bin/sh\necho own\n");
    }

    /// The directories that the launcher or the image puts first on PATH.
    pub fn first_on_path(&self) -> Vec<PathBuf> {
        let tools = |root: &str, rels: &[&str]| rels.iter().map(|rel| Path::new(root).join(rel)).collect();
        match self.row {
            Row::CurlInstaller => tools(
                self.root.to_str().unwrap(),
                &["hermes-agent/.hermes/bin", "tools/node/bin", "tools/ripgrep/bin", "tools/uv/bin"],
            ),
            Row::Container => tools("/opt/hermes", &["bin", "tools/node/bin"]),
            _ => Vec::new(),
        }
    }

    /// PYTHONPATH of a layout that needs one.
    pub fn pythonpath(&self) -> Option<String> {
        let needs_one = matches!(self.row, Row::CurlInstaller);
        needs_one.then(|| format!("{}:{}", self.checkout().unwrap().display(), self.packages().display()))
    }

    /// The row of the table.
    pub fn row(&self) -> Row {
        self.row
    }

    /// Where the code lies, when not in the venv, as a command sees it.
    pub fn checkout(&self) -> Option<PathBuf> {
        self.row.checkout(&self.sandbox)
    }

    /// The directory of the packages of Hermes' venv, as a command sees it.
    pub fn packages(&self) -> PathBuf {
        let on_disk = site_packages(&self.on_disk(&self.venv));
        self.venv.join(on_disk.strip_prefix(self.on_disk(&self.venv)).unwrap())
    }

    /// Where a path that a command sees lies for the test.
    pub fn on_disk(&self, seen: &Path) -> PathBuf {
        let mounted =
            self.row.mount().and_then(|(rel, at)| Some(self.sandbox.path(rel).join(seen.strip_prefix(at).ok()?)));
        mounted.unwrap_or_else(|| seen.to_owned())
    }

    /// The venv, byte for byte. What it compiles of its own code when Hermes is asked, at its first start, is no damage.
    pub fn bytes(&self) -> Bytes {
        gateway::environment(self);
        let mut all = Bytes::new();
        let mut open = vec![self.on_disk(&self.venv)];
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(&next).unwrap() {
                let path = entry.unwrap().path();
                let meta = path.symlink_metadata().unwrap();
                let bytes = if meta.is_symlink() {
                    fs::read_link(&path).unwrap().as_os_str().as_bytes().to_owned()
                } else if meta.is_dir() {
                    open.push(path.clone());
                    Vec::new()
                } else {
                    fs::read(&path).unwrap()
                };
                all.insert(path, (meta.mode(), meta.uid(), meta.gid(), bytes));
            }
        }
        all
    }

    /// Succeeds when the venv is still what it was; else says which entries are not.
    #[track_caller]
    pub fn assert_untouched(&self, before: &Bytes) {
        let now = self.bytes();
        let paths = before.keys().chain(now.keys());
        let changed: Vec<_> = paths.filter(|path| before.get(*path) != now.get(*path)).take(5).collect();
        assert!(changed.is_empty(), "changed in Hermes' venv: {changed:?}");
    }

    /// A venv of the user's with a pip and without Hermes: the control.
    pub fn users_venv(&self) -> PathBuf {
        let venv = self.sandbox.path("users-venv");
        let uv = installed("uv/bin/uv");
        let path = venv.to_str().unwrap();
        self.install_with(&[uv, "venv", "--quiet", "--python", system("python3"), path]);
        self.install_with(&[uv, "pip", "install", "--quiet", "--python", path, "pip"]);
        venv
    }

    /// The command as an agent's tool starts it: in the environment that Hermes builds for it.
    pub fn without(&self, command: &[&str]) -> Run {
        gateway::given_to(self, direct(&self.sandbox, command))
    }

    /// The same command through the wrapper, as the profile `builder`.
    pub fn with(&self, command: &[&str]) -> Run {
        self.hx(&[&["-p", "builder", "--"], command].concat())
    }

    /// The wrapper with these words.
    pub fn hx(&self, words: &[&str]) -> Run {
        gateway::given_to(self, self.sandbox.hx(words))
    }

    /// Starts where the layout is at its place.
    pub fn at_its_place(&self, run: Run) -> Run {
        let Some((rel, at)) = self.row.mount() else { return run };
        run.mounted(&format!("/bin/mount --bind '{}' {at}", self.sandbox.path(rel).display()))
    }
}

/// No network, and uv's cache beside the wheels: a second installation is a matter of links.
pub fn offline(run: Run) -> Run {
    let wheels = installed("wheels");
    run.env("UV_OFFLINE", "1")
        .env("UV_NO_INDEX", "1")
        .env("UV_FIND_LINKS", wheels)
        .env("UV_CACHE_DIR", Path::new(wheels).with_file_name("uv-cache"))
        .env("PIP_NO_INDEX", "1")
        .env("PIP_FIND_LINKS", wheels)
        .env("PIP_NO_CACHE_DIR", "1")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
}
