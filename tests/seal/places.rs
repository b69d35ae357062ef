//! Where the secret files can lie: behind links, in a root or a profile that is spelled in another way, beside odd things.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{SECRETS, USER, explained, full, shell, start, text};
use crate::support::Sandbox;

/// Of these files the first ones cannot be read, and the others can.
#[track_caller]
fn assert_closed(sandbox: &Sandbox, options: &[&str], secret: &[&str], open: &[&str]) {
    sandbox.chown_all(USER);
    let run = |level: &[&str], script: &str| shell(sandbox, &[options, level].concat(), script);
    super::assert_closed(sandbox, run, secret, open, "");
}

#[test]
fn a_secret_file_that_is_a_link() {
    let sandbox = full();
    fs::remove_file(sandbox.path("real/.hermes/.env")).unwrap();
    sandbox.write("real/dotfiles/hermes/env", "secret");
    sandbox.write("real/dotfiles/hermes/else", "no secret");
    sandbox.link("../dotfiles/hermes/link", "real/.hermes/.env");
    sandbox.link("env", "real/dotfiles/hermes/link");
    let secret = ["real/.hermes/.env", "real/dotfiles/hermes/env", "real/dotfiles/hermes/link"];
    assert_closed(&sandbox, &[], &secret, &["real/dotfiles/hermes/else", "real/.hermes/config.yaml"]);
}

#[test]
fn a_secret_file_that_is_a_link_to_nothing_to_a_device_or_to_a_directory() {
    let sandbox = full();
    for (target, profile) in [("/nonexistent/env", "builder"), ("/dev/null", "other"), ("skills", "third")] {
        let place = sandbox.profile(profile).join(".env");
        let _ = fs::remove_file(&place);
        sandbox.link(target, place);
    }
    sandbox.write("real/.hermes/profiles/third/skills/SKILL.md", "");
    let open = ["real/.hermes/profiles/third/skills/SKILL.md", "real/.hermes/profiles/other/.env"];
    assert_closed(&sandbox, &[], &["real/.hermes/auth.json"], &open);
    assert_eq!(shell(&sandbox, &["--seal=files"], "cat </dev/null").ok().out(), "");
}

