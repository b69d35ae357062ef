//! The commands that install into the first venv they find. Each is tried with a venv of the user's beside Hermes', where it
//! has to work there; where there is nothing but Hermes', where it has to leave it alone; and without the wrapper, where it
//! does the damage.

use std::path::{Path, PathBuf};

use super::place::{Bytes, Layout, Row};
use crate::support::Outcome;
use crate::{has_tiny, installed, site_packages, wheel};

/// A layout with a venv of the user's beside it, and a wheel in the working directory.
struct Trial {
    layout: Layout,
    users: PathBuf,
    before: Bytes,
}

impl Trial {
    fn new(row: Row) -> Self {
        let layout = Layout::new(row);
        wheel(&layout.sandbox);
        layout.sandbox.write("work/requirements.txt", format!("{WHEEL}\n"));
        // What it compiles of its own code at its first start is no damage.
        layout.path();
        Self { users: layout.users_venv(), before: layout.bytes(), layout }
    }

    /// With the user's venv on PATH, behind Hermes': the command works there.
    #[track_caller]
    fn works_in_the_users_venv(&self, command: &[&str]) {
        let outcome = self.layout.with(command).env("PATH", self.layout.path_with(&self.users)).run();
        self.layout.assert_untouched(&self.before);
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        assert!(has_tiny(&self.users), "{outcome:?}");
    }

    /// On this PATH the command ends so; Hermes' venv is what it was.
    #[track_caller]
    fn leaves_it_alone(&self, command: &[&str], path: &str) -> Outcome {
        let outcome = self.layout.with(command).env("PATH", path).run();
        self.layout.assert_untouched(&self.before);
        outcome
    }

    /// On this PATH the command is refused, and the message says whose it is.
    #[track_caller]
    fn is_refused(&self, command: &[&str], path: &str) {
        self.leaves_it_alone(command, path).fails(126, &[command[0], self.layout.venv.to_str().unwrap()]);
    }

    /// On this PATH, without the wrapper, the command installs into Hermes' venv.
    #[track_caller]
    fn does_the_damage_without_the_wrapper(&self, command: &[&str], path: &str) {
        let outcome = self.layout.without(&[&["/usr/bin/env"], command].concat()).env("PATH", path).run();
        assert_eq!(outcome.code(), 0, "without the wrapper: {outcome:?}");
        assert!(has_tiny(&self.layout.on_disk(&self.layout.venv)), "without the wrapper: {outcome:?}");
    }
}

const WHEEL: &str = "./tiny-1.0-py3-none-any.whl";

/// Where nobody else has a pip, Hermes' is refused.
pub fn pip_install(row: Row) {
    let trial = Trial::new(row);
    let command = ["pip", "install", WHEEL];
    trial.works_in_the_users_venv(&command);
    let alone = trial.layout.path_without_others(&["pip", "pip3"]);
    trial.is_refused(&command, &alone);
    trial.is_refused(&["pip3", "install", WHEEL], &alone);
    trial.does_the_damage_without_the_wrapper(&command, &trial.layout.path());
}

/// Where there is no other venv, uv says so.
pub fn uv_pip_install(row: Row) {
    let trial = Trial::new(row);
    let command = [installed("uv/bin/uv"), "pip", "install", WHEEL];
    trial.works_in_the_users_venv(&command);
    let outcome = trial.leaves_it_alone(&command, &trial.layout.path());
    assert_eq!(outcome.code(), 2, "{outcome:?}");
    assert!(outcome.stderr.contains("No virtual environment found"), "{outcome:?}");
    trial.does_the_damage_without_the_wrapper(&command, &trial.layout.path());
}

/// What is not among the requirements goes: of Hermes nothing would be left.
pub fn uv_pip_sync(row: Row) {
    let trial = Trial::new(row);
    let command = [installed("uv/bin/uv"), "pip", "sync", "requirements.txt"];
    trial.works_in_the_users_venv(&command);
    assert!(!site_packages(&trial.users).join("pip").exists(), "the user's own word, in the user's own venv");
    let outcome = trial.leaves_it_alone(&command, &trial.layout.path());
    assert_eq!(outcome.code(), 2, "{outcome:?}");
    trial.does_the_damage_without_the_wrapper(&command, &trial.layout.path());
    let packages = site_packages(&trial.layout.on_disk(&trial.layout.venv));
    assert!(!packages.join("httpx").exists(), "without the wrapper");
}

