//! tmux, whose server gives every window the environment that the server was started with.

use std::fs;
use std::process::Command;

use crate::support::{CANARY, Outcome, Run, Sandbox};
use crate::{direct, system, wrapped};

/// A server of our own, gone with the test.
struct Server {
    sandbox: Sandbox,
    socket: String,
}

impl Server {
    /// Started by `start`, from the command line.
    fn new(start: impl Fn(&Sandbox, &[&str]) -> Run) -> Self {
        let sandbox = Sandbox::new();
        let socket = sandbox.path("socket").display().to_string();
        let command = [system("tmux"), "-S", &socket, "-f", "/dev/null", "new-session", "-d", "-s", "ours", "cat"];
        start(&sandbox, &command).run().ok();
        Self { sandbox, socket }
    }

    /// One command of tmux, through the wrapper.
    fn tmux(&self, command: &[&str]) -> Outcome {
        self.sandbox.hx([&["--", system("tmux"), "-S", &self.socket], command].concat()).run().ok()
    }

    /// The key as a new window has it.
    fn key_in_a_window(&self) -> String {
        let out = self.sandbox.path("work/out");
        let script = format!("printenv ANTHROPIC_API_KEY >{}; {} wait-for -S written", out.display(), system("tmux"));
        self.tmux(&["new-window", &script]);
        self.tmux(&["wait-for", "written"]);
        fs::read_to_string(out).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("/usr/bin/tmux").args(["-S", &self.socket, "kill-server"]).env_clear().status();
    }
}

/// hivecommons/hive#6160, PranavBakre/Junior#235 (P05): a limit that is documented. The cure is to start the server through
/// us.
#[test]
fn a_window_has_the_key_that_its_server_was_started_with() {
    assert_eq!(Server::new(direct).key_in_a_window(), format!("sk-ant-{CANARY}\n"), "a server that was there before");
    assert_eq!(Server::new(wrapped).key_in_a_window(), "");
}

/// Within a session the variable says which server it is (P05).
#[test]
fn the_server_that_a_variable_names() {
    let server = Server::new(wrapped);
    let command = ["--", system("tmux"), "display-message", "-p", "#{session_name}"];
    let start = |options: &[&str]| {
        let run = server.sandbox.hx([options, &command].concat()).env("TMUX", format!("{},1,0", server.socket));
        // No other server is in reach.
        run.env("TMUX_TMPDIR", server.sandbox.path("work")).run()
    };
    assert_ne!(start(&["--unset", "TMUX"]).code(), 0, "with the variable removed");
    assert_eq!(start(&[]).ok().out(), "ours\n");
}
