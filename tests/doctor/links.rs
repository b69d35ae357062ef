//! The links in the profile's home: each in every state, with what it exposes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::{LOGIN, Report, Setup, fires, fires_and_is_cured, hinted};

pub const HOME: &str = "real/.hermes/profiles/builder/home";

impl Setup {
    /// A path in the profile's home.
    fn in_home(&self, rel: &str) -> PathBuf {
        self.sandbox.home().join(rel)
    }

    fn remove(&self, rel: &str) {
        let path = self.in_home(rel);
        let kind = path.symlink_metadata().unwrap();
        if kind.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
    }

    /// A macOS user's keychain.
    fn with_keychain(self) -> Self {
        self.sandbox.write("real/Library/Keychains/login.keychain-db", "");
        self.sandbox.write("real/Library/Preferences/com.apple.security.plist", "");
        self.used();
        self
    }
}

/// nolabs-ai/nono#817, arbiterForge/codeArbiter#372: what is exposed, and what a sandbox has to allow.
#[test]
fn every_link_is_told_with_its_target() {
    let setup = Setup::new().with_keychain();
    setup.sandbox.mkdir("real/.ssh");
    setup.start(&["-p", "builder", "--share", ".ssh", "true"]).run().ok();
    let report = Report::of(setup.doctor(&["--share", ".ssh"]));
    for rel in [".claude", ".claude.json", ".ssh", "Library/Keychains", "Library/Preferences/com.apple.security.plist"]
    {
        let told = format!("{} -> {}", setup.in_home(rel).display(), setup.sandbox.real().join(rel).display());
        let check = report.0.iter().find(|check| check.message == told);
        assert!(check.is_some_and(|check| check.id == "link" && check.level == "ok"), "{told}: {report:#?}");
    }
}

#[test]
fn link_that_is_missing() {
    let setup = Setup::new();
    setup.remove(".claude.json");
    fires_and_is_cured(&setup.doctor(&[]), "link", "note", &[".claude.json", "will be created"]);
    // In place of one that points to nothing.
    setup.remove(".claude");
    setup.sandbox.link(setup.sandbox.real().join("gone"), format!("{HOME}/.claude"));
    fires_and_is_cured(&setup.doctor(&[]), "link", "note", &["/.claude ", "will replace"]);
}

#[test]
fn source_that_is_missing() {
    let setup = Setup::new();
    let report = Report::of(setup.doctor(&["--share", ".aws"]));
    assert_eq!(report.the("link", &["Library/Keychains", "has none"]).level, "ok", "nobody has a keychain on Linux");
    assert_eq!(report.the("link", &[".aws", "has none"]).level, "note", "somebody asked for it");
}

#[test]
fn link_that_points_to_nothing() {
    let setup = Setup::new();
    // Left over from a source that is gone.
    setup.sandbox.link(setup.sandbox.real().join(".aws"), format!("{HOME}/.aws"));
    fires(setup.doctor(&["--share", ".aws"]), "link", "warning", &[".aws", "points to nothing"]);
    // Of somebody else, to a volume that is not there, in the way of a link.
    setup.sandbox.mkdir("real/.docker");
    setup.sandbox.link("/volume/docker", format!("{HOME}/.docker"));
    fires_and_is_cured(&setup.doctor(&["--share", ".docker"]), "link", "warning", &["/volume/docker"]);
    // One of the user's own points to something, though the real home has none.
    setup.sandbox.link(setup.sandbox.mkdir("mine"), format!("{HOME}/.ssh"));
    assert_eq!(Report::of(setup.doctor(&["--share", ".ssh"])).the("link", &[".ssh"]).level, "note");
}

#[test]
fn source_that_points_to_nothing() {
    let setup = Setup::new();
    setup.sandbox.link("/dotfiles/gitconfig", "real/.gitconfig");
    let hint = hinted(setup.doctor(&["--share", ".gitconfig"]), "link", "note", &[".gitconfig", "points to nothing"]);
    assert_eq!(hint, format!("to see it: ls -l {}", setup.sandbox.real().join(".gitconfig").display()));
}

#[test]
fn source_and_home_within_each_other() {
    let setup = Setup::new();
    let run = setup.doctor(&["--share", ".hermes"]);
    let hint = hinted(run.clone(), "link", "warning", &[".hermes", "inside the other"]);
    // What asks for it is an option here: without it the setup is sound.
    assert_eq!(hint, "leave it out: --no-share .hermes");
    Report::of(setup.doctor(&["--share", ".hermes", "--no-share", ".hermes"])).is_quiet("link");
}