/// Where the only Python is Hermes', it runs, but not its pip.
pub fn python_m_pip_install(row: Row) {
    let trial = Trial::new(row);
    let command = ["python", "-m", "pip", "install", WHEEL];
    trial.works_in_the_users_venv(&command);
    let alone = trial.layout.path_without_others(&["python", "python3"]);
    trial.is_refused(&command, &alone);
    trial.is_refused(&["python3", "-mpip", "install", WHEEL], &alone);
    let run = ["python", "-B", "-c", "import sys; print(sys.prefix)"];
    let outcome = trial.leaves_it_alone(&run, &alone).ok();
    assert_eq!(Path::new(outcome.out().trim_end()), trial.layout.venv, "anything else there runs");
    trial.does_the_damage_without_the_wrapper(&command, &trial.layout.path());
}

/// NousResearch/hermes-agent#33178 (W03): in any spelling, as long as nothing but options stands before it.
#[test]
fn w03_python_m_pip_where_the_only_python_is_hermes() {
    let trial = Trial::new(Row::ByHand);
    let alone = trial.layout.path_without_others(&["python", "python3"]);
    for words in [
        &["python", "-m", "pip", "install", WHEEL][..],
        &["python3", "-I", "-mpip", "install", WHEEL],
        &["python3", "-B", "-Wignore", "-m", "pip", "install", WHEEL],
        &["python3", "-m", "ensurepip", "--upgrade"],
    ] {
        trial.is_refused(words, &alone);
    }
    // By its path it is the same one.
    let path = trial.layout.venv.join("bin/python3").display().to_string();
    trial.leaves_it_alone(&[&path, "-m", "pip", "install", WHEEL], &alone).fails(126, &["pip"]);
    // Words of a program of the user's are no options of Python.
    trial.layout.sandbox.write("work/words.py", "import sys; print(sys.argv[1:])\n");
    let outcome = trial.leaves_it_alone(&["python", "-B", "words.py", "-m", "pip"], &alone).ok();
    assert_eq!(outcome.out(), "['-m', 'pip']\n");
    trial.does_the_damage_without_the_wrapper(&["python3", "-I", "-mpip", "install", WHEEL], &alone);
}

/// pypa/virtualenv#1723, #2191 (W04): a venv made by virtualenv has a pip by one name more.
#[test]
fn w04_pip_with_a_hyphen_is_refused() {
    let trial = Trial::new(Row::ByHand);
    let made = trial.layout.sandbox.path("made");
    let virtualenv = [installed("virtualenv/bin/virtualenv"), "--quiet", made.to_str().unwrap()];
    let outcome = super::place::offline(crate::direct(&trial.layout.sandbox, &virtualenv)).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let names =
        std::fs::read_dir(made.join("bin")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pips: Vec<_> = names.filter(|name| name.starts_with("pip")).collect();
    assert!(pips.iter().any(|name| name.starts_with("pip-3.")), "{pips:?}");

    // Under each of these names Hermes' venv gets the pip that it has.
    let bin = trial.layout.venv.join("bin");
    for name in &pips {
        trial.layout.sandbox.copied(bin.join(name), &bin.join("pip"));
    }
    let trial = Trial { before: trial.layout.bytes(), ..trial };
    let alone = trial.layout.path_without_others(&pips.iter().map(String::as_str).collect::<Vec<_>>());
    for name in &pips {
        trial.is_refused(&[name, "install", WHEEL], &alone);
    }
    let hyphened = pips.iter().find(|name| name.starts_with("pip-3.")).unwrap();
    trial.does_the_damage_without_the_wrapper(&[hyphened, "install", WHEEL], &alone);
}
