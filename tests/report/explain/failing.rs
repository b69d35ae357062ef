//! A run that fails: `--explain` prints what is known up to there, says the same error, exits as the run would have, and
//! does nothing.

use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::Value;

use crate::support::{Run, Sandbox};

/// What a run is made of: arguments and variables.
type Made = (Vec<&'static str>, Vec<(&'static str, OsString)>);

/// A way for a run to fail.
struct Fault {
    code: i32,
    title: &'static str,
    /// The sections that are known all the same, in order.
    known: &'static [&'static str],
    make: fn(&Sandbox) -> Made,
}

/// The section says that there is none.
const WITHOUT_HERMES: &str = "a profile's home without Hermes";
const NOTHING: &[&str] = &[];
const PROFILE: &[&str] = &["Profile"];
const ALL: &[&str] = &["Profile", "HOME", "Links", "Grants", "Environment"];
const UP_TO_COMMAND: &[&str] = &["Profile", "HOME", "Links", "Grants", "Environment", "Command"];

fn with(args: &[&'static str], variables: &[(&'static str, &str)]) -> Made {
    (args.to_vec(), variables.iter().map(|(name, value)| (*name, value.into())).collect())
}

/// `-p builder`, a policy file with this text, and `true`.
fn with_policy(sandbox: &Sandbox, text: &str) -> Made {
    sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", text);
    with(&["-p", "builder", "true"], &[])
}

