//! `--explain --json` and a real run agree: over random starts, the block that the command really gets is the one of the plan,
//! and what `--json` announces is that plan. What holds between a plan and its blocks is in `support/random/invariants.rs`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hermes_exec::cli::{self, Request};
use hermes_exec::plan::Draft;
use hermes_exec::plan::catalogue;
use hermes_exec::report::json;
use hermes_exec::text::escaped;
use hermes_exec::world::Input;
use hermes_exec::world::system::System;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::Value;

use crate::support::Sandbox;
use crate::support::random::case::{Case, block};
use crate::support::random::invariants::agrees;
use crate::support::random::starts::start;

const STARTS: usize = 150;

/// Where the directories of the machine in memory are in a sandbox.
const PLACES: [(&str, &str); 4] = [("/home/u", "real"), ("/project", "work"), ("/opt", "opt"), ("/root", "root")];

/// A text with the places of the sandbox.
fn placed(sandbox: &Sandbox, text: &[u8]) -> Vec<u8> {
    let mut placed = Vec::new();
    let mut rest = text;
    while let Some((&byte, others)) = rest.split_first() {
        match PLACES.iter().find(|(place, _)| rest.starts_with(place.as_bytes())) {
            Some((place, rel)) => {
                placed.extend_from_slice(sandbox.path(rel).as_os_str().as_bytes());
                rest = &rest[place.len()..];
            }
            None => {
                placed.push(byte);
                rest = others;
            }
        }
    }
    placed
}

/// The random start on the disk: its options and its command, which prints its block, and the block.
fn set_up(sandbox: &Sandbox, text: &[u8]) -> (Vec<OsString>, Case) {
    let mut case = Case::read(text);
    case.world.lay(|text| placed(sandbox, text), |path| path.starts_with(&sandbox.dir));
    let entries: Vec<_> = case.environ.entries().iter().map(|entry| placed(sandbox, entry.to_bytes())).collect();
    case.environ = block(entries.iter().map(Vec::as_slice));
    let other = |word: &OsString| ["-n", "-v", "--seal=files"].iter().any(|other| word == other);
    let command = case.words.pop().unwrap();
    let options = case.words.iter().filter(|word| !other(word));
    let options = options.map(|word| OsString::from_vec(placed(sandbox, word.as_bytes()))).collect();
    let program = Path::new("tools").join(Path::new(&command).file_name().unwrap());
    let program = sandbox.link("/usr/bin/env", program);
    case.words = vec![program.into(), "-0".into()];
    (options, case)
}

#[ignore = "long: tests/run plays it"]
#[test]
fn the_plan_is_what_happens() {
    let (mut started, mut runner) =
        (0, TestRunner::new(Config { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Config::default() }));
    for _ in 0..STARTS {
        let text = start().new_tree(&mut runner).unwrap().current();
        let sandbox = Sandbox::without_hermes();
        let (options, case) = set_up(&sandbox, &text.0);
        let args = |more: &[&str]| {
            let more = more.iter().map(|&word| OsString::from(word));
            more.chain(options.iter().cloned()).chain(case.words.iter().cloned()).collect::<Vec<_>>()
        };
        let entries: Vec<_> = case.environ.entries().iter().map(|entry| entry.to_bytes().to_vec()).collect();
        let run = |more: &[&str]| sandbox.hx(args(more)).raw_block(&entries).run();
        let explained = run(&["-n", "--json"]);
        let words = args(&["hermes-exec"]);
        let Ok(Request::Run(options)) =
            cli::parse(&words, |group| catalogue::groups().iter().any(|known| known.as_bytes() == group))
        else {
            assert_eq!((explained.code(), run(&["-q"]).code()), (125, 125), "{text:?}: {explained:?}");
            continue;
        };
        let system = System::default();
        let plan = Draft::build(&options, &Input::gather(&case.environ, OsStr::new("hermes-exec"), &system));
        let document: Value = serde_json::from_slice(&explained.stdout).expect("JSON");
        assert_eq!(document, serde_json::from_str::<Value>(&json::explain(&plan)).unwrap(), "{text:?}");

        let outcome = run(&["-q"]);
        assert_eq!(explained.code(), outcome.code(), "{text:?}: {}", outcome.stderr);
        assert_eq!(document.get("error").is_some(), outcome.code() != 0, "{text:?}: {}", outcome.stderr);
        if outcome.code() == 0 {
            started += 1;
            agrees(&case.environ, &plan);
            let child: Vec<_> = plan.env.child.entries().iter().map(|entry| entry.to_bytes()).collect();
            assert_eq!(outcome.entries(), child, "{text:?}");
            announces(&document, &plan, &case);
        }
    }
    assert!(started > STARTS * 3 / 4, "most of them start: {started} of {STARTS}");
}

