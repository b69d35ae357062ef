//! `--seal`. A seal is nothing for root, which the kernel lets through in part, so that the commands run as a user
//! without privileges; the tests give files away and mount, and need root for that.

mod environ;
mod kernel;
mod same;
mod signals;
mod table;

crate::pages! { mounts_linux options_linux places_linux same_linux }

/// Where a page finds the program `peek`, which tries the ways into a process, and the calls that mv(1) would not use.
fn with_peek() -> String {
    format!("peek='{}'\n", example("peek").display())
}

#[test]
fn environ_linux() {
    play_with(file!(), "environ_linux", &with_peek());
}

#[test]
fn files_linux() {
    play_with(file!(), "files_linux", &with_peek());
}

use std::path::{Path, PathBuf};

use crate::support::pages::play_with;
use crate::support::start::example;
use crate::support::{Run, Sandbox};

/// A user without passwd entry.
const USER: u32 = 10300;

/// The names of secret files.
const SECRETS: [&str; 6] = [".env", "auth.json", "state.db", "state.db-wal", "state.db-shm", "state.db-journal"];

/// A root with secrets, the profiles `builder` and `other` with theirs, and much beside them, all the user's.
fn full() -> Sandbox {
    let sandbox = Sandbox::away_from_tmp();
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

/// The program `peek` where the user can reach it.
fn peek(sandbox: &Sandbox) -> PathBuf {
    sandbox.copied("peek", &example("peek"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