#[rustfmt::skip]
const FAULTS: [Fault; 32] = [
    Fault { code: 125, title: "an unknown option", known: NOTHING, make: |_| with(&["--no-such-option", "true"], &[]) },
    Fault { code: 125, title: "a mode that is none", known: NOTHING, make: |_| with(&["--home", "x", "true"], &[]) },
    Fault { code: 125, title: "a profile that is not there", known: NOTHING, make: |_| with(&["-p", "x", "true"], &[]) },
    Fault { code: 125, title: "a name that is none", known: NOTHING, make: |_| with(&["-p", "../x", "true"], &[]) },
    Fault { code: 125, title: "a deleted profile", known: NOTHING, make: |sandbox| {
        sandbox.write("real/.hermes/profiles/.deleted/builder", "");
        with(&["-p", "builder", "true"], &[])
    }},
    Fault { code: 125, title: "HERMES_PROFILE", known: NOTHING, make: |_| with(&["true"], &[("HERMES_PROFILE", "x")]) },
    Fault { code: 125, title: "active_profile", known: NOTHING, make: |sandbox| {
        sandbox.write("real/.hermes/active_profile", "gone\n");
        with(&["true"], &[])
    }},
    Fault { code: 125, title: "HERMES_HOME is relative", known: NOTHING, make: |_| {
        with(&["true"], &[("HERMES_HOME", "relative/dir")])
    }},
    Fault { code: 125, title: "HERMES_HOME is gone", known: NOTHING, make: |_| {
        with(&["true"], &[("HERMES_HOME", "/no/where")])
    }},
    Fault { code: 125, title: "a group that is none", known: NOTHING, make: |_| {
        with(&["--inherit-credentials=nobody", "true"], &[])
    }},
    Fault { code: 125, title: "a variable without a name", known: NOTHING, make: |_| with(&["--set", "=x", "true"], &[]) },
    Fault { code: 125, title: "an item outside the home", known: PROFILE, make: |_| {
        with(&["-p", "builder", "--share", "../x", "true"], &[])
    }},
    Fault { code: 125, title: "HERMES_EXEC_HOME_MODE", known: PROFILE, make: |_| {
        with(&["-p", "builder", "true"], &[("HERMES_EXEC_HOME_MODE", "x")])
    }},
    Fault { code: 125, title: "a policy file that is not there", known: PROFILE, make: |_| {
        with(&["-p", "builder", "--policy", "/no/where", "true"], &[])
    }},
    Fault { code: 125, title: "a policy file that is no JSON", known: PROFILE, make: |sandbox| with_policy(sandbox, "{") },
    Fault { code: 125, title: "a policy file with an unknown key", known: PROFILE, make: |sandbox| {
        with_policy(sandbox, r#"{"kep": []}"#)
    }},
    Fault { code: 125, title: "a policy file of everybody", known: PROFILE, make: |sandbox| {
        let made = with_policy(sandbox, "{}");
        let path = sandbox.path("real/.hermes/profiles/builder/hermes-exec.json");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).unwrap();
        made
    }},
    Fault { code: 125, title: "a file for a home", known: PROFILE, make: |sandbox| {
        sandbox.write("real/.hermes/profiles/builder/home", "");
        with(&["-p", "builder", "true"], &[])
    }},
    Fault { code: 125, title: "a dangling link for a home", known: PROFILE, make: |sandbox| {
        sandbox.link("/no/where", "real/.hermes/profiles/builder/home");
        with(&["-p", "builder", "true"], &[])
    }},
    Fault { code: 125, title: WITHOUT_HERMES, known: PROFILE, make: |sandbox| {
        std::fs::remove_dir_all(sandbox.root()).unwrap();
        with(&["--home", "profile", "true"], &[])
    }},
    Fault { code: 125, title: "a directory that is not there", known: ALL, make: |_| {
        with(&["-p", "builder", "-C", "/no/where", "true"], &[])
    }},
    Fault { code: 125, title: "a file to change to", known: ALL, make: |_| {
        with(&["-p", "builder", "-C", "/etc/passwd", "true"], &[])
    }},
    Fault { code: 125, title: "a shim loop", known: UP_TO_COMMAND, make: |sandbox| {
        let meta = sandbox.script("bin/tool", "#!/bin/sh\nexec hermes-exec -- tool\n").metadata().unwrap();
        let calls = vec![format!("1:{}:{}", meta.dev(), meta.ino()); 16].join(",");
        let path = sandbox.path("bin");
        with(&["-p", "builder", "tool"], &[("PATH", path.to_str().unwrap()), ("HERMES_EXEC_GUARD", &calls)])
    }},
    Fault { code: 126, title: "Hermes' own pip", known: UP_TO_COMMAND, make: |sandbox| {
        let venv = sandbox.hermes_venv("agent/venv").display().to_string();
        let path = format!("{venv}/bin");
        with(&["-p", "builder", "pip3", "install", "x"], &[("VIRTUAL_ENV", &venv), ("PATH", &path)])
    }},
    Fault { code: 126, title: "a file without permission", known: UP_TO_COMMAND, make: |sandbox| {
        sandbox.write("work/tool", "#!/bin/sh\n");
        with(&["-p", "builder", "./tool"], &[])
    }},
    Fault { code: 126, title: "such a file on PATH", known: UP_TO_COMMAND, make: |sandbox| {
        sandbox.write("bin/tool", "#!/bin/sh\n");
        with(&["-p", "builder", "tool"], &[("PATH", sandbox.path("bin").to_str().unwrap())])
    }},
    Fault { code: 126, title: "a directory", known: UP_TO_COMMAND, make: |_| with(&["-p", "builder", "/tmp"], &[]) },
    Fault { code: 126, title: "a file as a directory", known: UP_TO_COMMAND, make: |_| {
        with(&["-p", "builder", "/etc/passwd/x"], &[])
    }},
    Fault { code: 127, title: "no such command", known: UP_TO_COMMAND, make: |_| with(&["-p", "builder", "nope"], &[]) },
    Fault { code: 127, title: "no such path", known: UP_TO_COMMAND, make: |_| with(&["-p", "builder", "./nope"], &[]) },
    Fault { code: 127, title: "an assignment", known: UP_TO_COMMAND, make: |_| with(&["-p", "builder", "A=canary"], &[]) },
    Fault { code: 127, title: "no interpreter", known: UP_TO_COMMAND, make: |sandbox| {
        sandbox.script("work/tool", "#!/no/interpreter\n");
        with(&["-p", "builder", "./tool"], &[])
    }},
];

