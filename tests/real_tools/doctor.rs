//! `--doctor` and the damage of the field, done by the real uv.

use std::path::Path;

use crate::support::Run;
use crate::{Agent, installed};

fn uv() -> &'static str {
    installed("uv/bin/uv")
}

/// What `--doctor` says, started in the gateway's environment.
fn doctor(agent: &Agent) -> Run {
    let bin = agent.venv.join("bin");
    let run = agent.sandbox.hx(["--doctor"]).env("VIRTUAL_ENV", &agent.venv);
    run.env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
}

#[track_caller]
fn assert_whole(agent: &Agent) {
    let outcome = doctor(agent).run().ok();
    assert!(outcome.out().contains("\nok       own-venv: "), "{}", outcome.out());
}

#[track_caller]
fn assert_damaged(agent: &Agent) -> String {
    let outcome = doctor(agent).run();
    assert_eq!(outcome.code(), 1, "{}", outcome.out());
    let line = outcome.out().lines().find(|line| line.starts_with("problem  own-venv: ")).map(str::to_owned);
    let line = line.unwrap_or_else(|| panic!("{}", outcome.out()));
    assert!(line.contains(&agent.venv.display().to_string()) && line.contains("no hermes_agent"), "{line}");
    let cure = outcome.out().lines().skip_while(|other| *other != line).nth(1).map(str::to_owned);
    cure.and_then(|line| Some(line.trim().strip_prefix("cure: ")?.to_owned())).expect("the next line is the cure")
}

/// NousResearch/hermes-agent#23473: `uv sync` in another project empties Hermes' venv; nothing shows until the gateway's
/// next start. With hermes-exec in front, nothing happens to it.
#[test]
fn uv_damages_hermes_venv() {
    let agent = Agent::installed_by_hermes();
    agent.project();
    assert_whole(&agent);
    let sync = |run: Run| {
        let outcome = run.env("UV_PROJECT_ENVIRONMENT", &agent.venv).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
    };
    sync(agent.with(&[uv(), "sync"]));
    assert_whole(&agent);
    sync(agent.without(&[uv(), "sync"]));
    assert!(!agent.can_start());
    assert_damaged(&agent);
}

/// The cure is pasted, with the package at hand, since there is no network.
#[test]
fn the_cure_mends_hermes_venv() {
    let agent = Agent::installed_by_hermes();
    agent.project();
    let outcome = agent.without(&[uv(), "sync", "--active"]).run();
    assert!(!agent.can_start(), "{outcome:?}");
    let cure = assert_damaged(&agent);
    agent.wheel_of("hermes_agent");
    let tools = Path::new(uv()).parent().unwrap().display().to_string();
    let run = agent.without(&["/bin/sh", "-c", &cure]).env("UV_FIND_LINKS", agent.sandbox.path("work"));
    let outcome = run.env("PATH", format!("{tools}:/usr/bin:/bin")).run();
    assert_eq!(outcome.code(), 0, "{cure}: {outcome:?}");
    assert_whole(&agent);
}
