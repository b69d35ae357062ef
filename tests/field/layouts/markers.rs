//! nox, which gives each of its sessions an environment and names it three times; and pyenv, which names it twice.

use std::path::PathBuf;

use super::place::offline;
use crate::support::{Outcome, Sandbox, binary};
use crate::{Agent, direct, has_tiny, installed, wheel};

/// What nox exports into a session that uv makes.
const MARKERS: [&str; 3] = ["VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "UV_PYTHON"];

/// A project with a session that runs one command, and a wheel.
fn project() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    wheel(&sandbox);
    let session = "import nox\n\
        @nox.session(venv_backend='uv')\n\
        def one(session):\n    session.run(*session.posargs, external=True, silent=False)\n";
    sandbox.write("work/noxfile.py", session);
    sandbox
}

/// The environment of the session.
fn session(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("work/.nox/one")
}

/// Runs a command in the session.
fn in_session(sandbox: &Sandbox, command: &[&str]) -> Outcome {
    let nox = [installed("nox/bin/nox"), "--session", "one", "--reuse-existing-virtualenvs", "--"];
    let tools = installed("uv/bin/uv").strip_suffix("/uv").unwrap();
    let run = offline(direct(sandbox, &[&nox[..], command].concat())).no_env("ANTHROPIC_API_KEY");
    let outcome = run.env("PATH", format!("{tools}:/usr/bin:/bin")).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    outcome
}

/// The markers that a command sees in the session, started by these words.
fn seen(sandbox: &Sandbox, prefix: &[&str]) -> Vec<Option<String>> {
    let block = in_session(sandbox, &[prefix, &["/usr/bin/env", "-0"]].concat()).block();
    let value = |name| block.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    MARKERS.map(value).into()
}

/// wntrblm/nox#948, readthedocs/readthedocs.org PR#13218 (W07): two of the three go, and by the third one an installation
/// for another project lands in the session.
#[test]
fn w07_uv_python_goes_with_the_environment_that_it_names() {
    let sandbox = project();
    let session = session(&sandbox);
    let own = Some(session.display().to_string());
    assert_eq!(seen(&sandbox, &[]), [own.clone(), own.clone(), own], "what nox exports, without the wrapper");
    let binary = binary();
    let hx = [binary.to_str().unwrap(), "-p", "builder", "-C", "other", "--"];

    let other = sandbox.mkdir("work/other");
    let uv = installed("uv/bin/uv");
    in_session(&sandbox, &[uv, "venv", "--quiet", other.join(".venv").to_str().unwrap()]);
    let install = [uv, "pip", "install", "../tiny-1.0-py3-none-any.whl"];
    in_session(&sandbox, &[&hx[..], &install[..]].concat());
    assert!(has_tiny(&other.join(".venv")) && !has_tiny(&session));
    assert_eq!(seen(&sandbox, &hx), [None, None, None]);

    // By hand, with what leads elsewhere: another interpreter is the user's choice.
    for (given, left) in [
        (session.join("bin/python").display().to_string(), None),
        ("3.11".into(), Some("3.11")),
        (other.join(".venv").display().to_string(), Some(other.join(".venv").to_str().unwrap())),
    ] {
        let run = sandbox.builder(["/usr/bin/env", "-0"]).no_env("ANTHROPIC_API_KEY").env("VIRTUAL_ENV", &session);
        assert_eq!(run.env("UV_PYTHON", &given).run().ok().var("UV_PYTHON").as_deref(), left, "{given}");
    }
}

/// The fault itself, without the wrapper and with what is left of the three today.
#[test]
fn w07_uv_python_alone_leads_an_installation_astray() {
    let sandbox = project();
    let session = session(&sandbox);
    let uv = installed("uv/bin/uv");
    in_session(&sandbox, &[uv, "venv", "--quiet", "other/.venv"]);
    let install = ["sh", "-c", "cd other && uv pip install ../tiny-1.0-py3-none-any.whl"];
    in_session(
        &sandbox,
        &[&["/usr/bin/env", "-u", "VIRTUAL_ENV", "-u", "UV_PROJECT_ENVIRONMENT"], &install[..]].concat(),
    );
    assert!(has_tiny(&session) && !has_tiny(&sandbox.path("work/other/.venv")));
}

