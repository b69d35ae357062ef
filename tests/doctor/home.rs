//! HOME as it was inherited, and the profile's home.

use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Report, Setup, fires, fires_and_is_cured, hinted};
use crate::support::{Run, Sandbox};

/// A user without an entry in the password database.
const STRANGER: u32 = 54321;

/// The same start as another user, to whom everything belongs.
fn as_stranger(setup: &Setup, run: Run) -> Run {
    setup.sandbox.chown_all(STRANGER);
    run.program(setup.sandbox.path("tools/hermes-exec")).uid(STRANGER)
}

#[test]
fn home_of_a_nested_start_is_sound() {
    let setup = Setup::new();
    let report =
        Report::of(setup.doctor(&[]).env("HOME", setup.sandbox.home()).env("HERMES_REAL_HOME", setup.sandbox.real()));
    let check = report.the("home-nested", &[setup.sandbox.home().to_str().unwrap()]);
    assert_eq!(check.level, "ok");
    assert!(check.message.contains(setup.sandbox.real().to_str().unwrap()), "{check:?}");
    Report::of(setup.doctor(&[])).lacks("home-nested");
}

#[test]
fn home_in_a_home_of_a_home() {
    let setup = Setup::new();
    let nested = "real/.hermes/profiles/builder/home/.hermes";
    let inner = setup.sandbox.mkdir(format!("{nested}/profiles/inner/home"));
    let default = setup.sandbox.mkdir(format!("{nested}/home"));
    for home in [inner, default] {
        let run = setup.doctor(&[]).env("HOME", home).env("HERMES_HOME", setup.sandbox.root());
        let run = run.env("HERMES_REAL_HOME", setup.sandbox.real());
        fires_and_is_cured(&run, "home-nested", "problem", &["another one"]);
    }
}

#[test]
fn root_in_a_home() {
    let setup = Setup::new();
    for (rel, outer) in [("profiles/builder/home/.hermes", ""), ("home/.hermes", ""), ("home/.hermes/profiles/x", "")] {
        let home = setup.sandbox.mkdir(format!("real/.hermes/{rel}"));
        let run = setup.start(&["--doctor"]).env("HERMES_HOME", home);
        fires_and_is_cured(&run, "home-nested", "warning", &["root", outer]);
    }
}

#[test]
fn home_in_a_profiles_directory() {
    let setup = Setup::new();
    for home in [setup.sandbox.profile("builder"), setup.sandbox.mkdir("real/.hermes/profiles/builder/workspace")] {
        let run = setup.doctor(&[]).env("HOME", home).env("HERMES_HOME", setup.sandbox.root());
        fires_and_is_cured(&run, "home-nested", "warning", &["profile's directory"]);
    }
}

/// Directories of those names that are no profile's.
#[test]
fn homes_that_only_look_like_it() {
    for rel in ["profiles/alice/home", "home/profiles/home", "home"] {
        let setup = Setup::new();
        let home = setup.sandbox.mkdir(rel);
        setup.sandbox.mkdir(format!("{rel}/.hermes/profiles/builder"));
        Report::of(setup.doctor(&[]).env("HOME", home)).lacks("home-nested");
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn own_home_that_nobody_knows() {
    let setup = Setup::new();
    let home = setup.sandbox.home();
    let run = as_stranger(&setup, setup.doctor(&[]).env("HOME", home).env("HERMES_HOME", setup.sandbox.root()));
    let hint = hinted(run.clone(), "real-home", "problem", &["not known"]);
    assert!(hint.ends_with("export HERMES_REAL_HOME=DIRECTORY"), "{hint}");
    hinted(run.clone(), "links", "warning", &["nothing is linked", "real home"]);
    let told = run.env("HERMES_REAL_HOME", setup.sandbox.real());
    let report = Report::of(told);
    report.is_quiet("home-nested");
    report.lacks("real-home");
    report.lacks("links");
}

#[test]
fn mode_profile_without_a_home() {
    let setup = Setup::new();
    std::fs::remove_dir_all(setup.sandbox.home()).unwrap();
    fires_and_is_cured(&setup.doctor(&["--home", "profile"]), "home", "warning", &["does not exist yet"]);
    std::fs::remove_dir_all(setup.sandbox.home()).unwrap();
    let run = setup.start(&["--doctor"]).env("TERMINAL_HOME_MODE", "isolated");
    fires_and_is_cured(&run, "home", "warning", &["does not exist yet"]);
    // In mode `auto` the next run creates it.
    assert_eq!(Report::of(setup.doctor(&[])).the("home", &["does not exist yet"]).level, "note");
    setup.used();
    assert_eq!(Report::of(setup.doctor(&["--home", "profile"])).the("home", &["HOME becomes"]).level, "ok");
    assert_eq!(Report::of(setup.doctor(&["--home", "real"])).the("home", &["not redirected"]).level, "ok");
}

/// microsoft/playwright#12907, anthropics/claude-code#34799: programs hang or die in a home that they cannot write.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn home_that_is_not_writable() {
    use std::os::unix::fs::PermissionsExt;
    let setup = Setup::new();
    let home = setup.sandbox.home();
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o555)).unwrap();
    let run = as_stranger(&setup, setup.doctor(&[]));
    fires_and_is_cured(&run, "home", "problem", &["not writable", home.to_str().unwrap()]);
    // That of another user needs another user.
    std::os::unix::fs::chown(&home, Some(0), Some(0)).unwrap();
    let cure = fires(run, "home", "problem", &["not writable"]);
    assert_eq!(cure, format!("sudo chown {STRANGER} {0} && chmod u+rwx {0}", home.display()));
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn home_that_cannot_be_created() {
    let setup = Setup::new();
    std::fs::remove_dir_all(setup.sandbox.home()).unwrap();
    let run = as_stranger(&setup, setup.doctor(&[]));
    std::os::unix::fs::chown(setup.sandbox.profile("builder"), Some(0), Some(0)).unwrap();
    let cure = fires(run, "home", "problem", &["cannot create the home"]);
    assert_eq!(cure, format!("sudo install -d -m 700 -o {STRANGER} {}", setup.sandbox.home().display()));
}

