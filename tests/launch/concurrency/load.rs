//! Ten thousand starts from 64 workers in two profiles, while homes are deleted, links exchanged and whole profiles made and
//! deleted beside them. A start fails only where its own home went from under it, nothing is left behind, and the last
//! starts take no more memory than the first. It takes long, and runs with the tests on foreign tools.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;

#[path = "scene.rs"]
mod scene;
use scene::{PLACES, remove, start, tree, with_sources};

use crate::support::start::example;
use crate::support::{CANARY, Sandbox, binary, spawn};

const WORKERS: usize = 64;
const EACH: usize = 53;
const PROFILES: [&str; 2] = ["builder", "writer"];
/// After so many starts something happens beside them.
const TURN: usize = 25;
/// Linux maps the pages of a program by sixteen at once, where it has them, so that figures differ by as much (KiB).
const STEP: u64 = 64;

/// What a start came to.
struct Start {
    status: i32,
    /// The most that it held at any time, in KiB.
    memory: u64,
}

/// A process that starts [`EACH`] commands, one after the other, in the same profile.
fn worker(sandbox: &Sandbox, number: usize) -> Command {
    let starter = example("starter");
    let mut command = Command::new(&starter);
    command.arg(EACH.to_string()).arg(binary());
    command.args(["-p", PROFILES[number % 2], "--share", ".config/gh", "--"]).arg(starter);
    command.env_clear().env("HOME", sandbox.real()).env("PATH", "/usr/bin:/bin");
    command.env("ANTHROPIC_API_KEY", CANARY).env("GITHUB_TOKEN", CANARY).env("VIRTUAL_ENV", "/nowhere");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Deletes a home, lays a stale link, or makes a profile, starts in it and deletes it.
fn turn(sandbox: &Sandbox, number: usize) {
    let profile = sandbox.root().join("profiles").join(PROFILES[number / 3 % 2]);
    let [home, aside] = [profile.join("home"), sandbox.path("aside")];
    match number % 3 {
        0 => {
            // There may be none: every start in this profile failed since the last time.
            if fs::rename(home, &aside).is_ok() {
                remove(&aside);
            }
        }
        1 => {
            std::os::unix::fs::symlink(sandbox.real().join("gone"), &aside).unwrap();
            let _ = fs::rename(&aside, home.join(PLACES[number % PLACES.len()]));
            let _ = fs::remove_file(&aside);
        }
        _ => {
            let name = format!("passing-{number}");
            let profile = sandbox.profile(&name);
            sandbox.hx(["-p", &name, "true"]).run().ok();
            assert!(profile.join("home").is_dir());
            remove(&profile);
        }
    }
}

/// All workers at once, and what their starts came to, in the order of their ends; and what was said.
fn load(sandbox: &Sandbox) -> (Vec<Start>, String) {
    let (tell, told) = mpsc::channel();
    let mut starts = Vec::new();
    let said = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|number| spawn(&mut worker(sandbox, number))).collect();
        let threads: Vec<_> = workers
            .into_iter()
            .map(|mut child| {
                let tell = tell.clone();
                let (out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
                let said = scope.spawn(move || {
                    let mut said = String::new();
                    err.read_to_string(&mut said).unwrap();
                    said
                });
                scope.spawn(move || {
                    for line in BufReader::new(out).lines() {
                        let line = line.unwrap();
                        let (status, memory) = line.split_once(' ').unwrap();
                        tell.send(Start { status: status.parse().unwrap(), memory: memory.parse().unwrap() }).unwrap();
                    }
                    assert!(child.wait().unwrap().success());
                });
                said
            })
            .collect();
        drop(tell);
        for start in told {
            starts.push(start);
            if starts.len() % TURN == 0 {
                turn(sandbox, starts.len() / TURN);
            }
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (starts, said)
}

/// The middle one and the highest of what these starts held.
fn figures(starts: &[Start]) -> (u64, u64) {
    let mut all: Vec<_> = starts.iter().map(|start| start.memory).collect();
    all.sort_unstable();
    (all[all.len() / 2], all[all.len() - 1])
}

#[test]
fn thousands_of_starts_from_64_workers() {
    let sandbox = with_sources();
    sandbox.profile("writer");
    let (starts, said) = load(&sandbox);
    assert_eq!(starts.len(), WORKERS * EACH);

    // Each failure says that the home went away meanwhile, and nothing else was said.
    let failed: Vec<_> = starts.iter().map(|start| start.status).filter(|&status| status != 0).collect();
    assert!(failed.iter().all(|&status| status == 125), "{failed:?}");
    let (errors, hints): (Vec<_>, Vec<_>) = said.lines().partition(|line| line.starts_with("hermes-exec: error: "));
    let due = ["cannot create the home", "cannot be entered: "];
    assert!(errors.iter().all(|line| due.iter().any(|words| line.contains(words))), "{errors:#?}");
    assert!(hints.iter().all(|line| line.starts_with("hermes-exec: hint: if it was deleted")), "{hints:#?}");
    assert_eq!(errors.len(), failed.len());

    let (first, last) = (figures(&starts[..1000]), figures(&starts[starts.len() - 1000..]));
    let is_flat = last.0 <= first.0 + STEP && last.1 <= first.1 + first.1 / 8;
    assert!(is_flat, "the middle and the highest in KiB: {first:?} at the beginning, {last:?} at the end");

    // One start more in each profile finds what one alone makes.
    let alone = with_sources();
    start(&alone).run().ok();
    let expected = tree(&alone, "real/.hermes/profiles/builder");
    let made: Vec<PathBuf> =
        fs::read_dir(sandbox.root().join("profiles")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(made.len(), PROFILES.len(), "{made:?}");
    for name in PROFILES {
        sandbox.hx(["-p", name, "--share", ".config/gh", "true"]).run().ok();
        assert_eq!(tree(&sandbox, Path::new("real/.hermes/profiles").join(name).to_str().unwrap()), expected, "{name}");
    }
}