#[test]
fn link_that_has_become_a_file() {
    let setup = Setup::new();
    setup.remove(".claude.json");
    setup.sandbox.write(format!("{HOME}/.claude.json"), "{\"own\": 1}");
    fires_and_is_cured(&setup.doctor(&[]), "link", "problem", &[".claude.json", "was a symlink"]);
    assert!(setup.in_home(".claude.json").is_symlink());
    assert!(setup.in_home(".claude.json.own").is_file(), "what stood there is kept");
}

/// `claude`, run once without hermes-exec in this HOME, makes real files; they are left alone, and the profile stays
/// logged out.
#[test]
fn claudes_own_state_in_the_home() {
    let setup = Setup::new();
    for rel in [".claude", ".claude.json"] {
        setup.remove(rel);
    }
    setup.sandbox.write(format!("{HOME}/.claude/projects/x"), "");
    setup.sandbox.write(format!("{HOME}/.claude.json"), "{}");
    let run = setup.doctor(&[]);
    let report = Report::of(run.clone());
    let login = report.the("claude-login", &["not logged in", &setup.in_home(".claude").display().to_string()]);
    assert_eq!((login.level.as_str(), &login.cure), ("note", &None), "the link's check has the cure: {report:#?}");
    assert_eq!(login.hint.as_deref(), Some("see the check of its link"));
    assert_eq!(report.the("link", &[".claude.json is not linked"]).level, "note");
    fires_and_is_cured(&run, "link", "warning", &["without hermes-exec", "does not see the login"]);
    // One paste fixes all of it, and keeps what was there.
    let fixed = Report::of(run);
    assert_eq!(fixed.the("claude-login", &["logs in"]).level, "ok");
    assert!(setup.in_home(".claude.own/projects/x").is_file() && setup.in_home(".claude.json.own").is_file());

    // Only the directory.
    let setup = Setup::new();
    for rel in [".claude", ".claude.json"] {
        setup.remove(rel);
    }
    setup.sandbox.mkdir(format!("{HOME}/.claude"));
    fires_and_is_cured(&setup.doctor(&[]), "link", "warning", &["without hermes-exec"]);
}

/// A profile that is logged in on its own account is so on purpose.
#[test]
fn claudes_own_login_in_the_home() {
    let setup = Setup::new();
    for rel in [".claude", ".claude.json"] {
        setup.remove(rel);
    }
    setup.sandbox.write(format!("{HOME}/.claude/.credentials.json"), LOGIN);
    setup.sandbox.write(format!("{HOME}/.claude.json"), "{}");
    let report = Report::of(setup.doctor(&[]));
    report.is_quiet("link");
    assert_eq!(report.the("link", &["uses the login in it"]).level, "ok");
    report.the("claude-login", &["logs in", &setup.in_home(".claude").display().to_string()]);
}

/// anthropics/claude-code#34799: where `.claude` cannot be written, claude hangs and says nothing.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn claudes_directory_that_is_not_writable() {
    let setup = Setup::new();
    let dir = setup.sandbox.path("real/.claude");
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o555)).unwrap();
    setup.sandbox.chown_all(54321);
    let run = setup.doctor(&[]).program(setup.sandbox.path("tools/hermes-exec")).uid(54321);
    fires_and_is_cured(&run, "link", "problem", &[".claude", "is not writable"]);
    std::os::unix::fs::chown(&dir, Some(0), None).unwrap();
    let cure = fires(run.clone(), "link", "problem", &["is not writable"]);
    assert!(cure.starts_with("sudo "), "{cure}");
    // Where there is no sudo, no command of this user's cures it.
    fs::remove_file(setup.sandbox.path("tools/sudo")).unwrap();
    let hint = hinted(run.env("PATH", setup.sandbox.path("tools")), "link", "problem", &["is not writable"]);
    assert_eq!(hint, format!("as root: chmod u+rwx {}", dir.display()));
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn directory_that_cannot_be_opened() {
    let setup = Setup::new().with_keychain();
    let dir = setup.sandbox.path("real/Library/Keychains");
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o000)).unwrap();
    setup.sandbox.chown_all(54321);
    let run = setup.doctor(&[]).program(setup.sandbox.path("tools/hermes-exec")).uid(54321);
    fires_and_is_cured(&run, "link", "problem", &["Library/Keychains", "cannot be opened"]);
}

