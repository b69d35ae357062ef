//! `--doctor` and faults of the field, made by the real tools: uv in Hermes' venv, and Claude Code in the profile's home.

use std::path::Path;

use crate::home::{ADD_SERVER, STATUS, claude_with, claude_without, logged_in};
use crate::support::{Run, Sandbox};
use crate::{Agent, installed};

fn uv() -> &'static str {
    installed("uv/bin/uv")
}

/// What `--doctor` says, started in the gateway's environment.
fn doctor(agent: &Agent) -> Run {
    let bin = agent.venv.join("bin");
    let run = agent.sandbox.hx(["--doctor"]).env("VIRTUAL_ENV", &agent.venv);
    let tools = Path::new(uv()).parent().unwrap();
    run.env("PATH", format!("{}:{}:/usr/bin:/bin", bin.display(), tools.display()))
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
    crate::wheel_of(&agent.sandbox, "hermes_agent");
    let tools = Path::new(uv()).parent().unwrap().display().to_string();
    let run = agent.without(&["/bin/sh", "-c", &cure]).env("UV_FIND_LINKS", agent.sandbox.path("work"));
    let outcome = run.env("PATH", format!("{tools}:/usr/bin:/bin")).run();
    assert_eq!(outcome.code(), 0, "{cure}: {outcome:?}");
    assert_whole(&agent);
}

/// Claude Code run once in the profile's home without hermes-exec makes its own state there, which is left alone; from then
/// on it is logged out. What `--doctor` says is true, and so is its cure.
#[test]
fn claude_that_ran_once_without_hermes_exec() {
    let sandbox = logged_in();
    let outcome = claude_without(&sandbox, &ADD_SERVER);
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    for rel in [".claude", ".claude.json"] {
        let made = sandbox.home().join(rel);
        assert!(made.exists() && !made.is_symlink(), "{} is its own: {outcome:?}", made.display());
    }
    let outcome = claude_with(&sandbox, &STATUS);
    assert!(outcome.out().starts_with("Not logged in"), "{outcome:?}");

    sandbox.script("tools/claude", "#!/bin/sh\n");
    let path = format!("{}:/usr/bin:/bin", sandbox.path("tools").display());
    let doctor = || sandbox.hx(["-p", "builder", "--doctor"]).no_env("ANTHROPIC_API_KEY").env("PATH", &path);
    let report = doctor().run().ok().out();
    assert!(report.contains("\nnote     claude-login: claude is not logged in"), "{report}");
    let cure = report.lines().skip_while(|line| !line.contains("without hermes-exec")).nth(1).unwrap();
    let cure = cure.trim().strip_prefix("cure: ").unwrap_or_else(|| panic!("{report}"));
    sandbox.copied("tools/hermes-exec", crate::support::BINARY.as_ref());
    sandbox.hx(["-c", cure]).program("/bin/sh").env("PATH", &path).run().ok();

    let outcome = claude_with(&sandbox, &STATUS);
    assert_eq!(outcome.out(), "Login method: Claude Max account\n", "{outcome:?}");
    let report = doctor().run().ok().out();
    assert!(report.contains("\nok       claude-login: claude logs in"), "{report}");
}

/// A venv as the real Hermes Agent is installed in it is intact, wherever it lies.
#[test]
fn a_real_installation_of_hermes_is_intact() {
    let venv = Path::new(installed("hermes-agent/bin/hermes")).ancestors().nth(2).unwrap();
    let sandbox = Sandbox::new();
    let report = sandbox.hx(["--doctor"]).env("VIRTUAL_ENV", venv).run().ok().out();
    assert!(report.contains(&format!("\nok       own-venv: Hermes' venv {} is intact\n", venv.display())), "{report}");
    sandbox.link(venv, "real/.hermes/hermes-agent/venv");
    let report = sandbox.hx(["--doctor"]).run().ok().out();
    assert!(report.contains("\nok       own-venv: "), "{report}");
}

/// The commands of Hermes that cures name are its own, and fix what they are for.
#[test]
fn cures_that_call_hermes() {
    let sandbox = Sandbox::new();
    let tools = Path::new(installed("hermes-agent/bin/hermes")).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", tools.display());
    let paste = |cure: &str| {
        let outcome = sandbox.hx(["-c", cure]).program("/bin/sh").env("PATH", &path).run();
        assert_eq!(outcome.code(), 0, "{cure}: {outcome:?}");
    };
    let asked = |options: &[&str]| sandbox.hx([options, &["--doctor"]].concat()).env("PATH", &path).run();

    // With a stale `active_profile` hermes itself runs only when it is told another profile.
    sandbox.write("real/.hermes/active_profile", "gone\n");
    for (options, cure) in [
        (&["-p", "fresh"][..], "hermes -p default profile create fresh"),
        (&[], "hermes -p default profile use default"),
    ] {
        let outcome = asked(options);
        assert_eq!(outcome.code(), 1, "{}", outcome.out());
        assert!(outcome.out().contains(&format!("\n         cure: {cure}\n")), "{}", outcome.out());
        paste(cure);
        let outcome = asked(options);
        assert_eq!(outcome.code(), 0, "{}", outcome.out());
    }
    let report = asked(&[]).ok().out();
    assert!(!report.contains("active-profile"), "{report}");
}

/// What the check of links says of `hermes profile import` is so; its hint names the command that removes them before the export.
#[test]
fn links_that_hermes_refuses_to_import() {
    let sandbox = logged_in();
    sandbox.hx(["-q", "-p", "builder", "true"]).run().ok();
    sandbox.copied("tools/hermes-exec", crate::support::BINARY.as_ref());
    let tools = Path::new(installed("hermes-agent/bin/hermes")).parent().unwrap().display().to_string();
    let path = format!("{}:{tools}:/usr/bin:/bin", sandbox.path("tools").display());
    let sh = |line: &str| sandbox.hx(["-c", line]).program("/bin/sh").env("PATH", &path).run();
    let handed_on = |name: &str| {
        let exported = sh(&format!("hermes profile export builder -o {name}.tar.gz"));
        assert_eq!(exported.code(), 0, "{exported:?}");
        sh(&format!("hermes profile import {name}.tar.gz --name {name}"))
    };
    let refused = handed_on("refused");
    assert!(refused.code() != 0 && (refused.out() + &refused.stderr).contains(".claude"), "{refused:?}");

    let report = sandbox.hx(["-p", "builder", "--doctor"]).run().ok().out();
    let hint = report.lines().skip_while(|line| !line.starts_with("ok       profile-import: 2 symlinks")).nth(1);
    let unlink = hint.and_then(|line| line.trim().strip_prefix("hint: before an export: "));
    let unlink = unlink.unwrap_or_else(|| panic!("{report}"));
    assert_eq!(sh(unlink).code(), 0, "{unlink}");
    let taken = handed_on("taken");
    assert_eq!(taken.code(), 0, "{taken:?}");
    assert!(sandbox.path("real/.hermes/profiles/taken/home").is_dir(), "{taken:?}");
}