/// What the document says of the variables, of HOME and of PATH is the plan's.
fn announces(document: &Value, plan: &Draft, case: &Case) {
    let shown = |value: &[u8]| Value::from(escaped(value));
    let variables = document["variables"].as_array().unwrap();
    assert_eq!(variables.len(), plan.env.decisions.len());
    for (variable, decision) in variables.iter().zip(&plan.env.decisions) {
        let expected = (shown(&decision.name), decision.change.as_str().into(), (decision.rule as u8).into());
        assert_eq!(
            (&variable["name"], &variable["action"], &variable["rule"]),
            (&expected.0, &expected.1, &expected.2)
        );
    }
    let home = &document["home"];
    assert_eq!(home["from"], case.environ.get(b"HOME").map_or(Value::Null, shown));
    if variables.iter().any(|variable| variable["name"] == "HOME" && variable["rule"] == 0) {
        assert_eq!(home["to"], plan.env.child.get(b"HOME").map_or(Value::Null, shown));
    }
    let moved: Vec<_> = plan.env.moved.iter().map(|element| shown(element)).collect();
    assert_eq!(document["path"]["moved"], Value::from(moved));
}

/// The comparison of a plan with its blocks sees what it looks for.
#[test]
fn differences_are_seen() {
    let case = Case::read(b"eHOME=/home/u\0eA=1\0eno\0eGH_TOKEN=1\0eA=2\0eC=1\0a--set=C=x\0a--set=N=x\0aenv");
    let plan = case.plan(&case.options().unwrap().unwrap());
    let differ = |change: &dyn Fn(&mut Draft)| {
        let mut plan = case.plan(&case.options().unwrap().unwrap());
        change(&mut plan);
        catch_unwind(AssertUnwindSafe(|| agrees(&case.environ, &plan))).is_err()
    };
    let child = |entries: &[&str]| block(["HOME=/home/u"].iter().chain(entries).map(|entry| entry.as_bytes()));
    assert_eq!(plan.env.child.entries(), child(&["A=1", "no", "A=2", "C=x", "N=x"]).entries());
    assert!(!differ(&|_| {}));
    for bad in [
        &["A=1", "no", "GH_TOKEN=1", "A=2", "C=x", "N=x"][..],
        &["A=1", "no", "C=x", "N=x"],
        &["A=2", "no", "A=1", "C=x", "N=x"],
        &["A=1", "A=2", "no", "C=x", "N=x"],
        &["A=1", "no", "A=2", "C=x"],
        &["A=1", "no", "A=2", "N=x", "C=x"],
        &["A=1", "no", "A=2", "C=x", "C=y", "N=x"],
        &["A=1", "no", "A=2", "C=x", "N=x", "M=x"],
        &["A=1", "A=2", "C=x", "N=x"],
        &["A=other", "no", "A=2", "C=x", "N=x"],
    ] {
        assert!(differ(&|plan| plan.env.child = child(bad)), "{bad:?}");
    }
    assert!(differ(&|plan| plan.env.decisions.retain(|outcome| outcome.name != b"C")), "C is not announced");
    assert!(differ(&|plan| plan.env.decisions.swap(0, 1)), "announced in another order");
}