/// SeemSeam/claude_codex_bridge#202: the keychains alone were not enough. alamops/agetor#11: CLAUDE_CONFIG_DIR is another way.
#[test]
fn keychain_without_its_preferences() {
    let setup = Setup::new().with_keychain();
    Report::of(setup.doctor(&[])).lacks("keychain");
    let plist = "Library/Preferences/com.apple.security.plist";
    setup.remove(plist);
    Report::of(setup.doctor(&[])).lacks("keychain"); // The next run makes it.
    setup.sandbox.write(format!("{HOME}/{plist}"), "");
    let hint = hinted(setup.doctor(&[]), "keychain", "warning", &["com.apple.security.plist"]);
    let config = setup.sandbox.real().join(".claude");
    assert!(hint.contains(&format!("--set CLAUDE_CONFIG_DIR={} ", config.display())), "{hint}");
    fires_and_is_cured(&setup.doctor(&[]), "link", "problem", &["com.apple.security.plist", "was a symlink"]);
    Report::of(setup.doctor(&[])).lacks("keychain");
}

#[test]
fn links_that_an_import_refuses() {
    let setup = Setup::new();
    let hint = hinted(setup.doctor(&[]), "profile-import", "ok", &["2 symlinks", "hermes profile import"]);
    assert_eq!(hint, "before an export: hermes-exec -p builder --unlink");
    setup.sandbox.link(setup.sandbox.mkdir("mine"), format!("{HOME}/.ssh"));
    setup.sandbox.mkdir("real/.ssh");
    fires(setup.doctor(&["--share", ".ssh"]), "profile-import", "ok", &["3 symlinks"]);
    Report::of(setup.doctor(&["--no-share", "all"])).lacks("profile-import");
}

#[test]
fn claude_with_a_directory_of_its_own() {
    let setup = Setup::new();
    let report = Report::of(setup.doctor(&[]).env("CLAUDE_CONFIG_DIR", setup.sandbox.mkdir("canary")));
    assert_eq!(report.the("link", &["CLAUDE_CONFIG_DIR"]).level, "ok");
    assert_eq!(report.the("claude-login", &["not logged in", "CLAUDE_CONFIG_DIR"]).level, "note");
    assert!(!format!("{report:?}").contains("canary"), "{report:#?}");
}

/// A file that the home has and the real home has not: Claude Code then asks for a keychain that is not there.
#[test]
fn keychain_with_preferences_of_the_homes_own() {
    let setup = Setup::new();
    setup.sandbox.write("real/Library/Keychains/login.keychain-db", "");
    setup.used();
    Report::of(setup.doctor(&[])).is_quiet("keychain");
    setup.sandbox.write(format!("{HOME}/Library/Preferences/com.apple.security.plist"), "");
    fires_and_is_cured(&setup.doctor(&[]), "keychain", "warning", &["com.apple.security.plist", "another default"]);
    // Without a keychain it means nothing.
    let without = Setup::new();
    without.sandbox.write(format!("{HOME}/Library/Preferences/com.apple.security.plist"), "");
    Report::of(without.doctor(&[])).is_quiet("keychain");
}

/// A run was killed between the exchange of a link and the step that puts back what came there meanwhile.
#[test]
fn what_was_saved_while_a_link_was_replaced_is_named() {
    let setup = Setup::new();
    let file = setup.sandbox.write(format!("{HOME}/.hermes-exec.999999.0.tmp"), "precious");
    hinted(setup.doctor(&[]), "link", "warning", &[file.to_str().unwrap(), "lost its name"]);
    fs::remove_file(file).unwrap();
    let report = Report::of(setup.doctor(&[]));
    assert!(report.0.iter().all(|check| !check.message.contains("lost its name")), "{report:#?}");
}

/// A home that was moved or renamed takes the root with it, and every link points to where it was.
#[test]
fn a_moved_home_is_repaired_by_one_command() {
    let setup = Setup::new();
    setup.sandbox.write("real/.gitconfig", "");
    setup.start(&["-p", "builder", "--share", ".gitconfig", "true"]).run().ok();
    let moved = setup.sandbox.path("moved");
    fs::rename(setup.sandbox.real(), &moved).unwrap();
    let run = setup.doctor(&["--share", ".gitconfig"]).env("HOME", &moved);
    let report = Report::of(run.clone());
    assert_eq!(report.0.iter().filter(|check| check.level == "warning").count(), 1, "{report:#?}");
    let before = setup.sandbox.real().display().to_string();
    fires_and_is_cured(&run, "home-moved", "warning", &[".claude, .claude.json, .gitconfig", &before]);
    for place in [".claude", ".claude.json", ".gitconfig"] {
        let link = moved.join(".hermes/profiles/builder/home").join(place);
        assert_eq!(fs::read_link(link).unwrap(), moved.join(place));
    }
    // A link to another home of the same form, which is there: it may be another account's, and stays until the user says so.
    let setup = Setup::new();
    setup.sandbox.mkdir("another/.claude");
    setup.remove(".claude");
    setup.sandbox.link(setup.sandbox.path("another/.claude"), format!("{HOME}/.claude"));
    fires_and_is_cured(&setup.doctor(&[]), "home-moved", "warning", &["another"]);
}
