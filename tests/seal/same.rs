//! A seal changes what it says, and nothing else: not the rest of the command's state, no descriptor, not the exit
//! status, and seals can be nested.

use std::path::Path;

use super::{USER, full, shell, start, text};
use crate::support::Sandbox;
use crate::support::start::{Start, example};

/// The probe's report of a start with these options, with a descriptor open and number 0 closed.
fn report(sandbox: &Sandbox, probe: &Path, options: &[&str]) -> Vec<String> {
    let binary = sandbox.copied_binary();
    let file = sandbox.path("work/report");
    let block = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".into(), "NOEQ".into()];
    let open = std::fs::File::open(sandbox.path("work/main.c")).unwrap();
    let rest = ["-p", "builder", "--", text(probe), "report", text(&file), "x"];
    let call = [&["hermes-exec"], options, &rest].concat();
    let start = Start::new(sandbox.path("work")).block(block).open_at(7, &open).closed(0).uid(USER);
    let ended = start.run(&binary, call);
    assert_eq!((ended.code(), ended.err.as_str()), (0, ""), "{ended:?}");
    let text = std::fs::read_to_string(file).unwrap();
    // Each start has a pid, and nameless files for its output, of its own.
    let is_its_own = |line: &&str| ["pid: ", "fd 1: /", "fd 2: /"].iter().any(|start| line.starts_with(start));
    text.lines().filter(|line| !is_its_own(line)).map(str::to_owned).collect()
}

#[test]
fn the_rest_of_the_commands_state() {
    let sandbox = full();
    let probe = sandbox.copied("probe", &example("probe"));
    let plain = report(&sandbox, &probe, &[]);
    assert_eq!(plain, report(&sandbox, &probe, &["--seal=off"]));
    assert!(plain.iter().any(|line| line.starts_with("fd 7: ")), "{plain:?}");
    for level in ["--seal", "--seal=files"] {
        let sealed = report(&sandbox, &probe, &[level]);
        assert_eq!(sealed.len(), plain.len(), "{level}: {sealed:?}");
        let changed: Vec<_> =
            plain.iter().zip(&sealed).filter(|(left, right)| left != right).map(|(_, line)| line).collect();
        assert_eq!(changed, ["NoNewPrivs: 1", "no_new_privs: true"], "{level}");
    }
}

#[test]
fn status_arguments_and_input() {
    let sandbox = full();
    for level in ["--seal", "--seal=files"] {
        assert_eq!(shell(&sandbox, &[level], "exit 7").code(), 7);
        assert_eq!(shell(&sandbox, &[level], "kill -TERM $$").code(), 143);
        start(&sandbox, &[level, "no-such-command"]).run().fails(127, &["no-such-command"]);
        start(&sandbox, &[level, "/etc/passwd"]).run().fails(126, &["/etc/passwd"]);
        // A script without an interpreter line, which the shell runs, and one that stands at the end of PATH.
        sandbox.script("work/plain", "echo \"$0 $1\"\n");
        let outcome = start(&sandbox, &[level, "-C", ".", "--", "./plain", "a b"]).run().ok();
        assert_eq!(outcome.out(), "./plain a b\n");
    }
}

/// Each seal is one more domain. The kernel ends at 16 (landlock(7), LANDLOCK_MAX_NUM_LAYERS).
#[test]
fn seals_in_seals() {
    let sandbox = full();
    let binary = sandbox.copied_binary();
    let read = "cat \"$HERMES_HOME/.env\" 2>/dev/null; cat \"$HERMES_HOME/config.yaml\"";
    for (outer, inner) in
        [("--seal", "--seal"), ("--seal", "--seal=files"), ("--seal=files", "--seal"), ("--seal=files", "--seal=files")]
    {
        let nested = ["-p", "builder", outer, "--", text(&binary), "-p", "builder", inner, "--", "sh", "-c", read];
        let outcome = start(&sandbox, &nested).run();
        let secret = if outer == inner && inner == "--seal" {
            format!("secret of {}/.env\n", sandbox.profile("builder").display())
        } else {
            String::new()
        };
        assert_eq!((outcome.code(), outcome.out()), (0, format!("{secret}model: x\n")), "{outer} {inner}: {outcome:?}");
    }
    let chain = |length: usize, level: &str| {
        let mut call = vec![level];
        for _ in 1..length {
            call.extend([text(&binary), level]);
        }
        start(&sandbox, &[&call[..], &["echo", "ran"]].concat()).run()
    };
    for level in ["--seal", "--seal=files"] {
        assert_eq!(chain(16, level).out(), "ran\n", "{level}");
        let outcome = chain(17, level);
        assert_eq!((outcome.code(), outcome.out().as_str()), (125, ""), "{level}: {outcome:?}");
        assert!(outcome.stderr.contains("already inside 16 seals"), "{level}: {outcome:?}");
    }
}

/// Twice the same options give the same block inside a seal too.
#[test]
fn a_nested_run_hands_on_the_same_environment() {
    let sandbox = full();
    let binary = sandbox.copied_binary();
    for level in ["--seal", "--seal=files"] {
        let once = start(&sandbox, &["-p", "builder", level, "--", "env", "-0"]).run();
        let options = ["-p", "builder", level, "--"];
        let twice = start(&sandbox, &[&options[..], &[text(&binary)], &options, &["env", "-0"]].concat()).run();
        assert_eq!(once.entries(), twice.entries(), "{level}");
    }
}

/// What set-user-id programs would gain is refused.
#[test]
fn set_user_id_programs_gain_nothing() {
    let sandbox = full();
    let program = sandbox.copied("work/whoami", Path::new("/usr/bin/id"));
    std::os::unix::fs::chown(&program, Some(0), Some(0)).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o4755)).unwrap();
    let effective = |options: &[&str]| start(&sandbox, &[options, &[text(&program), "-u"]].concat()).run().ok().out();
    assert_eq!(effective(&[]), "0\n");
    assert_eq!(effective(&["--seal"]), format!("{USER}\n"));
    assert_eq!(effective(&["--seal=files"]), format!("{USER}\n"));
}
