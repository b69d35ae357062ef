//! The tests on foreign tools: each shows a fault of the field without the wrapper, and its cure with it, on the tool that
//! users met it with; and what is shipped beside the binary, in the shells and with the tools that it is for. `tests/run`
//! installs those tools. A tool that is missing fails its tests; it never skips them.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "field/claude.rs"]
mod claude;
#[path = "field/cost.rs"]
mod cost;
#[path = "report/json/documents.rs"]
mod documents;
#[path = "field/mod.rs"]
mod field;
#[path = "field/git.rs"]
mod git;
#[path = "field/goes_on/mod.rs"]
mod goes_on;
#[path = "field/growth.rs"]
mod growth;
#[path = "field/held.rs"]
mod held;
#[path = "field/hermes.rs"]
mod hermes;
#[path = "field/home.rs"]
mod home;
#[path = "field/layouts/mod.rs"]
mod layouts;
#[path = "launch/concurrency/load.rs"]
mod load;
#[path = "field/logins.rs"]
mod logins;
#[path = "field/model.rs"]
mod model;
#[path = "dist/packages/mod.rs"]
mod packages;
#[path = "field/picture/mod.rs"]
mod picture;
#[path = "field/pip.rs"]
mod pip;
#[path = "field/poetry.rs"]
mod poetry;
#[path = "field/python.rs"]
mod python;
#[path = "field/readers.rs"]
mod readers;
#[path = "meta/recipes.rs"]
mod recipes;
#[path = "field/schema.rs"]
mod schema;
#[path = "field/session/mod.rs"]
mod session;
#[path = "cli/shells.rs"]
mod shells;
#[path = "field/side_by_side.rs"]
mod side_by_side;
#[path = "field/sudo.rs"]
mod sudo;
mod support;
#[path = "field/tmux.rs"]
mod tmux;
#[path = "field/toolchains.rs"]
mod toolchains;
#[path = "field/trace.rs"]
mod trace;
#[path = "field/uv.rs"]
mod uv;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Run, Sandbox, listing, spawn};

/// The directories of the system's tools, as PATH.
const SYSTEM: &str = "/usr/bin:/bin";

/// Python code that prints where the running interpreter belongs.
const PRINT_PREFIX: &str = "import sys; print(sys.prefix)";

/// A program that has to be there.
#[track_caller]
fn existing(path: PathBuf) -> &'static str {
    assert!(path.exists(), "{} is missing: run tests/run, which installs it", path.display());
    path.into_os_string().into_string().unwrap().leak()
}

/// A program that `tests/run` installs below `target/tools`.
#[track_caller]
fn installed(rel: &str) -> &'static str {
    existing(Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(rel))
}

/// A program of the system.
#[track_caller]
fn system(name: &str) -> &'static str {
    existing(Path::new("/usr/bin").join(name))
}

/// A start of the command itself, in the environment in which [`Sandbox::hx`] starts the wrapper.
fn direct(sandbox: &Sandbox, command: &[&str]) -> Run {
    sandbox.hx(&command[1..]).program(command[0]).secret_may_show()
}

/// The command through the wrapper without an option.
fn wrapped(sandbox: &Sandbox, command: &[&str]) -> Run {
    sandbox.hx([&["--"], command].concat())
}

/// A start of the command itself with HOME redirected to the home of the profile `builder`, and nothing else done.
fn redirected(sandbox: &Sandbox, command: &[&str]) -> Run {
    direct(sandbox, command).env("HOME", sandbox.mkdir(sandbox.home()))
}

/// The command through the wrapper as the profile `builder`, with one more item shared.
fn sharing(sandbox: &Sandbox, item: &str, command: &[&str]) -> Run {
    sandbox.hx([&["-p", "builder", "--share", item, "--"], command].concat())
}

/// A machine on which Hermes Agent runs from a venv of its own and starts commands with that venv's markers exported.
struct Agent {
    sandbox: Sandbox,
    /// Hermes' own venv: a working one, with `bin/hermes` and the distribution `hermes-agent`.
    venv: PathBuf,
    before: BTreeMap<PathBuf, String>,
}

impl Agent {
    /// With the venv in a place that only its markers tell.
    fn new() -> Self {
        Self::at("agent/venv", &["--without-pip"])
    }

    /// With the venv where Hermes' installer puts it.
    fn installed_by_hermes() -> Self {
        Self::at("real/.hermes/hermes-agent/venv", &["--without-pip"])
    }

    /// With a pip in the venv.
    fn with_pip() -> Self {
        Self::at("agent/venv", &[])
    }

