//! The commands that install into the first venv they find. Each is tried with a venv of the user's beside Hermes', where it
//! has to work there; where there is nothing but Hermes', where it has to leave it alone; and without the wrapper, where it
//! does the damage.

use std::fs;
use std::path::{Path, PathBuf};

use super::place::{Bytes, Layout, Row, offline};
use crate::support::Outcome;
use crate::{direct, installed, site_packages, wheel_of};

/// How a command ends where there is no venv but Hermes'.
enum End {
    /// Refused, where nobody else has a program of these names.
    Refused(&'static [&'static str]),
    /// By its own word: there is no venv.
    NoVenv,
}

/// One command, and the wheel that it installs.
struct Case<'a> {
    wheel: &'static str,
    command: Vec<&'a str>,
    end: End,
}

/// In this order: what is not among the requirements of the last one goes, and of Hermes nothing would be left.
fn cases() -> [Case<'static>; 4] {
    let uv = installed("uv/bin/uv");
    let [pips, pythons] = [End::Refused(&["pip", "pip3"]), End::Refused(&["python", "python3"])];
    [
        Case { wheel: "by_pip", command: vec!["pip", "install", "./by_pip-1.0-py3-none-any.whl"], end: pips },
        Case {
            wheel: "by_python",
            command: vec!["python", "-m", "pip", "install", "./by_python-1.0-py3-none-any.whl"],
            end: pythons,
        },
        Case { wheel: "by_uv", command: vec![uv, "pip", "install", "./by_uv-1.0-py3-none-any.whl"], end: End::NoVenv },
        Case { wheel: "by_sync", command: vec![uv, "pip", "sync", "requirements.txt"], end: End::NoVenv },
    ]
}

/// A layout with a venv of the user's beside it, and the wheels in the working directory.
struct Trial {
    layout: Layout,
    users: PathBuf,
    before: Bytes,
    faults: Vec<String>,
}

impl Trial {
    fn new(row: Row) -> Self {
        let layout = Layout::new(row);
        for case in cases() {
            wheel_of(&layout.sandbox, case.wheel);
        }
        layout.sandbox.write("work/requirements.txt", "./by_sync-1.0-py3-none-any.whl\n");
        Self { users: layout.users_venv(), before: layout.bytes(), layout, faults: Vec::new() }
    }

    /// On this PATH.
    fn on(&self, path: &str, command: &[&str]) -> Outcome {
        self.layout.with(command).env("PATH", path).run()
    }

    /// Takes a fault down, so that one of them does not hide the others.
    fn expect(&mut self, holds: bool, what: &str, case: &Case<'_>, outcome: &Outcome) {
        if !holds {
            self.faults.push(format!("{:?}: {what}: {} {:?}", case.command, outcome.code(), outcome.stderr));
        }
    }

    /// With the user's venv on PATH, behind Hermes', and then without it.
    fn try_with_the_wrapper(&mut self, case: &Case<'_>) {
        let outcome = self.on(&self.layout.path_with(&self.users), &case.command);
        self.expect(has(&self.users, case.wheel), "it does not work in the user's venv", case, &outcome);
        let alone = match case.end {
            End::Refused(tools) => self.layout.path_without_others(tools),
            End::NoVenv => self.layout.path(),
        };
        let outcome = self.on(&alone, &case.command);
        let is_as_expected = match case.end {
            End::Refused(_) => outcome.code() == 126 && outcome.stderr.contains(self.layout.venv.to_str().unwrap()),
            End::NoVenv => outcome.code() == 2 && outcome.stderr.contains("No virtual environment found"),
        };
        self.expect(is_as_expected, "it is not stopped", case, &outcome);
        let now = self.layout.bytes();
        self.expect(now == self.before, "Hermes' venv is not what it was", case, &outcome);
        self.before = now;
    }

    /// As Hermes starts it, the command does the damage.
    #[track_caller]
    fn try_without_the_wrapper(&self, case: &Case<'_>, path: &str) {
        let outcome = self.layout.without(&[&["/usr/bin/env"], &case.command[..]].concat()).env("PATH", path).run();
        assert_eq!(outcome.code(), 0, "without the wrapper: {outcome:?}");
        assert!(has(&self.layout.on_disk(&self.layout.venv), case.wheel), "without the wrapper: {outcome:?}");
    }

    /// On this PATH the command is refused by the wrapper, and the message says whose it is.
    #[track_caller]
    fn is_refused(&self, command: &[&str], path: &str) {
        self.on(path, command).fails(126, &["pip", self.layout.venv.to_str().unwrap()]);
    }
}

/// Whether a wheel is installed in a venv.
fn has(venv: &Path, wheel: &str) -> bool {
    site_packages(venv).join(wheel).with_extension("py").exists()
}

/// One row of the table.
pub fn all(row: Row) {
    let mut trial = Trial::new(row);
    cases().iter().for_each(|case| trial.try_with_the_wrapper(case));
    assert!(trial.faults.is_empty(), "{:#?}", trial.faults);
    assert!(!has(&trial.users, "by_pip"), "the last one is the user's own word, in the user's own venv");
    let path = trial.layout.path();
    cases().iter().for_each(|case| trial.try_without_the_wrapper(case, &path));
    let packages = site_packages(&trial.layout.on_disk(&trial.layout.venv));
    assert!(!packages.join("httpx").exists(), "without the wrapper nothing is left");
}

const WHEEL: &str = "./by_pip-1.0-py3-none-any.whl";

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
    trial.on(&alone, &[&path, "-m", "pip", "install", WHEEL]).fails(126, &["pip"]);
    // Words of a program of the user's are no options of Python.
    trial.layout.sandbox.write("work/words.py", "import sys; print(sys.argv[1:])\n");
    let outcome = trial.on(&alone, &["python", "-B", "words.py", "-m", "pip"]).ok();
    assert_eq!(outcome.out(), "['-m', 'pip']\n");
    trial.layout.assert_untouched(&trial.before);
    let command = vec!["python3", "-I", "-mpip", "install", WHEEL];
    trial.try_without_the_wrapper(&Case { wheel: "by_pip", command, end: End::NoVenv }, &alone);
}

/// pypa/virtualenv#1723, #2191 (W04): a venv made by virtualenv has a pip by one name more.
#[test]
fn w04_pip_with_a_hyphen_is_refused() {
    let trial = Trial::new(Row::ByHand);
    let made = trial.layout.sandbox.path("made");
    let virtualenv = [installed("virtualenv/bin/virtualenv"), "--quiet", made.to_str().unwrap()];
    let outcome = offline(direct(&trial.layout.sandbox, &virtualenv)).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let names = fs::read_dir(made.join("bin")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
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
    trial.layout.assert_untouched(&trial.before);
    let command = vec![hyphened.as_str(), "install", WHEEL];
    trial.try_without_the_wrapper(&Case { wheel: "by_pip", command, end: End::NoVenv }, &alone);
}
