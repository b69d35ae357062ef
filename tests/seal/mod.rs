//! `--seal`. A seal is nothing for root, which the kernel lets through in part, so that the commands run as a user
//! without privileges; the tests give files away and mount, and need root for that.

mod environ;
mod files;
mod kernel;
mod mounts;
mod options;
mod places;
mod same;
mod signals;
mod table;

use std::path::{Path, PathBuf};

use crate::support::start::example;
use crate::support::{Outcome, Run, Sandbox};

/// A user without passwd entry.
const USER: u32 = 10300;

/// The names of secret files.
const SECRETS: [&str; 6] = [".env", "auth.json", "state.db", "state.db-wal", "state.db-shm", "state.db-journal"];

/// A root with secrets, the profiles `builder` and `other` with theirs, and much beside them, all the user's.
fn full() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    for secret in secrets(&sandbox) {
        sandbox.write(&secret, format!("secret of {}\n", secret.display()));
    }
    for dir in ["real/.hermes", "real/.hermes/profiles/builder", "real/.hermes/profiles/other"] {
        sandbox.write(format!("{dir}/config.yaml"), "model: x\n");
        sandbox.write(format!("{dir}/state"), "no database\n");
        sandbox.write(format!("{dir}/skills/one/SKILL.md"), "a skill\n");
        sandbox.write(format!("{dir}/logs/.env"), "not in the profile itself\n");
        sandbox.link(".env", format!("{dir}/link to .env"));
    }
    sandbox.write("real/.hermes/profiles/builder/home/.profile", "# nothing\n");
    sandbox.write("real/.gitconfig", "[user]\n");
    sandbox.write("real/.env", "of the user, not of Hermes\n");
    sandbox.write("real/projects/one/main.c", "int main;\n");
    sandbox.write("real/an odd name\n", "odd\n");
    sandbox.script("real/bin/tool", "#!/bin/sh\necho tool\n");
    sandbox.script("real/tool", "#!/bin/sh\necho tool at home\n");
    sandbox.write("work/main.c", "int main;\n");
    sandbox.chown_all(USER);
    sandbox
}

/// The secret files of [`full`].
fn secrets(sandbox: &Sandbox) -> Vec<PathBuf> {
    let dirs = ["real/.hermes", "real/.hermes/profiles/builder", "real/.hermes/profiles/other"];
    dirs.iter().flat_map(|dir| SECRETS.map(|name| sandbox.path(dir).join(name))).collect()
}

/// A start of the binary by the user.
fn start(sandbox: &Sandbox, args: &[&str]) -> Run {
    assert!(nix::unistd::geteuid().is_root(), "this test starts programs as another user: run it as root");
    sandbox.hx(args).program(sandbox.copied_binary()).uid(USER)
}

/// A shell script as the user's command in the profile `builder`. The planted secret is not in it, but what it prints may
/// have stood in a secret file.
fn shell(sandbox: &Sandbox, options: &[&str], script: &str) -> Outcome {
    script_run(sandbox, options, script).run()
}

fn script_run(sandbox: &Sandbox, options: &[&str], script: &str) -> Run {
    start(sandbox, &[&["-p", "builder"], options, &["--", "sh", "-c", script]].concat())
}

/// The lines that a script prints, sorted; its complaints do not matter.
fn lines(sandbox: &Sandbox, options: &[&str], script: &str) -> Vec<String> {
    sorted(&shell(sandbox, options, script).out())
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// What [`lines`] gives when every secret was read.
fn all_read(sandbox: &Sandbox) -> Vec<String> {
    let mut lines: Vec<_> = secrets(sandbox).iter().map(|path| format!("secret of {}", path.display())).collect();
    lines.sort();
    lines
}

/// Of these files, below the tree, a command that `run` starts can read all, and with `--seal=files` only the open ones.
#[track_caller]
fn assert_closed(
    sandbox: &Sandbox,
    run: impl Fn(&[&str], &str) -> Outcome,
    secret: &[&str],
    open: &[&str],
    what: &str,
) {
    let all = [secret, open].concat();
    let cat = |file: &&str| format!("cat '{}' >/dev/null && echo '{file}'\n", sandbox.path(file).display());
    let script = format!("exec 2>/dev/null\n{}:", all.iter().map(cat).collect::<String>());
    let read = |level| run(level, &script).ok().out().lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(read(&[]), all, "{what}, without a seal");
    assert_eq!(read(&["--seal=files"]), open, "{what}");
}

/// The program `peek` where the user can reach it.
fn peek(sandbox: &Sandbox) -> PathBuf {
    sandbox.copied("peek", &example("peek"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What `--explain --json` says of the seal.
fn explained(sandbox: &Sandbox, options: &[&str]) -> serde_json::Value {
    let outcome = start(sandbox, &[&["--explain", "--json"], options, &["--", "true"]].concat()).run();
    let document: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
    document["seal"].clone()
}