/// Starts with these options in front of those of the fault.
fn start(sandbox: &Sandbox, options: &[&str], (args, variables): &Made) -> Run {
    let run = sandbox.hx([options, args].concat());
    variables.iter().fold(run, |run, (name, value)| run.env(name, value))
}

#[test]
fn explain_exits_as_the_run_and_says_the_same() {
    for fault in FAULTS {
        let sandbox = Sandbox::with_builder();
        let made = (fault.make)(&sandbox);
        let before = sandbox.listing();
        let explained = start(&sandbox, &["-n"], &made).run();
        assert_eq!(sandbox.listing(), before, "{}: -n has no effect", fault.title);
        let run = start(&sandbox, &[], &made).run().fails(fault.code, &[]);
        assert_eq!(explained.code(), fault.code, "{}: {explained:?}", fault.title);
        assert_eq!(explained.stderr, run.stderr, "{}", fault.title);
    }
}

#[test]
fn explain_prints_what_it_can() {
    let titles = ["Profile", "HOME", "Links", "Grants", "Environment", "PATH", "Command"];
    for fault in FAULTS {
        let sandbox = Sandbox::with_builder();
        let made = (fault.make)(&sandbox);
        let text = start(&sandbox, &["-n"], &made).run().out();
        let is_there = |title: &&str| text.lines().any(|line| line.split(' ').next() == Some(title));
        let shown: Vec<_> = titles.into_iter().filter(is_there).filter(|title| *title != "PATH").collect();
        assert_eq!(shown, fault.known, "{}: {text}", fault.title);
        assert!(!text.contains("canary"), "{text}");
    }
}

#[test]
fn json_says_why_and_stays_whole() {
    for fault in FAULTS {
        let sandbox = Sandbox::with_builder();
        let made = (fault.make)(&sandbox);
        let outcome = start(&sandbox, &["-n", "--json"], &made).run();
        assert_eq!(outcome.code(), fault.code, "{}: {outcome:?}", fault.title);
        if outcome.stdout.is_empty() {
            // The options could not be read, so neither could `--json`.
            assert!(
                ["an unknown option", "a mode that is none"].contains(&fault.title),
                "{}: {outcome:?}",
                fault.title
            );
            continue;
        }
        let document: Value = serde_json::from_slice(&outcome.stdout).unwrap();
        assert_eq!(document["error"]["status"], fault.code, "{}: {document}", fault.title);
        let message = document["error"]["message"].as_str().unwrap();
        assert!(outcome.stderr.contains(message), "{}: {message:?} {:?}", fault.title, outcome.stderr);
        for (key, title) in [("profile", "Profile"), ("home", "HOME"), ("command", "Command")] {
            let is_known = fault.known.contains(&title) && (key, fault.title) != ("profile", WITHOUT_HERMES);
            assert_eq!(document[key].is_object(), is_known, "{}, {key}: {document}", fault.title);
        }
        let has_rules = !document["variables"].as_array().unwrap().is_empty();
        assert_eq!(has_rules, fault.known.contains(&"Environment"), "{}: {document}", fault.title);
        assert!(!document.to_string().contains("canary"), "{document}");
    }
}

/// The home cannot be made: only for a user who may not write the profile's directory.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_profile_that_the_user_may_not_write() {
    let sandbox = Sandbox::with_builder();
    let uid = 54321;
    let start = |options: &[&str]| {
        let run = sandbox.hx([options, &["-p", "builder", "true"]].concat());
        run.program(sandbox.copied_binary()).uid(uid)
    };
    let run = start(&[]).run().fails(125, &["cannot create the home"]);
    let explained = start(&["-n"]).run();
    assert_eq!((explained.code(), &explained.stderr), (125, &run.stderr));
    assert!(explained.out().starts_with("Profile"), "{explained:?}");
}
