//! Chains of shims, as they come about when several tools put their `uv` first on PATH. Single shims and the guard's
//! format are in `shims.rs`. A loop would not end by itself, so each start has a bound of processor time, and how often a
//! shim has called is counted.

use crate::support::{BINARY, Outcome, Sandbox};

const EXECS: &str = "exec hermes-exec -- uv \"$@\"";
const CALLS: &str = "hermes-exec -- uv \"$@\"\nexit $?";

/// Shims with these last lines stand on PATH one after the other, then hermes-exec, then the real `uv` if there is one.
fn run(shims: &[&str], real: bool) -> (Outcome, usize) {
    let sandbox = Sandbox::new();
    let log = sandbox.write("log", "");
    let mut path = Vec::new();
    for (at, shim) in shims.iter().enumerate() {
        let text = format!("#!/bin/sh\necho called >>'{}'\n{shim}\n", log.display());
        sandbox.script(format!("shim{at}/uv"), text);
        path.push(sandbox.path(format!("shim{at}")).display().to_string());
    }
    sandbox.link(BINARY, "programs/hermes-exec");
    if real {
        sandbox.script("programs/uv", "#!/bin/sh\necho \"real $*\"\nexit 7\n");
    }
    path.push(sandbox.path("programs").display().to_string());
    let run = sandbox.hx(["uv", "a b", "", "--help"]).env("PATH", format!("{}:/usr/bin:/bin", path.join(":")));
    let outcome = run.after_sh("ulimit -t 20").run();
    (outcome, std::fs::read_to_string(log).unwrap().lines().count())
}

#[track_caller]
fn reaches_the_real_one(shims: &[&str], most: usize) {
    let (outcome, calls) = run(shims, true);
    assert_eq!((outcome.out().as_str(), outcome.code()), ("real a b  --help\n", 7), "{outcome:?}");
    assert_eq!(outcome.stderr, "");
    assert!(calls <= most, "{calls} calls");
}

#[track_caller]
fn ends_with_125(shims: &[&str], most: usize) {
    let (outcome, calls) = run(shims, false);
    assert_eq!((outcome.out().as_str(), outcome.code()), ("", 125), "{outcome:?}");
    assert_eq!(outcome.stderr.matches("shim loop").count(), 1, "{outcome:?}");
    assert!(calls <= most, "{calls} calls");
}

#[test]
fn a_two_line_shim_runs_the_next_real_one() {
    reaches_the_real_one(&[EXECS], 1);
}

/// Within a second, the issue says: it is one more start of ours than without the shim.
#[test]
fn a_two_line_shim_without_a_real_one() {
    ends_with_125(&[EXECS], 1);
}

#[test]
fn two_shims_stacked() {
    reaches_the_real_one(&[EXECS, EXECS], 2);
    ends_with_125(&[EXECS, EXECS], 2);
}

#[test]
fn five_shims_stacked() {
    reaches_the_real_one(&[EXECS; 5], 5);
    ends_with_125(&[EXECS; 5], 5);
}

/// A shim that calls makes a new process each time; 16 times, then it is passed over.
#[test]
fn a_shim_that_calls_instead_of_execs() {
    reaches_the_real_one(&[CALLS], 16);
    ends_with_125(&[CALLS], 16);
}

#[test]
fn two_shims_that_call_instead_of_exec() {
    reaches_the_real_one(&[CALLS, CALLS], 32);
    ends_with_125(&[CALLS, CALLS], 32);
}

#[test]
fn one_shim_of_each_kind() {
    for shims in [[CALLS, EXECS], [EXECS, CALLS]] {
        reaches_the_real_one(&shims, 32);
        ends_with_125(&shims, 32);
    }
}

#[test]
fn a_shim_that_calls_by_path_with_options_or_through_env() {
    let by_path = format!("exec {BINARY} --home real -- uv \"$@\"");
    for shim in
        [by_path.as_str(), "exec env X=1 hermes-exec -v -q uv \"$@\"", "PATH=$PATH:/x exec hermes-exec uv \"$@\""]
    {
        reaches_the_real_one(&[shim], 1);
        reaches_the_real_one(&[shim, EXECS], 2);
        ends_with_125(&[shim], 1);
    }
}

#[test]
fn shims_of_one_tool_that_is_reached_through_a_link() {
    let sandbox = Sandbox::new();
    sandbox.script("shims/shim", format!("#!/bin/sh\n{}\n", EXECS.replace("uv", "$(basename \"$0\")")));
    for tool in ["one", "two"] {
        sandbox.link("shim", format!("shims/{tool}"));
        sandbox.script(format!("programs/{tool}"), format!("#!/bin/sh\necho real {tool} \"$@\"\n"));
    }
    sandbox.link(BINARY, "programs/hermes-exec");
    let path = format!("{}:{}:/usr/bin:/bin", sandbox.path("shims").display(), sandbox.path("programs").display());
    for tool in ["one", "two"] {
        let outcome = sandbox.hx([tool, "x"]).env("PATH", &path).after_sh("ulimit -t 20").run().ok();
        assert_eq!(outcome.out(), format!("real {tool} x\n"));
    }
}

/// A build that goes through the shim again and again, each time in a process of its own, is no loop.
#[test]
fn a_tool_that_starts_itself_through_the_shim_again() {
    let sandbox = Sandbox::new();
    sandbox.script("shims/uv", format!("#!/bin/sh\n{EXECS}\n"));
    sandbox.script("programs/uv", "#!/bin/sh\nif [ \"$1\" -gt 0 ]; then uv $(($1 - 1)); else echo done; fi\n");
    sandbox.link(BINARY, "programs/hermes-exec");
    let path = format!("{}:{}:/usr/bin:/bin", sandbox.path("shims").display(), sandbox.path("programs").display());
    for depth in ["3", "14", "40"] {
        let outcome = sandbox.hx(["uv", depth]).env("PATH", &path).after_sh("ulimit -t 20").run().ok();
        assert_eq!(outcome.out(), "done\n", "{depth}");
    }
}