/// A home that holds the profile isolates nothing; one outside gets no links.
#[test]
fn home_that_is_a_link() {
    let setup = Setup::new();
    let home = setup.sandbox.home();
    let link = |to: &Path| {
        std::fs::remove_dir_all(&home).or_else(|_| std::fs::remove_file(&home)).unwrap();
        symlink(to, &home).unwrap();
    };
    link(&setup.sandbox.real());
    fires_and_is_cured(&setup.doctor(&[]), "home", "warning", &["HOME is not redirected"]);
    let outside = setup.sandbox.mkdir("volume");
    link(&outside);
    assert_eq!(Report::of(setup.doctor(&["--no-share", "all"])).the("home", &["volume"]).level, "ok");
    Report::of(setup.doctor(&["--no-share", "all"])).lacks("links");
    fires_and_is_cured(&setup.doctor(&[]), "links", "warning", &["nothing is linked", outside.to_str().unwrap()]);
    let inside = setup.sandbox.mkdir("real/.hermes/profiles/builder/inside");
    link(&inside);
    Report::of(setup.doctor(&[])).lacks("links");
}

/// What a planted link points to is not for the profile's user to change, and no cure may say so.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn home_that_is_a_link_to_somebody_elses() {
    let setup = Setup::new();
    let home = setup.sandbox.home();
    std::fs::remove_dir_all(&home).unwrap();
    let theirs = setup.sandbox.mkdir("theirs");
    let entry = setup.sandbox.write("theirs/entry", "");
    symlink(&theirs, &home).unwrap();
    std::os::unix::fs::chown(&entry, Some(STRANGER + 1), None).unwrap();
    let unlinks = format!("rm {} && hermes-exec", home.display());
    let report = Report::of(setup.doctor(&[]));
    report.lacks("home-owner");
    assert!(report.the("links", &["nothing is linked"]).cure.as_ref().unwrap().starts_with(&unlinks));

    let run = as_stranger(&setup, setup.doctor(&[]));
    std::os::unix::fs::chown(&theirs, Some(STRANGER + 1), None).unwrap();
    let cure = fires(run, "home", "problem", &["not writable"]);
    assert!(cure.starts_with(&unlinks), "{cure}");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn files_of_another_user() {
    let setup = Setup::new();
    let entry = setup.sandbox.write("real/.hermes/profiles/builder/home/left-by-root", "");
    Report::of(setup.doctor(&[])).lacks("home-owner");
    std::os::unix::fs::chown(&entry, Some(STRANGER), None).unwrap();
    fires_and_is_cured(&setup.doctor(&[]), "home-owner", "warning", &["left-by-root"]);
    // A link of another user counts, what it points to does not.
    let link = setup.sandbox.link("/", "real/.hermes/profiles/builder/home/a-link");
    std::os::unix::fs::lchown(&link, Some(STRANGER), None).unwrap();
    fires_and_is_cured(&setup.doctor(&[]), "home-owner", "warning", &["home: 1, such as", "a-link"]);
    std::os::unix::fs::chown(setup.sandbox.path("real/.claude"), Some(STRANGER), None).unwrap();
    Report::of(setup.doctor(&[])).lacks("home-owner");
    // For another user than root it takes sudo.
    let run = as_stranger(&setup, setup.doctor(&[]));
    std::os::unix::fs::chown(&entry, Some(0), None).unwrap();
    let cure = fires(run, "home-owner", "warning", &["left-by-root"]);
    assert!(cure.starts_with(&format!("sudo chown -R -h {STRANGER} ")), "{cure}");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn root_in_the_profile_of_a_user_without_a_home() {
    let sandbox = Sandbox::without_hermes();
    let root = sandbox.mkdir("data");
    let profile = sandbox.mkdir("data/profiles/builder/home");
    for path in [&root, profile.parent().unwrap(), &profile] {
        std::os::unix::fs::chown(path, Some(STRANGER), Some(STRANGER)).unwrap();
    }
    let run = |options: &[&str]| {
        let args = [&["--doctor", "-p", "builder"], options].concat();
        sandbox.hx(args).no_env("ANTHROPIC_API_KEY").env("HERMES_HOME", &root)
    };
    let hint = hinted(run(&[]), "links", "warning", &["nothing is linked", "54321"]);
    assert!(hint.starts_with("run as that user: sudo -u '#54321' /"), "{hint}");
    Report::of(run(&["--no-share", "all"])).lacks("links");
}

/// Without a runtime directory, gpg's sockets lie in the home.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn gpg_sockets_that_are_too_long() {
    let setup = Setup::new();
    let (long, short) = ("x".repeat(60), "s");
    for name in [&long, short] {
        setup.sandbox.profile(name);
    }
    let uid = 54322;
    setup.sandbox.chown_all(uid);
    let start = |name: &str| {
        let run = setup.start(&["--doctor", "-p", name]);
        run.program(setup.sandbox.path("tools/hermes-exec")).uid(uid)
    };
    let cure = fires(start(&long), "gpg-socket", "warning", &["S.gpg-agent", "too long"]);
    assert_eq!(cure, format!("sudo install -d -m 700 -o {uid} /run/user/{uid}"));
    Report::of(start(short)).lacks("gpg-socket");
    Report::of(start(&long).env("GNUPGHOME", "/short")).lacks("gpg-socket");
}
