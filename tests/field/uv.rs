//! uv in a project of the user's, started by an agent whose own venv is exported.

use crate::support::Run;
use crate::{Agent, PRINT_PREFIX, has_tiny, installed};

/// The warning that uv gives when it sees the markers of another venv.
const MISMATCH: &str = "does not match the project environment";

fn uv() -> &'static str {
    installed("uv/bin/uv")
}

/// `uv sync` through the wrapper makes the project's own venv, and without it leaves nothing of Hermes.
#[track_caller]
fn assert_sync_spares_hermes(setting: impl Fn(&Agent, Run) -> Run, command: &[&str]) {
    let [without, with] = [Agent::new(), Agent::new()];
    without.project();
    with.project();
    let outcome = setting(&without, without.without(command)).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(!without.can_start(), "without the wrapper: {outcome:?}");

    let outcome = setting(&with, with.with(command)).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(with.is_intact(), "{outcome:?}");
    assert!(with.sandbox.path("work/.venv/pyvenv.cfg").exists());
    assert!(!outcome.stderr.contains(MISMATCH), "{outcome:?}");
}

/// NousResearch/hermes-agent#23473: at its next start the gateway had no modules.
#[test]
fn sync_with_an_inherited_project_environment() {
    assert_sync_spares_hermes(|agent, run| run.env("UV_PROJECT_ENVIRONMENT", &agent.venv), &[uv(), "sync"]);
}

/// The same fault by another way: the agent's venv is the active one.
#[test]
fn sync_into_the_active_venv() {
    assert_sync_spares_hermes(|_, run| run, &[uv(), "sync", "--active"]);
}

/// astral-sh/uv#7073, #14747: a warning in every command.
#[test]
fn sync_does_not_warn_of_another_environment() {
    let agent = Agent::new();
    agent.project();
    let outcome = agent.without(&[uv(), "sync"]).run();
    assert!(outcome.stderr.contains(MISMATCH), "without the wrapper: {outcome:?}");

    let outcome = agent.with(&[uv(), "sync"]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(!outcome.stderr.contains(MISMATCH), "{outcome:?}");
}

/// vercel/vercel#15715: somebody who means the variable says so.
#[test]
fn sync_into_an_environment_that_the_user_keeps() {
    let agent = Agent::new();
    agent.project();
    let [chosen, own] = ["work/build-venv", "work/.venv"].map(|rel| agent.sandbox.path(rel));
    let run = agent.with(&[uv(), "sync"]).env("UV_PROJECT_ENVIRONMENT", "build-venv").run();
    assert!(own.exists() && !chosen.exists(), "without the option: {run:?}");

    let keep = ["--keep", "UV_PROJECT_ENVIRONMENT"];
    let run = agent.with_options(&keep, &[uv(), "sync"]).env("UV_PROJECT_ENVIRONMENT", "build-venv").run();
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(chosen.exists(), "{run:?}");
    assert!(agent.is_intact());
}

/// astral-sh/uv#5837: a venv that is active and forgotten gets the packages of a project with a venv of its own.
#[test]
fn pip_install_in_a_project_with_a_venv() {
    let [without, with] = [Agent::new(), Agent::new()];
    let [beside, project] = [&without, &with].map(|agent| {
        let venv = agent.sandbox.path("work/.venv");
        assert_eq!(agent.without(&[uv(), "venv", "--no-project", venv.to_str().unwrap()]).run().code(), 0);
        venv
    });
    let outcome = without.without(&[uv(), "pip", "install", without.wheel()]).run();
    assert!(has_tiny(&without.venv) && !has_tiny(&beside), "without the wrapper: {outcome:?}");

    let outcome = with.with(&[uv(), "pip", "install", with.wheel()]).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(has_tiny(&project), "{outcome:?}");
    assert!(with.is_intact(), "{outcome:?}");
}

/// Without any venv around, uv takes the first interpreter on PATH when that is one of a venv.
#[test]
fn pip_install_in_a_bare_directory() {
    // Without the marker only the place tells whose venv it is.
    for (marked, new) in [(true, Agent::new as fn() -> Agent), (false, Agent::installed_by_hermes)] {
        let start = |run: Run| if marked { run } else { run.no_env("VIRTUAL_ENV") }.run();
        let agent = new();
        let outcome = start(agent.without(&[uv(), "pip", "install", agent.wheel()]));
        assert!(has_tiny(&agent.venv), "without the wrapper: {outcome:?}");

        let agent = new();
        let outcome = start(agent.with(&[uv(), "pip", "install", agent.wheel()]));
        assert_eq!(outcome.code(), 2, "uv refuses: {outcome:?}");
        assert!(outcome.stderr.contains("No virtual environment found"), "{outcome:?}");
        assert!(agent.is_intact(), "{outcome:?}");
    }
}

/// python-poetry/poetry#909 for uv: a tool for environments works in the outer one.
#[test]
fn run_outside_a_project() {
    let agent = Agent::new();
    let ours = format!("{}\n", agent.venv.display());
    let command = [uv(), "run", "--no-project", "python3", "-c", PRINT_PREFIX];
    assert_eq!(agent.without(&command).run().out(), ours, "without the wrapper");

    let outcome = agent.with(&command).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert_ne!(outcome.out(), ours);
    assert!(agent.is_intact(), "{outcome:?}");
}
