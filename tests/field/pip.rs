//! pip, virtualenv and pipenv of the user's, started by an agent whose own venv is exported.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Run, Sandbox};
use crate::{Agent, PRINT_PREFIX, SYSTEM, direct, has_tiny, installed, system, wheel, wrapped};

/// A venv with a pip, made by virtualenv from the wheels that came with it.
#[track_caller]
fn virtualenv(sandbox: &Sandbox, name: &str) -> PathBuf {
    let venv = sandbox.path(name);
    // Of several in one sandbox the pip is unpacked and compiled once.
    let options = ["--quiet", "--no-setuptools", "--symlink-app-data"];
    let command = [&[installed("virtualenv/bin/virtualenv")], &options[..], &[venv.to_str().unwrap()]].concat();
    offline(direct(sandbox, &command)).run().ok();
    venv
}

fn offline(run: Run) -> Run {
    run.env("VIRTUALENV_NO_PERIODIC_UPDATE", "1").env("PIP_NO_INDEX", "1").env("PIP_NO_CACHE_DIR", "1")
}

/// python-poetry/poetry#5289, pypa/virtualenv#541, sjkingo/virtualenv-api#46 (V16): a tool that was started from a venv of
/// its own by a launcher. Every other interpreter takes that venv for its own.
#[test]
fn pip_installs_where_it_belongs_whatever_launched_the_agent() {
    let sandbox = Sandbox::new();
    let [own, other] = ["own", "other"].map(|name| virtualenv(&sandbox, name));
    let launcher = other.join("bin/python");
    let launched = |run: Run| offline(run).env("__PYVENV_LAUNCHER__", &launcher);
    let python = own.join("bin/python");
    let install = [python.to_str().unwrap(), "-m", "pip", "install", "--quiet", wheel(&sandbox)];
    launched(wrapped(&sandbox, &install)).run().ok();
    assert!(has_tiny(&own) && !has_tiny(&other));
    assert_eq!(interpreter(&own.join("bin/tiny")), python);
    assert_eq!(launched(sandbox.hx([own.join("bin/tiny")])).run().ok().out(), "tiny\n");

    launched(direct(&sandbox, &install)).run().ok();
    assert!(has_tiny(&other), "without the wrapper");
    assert_eq!(interpreter(&other.join("bin/tiny")), launcher, "without the wrapper");
}

/// What stands in the first line of a script.
#[track_caller]
fn interpreter(script: &Path) -> PathBuf {
    fs::read_to_string(script).unwrap().lines().next().unwrap().trim_start_matches("#!").into()
}

/// The same report (V16): the tool that makes venvs does not even start.
#[test]
fn virtualenv_starts_whatever_launched_the_agent() {
    let sandbox = Sandbox::new();
    let command = [installed("virtualenv/bin/virtualenv"), "--quiet", "--no-seed", "new"];
    let launched = |run: Run| offline(run).env("__PYVENV_LAUNCHER__", "/nonexistent/bin/python");
    let outcome = launched(direct(&sandbox, &command)).run();
    assert!(outcome.stderr.contains("No module named 'virtualenv'"), "without the wrapper: {outcome:?}");

    launched(wrapped(&sandbox, &command)).run().ok();
    let outcome = launched(sandbox.hx(["new/bin/python", "-c", PRINT_PREFIX])).run().ok();
    assert_eq!(outcome.out(), format!("{}\n", sandbox.path("work/new").display()));
}

/// The venv that the user works in is not Hermes': its place on PATH stays, and its pip is not refused (V16).
#[test]
fn pip_of_the_users_own_venv_works_as_without_the_wrapper() {
    let sandbox = Sandbox::new();
    let install = ["pip", "install", "--quiet", wheel(&sandbox)];
    let without = direct(&sandbox, &[&[system("env")], &install[..]].concat());
    let with = wrapped(&sandbox, &install);
    for (name, run) in [("without", without), ("with", with)] {
        let own = virtualenv(&sandbox, name);
        let path = format!("{}:{SYSTEM}", own.join("bin").display());
        offline(run).env("VIRTUAL_ENV", &own).env("PATH", path).run().ok();
        assert!(has_tiny(&own), "{name}");
        assert_eq!(interpreter(&own.join("bin/tiny")).parent(), Some(&*own.join("bin")), "{name}");
    }
}

/// pypa/pipenv#4042, #3563, #4327 (V18): the one variable makes pipenv work in Hermes' venv, the other one beside it in the
/// project's again. Each combination has to come to what a clean shell comes to.
#[test]
fn pipenv_takes_the_environment_of_the_project() {
    let agent = Agent::new();
    let sandbox = &agent.sandbox;
    sandbox.write("work/Pipfile", "[packages]\n");
    let own = sandbox.path("work/.venv");
    direct(sandbox, &[system("python3"), "-m", "venv", "--without-pip", own.to_str().unwrap()]).run().ok();
    let pipenv = |args: &[&'static str]| [&[installed("pipenv/bin/pipenv")], args].concat();
    let command = pipenv(&["--venv"]);
    let place = |run: Run| offline(run).env("LANG", "C.UTF-8").run().out();
    let expected = place(direct(sandbox, &command));
    assert_eq!(Path::new(expected.trim_end()), own);

    let hermes = format!("{}\n", agent.venv.display());
    assert_eq!(place(agent.without(&command)), hermes, "without the wrapper");
    assert_eq!(place(agent.without(&command).env("PIPENV_ACTIVE", "1")), expected, "without the wrapper, both");

    for active in [false, true] {
        for marked in [false, true] {
            let run = agent.with(&command);
            let run = if marked { run } else { run.no_env("VIRTUAL_ENV") };
            let run = if active { run.env("PIPENV_ACTIVE", "1") } else { run };
            assert_eq!(place(run), expected, "VIRTUAL_ENV: {marked}, PIPENV_ACTIVE: {active}");
        }
    }
    // What it runs is at the same place.
    let run = pipenv(&["run", "python3", "-c", PRINT_PREFIX]);
    assert_eq!(place(agent.without(&run)), hermes, "without the wrapper");
    assert_eq!(place(agent.with(&run)), expected);
    assert!(agent.is_intact());
}