    fn at(rel: &str, options: &[&str]) -> Self {
        let sandbox = Sandbox::new();
        let venv = sandbox.path(rel);
        let mut making = Command::new(system("python3"));
        let made = spawn(making.args(["-m", "venv"]).args(options).arg(&venv)).wait();
        assert!(made.unwrap().success());
        sandbox.script(venv.join("bin/hermes"), "#!/bin/sh\necho hermes\n");
        let packages = site_packages(&venv);
        for (file, text) in [
            ("hermes_agent/__init__.py", ""),
            ("hermes_agent-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: hermes-agent\nVersion: 1.0\n"),
            (
                "hermes_agent-1.0.dist-info/RECORD",
                "../../../bin/hermes,,\nhermes_agent/__init__.py,,\n\
                 hermes_agent-1.0.dist-info/METADATA,,\nhermes_agent-1.0.dist-info/RECORD,,\n",
            ),
        ] {
            sandbox.write(packages.join(file), text);
        }
        let before = listing(&venv);
        Self { sandbox, venv, before }
    }

    /// The command as an agent's tool starts it: with the venv's markers, its `bin` first on PATH, and no network.
    fn without(&self, command: &[&str]) -> Run {
        self.leak(direct(&self.sandbox, command))
    }

    /// The same command through the wrapper.
    fn with(&self, command: &[&str]) -> Run {
        self.with_options(&[], command)
    }

    /// The same command through the wrapper with these options.
    fn with_options(&self, options: &[&str], command: &[&str]) -> Run {
        self.leak(self.sandbox.hx([options, &["--"], command].concat()))
    }

    fn leak(&self, run: Run) -> Run {
        run.env("VIRTUAL_ENV", &self.venv)
            .env("PATH", format!("{}:{SYSTEM}", self.venv.join("bin").display()))
            .env("UV_OFFLINE", "1")
            .env("UV_CACHE_DIR", self.sandbox.path("uv-cache"))
    }

    /// Whether Hermes' venv still is what it was, byte for byte.
    fn is_intact(&self) -> bool {
        listing(&self.venv) == self.before
    }

    /// Whether Hermes could still start from its venv.
    fn can_start(&self) -> bool {
        self.venv.join("bin/hermes").exists() && site_packages(&self.venv).join("hermes_agent/__init__.py").exists()
    }

    /// See [`wheel`].
    fn wheel(&self) -> &'static str {
        wheel(&self.sandbox)
    }

    /// Makes the working directory a project for uv, which has nothing to build and nothing to install.
    fn project(&self) {
        self.sandbox.write(
            "work/pyproject.toml",
            "[project]\nname = \"project\"\nversion = \"1.0\"\nrequires-python = \">=3.8\"\ndependencies = []\n\
             [tool.uv]\npackage = false\n",
        );
    }
}

/// Puts a wheel into the working directory, with the one module `tiny`.
fn wheel(sandbox: &Sandbox) -> &'static str {
    wheel_of(sandbox, "tiny")
}

/// Puts a wheel into the working directory, with one module of that name and a command that says its name.
fn wheel_of(sandbox: &Sandbox, name: &str) -> &'static str {
    let pack = "import zipfile, sys\n\
        name, path = sys.argv[1:]\n\
        wheel = zipfile.ZipFile(path, 'w')\n\
        info = name + '-1.0.dist-info/'\n\
        wheel.writestr(name + '.py', f'def main(): print({name!r})\\n')\n\
        wheel.writestr(info + 'METADATA', f'Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n')\n\
        wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
        wheel.writestr(info + 'entry_points.txt', f'[console_scripts]\\n{name} = {name}:main\\n')\n\
        names = [name + '.py'] + [info + file for file in ('METADATA', 'WHEEL', 'entry_points.txt', 'RECORD')]\n\
        wheel.writestr(info + 'RECORD', ''.join(file + ',,\\n' for file in names))\n\
        wheel.close()\n";
    let wheel = format!("./{name}-1.0-py3-none-any.whl");
    direct(sandbox, &[system("python3"), "-c", pack, name, &wheel]).run().ok();
    wheel.leak()
}

/// The directory in a venv into which packages go.
#[track_caller]
fn site_packages(venv: &Path) -> PathBuf {
    // Beside it, Debian's Python has directories without packages.
    let places = fs::read_dir(venv.join("lib")).unwrap().map(|entry| entry.unwrap().path().join("site-packages"));
    let found: Vec<_> = places.filter(|place| place.exists()).collect();
    assert_eq!(found.len(), 1, "one Python version in {}", venv.display());
    found[0].clone()
}

/// Whether the wheel of [`Agent::wheel`] is installed in a venv.
fn has_tiny(venv: &Path) -> bool {
    site_packages(venv).join("tiny.py").exists()
}
