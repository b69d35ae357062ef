//! The X cases of tests/cases.md, reports of what other wrappers do to the programs they start, each by its own trigger in a real
//! shell. The number in a test's name is the report's. The full matrices are elsewhere: `transparency`, `signals`, `shims` and
//! `tests/transcripts/starts.txt`; X05, X06 and X23 need more than a shell and are in `signals`.

use crate::support::{BINARY, Outcome, Sandbox};

/// Runs a bash script in which `$HX` is hermes-exec.
fn bash(sandbox: &Sandbox, script: &str) -> Outcome {
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    sandbox.hx(["--norc", "-c", script]).program("/bin/bash").env("HX", BINARY).env("PATH", path).run()
}

#[track_caller]
fn prints(script: &str, expected: &str) {
    let outcome = bash(&Sandbox::new(), script);
    assert_eq!((outcome.out().as_str(), outcome.stderr.as_str()), (expected, ""), "{script}");
}

/// The same with and without hermes-exec: `$HX` is empty the second time.
#[track_caller]
fn same(script: &str) -> String {
    let sandbox = Sandbox::new();
    let with = bash(&sandbox, script);
    let without = bash(&sandbox, &format!("HX=\n{script}"));
    assert_eq!((with.code(), with.out(), &with.stderr), (without.code(), without.out(), &without.stderr), "{script}");
    with.out()
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc and /dev/full")]
#[test]
fn x01_sigpipe_is_not_ignored() {
    same("$HX grep SigIgn /proc/self/status");
    prints("$HX sh -c 'yes | head -1'", "y\n");
    prints("{ $HX yes; echo $? >status; } | head -n 1; cat status", "y\n141\n");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc")]
#[test]
fn x02_sigpipe_stays_ignored_for_who_ignores_it() {
    let line = same("(trap '' PIPE; $HX grep SigIgn /proc/self/status)");
    let mask = u64::from_str_radix(line.trim().trim_start_matches("SigIgn:").trim(), 16).unwrap();
    assert_ne!(mask & 0x1000, 0, "{line}");
}

#[test]
fn x04_the_pid_is_the_same() {
    prints("bash -c 'echo $$; exec $HX bash -c \"echo \\$\\$\"' | uniq | wc -l", "1\n");
}

#[test]
fn x07_failures_are_kept_apart() {
    let sandbox = Sandbox::new();
    let scripts = ["$HX --no-such-option", "$HX -p nobody true", "$HX /etc", "$HX no-such"];
    for (script, code) in scripts.into_iter().zip([125, 125, 126, 127]) {
        bash(&sandbox, script).fails(code, &[]);
    }
    assert_eq!(bash(&sandbox, "$HX sh -c 'exit 3'").code(), 3);
}

#[test]
fn x14_names_and_values_that_are_not_utf8() {
    same("env $'BAD=\\xa3' $'N\\xffAME=1' $HX env -0 | grep -z 'BAD\\|AME' | od -c");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: names that are not UTF-8")]
#[test]
fn x15_arguments_and_directories_that_are_not_utf8() {
    let out =
        same("mkdir -p $'d\\xff'; cd $'d\\xff'; $HX printf '%s|' $'a\\xa3' \"$PWD\" | od -c; $HX pwd | od -c; cd ..");
    assert!(out.contains("377") && out.contains("243"), "{out}");
}

/// The trigger needs a raw `execve`; see also `transparency::environment`.
#[test]
fn x16_every_copy_of_a_removed_name_goes() {
    let sandbox = Sandbox::new();
    let block = ["ANTHROPIC_API_KEY=a", "DUP=1", "ANTHROPIC_API_KEY=b", "DUP=2", "HOME=/"];
    let outcome = sandbox.hx(["/usr/bin/env", "-0"]).raw_block(block).run().ok();
    assert_eq!(outcome.entries(), [&b"DUP=1"[..], b"DUP=2", b"HOME=/"]);
}

#[test]
fn x17_functions_and_newlines_in_values() {
    prints("f() { echo \"called $1\"; }; export -f f; $HX bash -c 'f x'", "called x\n");
    prints("export NL=$'a\\nb'; $HX bash -c 'echo \"$NL\"'", "a\nb\n");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc")]
#[test]
fn x19_no_descriptor_is_leaked_or_moved() {
    let out = same("exec 3</dev/null 7</dev/null; $HX ls /proc/self/fd; exec 0<&-; $HX ls /proc/self/fd");
    assert!(out.contains('7'), "{out}");
    prints(
        "exec 3</dev/null; (LISTEN_FDS=1 LISTEN_PID=$BASHPID exec $HX sh -c 'test $LISTEN_PID = $$ && echo valid')",
        "valid\n",
    );
}

#[test]
fn x20_a_deleted_working_directory() {
    prints("mkdir d; cd d; rmdir ../d; $HX /bin/echo ok", "ok\n");
}

#[test]
fn x21_the_word_typed_is_argv0() {
    prints("$HX sh -c 'echo $0'", "sh\n");
    let sandbox = Sandbox::new();
    sandbox.link(BINARY, "bin/other-name");
    assert_eq!(bash(&sandbox, "other-name sh -c 'echo $0'").ok().out(), "sh\n");
}

#[test]
fn x26_the_same_input_gives_the_same_environment_each_time() {
    let sandbox = Sandbox::with_builder();
    let outcome = bash(&sandbox, "for i in 1 2 3; do $HX -p builder env -0 | md5sum; done | uniq | wc -l").ok();
    assert_eq!(outcome.out(), "1\n");
}

/// The one on the PATH that the command will see: Hermes' own venv is at its end, and still there.
#[test]
fn x27_the_search_uses_the_path_of_the_command() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("real/.hermes/hermes-agent/venv").display().to_string();
    sandbox.script("real/.hermes/hermes-agent/venv/bin/only-there", "#!/bin/sh\necho there\n");
    sandbox.script("real/.hermes/hermes-agent/venv/bin/pip3.99", "#!/bin/sh\n");
    sandbox.script("bin/python", "#!/bin/sh\necho another\n");
    let script = format!("PATH={venv}/bin:$PATH VIRTUAL_ENV={venv}; export VIRTUAL_ENV; $HX only-there; $HX python");
    assert_eq!(bash(&sandbox, &script).ok().out(), "there\nanother\n");
    bash(&sandbox, &format!("PATH={venv}/bin:$PATH; $HX pip3.99")).fails(126, &["pip3.99"]);
}
