//! `--doctor --all`: the same checks for every profile of the root.

use serde_json::Value;

use crate::support::{Outcome, Sandbox};

fn document(outcome: &Outcome) -> Value {
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

fn names(document: &Value) -> Vec<&str> {
    document["profiles"].as_array().unwrap().iter().map(|profile| profile["name"].as_str().unwrap()).collect()
}

/// A setup with profiles that are broken, each in its own way.
fn broken() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    let profiles = sandbox.root().join("profiles");
    sandbox.write(profiles.join("badpolicy/hermes-exec.json"), "{");
    sandbox.write(profiles.join("filehome/home"), "");
    sandbox.link("/no/where", profiles.join("dangling"));
    for name in ["Upper", "a b", "default", ".hidden", "gone", ".deleted/gone"] {
        sandbox.mkdir(profiles.join(name));
    }
    sandbox.write(profiles.join("a-file"), "");
    sandbox
}

/// What is said of each is what `-p` says of it, and the files stay as they are.
#[test]
fn each_report_is_the_single_one() {
    let sandbox = broken();
    let before = sandbox.listing();
    let outcome = sandbox.hx(["--doctor", "--all", "--json"]).run();
    let all = document(&outcome);
    assert_eq!(outcome.code(), 1, "{outcome:?}");
    let listed = ["default", "Upper", "a b", "badpolicy", "builder", "dangling", "default", "filehome"];
    assert_eq!(names(&all), listed);
    for (at, profile) in all["profiles"].as_array().unwrap().iter().enumerate() {
        let name = profile["name"].as_str().unwrap();
        if name == "Upper" || (name == "default" && at > 0) {
            let [check] = &profile["checks"].as_array().unwrap()[..] else { panic!("{profile}") };
            let message = check["message"].as_str().unwrap();
            assert!(check["level"] == "problem" && message.contains("another profile by that name"), "{check}");
            continue;
        }
        let single = document(&sandbox.hx(["-p", name, "--doctor", "--json"]).run());
        assert_eq!(profile["checks"], single["checks"], "{name}");
        let dir = sandbox.root().join(if name == "default" { ".".into() } else { format!("profiles/{name}") });
        assert_eq!(profile["dir"].as_str().map(std::path::Path::new), Some(dir.components().as_path()));
    }
    assert_eq!(sandbox.listing(), before, "no write");
}

/// How many system calls a report takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn calls(sandbox: &Sandbox, options: &[&str]) -> usize {
    use crate::support::start::Start;
    use crate::support::tracer::Held;
    let block = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".to_owned()];
    let sink = std::fs::File::create("/dev/null").unwrap();
    let start = Start::new(sandbox.path("work")).block(block).outputs(&sink, &sink).step(nix::sys::ptrace::traceme);
    let argv: Vec<_> = ["hermes-exec"].iter().chain(options).map(|&word| word.to_owned()).collect();
    let mut held = Held::new(&start, &crate::support::binary(), &argv);
    std::iter::from_fn(|| held.next_call()).count()
}

/// Twenty profiles take no more than twenty reports of one, and one start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn twenty_profiles_are_quick() {
    let sandbox = Sandbox::new();
    sandbox.mkdir("real/.claude");
    for number in 1..=20 {
        sandbox.mkdir(format!("real/.hermes/profiles/p{number}/home"));
    }
    let one = calls(&sandbox, &["--doctor", "-p", "p1"]);
    let all = calls(&sandbox, &["--doctor", "--all"]);
    assert!(one > 100 && all < 21 * one, "{all} for all, {one} for one");
    let text = sandbox.hx(["--doctor", "--all"]).run().ok().out();
    assert_eq!(text.split("\n\n").next().unwrap().lines().count(), 22, "{text}");
}
