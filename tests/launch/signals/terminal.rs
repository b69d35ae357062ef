//! A person at a real terminal, with bash: the same session without and with hermes-exec.

use std::path::Path;

use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;

use super::{plain, runs};
use crate::support::pty::Pty;
use crate::support::start::{Child, Start, example};
use crate::support::{BINARY, Sandbox};

/// An interactive shell at a terminal. Readline is off: it changes the terminal's settings at every prompt.
struct Session<'s, 'a> {
    pty: Pty,
    shell: Child<'s, 'a>,
}

const PROMPT: &str = "prompt> ";

fn shell<'a>(sandbox: &'a Sandbox, pty: &Pty) -> Start<'a> {
    let block = [
        format!("HOME={}", sandbox.real().display()),
        "PATH=/usr/bin:/bin".into(),
        format!("PS1={PROMPT}"),
        "TERM=dumb".into(),
        format!("PROBE={}", example("probe").display()),
        format!("HX={BINARY} -p builder --"),
    ];
    pty.leads(Start::new(sandbox.path("work")).block(block))
}

impl<'s, 'a> Session<'s, 'a> {
    fn new(pty: Pty, start: &'s Start<'a>) -> Self {
        let shell =
            start.spawn(Path::new("/bin/bash"), ["bash", "--norc", "--noprofile", "--noediting", "-i"]).unwrap();
        let session = Self { pty, shell };
        session.pty.shows(PROMPT);
        session
    }

    /// Types a line and returns what is shown up to the next prompt.
    fn does(&self, line: &str) -> String {
        self.pty.types(&format!("{line}\n"));
        self.pty.shows(PROMPT)
    }

    /// The shell's `$?`.
    fn status(&self) -> String {
        let shown = self.does("echo \"status:$?\"");
        shown.lines().find_map(|line| line.strip_prefix("status:")).unwrap().trim().to_owned()
    }

    fn stty(&self) -> String {
        self.does("stty -a")
    }

    fn ends(self) {
        // A second time for a shell that has not yet seen the end of a stopped job, and warns.
        self.pty.types("exit 0\nexit 0\n");
        self.shell.ended();
    }
}

/// Runs the session twice; `$HX` is empty in the first.
fn with_and_without(act: impl Fn(&Session<'_, '_>, &str)) {
    for hx in ["", "$HX "] {
        let sandbox = Sandbox::with_builder();
        let pty = Pty::new();
        let start = shell(&sandbox, &pty);
        let session = Session::new(pty, &start);
        act(&session, hx);
        session.ends();
    }
}

#[test]
fn ctrl_z_and_fg() {
    with_and_without(|session, hx| {
        session.pty.types(&format!("{hx}$PROBE await\n"));
        session.pty.shows("ready\r\n");
        for _ in 0..2 {
            session.pty.types("\x1a");
            assert!(session.pty.shows(PROMPT).contains("Stopped"));
            assert_eq!(session.status(), "148", "128 and SIGTSTP");
            session.pty.types("fg\n");
            // The shell gives it the terminal first, and then continues it.
            session.pty.shows("SIGCONT\r\n");
            session.pty.types("\x03");
            session.pty.shows("SIGINT\r\n");
        }
        session.pty.types("\x1a");
        session.pty.shows(PROMPT);
        session.pty.types("kill %1; fg\n");
        session.pty.shows("SIGTERM\r\n");
        session.pty.shows(PROMPT);
        assert_eq!(session.status(), "43");
    });
}

#[test]
fn ctrl_c_and_ctrl_backslash_end_a_command() {
    with_and_without(|session, hx| {
        session.does("ulimit -c 0");
        for (key, status) in [("\x03", "130"), ("\x1c", "131")] {
            session.pty.types(&format!("{hx}sh -c 'echo up; exec sleep 1000'\n"));
            session.pty.shows("up\r\n");
            session.pty.types(key);
            session.pty.shows(PROMPT);
            assert_eq!(session.status(), status, "{hx:?}");
        }
    });
}

/// The command gets each key's signal once, and the shell nothing of it.
#[test]
fn ctrl_c_reaches_a_command_that_handles_it_once() {
    with_and_without(|session, hx| {
        session.pty.types(&format!("{hx}$PROBE await\n"));
        session.pty.shows("ready\r\n");
        session.pty.types("\x03");
        session.pty.shows("SIGINT\r\n");
        session.pty.types("\x1c");
        let shown = session.pty.shows("SIGQUIT\r\n");
        assert!(!shown.contains("SIGINT"), "twice: {shown}");
        session.pty.types("\x1a");
        session.pty.shows(PROMPT);
        session.pty.types("kill %1; fg\n");
        session.pty.shows("SIGTERM\r\n");
        session.pty.shows(PROMPT);
    });
}

