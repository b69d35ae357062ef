//! sudo, which changes who we are and, according to its settings, some of the variables that say so.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::support::{Outcome, Run, Sandbox, listing};
use crate::system;

const ALICE: u32 = 10001;
const BOB: u32 = 10002;

/// A machine on which Alice has Hermes, with the profile `builder`, Bob has nothing, and Alice may use sudo. `/etc` says so
/// in a mount namespace of each run.
struct Machine(Sandbox);

impl Machine {
    fn new() -> Self {
        assert!(nix::unistd::geteuid().is_root(), "this test mounts: run it as root");
        let sandbox = Sandbox::with_builder();
        sandbox.write("real/.claude/.credentials.json", "{}");
        sandbox.mkdir("bob");
        sandbox.copied_binary();
        sandbox.chown_all(ALICE);
        std::os::unix::fs::lchown(sandbox.path("bob"), Some(BOB), Some(BOB)).unwrap();
        // The rest is the administrator's.
        sandbox.mkdir("root/.claude");
        let home = |dir: &str| sandbox.path(dir).display().to_string();
        let passwd = format!(
            "root:x:0:0::{}:/bin/sh\nalice:x:{ALICE}:{ALICE}::{}:/bin/sh\nbob:x:{BOB}:{BOB}::{}:/bin/sh\n",
            home("root"),
            home("real"),
            home("bob")
        );
        sandbox.write("etc/passwd", passwd);
        sandbox.write("etc/shadow", "root:*:1::::::\nalice:*:1::::::\nbob:*:1::::::\n");
        let sudoers = sandbox.write("etc/sudoers", "Defaults env_reset\nalice ALL=(ALL) NOPASSWD: SETENV: ALL\n");
        fs::set_permissions(sudoers, fs::Permissions::from_mode(0o440)).unwrap();
        Self(sandbox)
    }

    /// What Alice types, in her own session.
    fn alice(&self, command: &[&str]) -> Run {
        let dir = self.0.path("etc");
        let mounts = ["passwd", "shadow", "sudoers"].map(|f| format!("mount --bind {0}/{f} /etc/{f}\n", dir.display()));
        self.0.hx(&command[1..]).program(command[0]).uid(ALICE).mounted(&mounts.concat())
    }

    fn hermes_exec(&self) -> String {
        self.0.copied_binary().into_os_string().into_string().unwrap()
    }

    fn text(&self, path: PathBuf) -> String {
        path.into_os_string().into_string().unwrap()
    }

    /// Everything in the profile is Alice's, and leads to her own files.
    fn is_all_of_alice(&self) {
        for path in listing(&self.0.root()).into_keys() {
            assert_eq!(path.symlink_metadata().unwrap().uid(), ALICE, "{}", path.display());
            if let Ok(text) = fs::read_link(&path) {
                assert!(text.starts_with(self.0.real()), "{} -> {}", path.display(), text.display());
            }
        }
    }
}

#[track_caller]
fn homes(outcome: &Outcome) -> [String; 2] {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    ["HOME", "HERMES_REAL_HOME"].map(|name| outcome.var(name).unwrap_or_default())
}

#[test]
fn a_profile_that_only_the_caller_of_sudo_has_is_an_error_with_two_ways_out() {
    let machine = Machine::new();
    let (hx, root) = (machine.hermes_exec(), machine.text(machine.0.root()));
    let before = listing(&machine.0.dir.join("real"));
    for profile in [&["-p", "builder"][..], &["-p", "default"]] {
        let command = [&[system("sudo"), "-n", &hx], profile, &["--", "env", "-0"]].concat();
        let outcome = machine.alice(&command).run();
        let name = profile[1];
        let hint = format!("sudo -u alice hermes-exec ..., or --hermes-home {root}");
        outcome.fails(125, &[&format!("no profile '{name}'"), &hint]);
    }
    assert_eq!(listing(&machine.0.dir.join("real")), before);

    // The hint, followed.
    let expected = [machine.text(machine.0.home()), machine.text(machine.0.real())];
    for words in [&["-u", "alice", &hx][..], &[&hx, "--hermes-home", &root]] {
        let command = [&[system("sudo"), "-n"], words, &["-p", "builder", "--", "env", "-0"]].concat();
        assert_eq!(homes(&machine.alice(&command).run().ok()), expected);
        assert!(machine.0.home().join(".claude").is_symlink());
        machine.is_all_of_alice();
        fs::remove_dir_all(machine.0.home()).unwrap();
    }
}

#[test]
fn without_a_profile_named_root_without_hermes_is_just_root() {
    let machine = Machine::new();
    let hx = machine.hermes_exec();
    let outcome = machine.alice(&[system("sudo"), "-n", &hx, "--", "env", "-0"]).run().ok();
    assert_eq!(homes(&outcome), [machine.text(machine.0.path("root")), String::new()]);
    assert!(!machine.0.home().exists());
}

#[test]
fn a_profile_that_nobody_has_is_no_matter_of_sudo() {
    let machine = Machine::new();
    let hx = machine.hermes_exec();
    let outcome = machine.alice(&[system("sudo"), "-n", &hx, "-p", "gone", "--", "true"]).run();
    let outcome = outcome.fails(125, &["no profile 'gone'"]);
    assert!(!outcome.stderr.contains("alice"), "{outcome:?}");
}

#[test]
fn with_its_variables_kept_root_works_in_the_callers_profile_for_the_caller() {
    // `sudo -E` from within a run: HOME, HERMES_HOME and HERMES_REAL_HOME are Alice's.
    let machine = Machine::new();
    let hx = machine.hermes_exec();
    let inner = [system("sudo"), "-n", "-E", &hx, "-p", "builder", "--share", ".claude/.credentials.json,.new", "--"];
    machine.0.write(Path::new("real/.new"), "");
    let command = [&[hx.as_str(), "-p", "builder", "--no-share", "all", "--"], &inner[..], &["env", "-0"]].concat();
    let outcome = machine.alice(&command).run().ok();
    assert_eq!(homes(&outcome), [machine.text(machine.0.home()), machine.text(machine.0.real())]);
    assert_eq!(outcome.var("SUDO_USER").as_deref(), Some("alice"), "sudo it was");
    assert!(machine.0.home().join(".new").is_symlink());
    machine.is_all_of_alice();
}

#[test]
fn with_its_variables_kept_another_user_changes_nothing_in_the_callers_profile() {
    // `sudo -E -u bob` from within a run.
    let machine = Machine::new();
    let hx = machine.hermes_exec();
    let inner = [system("sudo"), "-n", "-E", "-u", "bob", &hx, "-v", "-p", "builder", "--", "env", "-0"];
    let command = [&[hx.as_str(), "-p", "builder", "--no-share", "all", "--"], &inner[..]].concat();
    let outcome = machine.alice(&command).run();
    assert_eq!(homes(&outcome)[0], machine.text(machine.0.home()));
    assert!(outcome.stderr.contains("not writable: Permission denied"), "{outcome:?}");
    assert!(listing(&machine.0.home()).is_empty());
    machine.is_all_of_alice();
}
