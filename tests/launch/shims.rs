//! A shim on PATH that calls hermes-exec must not loop, alone or in a chain, as it comes about when several tools put their `uv`
//! first on PATH; and the guard that sees to it. A loop would not end by itself, so each start has a bound of processor time,
//! and how often a shim has called is counted.

use std::os::unix::fs::MetadataExt;

use crate::support::{BINARY, Outcome, Run, Sandbox};

const EXECS: &str = "exec hermes-exec -- uv \"$@\"";
const CALLS: &str = "hermes-exec -- uv \"$@\"\nexit $?";

/// Shims on PATH, then hermes-exec, then the real `uv` if there is one.
struct Shims {
    sandbox: Sandbox,
    path: String,
}

impl Shims {
    /// Shims for `uv` with these texts, one after the other.
    fn new(texts: &[impl AsRef<str>], real: bool) -> Self {
        let sandbox = Sandbox::new();
        let mut path = String::new();
        for (at, text) in texts.iter().enumerate() {
            let shim = sandbox.script(format!("shim{at}/uv"), text.as_ref());
            path.push_str(&format!("{}:", shim.parent().unwrap().display()));
        }
        sandbox.link(BINARY, "programs/hermes-exec");
        sandbox.link(BINARY, "programs/hx");
        if real {
            sandbox.script("programs/uv", "#!/bin/sh\necho \"real $*\"\nexit 7\n");
        }
        path.push_str(&format!("{}:/usr/bin:/bin", sandbox.path("programs").display()));
        Self { sandbox, path }
    }

    fn start(&self, args: &[&str]) -> Run {
        self.sandbox.hx(args).env("PATH", &self.path)
    }
}

/// Runs to the end; a loop is ended after some seconds of processor time.
fn ended(run: Run) -> Outcome {
    run.after_sh("ulimit -t 20").run()
}

/// The real `uv` has got these arguments.
#[track_caller]
fn is_real(outcome: &Outcome, args: &str) {
    assert_eq!(
        (outcome.out(), outcome.code(), outcome.stderr.as_str()),
        (format!("real {args}\n"), 7, ""),
        "{outcome:?}"
    );
}

#[test]
fn a_shim_reaches_the_real_tool() {
    let shims = Shims::new(&[format!("#!/bin/sh\n{EXECS}\n")], true);
    is_real(&ended(shims.start(&["uv", "a b", "c"])), "a b c");
    is_real(&ended(shims.start(&["x"]).program(shims.sandbox.path("shim0/uv"))), "x");
}

#[test]
fn a_shim_without_interpreter_line_does_too() {
    is_real(&ended(Shims::new(&[EXECS], true).start(&["uv", "x"])), "x");
}

#[test]
fn a_shim_that_calls_us_by_another_name_is_known() {
    let shims = Shims::new(&["#!/bin/sh\nexec hx -- uv \"$@\"\n"], true);
    is_real(&ended(shims.start(&["uv", "x"]).program(shims.sandbox.path("programs/hx"))), "x");
}

/// Each chain reaches the real `uv`, or ends with 125 where there is none, after at most so many calls: a shim that calls
/// instead of execs makes a new process each time, 16 times, then it is passed over.
#[test]
fn a_chain_of_shims_ends() {
    let by_path = format!("exec {BINARY} --home real -- uv \"$@\"");
    let through_env = "exec env X=1 hermes-exec -v -q uv \"$@\"";
    let assigning = "PATH=$PATH:/x exec hermes-exec uv \"$@\"";
    let unsetting = "exec hermes-exec --unset 'HERMES_EXEC_*' -- uv \"$@\"";
    let chains: [(&[&str], usize); 14] = [
        (&[EXECS], 1),
        (&[EXECS; 2], 2),
        (&[EXECS; 5], 5),
        (&[CALLS], 16),
        (&[CALLS; 2], 32),
        (&[CALLS, EXECS], 32),
        (&[EXECS, CALLS], 32),
        (&[&by_path], 1),
        (&[&by_path, EXECS], 2),
        (&[through_env], 1),
        (&[through_env, EXECS], 2),
        (&[assigning], 1),
        (&[assigning, EXECS], 2),
        (&[unsetting], 1),
    ];
    for (chain, most) in chains {
        for real in [true, false] {
            let texts = chain.iter().map(|shim| format!("#!/bin/sh\necho called >>../log\n{shim}\n"));
            let shims = Shims::new(&texts.collect::<Vec<_>>(), real);
            let outcome = ended(shims.start(&["uv", "a b", "", "--help"]));
            let calls = std::fs::read_to_string(shims.sandbox.path("log")).unwrap().lines().count();
            assert!(calls <= most, "{chain:?}: {calls} calls");
            if real {
                is_real(&outcome, "a b  --help");
            } else {
                assert_eq!((outcome.out().as_str(), outcome.code()), ("", 125), "{chain:?}: {outcome:?}");
                assert_eq!(outcome.stderr.matches("shim loop").count(), 1, "{chain:?}: {outcome:?}");
            }
        }
    }
}

