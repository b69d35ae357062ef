//! How the cost of a start grows with what it is given. Instructions are counted, which are the same on every machine and
//! under every load; the kernel's own work is not among them.

use std::fs;

use crate::support::BINARY;
use crate::support::scenario::{Scenario, Size};
use crate::{direct, system};

fn instructions(size: Size) -> u64 {
    counted(&Scenario::new(size), &[])
}

/// The instructions of a start of a command that is not there, so that they are ours alone.
fn counted(scenario: &Scenario, options: &[&str]) -> u64 {
    let Scenario { sandbox, block } = scenario;
    let counts = sandbox.path("counts");
    let into = format!("--callgrind-out-file={}", counts.display());
    let ours = [system("valgrind"), "--tool=callgrind", &into, BINARY, "-p", "builder"];
    let command = [&ours[..], options, &["--", "no-such-command"]].concat();
    let outcome = direct(sandbox, &command).raw_block(block).run();
    assert_eq!(outcome.code(), 127, "{outcome:?}");
    let counts = fs::read_to_string(counts).unwrap();
    let total = counts.lines().find_map(|line| line.strip_prefix("totals:")).unwrap();
    total.trim().parse().unwrap()
}

/// Ten times as much may cost twelve times as much.
#[track_caller]
fn assert_grows_linearly(what: &str, sized: impl Fn(usize) -> Size) {
    let (one, ten) = (instructions(sized(1_000)), instructions(sized(10_000)));
    assert!(ten <= 12 * one, "{what}: {one} instructions for 1,000, {ten} for 10,000");
}

#[test]
fn linear_in_the_variables() {
    assert_grows_linearly("variables", |variables| Size { variables, ..Size::default() });
}

#[test]
fn linear_in_the_lines_of_env() {
    assert_grows_linearly(".env", |dotenv| Size { dotenv, ..Size::default() });
}

#[test]
fn linear_in_the_lines_of_config() {
    assert_grows_linearly("config.yaml", |config| Size { config, ..Size::default() });
    assert_grows_linearly("config.yaml, parsed", |config| Size { config, parsed: true, ..Size::default() });
}

/// Every list and map of a policy file.
#[test]
fn w60_linear_in_the_entries_of_a_policy_file() {
    type Entry = fn(usize) -> String;
    let name: Entry = |at| format!("\"NAME_{at}\"");
    let kinds: [(&str, &str, Entry, &str); 6] = [
        ("set", r#"{"set": {"#, |at| format!("\"NAME_{at}\": \"value\""), "}}"),
        ("keep", r#"{"keep": ["#, name, "]}"),
        ("unset", r#"{"set": {"NAME": "value"}, "unset": ["#, name, "]}"),
        ("patterns", r#"{"keep": ["#, |at| format!("\"NAME_{at}_*\""), "]}"),
        ("inherit_credentials", r#"{"inherit_credentials": ["#, |_| "\"openai\"".into(), "]}"),
        ("programs", r#"{"programs": {"#, |at| format!("\"program-{at}\": {{}}"), "}}"),
    ];
    for (what, start, entry, end) in kinds {
        let cost = |count: usize| {
            let scenario = Scenario::new(Size::default());
            let entries: Vec<_> = (0..count).map(entry).collect();
            let path = scenario.sandbox.write("policy.json", format!("{start}{}{end}", entries.join(", ")));
            counted(&scenario, &["--policy", path.to_str().unwrap()])
        };
        let (one, ten) = (cost(1_000), cost(10_000));
        assert!(ten <= 12 * one, "{what}: {one} instructions for 1,000, {ten} for 10,000");
    }
}
