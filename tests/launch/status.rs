//! The exit status of a command that was started. Those of ours, 125 to 127, are in `search.txt`.

use crate::support::Sandbox;
use std::os::unix::process::ExitStatusExt;

#[test]
fn the_status_is_the_commands_own() {
    let sandbox = Sandbox::new();
    for status in [0, 1, 2, 42, 125, 126, 127, 255] {
        let outcome = sandbox.hx(["sh", "-c", &format!("exit {status}")]).run();
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (status, ""));
    }
}

#[test]
fn death_by_signal_is_seen_as_that_signal() {
    let sandbox = Sandbox::new();
    // None that a shell or nohup ignores for what it starts in the background.
    for (name, number) in [("TERM", 15), ("KILL", 9), ("ALRM", 14), ("PIPE", 13)] {
        let outcome = sandbox.hx(["sh", "-c", &format!("kill -{name} $$")]).run();
        assert_eq!(outcome.status.signal(), Some(number), "{outcome:?}");
    }
}