#[test]
fn a_change_of_the_window_size_is_told_to_the_command() {
    with_and_without(|session, hx| {
        session.pty.types(&format!("{hx}$PROBE await\n"));
        session.pty.shows("ready\r\n");
        session.pty.resize(40, 100);
        session.pty.shows("SIGWINCH\r\n");
        session.pty.types("\x1a");
        session.pty.shows(PROMPT);
        session.does("kill %1; fg");
        assert!(session.does(&format!("{hx}stty size")).contains("40 100"));
    });
}

#[test]
fn stty_is_unchanged_afterwards() {
    with_and_without(|session, hx| {
        session.does("stty -echoctl susp ^X -ixon");
        let (stty, settings) = (session.stty(), session.pty.settings());
        assert!(stty.contains("susp = ^X"), "{stty}");
        session.does(&format!("{hx}true"));
        session.does(&format!("{hx}no-such-command"));
        session.does("$HX --no-such-option");
        session.pty.types(&format!("{hx}sh -c 'echo up; exec sleep 1000'\n"));
        session.pty.shows("up\r\n");
        session.pty.types("\x03");
        session.pty.shows(PROMPT);
        assert_eq!((session.stty(), session.pty.settings()), (stty, settings));
        // And what the command itself sets stays, as without us.
        session.does(&format!("{hx}stty susp ^Y"));
        assert!(session.stty().contains("susp = ^Y"));
    });
}

/// A shell's password prompt: the command reads from the terminal what is typed, all of it.
#[test]
fn what_is_typed_ahead_is_the_commands() {
    with_and_without(|session, hx| {
        session.pty.types(&format!("{hx}head -n 2; echo o''ver\nfirst\nsecond\n"));
        let shown = session.pty.shows("over\r\n");
        assert!(shown.contains("first\r\n") && shown.contains("second\r\n"), "{shown}");
        session.pty.shows(PROMPT);
    });
}

/// The group in the foreground is not the job's; reading the terminal stops it, as without us.
#[test]
fn a_job_in_the_background() {
    let mut reports = Vec::new();
    for hx in ["", "$HX "] {
        let sandbox = Sandbox::with_builder();
        let pty = Pty::new();
        let start = shell(&sandbox, &pty);
        let session = Session::new(pty, &start);
        session.does(&format!("{hx}$PROBE report ../report & wait"));
        let report = std::fs::read_to_string(sandbox.path("report")).unwrap();
        let number = |fact: &str| {
            let line = report.lines().find_map(|line| line.strip_prefix(fact)?.strip_prefix(": "));
            line.unwrap().parse::<i32>().unwrap()
        };
        let shell = session.shell.pid.as_raw();
        assert_eq!((number("ppid"), number("sid"), number("tpgid")), (shell, shell, shell));
        assert_eq!(number("pid"), number("pgid"), "a group of its own");
        session.does(&format!("{hx}cat & sleep 0.1; while ! jobs | grep -q Stopped; do sleep 0.01; done"));
        assert!(session.does("jobs").contains("Stopped"));
        session.does("kill -9 $!; wait");
        let facts = ["fd ", "Sig", "tcgetattr", "a controlling"];
        let compared = report.lines().filter(|line| facts.iter().any(|fact| line.starts_with(fact)));
        reports.push(compared.map(|line| line.split("/dev/pts").next().unwrap().to_owned()).collect::<Vec<_>>());
        session.ends();
    }
    assert_eq!(reports[0], reports[1]);
}

/// The terminal goes away: SIGHUP, as without us.
#[test]
fn a_hangup() {
    for prefix in [&["sleep", "1000"][..], &[BINARY, "-p", "builder", "sleep", "1000"]] {
        let sandbox = Sandbox::with_builder();
        let pty = Pty::new();
        let start = pty.leads(plain(&sandbox));
        let program = if prefix[0] == BINARY { BINARY } else { "/usr/bin/sleep" };
        let child = start.spawn(Path::new(program), prefix).unwrap();
        runs(&child, "sleep");
        drop(pty);
        let ended = child.ended();
        assert_eq!(ended.status, WaitStatus::Signaled(ended.pid, Signal::SIGHUP, false));
    }
}