#[test]
fn a_secret_file_that_is_a_fifo_or_a_directory() {
    let sandbox = full();
    for profile in ["fifo", "directory"] {
        sandbox.profile(profile);
    }
    nix::unistd::mkfifo(&sandbox.path("real/.hermes/profiles/fifo/.env"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    sandbox.write("real/.hermes/profiles/directory/.env/bin/activate", "a venv");
    sandbox.chown_all(USER);
    let script =
        "cd \"$HERMES_REAL_HOME/.hermes/profiles\"; cat directory/.env/bin/activate; exec 3<>fifo/.env; echo no";
    let outcome = shell(&sandbox, &["--seal=files"], script);
    assert_eq!((outcome.code(), outcome.out().as_str()), (2, "a venv"), "{outcome:?}");
}

#[test]
fn a_profile_that_is_a_link() {
    let sandbox = full();
    sandbox.write("elsewhere/linked/.env", "secret");
    sandbox.write("elsewhere/linked/config.yaml", "");
    sandbox.write("elsewhere/linked/home/.profile", "");
    sandbox.link(sandbox.path("elsewhere/linked"), "real/.hermes/profiles/linked");
    let secret = ["elsewhere/linked/.env", "real/.hermes/profiles/linked/.env", "real/.hermes/.env"];
    let open = ["elsewhere/linked/config.yaml", "elsewhere/linked/home/.profile"];
    assert_closed(&sandbox, &[], &secret, &open);
    assert_closed(&sandbox, &["-p", "linked"], &secret, &open);
}

#[test]
fn profiles_that_are_a_linked_directory() {
    let sandbox = full();
    fs::rename(sandbox.path("real/.hermes/profiles"), sandbox.path("elsewhere")).unwrap();
    sandbox.link("../../elsewhere", "real/.hermes/profiles");
    assert_closed(&sandbox, &[], &["elsewhere/other/.env", "real/.hermes/profiles/builder/.env"], &["real/.gitconfig"]);
}

#[test]
fn a_root_behind_a_link() {
    let sandbox = full();
    fs::rename(sandbox.root(), sandbox.path("data")).unwrap();
    sandbox.link("../data", "real/.hermes");
    let secret = ["data/.env", "real/.hermes/.env", "data/profiles/other/state.db"];
    assert_closed(&sandbox, &[], &secret, &["real/.gitconfig", "data/config.yaml"]);
    // The real home is on no path then.
    let script = "echo text >\"$HERMES_REAL_HOME/new\"; cat \"$HERMES_REAL_HOME/new\"";
    assert_eq!(shell(&sandbox, &["--seal=files"], script).ok().out(), "text\n");
}

#[test]
fn a_root_that_a_variable_or_an_option_gives() {
    let sandbox = full();
    sandbox.write("opt/data/.env", "secret");
    sandbox.write("opt/data/config.yaml", "");
    sandbox.write("opt/data/profiles/builder/auth.json", "secret");
    sandbox.link("opt", "link");
    for spelled in ["opt/data", "link/data", "opt/data/profiles/builder", "opt/../link/data/profiles/builder"] {
        let root = sandbox.path(spelled);
        let secret = ["opt/data/.env", "link/data/.env", "opt/data/profiles/builder/auth.json"];
        assert_closed(&sandbox, &["--hermes-home", text(&root)], &secret, &["opt/data/config.yaml"]);
    }
}

/// A profile that was selected by its path need not be one of the root's.
#[test]
fn a_selected_profile_behind_a_link_of_its_own() {
    let sandbox = full();
    sandbox.write("far/away/.env", "secret");
    sandbox.write("far/away/config.yaml", "");
    sandbox.link(sandbox.path("far/away"), "other/profiles/mine");
    let shaped = sandbox.path("other/profiles/mine");
    let options = ["--hermes-home", text(&shaped), "-p", "mine"];
    assert_closed(&sandbox, &options, &["far/away/.env", "other/profiles/mine/.env"], &["far/away/config.yaml"]);
}

#[test]
fn no_hermes_and_nothing_to_hide() {
    let sandbox = Sandbox::without_hermes();
    sandbox.write("real/.env", "");
    sandbox.chown_all(USER);
    let script = "echo text >\"$HOME/new\"; cat \"$HOME/new\" \"$HOME/.env\"";
    assert_eq!(start(&sandbox, &["--seal=files", "sh", "-c", script]).run().ok().out(), "text\n");
    let seal = explained(&sandbox, &["--seal=files"]);
    assert_eq!((seal["rules"].as_u64(), seal["holds"].as_bool()), (Some(1), Some(true)), "{seal}");
}

/// Whole directories are granted where nothing secret is below.
#[test]
fn there_is_a_rule_for_each_entry_beside_the_paths() {
    let sandbox = full();
    let count = |sandbox: &Sandbox| explained(sandbox, &["--seal=files", "-p", "builder"])["rules"].as_u64().unwrap();
    let of_tmp = |sandbox: &Sandbox| {
        let beside = |dir: &std::path::Path| fs::read_dir(dir).unwrap().count();
        sandbox.dir.ancestors().skip(1).map(beside).sum::<usize>()
    };
    let before = (count(&sandbox), of_tmp(&sandbox));
    for file in 0..1000 {
        sandbox.write(format!("real/projects/deep/{file}/x"), "");
    }
    for secret in SECRETS {
        sandbox.write(format!("real/.hermes/profiles/third/{secret}"), "");
    }
    sandbox.write("real/.hermes/profiles/third/config.yaml", "");
    sandbox.chown_all(USER);
    let after = (count(&sandbox), of_tmp(&sandbox));
    let (rules, others) = (after.0 as i64 - before.0 as i64, after.1 as i64 - before.1 as i64);
    assert!((rules - others - 1).abs() <= 20, "one rule for config.yaml, and {others} that other tests make: {rules}");
}

/// A directory that cannot be listed cannot be granted piece by piece.
#[test]
fn a_directory_on_the_path_that_cannot_be_listed() {
    for dir in ["real", "real/.hermes", "real/.hermes/profiles", "real/.hermes/profiles/other"] {
        let sandbox = full();
        fs::remove_dir_all(sandbox.home()).unwrap();
        fs::set_permissions(sandbox.path(dir), fs::Permissions::from_mode(0o311)).unwrap();
        let path = sandbox.path(dir);
        start(&sandbox, &["--seal=files", "-p", "builder", "true"]).run().fails(125, &[text(&path), "--seal=on"]);
        assert!(!sandbox.home().exists(), "refused before anything was made");
        let seal = explained(&sandbox, &["--seal=files", "-p", "builder"]);
        assert_eq!(seal["holds"], false, "{seal}");
        assert!(seal["reason"].as_str().unwrap().contains(text(&path)), "{seal}");
        start(&sandbox, &["--seal", "-p", "builder", "true"]).run().ok();
    }
}

/// A directory that is no profile's and no secret's may be closed.
#[test]
fn a_directory_beside_the_path_that_cannot_be_listed() {
    let sandbox = full();
    fs::set_permissions(sandbox.path("real/projects"), fs::Permissions::from_mode(0o0)).unwrap();
    assert_closed(&sandbox, &[], &["real/.hermes/.env"], &["real/.gitconfig"]);
}

#[test]
fn a_working_directory_above_secret_files_is_named() {
    let sandbox = full();
    let finding = |dir: &str| {
        let outcome =
            start(&sandbox, &["-n", "--seal=files", "-p", "builder", "true"]).dir(sandbox.path(dir)).run().ok();
        outcome.out().contains(&format!("the working directory {} is above secret files", sandbox.path(dir).display()))
    };
    assert!(finding("real") && finding("real/.hermes") && finding("real/.hermes/profiles/builder"));
    assert!(!finding("work") && !finding("real/projects") && !finding("real/.hermes/profiles/builder/home"));
    let chdir = start(&sandbox, &["-n", "--seal=files", "-C", "../real", "-p", "builder", "true"]).run().ok();
    assert!(chdir.out().contains("the working directory"), "{chdir:?}");
    let on = start(&sandbox, &["-n", "--seal", "-C", "../real", "-p", "builder", "true"]).run().ok();
    assert!(!on.out().contains("the working directory"), "{on:?}");
}