/// dantebben/nox-uv#5, kolega-code PR#302 (W08): a shim for uv below nox took nox' own environment away.
#[test]
fn w08_markers_own_leaves_the_environment_of_nox_whole() {
    let sandbox = project();
    let session = session(&sandbox);
    let binary = binary();
    let hx = [binary.to_str().unwrap(), "-p", "builder", "--markers", "own", "--"];
    let own = Some(session.display().to_string());
    assert_eq!(seen(&sandbox, &hx), [own.clone(), own.clone(), own]);

    let line = format!("exec '{}' -p builder --markers own -- uv \"$@\"", binary.display());
    let shim = sandbox.script("shims/uv", format!("#!/bin/sh\n{line}\n")).display().to_string();
    in_session(&sandbox, &[&shim, "pip", "install", "./tiny-1.0-py3-none-any.whl"]);
    assert!(has_tiny(&session), "as without the shim");
}

/// W08: what leads to Hermes goes with the same option, the whole family, and with the same word in a policy file.
#[test]
fn w08_markers_own_removes_what_leads_to_hermes() {
    let agent = Agent::new();
    let users = "/srv/shop/.venv";
    let policy = agent.sandbox.write("policy.json", r#"{"markers": "own"}"#);
    let policy = ["--policy", policy.to_str().unwrap()];
    for options in [&["--markers", "own"][..], &["--markers=own"], &policy] {
        let seen = |value: &str| {
            let run = agent.with_options(options, &["/usr/bin/env", "-0"]);
            let run = run.env("VIRTUAL_ENV", value).env("VIRTUAL_ENV_PROMPT", "name").env("POETRY_ACTIVE", "1");
            let outcome = run.run().ok();
            ["VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "POETRY_ACTIVE"].map(|name| outcome.var(name))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(seen(agent.venv.to_str().unwrap()), [None, None, some("1")], "{options:?}");
        assert_eq!(seen(users), [some(users), some("name"), some("1")], "{options:?}: the user's own");
    }
    // The default is every family.
    for options in [&[][..], &["--markers", "all"]] {
        let run = agent.with_options(options, &["/usr/bin/env", "-0"]);
        assert_eq!(run.env("VIRTUAL_ENV", users).run().ok().var("VIRTUAL_ENV"), None, "{options:?}");
    }
}

/// pyenv/pyenv#2733, #3104 (W10): `pyenv activate` of an environment exports its name, too, which its shims obey.
#[test]
fn w10_pyenv_version_goes_with_the_environment_that_it_names() {
    let agent = Agent::new();
    let venv = agent.venv.to_str().unwrap();
    let name = agent.venv.file_name().unwrap().to_str().unwrap();
    let seen = |active: &str, version: &str| {
        let run = agent.with(&["/usr/bin/env", "-0"]).env("VIRTUAL_ENV", active).env("PYENV_VIRTUAL_ENV", active);
        run.env("PYENV_VERSION", version).run().ok().var("PYENV_VERSION")
    };
    assert_eq!(seen(venv, name), None);
    assert_eq!(seen("/srv/versions/3.11.7/envs/shop", "shop"), None, "any environment of which the markers go");
    for version in ["3.11.7", "another", "shop"] {
        assert_eq!(seen(venv, version).as_deref(), Some(version), "the user's choice");
    }
    let run = agent.with(&["/usr/bin/env", "-0"]).no_env("VIRTUAL_ENV").env("PYENV_VERSION", name).run().ok();
    assert_eq!(run.var("PYENV_VERSION").as_deref(), Some(name), "no marker is removed");
}
