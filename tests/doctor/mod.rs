//! `--doctor`. Each check has a test that makes it fire, with the cure pasted into a shell where that is possible,
//! and one in which it is quiet. A sound setup has no warning and no problem: users hate false alarms.

mod all;
mod claude;
mod cures;
mod environment;
mod form;
mod home;
mod links;
mod profile;
mod shims;
mod sound;
mod venv;
mod warnings;

use serde_json::Value;

use crate::support::{Run, Sandbox};

/// One check of a report.
#[derive(Clone, Debug)]
struct Check {
    id: String,
    level: String,
    message: String,
    hint: Option<String>,
    cure: Option<String>,
}

impl Check {
    /// Does it want something done?
    fn alarms(&self) -> bool {
        matches!(self.level.as_str(), "warning" | "problem")
    }
}

/// What `--doctor --json` says.
#[derive(Debug)]
struct Report(Vec<Check>);

impl Report {
    /// The report of a run whose options ask for `--doctor`.
    #[track_caller]
    fn of(run: Run) -> Self {
        Self::read(run.option("--json"))
    }

    /// The same, with `--json` among the options. It exits with 1 when there is a problem.
    #[track_caller]
    fn read(run: Run) -> Self {
        let outcome = run.run();
        assert_eq!(outcome.stderr, "", "{outcome:?}");
        let document: Value = serde_json::from_slice(&outcome.stdout).expect("--json prints JSON");
        let text = |check: &Value, key: &str| check[key].as_str().map(str::to_owned);
        let checks = document["checks"].as_array().unwrap().iter().map(|check| Check {
            id: text(check, "id").unwrap(),
            level: text(check, "level").unwrap(),
            message: text(check, "message").unwrap(),
            hint: text(check, "hint"),
            cure: text(check, "cure"),
        });
        let report = Self(checks.collect());
        let has_problem = report.0.iter().any(|check| check.level == "problem");
        assert_eq!(outcome.code(), i32::from(has_problem), "{report:#?}");
        for check in report.0.iter().filter(|check| check.alarms()) {
            assert!(check.cure.is_some() || check.hint.is_some(), "it says what to do: {check:?}");
        }
        report
    }

    /// The one check of this id that says all of `words`.
    #[track_caller]
    fn the(&self, id: &str, words: &[&str]) -> &Check {
        let fits = |check: &&Check| check.id == id && words.iter().all(|word| check.message.contains(word));
        let found: Vec<_> = self.0.iter().filter(fits).collect();
        assert_eq!(found.len(), 1, "one {id} with {words:?}: {self:#?}");
        found[0]
    }

    /// No check of this id wants something done.
    #[track_caller]
    fn is_quiet(&self, id: &str) {
        let found = self.0.iter().find(|check| check.id == id && check.alarms());
        assert!(found.is_none(), "{found:#?}");
    }

    /// No check at all has this id.
    #[track_caller]
    fn lacks(&self, id: &str) {
        assert!(self.0.iter().all(|check| check.id != id), "{id}: {self:#?}");
    }
}

/// What is in Claude Code's `.credentials.json`.
const LOGIN: &str = r#"{"claudeAiOauth": {"accessToken": "made-up", "refreshToken": "made-up", "expiresAt": 1}}"#;

/// A setup in which nothing is wrong: a user who is logged in to Claude Code, and the profile `builder`, used before. What
/// cures call is on PATH: `hermes-exec`, and stand-ins for `hermes` and `sudo`.
struct Setup {
    sandbox: Sandbox,
}

impl Setup {
    fn new() -> Self {
        let sandbox = Sandbox::with_builder();
        sandbox.write("real/.claude/.credentials.json", LOGIN);
        sandbox.write("real/.claude.json", "{}");
        sandbox.copied("tools/hermes-exec", crate::support::BINARY.as_ref());
        sandbox.script("tools/sudo", "#!/bin/sh\nexec \"$@\"\n");
        // `hermes -p default profile use NAME` and `... create NAME`, which is how the real one does it (`tests/field`).
        let hermes = "#!/bin/sh\nset -e\ncd \"${HERMES_HOME:-$HOME/.hermes}\"\ncase $4 in\nuse) echo \"$5\" >active_profile ;;\n\
                      create) mkdir -p \"profiles/$5\"; rm -f \"profiles/.deleted/$5\" ;;\n*) exit 9 ;;\nesac\n";
        sandbox.script("tools/hermes", hermes);
        // `claude auth login` leaves a login behind.
        let claude = "#!/bin/sh\n[ \"$*\" != 'auth login' ] || \
                      echo '{\"claudeAiOauth\": {\"refreshToken\": \"made-up\"}}' >\"$HOME/.claude/.credentials.json\"\n";
        sandbox.script("tools/claude", claude);
        let setup = Self { sandbox };
        setup.used();
        setup
    }

    /// Any command was run in the profile.
    fn used(&self) {
        self.start(&["-p", "builder", "true"]).run().ok();
    }

    /// A start without Hermes' credentials in the environment.
    fn start(&self, args: &[&str]) -> Run {
        let path = format!("{}:/usr/bin:/bin", self.sandbox.path("tools").display());
        self.sandbox.hx(args).no_env("ANTHROPIC_API_KEY").env("PATH", path)
    }

    /// `-p builder --doctor` with these options.
    fn doctor(&self, options: &[&str]) -> Run {
        self.start(&[&["-p", "builder", "--doctor"], options].concat())
    }
}

/// The check fires; with its cure pasted into the shell that asked, it is quiet.
#[track_caller]
fn fires_and_is_cured(run: &Run, id: &str, level: &str, words: &[&str]) {
    let before = Report::of(run.clone());
    let check = before.the(id, words);
    assert_eq!(check.level, level, "{check:?}");
    let cure = check.cure.clone().unwrap_or_else(|| panic!("no cure: {check:?}"));
    let after =
        Report::read(run.clone().option("--json").after_sh(&format!("set -e\n{{ {cure}; }} >/dev/null 2>&1\nset +e")));
    let is_there = after.0.iter().any(|other| other.id == id && other.message == check.message);
    assert!(!is_there, "{cure}: {after:#?}");
    after.is_quiet(id);
}

/// The check fires, and there is no command that would cure it: says what to do.
#[track_caller]
fn hinted(run: Run, id: &str, level: &str, words: &[&str]) -> String {
    let report = Report::of(run);
    let check = report.the(id, words);
    assert_eq!((check.level.as_str(), &check.cure), (level, &None), "{check:?}");
    check.hint.clone().unwrap_or_else(|| panic!("no hint: {check:?}"))
}

/// The check fires, and its cure is a line that a shell can read. It cannot be tried: it is for another user, or needs what
/// is not here.
#[track_caller]
fn fires(run: Run, id: &str, level: &str, words: &[&str]) -> String {
    let report = Report::of(run.clone());
    let check = report.the(id, words);
    assert_eq!(check.level, level, "{check:?}");
    let cure = check.cure.clone().unwrap_or_default();
    let read = run.program("/bin/bash").args(["-n", "-c", &cure]).run();
    assert_eq!((read.code(), read.stderr.as_str()), (0, ""), "{cure}");
    cure
}
