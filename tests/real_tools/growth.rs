//! How the cost of a start grows with what it is given. Instructions are counted, which are the same on every machine and
//! under every load; the kernel's own work is not among them.

use std::fs;

use crate::support::BINARY;
use crate::support::scenario::{Scenario, Size};
use crate::{direct, system};

/// The instructions of a start of a command that is not there, so that they are ours alone.
fn instructions(size: Size) -> u64 {
    let Scenario { sandbox, block } = Scenario::new(size);
    let counts = sandbox.path("counts");
    let into = format!("--callgrind-out-file={}", counts.display());
    let command = [system("valgrind"), "--tool=callgrind", &into, BINARY, "-p", "builder", "--", "no-such-command"];
    let outcome = direct(&sandbox, &command).raw_block(&block).run();
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
