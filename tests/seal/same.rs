//! A seal changes what it says, and nothing else: not the rest of the command's state, no descriptor. More of it is
//! in the page `same-linux`.

use std::path::Path;

use super::{USER, full, text};
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
