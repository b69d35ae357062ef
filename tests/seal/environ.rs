//! NousResearch/hermes-agent#4427, actions/actions-runner-controller#2871: what is taken out of the environment of a child
//! stands in that of its parent. More of it is in the page `environ-linux`.

use super::{USER, full, peek, text};
use crate::support::Sandbox;

/// Starts the command with the process ids of its parent, its grandparent and a sibling.
pub const RELATIVES: &str = include_str!("relatives.sh");

/// The results of `peek`: for each relative the ways with what came of them.
fn peeked(sandbox: &Sandbox, options: &[&str]) -> Vec<(&'static str, String, String)> {
    let (binary, peek) = (sandbox.copied_binary(), peek(sandbox));
    let call = [&["-c", RELATIVES, "sh", text(&binary)], options, &["--", text(&peek)]].concat();
    let outcome = sandbox.hx(call).program("/bin/sh").uid(USER).run().ok();
    let lines: Vec<_> = outcome.out().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 30, "{outcome:?}");
    let relatives = ["parent", "grandparent", "sibling"].into_iter().flat_map(|relative| [relative; 10]);
    let result = |(relative, line): (&'static str, String)| {
        let (_, fact) = line.split_once(' ').unwrap();
        let (way, result) = fact.split_once(": ").unwrap();
        (relative, way.to_owned(), result.to_owned())
    };
    relatives.zip(lines).map(result).collect()
}

/// The ways that need no more than to be the same user (proc_pid_environ(5), ptrace(2)). Yama can close the others, which
/// attach or copy.
const READING: [&str; 6] = ["environ", "maps", "cwd", "root", "exe", "fd"];

#[test]
fn without_a_seal_relatives_are_open() {
    let sandbox = full();
    for options in [&[][..], &["--seal=off"], &["--seal", "--seal=off"]] {
        for (relative, way, result) in peeked(&sandbox, options) {
            assert!(result == "open" || !READING.contains(&way.as_str()), "{options:?}: {relative} {way}: {result}");
        }
    }
}

#[test]
fn a_seal_closes_environment_memory_and_descriptors_of_relatives() {
    let sandbox = full();
    for options in [&["--seal"][..], &["--seal=on"], &["--seal=files"], &["--seal=files", "-p", "builder"]] {
        for (relative, way, result) in peeked(&sandbox, options) {
            let refused = ["EACCES", "EPERM", "ESRCH"].contains(&result.as_str());
            assert!(refused, "{options:?}: {relative} {way}: {result}");
        }
    }
}
