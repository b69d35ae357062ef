//! NousResearch/hermes-agent#4427, actions/actions-runner-controller#2871: what is taken out of the environment of a child
//! stands in that of its parent.

use super::{USER, full, peek, start, text};
use crate::support::Sandbox;

/// Starts a sibling, waits until it has its environment, then, from a shell of its own, the command with the process ids of parent, grandparent and sibling.
pub const RELATIVES: &str = r#"
STARTED=yes sleep 600 >/dev/null 2>&1 &
sibling=$!
until grep -qa STARTED=yes "/proc/$sibling/environ"; do :; done
sh -c 'grandparent=$1 sibling=$2; shift 2; "$@" "$$" "$grandparent" "$sibling"; :' sh "$$" "$sibling" "$@"
kill "$sibling"
"#;

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

/// Who is in the domain is as open as ever: debuggers work on their own children.
#[test]
fn children_of_the_command_stay_open_to_it() {
    let sandbox = full();
    let peek = peek(&sandbox);
    let script = format!(
        "ANTHROPIC_API_KEY=own sleep 600 >/dev/null 2>&1 &
         until grep -qa KEY=own /proc/$!/environ; do :; done
         {} $!; kill $!",
        peek.display()
    );
    for level in ["--seal=off", "--seal=on", "--seal=files"] {
        let outcome = start(&sandbox, &[level, "sh", "-c", &script]).run().ok();
        assert_eq!(outcome.out().matches(": open\n").count(), 10, "{level}: {outcome:?}");
    }
}

/// For root with CAP_PERFMON the environment stays open, on this kernel; everything else is closed.
#[test]
fn root_still_reads_environments_and_is_told_so() {
    let sandbox = full();
    let peek = peek(&sandbox);
    let binary = sandbox.copied_binary();
    let root = |capabilities: &[&str], options: &[&str]| {
        let call = [capabilities, &["sh", "-c", RELATIVES, "sh", text(&binary)], options].concat();
        sandbox.hx(call).program("/usr/bin/setpriv").run()
    };
    let explain = ["-n", "--json", "--seal", "--", "true"];
    let all: [&str; 0] = [];
    let few = ["--bounding-set", "-perfmon,-sys_admin", "--inh-caps", "-perfmon,-sys_admin"];
    for (capabilities, environ, holds) in [(&all[..], "open", false), (&few, "EACCES", true)] {
        let outcome = root(capabilities, &["--seal", "--", text(&peek)]).ok();
        assert_eq!(outcome.out().matches(&format!(" environ: {environ}\n")).count(), 3, "{outcome:?}");
        assert_eq!(outcome.out().matches(" mem: EACCES\n").count(), 3, "{outcome:?}");

        let call = [capabilities, &[text(&binary)], &explain].concat();
        let outcome = sandbox.hx(call).program("/usr/bin/setpriv").run().ok();
        let document: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
        assert_eq!(document["seal"]["holds"], holds, "{outcome:?}");
        assert_eq!(outcome.out().contains("CAP_PERFMON"), !holds, "{outcome:?}");

        // A finding, for whoever asks.
        let call = [capabilities, &[text(&binary), "-v", "--seal", "--", "true"]].concat();
        let outcome = sandbox.hx(call).program("/usr/bin/setpriv").run();
        assert_eq!((outcome.code(), outcome.stderr.contains("the seal does not hold")), (0, !holds), "{outcome:?}");
    }
}

/// The capability counts in the initial user namespace only.
#[test]
fn root_of_another_user_namespace_is_closed_out() {
    let sandbox = full();
    let binary = sandbox.copied_binary();
    let peek = peek(&sandbox);
    let namespace = ["--user", "--map-root-user", "sh", "-c", RELATIVES, "sh", text(&binary)];
    let run = |args: &[&str]| sandbox.hx([&namespace, args].concat()).program("/usr/bin/unshare").uid(USER).run();
    let outcome = run(&["--seal", "--", text(&peek)]).ok();
    assert_eq!(outcome.out().matches(" environ: EACCES\n").count(), 3, "{outcome:?}");
    assert!(run(&["-n", "--json", "--seal", "--", "true"]).ok().out().contains("\"holds\": true"));
}
