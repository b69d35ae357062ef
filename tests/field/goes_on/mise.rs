//! mise: its data, its global versions and its trust lie in three places, and one without the others is worse than none.

use std::path::PathBuf;

use crate::support::{Run, Sandbox};
use crate::{direct, installed, redirected};

/// A user of mise, who has two versions of `node`: the one for everything, and the one of a project that is trusted.
struct Mise {
    sandbox: Sandbox,
    /// Where the user keeps what the XDG directories name, below the real home.
    place: fn(&str) -> PathBuf,
}

impl Mise {
    fn new(place: fn(&str) -> PathBuf) -> Self {
        let mise = Self { sandbox: Sandbox::with_builder(), place };
        for version in ["18.0.0", "20.0.0"] {
            let program = mise.path(".local/share").join("mise/installs/node").join(version).join("bin/node");
            mise.sandbox.script(program, format!("#!/bin/sh\necho {version} of mise\n"));
        }
        mise.sandbox.write(mise.path(".config").join("mise/config.toml"), "[tools]\nnode = \"20.0.0\"\n");
        let project = "[tools]\nnode = \"18.0.0\"\n[env]\nSECRET = \"{{ exec(command='echo made-up') }}\"\n";
        mise.sandbox.write("work/project/mise.toml", project);
        mise
    }

    fn path(&self, usual: &str) -> PathBuf {
        self.sandbox.real().join((self.place)(usual))
    }

    /// With the user's XDG directories where they are not the usual ones.
    fn of_user(&self, run: Run) -> Run {
        let usual = [("CONFIG", ".config"), ("DATA", ".local/share"), ("STATE", ".local/state"), ("CACHE", ".cache")];
        let other = usual.into_iter().filter(|(_, usual)| (self.place)(usual) != PathBuf::from(usual));
        // Without a terminal it asks for trust only when it is told to (2026.9.15).
        let run = run.env("MISE_OFFLINE", "1").env("MISE_PARANOID", "1");
        other.fold(run, |run, (name, usual)| run.env(format!("XDG_{name}_HOME"), self.path(usual)))
    }

    /// What mise makes of `node --version`, and in the project.
    fn versions(&self, start: impl Fn(&[&str]) -> Run) -> [String; 2] {
        let mise = installed("npm/node_modules/.bin/mise");
        ["work", "work/project"].map(|dir| {
            let run = start(&[mise, "x", "--", "node", "--version"]).dir(self.sandbox.path(dir));
            self.of_user(run).run().out().trim().to_owned()
        })
    }

    fn trust(&self) {
        let trust = [installed("npm/node_modules/.bin/mise"), "trust"];
        let outcome = self.of_user(direct(&self.sandbox, &trust)).dir(self.sandbox.path("work/project")).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
    }
}

const BOTH: [&str; 2] = ["20.0.0 of mise", "18.0.0 of mise"];

/// cli-sub-agent#972, mise#2327: the same versions as in the real home, and the same trust.
#[test]
fn w25_mise_has_its_versions_and_its_trust() {
    let mise = Mise::new(|usual| PathBuf::from(usual));
    let sandbox = &mise.sandbox;
    assert_ne!(mise.versions(|command| sandbox.builder(command))[1], BOTH[1], "not trusted yet");
    mise.trust();
    assert_eq!(mise.versions(|command| direct(sandbox, command)), BOTH, "the user");
    let data = sandbox.real().join(".local/share/mise");
    let without = mise.versions(|command| redirected(sandbox, command).env("MISE_DATA_DIR", &data));
    assert!(without[0] != BOTH[0] && without[1] != BOTH[1], "the data alone: {without:?}");
    assert_eq!(mise.versions(|command| sandbox.builder(command)), BOTH);
}

/// code-on-incus#328: the user's own XDG directories, which rule 7 takes away.
#[test]
fn w25_mise_is_found_in_the_users_own_directories() {
    let mise = Mise::new(|usual| PathBuf::from("xdg").join(usual.trim_start_matches('.').replace('/', "-")));
    mise.trust();
    let sandbox = &mise.sandbox;
    assert_eq!(mise.versions(|command| direct(sandbox, command)), BOTH, "the user");
    assert_eq!(mise.versions(|command| sandbox.builder(command)), BOTH);
}

/// What the user has said for one of them stays.
#[test]
fn w25_a_place_of_mise_that_the_user_names_stays() {
    let sandbox = Sandbox::with_builder();
    for place in [".local/share/mise", ".local/state/mise"] {
        sandbox.mkdir(sandbox.real().join(place));
    }
    sandbox.write("real/.config/mise/config.toml", "");
    let see = ["sh", "-c", "echo $MISE_DATA_DIR:$MISE_STATE_DIR:$MISE_GLOBAL_CONFIG_FILE"];
    let real = sandbox.real().display().to_string();
    let seen = |run: Run| run.run().ok().out().trim().replace(&real, "R");
    let whole = "R/.local/share/mise:R/.local/state/mise:R/.config/mise/config.toml";
    assert_eq!(seen(sandbox.builder(see)), whole);
    let run = sandbox.builder(see).env("MISE_GLOBAL_CONFIG_FILE", "/mine");
    assert_eq!(seen(run), "R/.local/share/mise:R/.local/state/mise:/mine");
    // Its tools look there, and not in the usual place.
    let run = sandbox.builder(see).env("XDG_DATA_HOME", "/elsewhere");
    assert_eq!(seen(run), "::", "without its data nothing of it");
}