#[test]
fn shims_of_one_tool_that_is_reached_through_a_link() {
    let shims = Shims::new(&[format!("#!/bin/sh\n{}\n", EXECS.replace("uv", "$(basename \"$0\")"))], false);
    for tool in ["one", "two"] {
        shims.sandbox.link("uv", format!("shim0/{tool}"));
        shims.sandbox.script(format!("programs/{tool}"), format!("#!/bin/sh\necho real {tool} \"$@\"\n"));
        assert_eq!(ended(shims.start(&[tool, "x"])).ok().out(), format!("real {tool} x\n"));
    }
}

/// A build that goes through the shim again and again, each time in a process of its own, is no loop.
#[test]
fn a_tool_that_starts_itself_through_the_shim_again() {
    let shims = Shims::new(&[format!("#!/bin/sh\n{EXECS}\n")], false);
    let uv = "#!/bin/sh\nif [ \"$1\" -gt 0 ]; then uv $(($1 - 1)); else echo done; fi\n";
    shims.sandbox.script("programs/uv", uv);
    for depth in ["3", "14", "40"] {
        assert_eq!(ended(shims.start(&["uv", depth])).ok().out(), "done\n", "{depth}");
    }
}

/// A program that holds our name prints its guard.
const TELLS: &str = "#!/bin/sh\n# hermes-exec\necho \"$$ ${HERMES_EXEC_GUARD-none}\"\n";

/// Device and inode of the shim.
fn identity(shims: &Shims) -> String {
    let meta = shims.sandbox.path("shim0/uv").metadata().unwrap();
    format!("{}:{}", meta.dev(), meta.ino())
}

#[test]
fn the_guard_holds_pid_device_and_inode_of_the_shim_after_what_it_held() {
    let shims = Shims::new(&[TELLS], false);
    for (run, kept) in
        [(shims.start(&["uv"]), ""), (shims.start(&["uv"]).env("HERMES_EXEC_GUARD", "1:2:3,4:5:6"), "1:2:3,4:5:6,")]
    {
        let out = ended(run).ok().out();
        let (pid, guard) = out.trim().split_once(' ').unwrap();
        assert_eq!(guard, format!("{kept}{pid}:{}", identity(&shims)));
    }
}

#[test]
fn nothing_else_gets_a_guard() {
    let shims = Shims::new(&[TELLS.replace("# hermes-exec\n", "")], false);
    let far = format!("{}{}\n# hermes-exec\n", TELLS.replace("# hermes-exec\n", ""), "#".repeat(5000));
    shims.sandbox.script("shim0/far", far);
    let by_path = shims.sandbox.script("shim0/caller", TELLS).display().to_string();
    let print = "echo \"$$ ${HERMES_EXEC_GUARD-none}\"";
    for args in [&["uv"][..], &["far"], &["sh", "-c", print], &[&by_path], &["../shim0/caller"]] {
        assert!(ended(shims.start(args)).ok().out().ends_with(" none\n"), "{args:?}");
    }
}

#[test]
fn a_guard_that_does_not_parse_is_dropped() {
    let shims = Shims::new(&[format!("#!/bin/sh\n{EXECS}\n")], true);
    shims.sandbox.script("shim0/caller", TELLS);
    for guard in ["bad", "1:2", "1:2:3:4", ",", "-1:2:3", "bad:2:3", "1:2:3,bad", "99999999999999999999:1:1"] {
        is_real(&ended(shims.start(&["uv", "x"]).env("HERMES_EXEC_GUARD", guard)), "x");
        let told = ended(shims.start(&["caller"]).env("HERMES_EXEC_GUARD", guard)).ok().out();
        let numbers = |entry: &str| entry.split(':').filter(|part| part.parse::<u64>().is_ok()).count() == 3;
        assert!(told.trim().split_once(' ').unwrap().1.split(',').all(numbers), "{guard:?} is handed on: {told}");
    }
}

#[test]
fn a_shim_is_passed_over_with_our_own_pid_or_sixteen_times_with_any() {
    let shims = Shims::new(&["#!/bin/sh\n# hermes-exec\necho shim\nexit 7\n"], true);
    let entry = format!("1:{}", identity(&shims));
    for (times, expected) in [(1, "shim\n"), (15, "shim\n"), (16, "real \n"), (17, "real \n")] {
        let guard = vec![entry.as_str(); times].join(",");
        let outcome = ended(shims.start(&["uv"]).env("HERMES_EXEC_GUARD", guard));
        assert_eq!((outcome.out().as_str(), outcome.code()), (expected, 7), "{times} times");
    }
    let guard = format!("export HERMES_EXEC_GUARD=\"$$:{}\"", identity(&shims));
    is_real(&ended(shims.start(&["uv"]).after_sh(&guard)), "");
}

/// The kernel hands on one word behind the interpreter, which may be the command.
#[test]
fn a_first_line_that_names_its_command() {
    let sandbox = Sandbox::new();
    let script = sandbox.script("script", format!("#!{} /bin/sh\necho hi\n", sandbox.copied_binary().display()));
    assert_eq!(sandbox.hx([script.to_str().unwrap()]).run().ok().out(), "hi\n");
    let script = sandbox.script("option", format!("#!{} -v\necho hi\n", sandbox.copied_binary().display()));
    sandbox.hx([script.to_str().unwrap()]).run().fails(125, &["without a command in an endless loop"]);
}
