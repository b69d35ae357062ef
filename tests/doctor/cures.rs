//! Broken setups, each with the check that finds it: its cure is pasted into `sh` by the user who asked, and then the check is
//! quiet. No cure destroys what the user has.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::links::HOME;
use super::{Report, Setup, shims};
use crate::support::Run;

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Anybody,
    /// What only root can break, or fix.
    Root,
    /// What root does not notice.
    User,
}
use Who::{Anybody, Root, User};

/// A user without an entry in the password database, with a sudo that does not help.
const USER: u32 = 54323;

/// What the user would miss: a cure may move it, and no more.
const PRECIOUS: &str = "precious";

/// What is broken, the check that finds it, who can be concerned, and how to break it.
type Fault = (&'static str, &'static str, Who, fn(&Setup) -> Run);

const OF_THE_PROFILE: [Fault; 15] = [
    ("a profile that does not exist", "profile", Anybody, |setup| setup.start(&["--doctor", "-p", "nobody"])),
    ("a deleted profile", "profile", Anybody, |setup| {
        setup.sandbox.write("real/.hermes/profiles/.deleted/builder", "");
        setup.doctor(&[])
    }),
    ("HERMES_PROFILE without its profile", "profile", Anybody, |setup| {
        setup.start(&["--doctor"]).env("HERMES_PROFILE", "gone")
    }),
    ("HERMES_PROFILE without any Hermes", "profile", Anybody, |setup| {
        fs::rename(setup.sandbox.root(), setup.sandbox.path("real/.elsewhere")).unwrap();
        setup.start(&["--doctor"]).env("HERMES_PROFILE", "gone")
    }),
    ("HERMES_PROFILE and another HERMES_HOME", "profile", Anybody, |setup| {
        let run = setup.start(&["--doctor"]).env("HERMES_HOME", setup.sandbox.profile("builder"));
        run.env("HERMES_PROFILE", "other")
    }),
    ("a stale active_profile", "active-profile", Anybody, |setup| {
        setup.sandbox.write("real/.hermes/active_profile", "gone\n");
        setup.start(&["--doctor"])
    }),
    ("a stale active_profile that decides nothing today", "active-profile", Anybody, |setup| {
        setup.sandbox.write("real/.hermes/active_profile", "../builder");
        setup.doctor(&[])
    }),
    ("a stale active_profile of another root", "active-profile", Anybody, |setup| {
        fs::rename(setup.sandbox.root(), setup.sandbox.path("hermes")).unwrap();
        setup.sandbox.write("hermes/active_profile", "gone\n");
        setup.start(&["--doctor", "--hermes-home", setup.sandbox.path("hermes").to_str().unwrap()])
    }),
    ("an active_profile that is a symlink", "active-profile", Anybody, |setup| {
        let secret = setup.sandbox.write("real/secret", PRECIOUS);
        setup.sandbox.link(secret, "real/.hermes/active_profile");
        setup.start(&["--doctor"])
    }),
    ("a relative HERMES_HOME", "hermes-home", Anybody, |setup| setup.start(&["--doctor"]).env("HERMES_HOME", "x/y")),
    ("a HERMES_HOME that does not exist", "hermes-home", Anybody, |setup| {
        setup.start(&["--doctor"]).env("HERMES_HOME", "/no/where")
    }),
    ("the HERMES_HOME of a profile that is gone", "hermes-home", Anybody, |setup| {
        setup.start(&["--doctor"]).env("HERMES_HOME", setup.sandbox.root().join("profiles/gone"))
    }),
    ("a HERMES_HOME that an option overrules", "hermes-home", Anybody, |setup| {
        let root = setup.sandbox.root();
        setup.doctor(&["--hermes-home", root.to_str().unwrap()]).env("HERMES_HOME", "/no/where")
    }),
    ("a policy file that everybody can write", "policy", Anybody, |setup| {
        let file = setup.sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", "{}");
        fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
        setup.doctor(&[])
    }),
    ("a policy file that is a symlink", "policy", Anybody, |setup| {
        let file = setup.sandbox.write("real/dotfiles/policy.json", PRECIOUS);
        setup.sandbox.link(file, "real/.hermes/profiles/builder/hermes-exec.json");
        setup.doctor(&[])
    }),
];

const OF_THE_HOME: [Fault; 16] = [
    ("a mode that does not exist", "home", Anybody, |setup| setup.doctor(&[]).env("HERMES_EXEC_HOME_MODE", "x")),
    ("mode profile without a home", "home", Anybody, |setup| {
        fs::remove_dir_all(setup.sandbox.home()).unwrap();
        setup.doctor(&["--home", "profile"])
    }),
    ("a file in the place of the home", "home", Anybody, |setup| in_place_of_home(setup, None)),
    ("a file there, and a directory with the name that is free first", "home", Anybody, |setup| {
        setup.sandbox.mkdir(format!("{HOME}.own/kept"));
        in_place_of_home(setup, None)
    }),
    ("a symlink to nothing in the place of the home", "home", Anybody, |setup| {
        in_place_of_home(setup, Some("/no/where".as_ref()))
    }),
    ("a symlink to a file in the place of the home", "home", Anybody, |setup| {
        let file = setup.sandbox.write("real/file", PRECIOUS);
        in_place_of_home(setup, Some(&file))
    }),
    ("a home that holds the profile", "home", Anybody, |setup| in_place_of_home(setup, Some(&setup.sandbox.real()))),
    ("a home outside the profile", "links", Anybody, |setup| {
        in_place_of_home(setup, Some(&setup.sandbox.mkdir("volume")))
    }),
    ("a home that is not writable", "home", User, |setup| {
        fs::set_permissions(setup.sandbox.home(), fs::Permissions::from_mode(0o555)).unwrap();
        setup.doctor(&[])
    }),
    ("a profile in which no home can be created", "home", User, |setup| {
        fs::remove_dir_all(setup.sandbox.home()).unwrap();
        fs::set_permissions(setup.sandbox.profile("builder"), fs::Permissions::from_mode(0o555)).unwrap();
        setup.doctor(&[])
    }),
    ("files of another user in the home", "home-owner", Root, |setup| {
        let file = setup.sandbox.write(format!("{HOME}/left"), PRECIOUS);
        std::os::unix::fs::chown(file, Some(USER), None).unwrap();
        setup.doctor(&[])
    }),
    ("a policy file of another user", "policy", Root, |setup| {
        let file = setup.sandbox.write("real/.hermes/hermes-exec.json", "{}");
        std::os::unix::fs::chown(file, Some(USER), None).unwrap();
        setup.doctor(&[])
    }),
    ("a HOME in the home of a home", "home-nested", Anybody, |setup| {
        let home = setup.sandbox.mkdir(format!("{HOME}/.hermes/profiles/inner/home"));
        let run = setup.doctor(&[]).env("HOME", home).env("HERMES_HOME", setup.sandbox.root());
        run.env("HERMES_REAL_HOME", setup.sandbox.real())
    }),
    ("a root in a home", "home-nested", Anybody, |setup| {
        setup.start(&["--doctor"]).env("HERMES_HOME", setup.sandbox.mkdir(format!("{HOME}/.hermes")))
    }),
    ("a config.yaml that its user cannot read", "config", User, |setup| {
        let file = setup.sandbox.write("real/.hermes/profiles/builder/config.yaml", "x: y\n");
        fs::set_permissions(file, fs::Permissions::from_mode(0o000)).unwrap();
        setup.doctor(&[])
    }),
    ("a value to set that everybody can read", "set-from", Anybody, |setup| {
        let file = setup.sandbox.write("a value", PRECIOUS);
        setup.doctor(&["--set-from", &format!("X={}", file.display())])
    }),
];

const OF_THE_LINKS: [Fault; 14] = [
    ("a link that the next run creates", "link", Anybody, |setup| {
        fs::remove_file(setup.sandbox.home().join(".claude.json")).unwrap();
        setup.doctor(&[])
    }),
    ("a link to a source that is gone", "link", Anybody, |setup| {
        setup.sandbox.link(setup.sandbox.real().join(".aws"), format!("{HOME}/.aws"));
        setup.doctor(&["--share", ".aws"])
    }),
    ("a file in the place of a link", "link", Anybody, |setup| {
        setup.sandbox.mkdir("real/.config/gh");
        setup.sandbox.write(format!("{HOME}/.config/gh"), PRECIOUS);
        setup.doctor(&["--share", ".config/gh"])
    }),
    ("a file in the place of its parent", "link", Anybody, |setup| {
        setup.sandbox.mkdir("real/.config/gh");
        setup.sandbox.write(format!("{HOME}/.config"), PRECIOUS);
        setup.doctor(&["--share", ".config/gh"])
    }),
    ("a symlink of the user's in the place of a link", "link", Anybody, |setup| {
        setup.sandbox.mkdir("real/.config/gh");
        setup.sandbox.link(setup.sandbox.mkdir("mine"), format!("{HOME}/.config/gh"));
        setup.doctor(&["--share", ".config/gh"])
    }),
    ("a name with a quote and a space", "link", Anybody, |setup| {
        setup.sandbox.mkdir("real/it's a share");
        setup.sandbox.write(format!("{HOME}/it's a share"), PRECIOUS);
        setup.doctor(&["--share", "it's a share"])
    }),
    ("Claude Code's own state", "link", Anybody, |setup| own_state(setup)),
    ("Claude Code's own state for the second time", "link", Anybody, |setup| {
        setup.sandbox.write(format!("{HOME}/.claude.own/first"), PRECIOUS);
        setup.sandbox.write(format!("{HOME}/.claude.json.own"), PRECIOUS);
        own_state(setup)
    }),
    ("and for the third", "link", Anybody, |setup| {
        setup.sandbox.mkdir(format!("{HOME}/.claude.own"));
        setup.sandbox.write(format!("{HOME}/.claude.own.2/second"), PRECIOUS);
        own_state(setup)
    }),
    ("a link that has become a file", "link", Anybody, |setup| {
        fs::remove_file(setup.sandbox.home().join(".claude.json")).unwrap();
        setup.sandbox.write(format!("{HOME}/.claude.json"), PRECIOUS);
        setup.sandbox.mkdir(format!("{HOME}/.claude.json.own"));
        setup.doctor(&[])
    }),
    ("a shared directory that is not writable", "link", User, |setup| {
        fs::set_permissions(setup.sandbox.path("real/.claude"), fs::Permissions::from_mode(0o555)).unwrap();
        setup.doctor(&[])
    }),
    ("a parent that cannot be searched", "link", User, |setup| {
        setup.sandbox.mkdir("real/.config/gh");
        let parent = setup.sandbox.mkdir(format!("{HOME}/.config"));
        fs::set_permissions(parent, fs::Permissions::from_mode(0o000)).unwrap();
        setup.doctor(&["--share", ".config/gh"])
    }),
    ("a home that was moved", "home-moved", Anybody, |setup| {
        let moved = setup.sandbox.path("moved");
        fs::rename(setup.sandbox.real(), &moved).unwrap();
        setup.doctor(&[]).env("HOME", moved)
    }),
    ("keychain preferences of the home's own", "keychain", Anybody, |setup| {
        setup.sandbox.write("real/Library/Keychains/login.keychain-db", "");
        setup.sandbox.write(format!("{HOME}/Library/Preferences/com.apple.security.plist"), PRECIOUS);
        setup.doctor(&[])
    }),
];

const OF_THE_REST: [Fault; 12] = [
    ("a start file in the real home", "start-file", Anybody, |setup| {
        setup.doctor(&[]).env("BASH_ENV", setup.sandbox.real().join(".bashenv"))
    }),
    ("a location in the real home", "past-redirect", Anybody, |setup| {
        setup.doctor(&[]).env("KUBECONFIG", setup.sandbox.real().join("kube"))
    }),
    ("switches of node", "node-switches", Anybody, |setup| setup.doctor(&[]).env("ELECTRON_RUN_AS_NODE", "1")),
    ("a working directory below Hermes' .env", "dotenv", Anybody, |setup| {
        setup.sandbox.write("real/.hermes/.env", "MY_TOKEN=x\n");
        setup.doctor(&[]).dir(setup.sandbox.root()).env("MY_TOKEN", "x")
    }),
    ("no login", "claude-login", Anybody, |setup| setup.logged_in_with(None)),
    ("an empty login", "claude-login", Anybody, |setup| setup.logged_in_with(Some("{}"))),
    ("a login of which a full disk left nothing", "claude-login", Anybody, |setup| setup.logged_in_with(Some(""))),
    ("a login that has expired", "claude-login", Anybody, |setup| {
        setup.logged_in_with(Some(r#"{"claudeAiOauth": {"accessToken": "x", "refreshToken": "", "expiresAt": 1000}}"#))
    }),
    ("a key beside a subscription", "claude-key", Anybody, |setup| {
        setup.doctor(&["--inherit-credentials=anthropic"]).env("ANTHROPIC_API_KEY", "x")
    }),
    ("a program before its shim", "shims", Anybody, |setup| {
        let dir = shims::written(setup, shims::USUAL);
        setup.sandbox.write("real/.profile", shims::line(&dir));
        let first = setup.sandbox.script("first/mytool", "#!/bin/sh\n");
        shims::with_path(setup, &[first.parent().unwrap(), &dir])
    }),
    ("shims that start nothing", "shims", Anybody, |setup| {
        let dir = shims::written(setup, shims::USUAL);
        setup.sandbox.write("real/.profile", shims::line(&dir));
        let text = fs::read_to_string(dir.join("mytool")).unwrap();
        let (_, options) = text.split_once(" '--").unwrap();
        setup.sandbox.script(dir.join("mytool"), format!("#!/bin/sh\nexec '/old/hermes-exec' '--{options}"));
        shims::with_path(setup, &[&dir])
    }),
    ("shims that no shell sees", "shims-seen", Anybody, |setup| {
        shims::written(setup, shims::USUAL);
        setup.doctor(&[])
    }),
];

fn in_place_of_home(setup: &Setup, target: Option<&Path>) -> Run {
    let home = setup.sandbox.home();
    fs::remove_dir_all(&home).unwrap();
    match target {
        None => fs::write(&home, PRECIOUS).unwrap(),
        Some(target) => symlink(target, &home).unwrap(),
    }
    setup.doctor(&[])
}

/// As `claude` leaves it that has run here without hermes-exec.
fn own_state(setup: &Setup) -> Run {
    for name in [".claude", ".claude.json"] {
        fs::remove_file(setup.sandbox.home().join(name)).unwrap();
    }
    setup.sandbox.write(format!("{HOME}/.claude/projects/x"), PRECIOUS);
    setup.sandbox.write(format!("{HOME}/.claude.json"), PRECIOUS);
    setup.doctor(&[])
}

impl Setup {
    /// With this in the user's `.credentials.json`.
    fn logged_in_with(&self, text: Option<&str>) -> Run {
        let file = self.sandbox.path("real/.claude/.credentials.json");
        match text {
            None => fs::remove_file(file).unwrap(),
            Some(text) => fs::write(file, text).unwrap(),
        }
        self.doctor(&[])
    }

    /// How many files hold what is precious.
    fn precious(&self) -> usize {
        self.sandbox.listing().values().filter(|entry| entry.ends_with(PRECIOUS)).count()
    }
}

/// Breaks a setup, and cures it.
fn cure((name, id, _, break_it): Fault, as_user: bool) -> Result<(), String> {
    let setup = Setup::new();
    let mut run = break_it(&setup);
    if as_user {
        // There is no sudo for this user.
        fs::remove_file(setup.sandbox.path("tools/sudo")).unwrap();
        setup.sandbox.chown_all(USER);
        run = run.program(setup.sandbox.path("tools/hermes-exec")).uid(USER);
    }
    let precious = setup.precious();
    let before = Report::of(run.clone());
    let fired: Vec<_> = before.0.iter().filter(|check| check.id == id && check.level != "ok").collect();
    let cures: Vec<_> = fired.iter().filter_map(|check| check.cure.clone()).collect();
    let Some(cure) = cures.first() else { return Err(format!("{name}: no cure of {id}: {before:#?}")) };
    // Pasted twice, it loses nothing either.
    let twice = format!("set -e\n{{ {cure}; }} >/dev/null 2>&1\nset +e\n{{ {cure}; }} >/dev/null 2>&1");
    let pasted = run.option("--json").after_sh(&twice);
    let after = Report::read(pasted);
    let kept = setup.precious();
    let rest = after.0.iter().find(|check| {
        check.id == id && (check.alarms() || (check.level == "note" && fired.iter().all(|fired| fired.level == "note")))
    });
    // `mv` of something to a directory moves it into that directory.
    let is_inside = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.parent().is_some_and(|parent| parent.to_string_lossy().ends_with(&format!("/{name}.own")))
    };
    match rest {
        _ if setup.sandbox.listing().keys().any(|path| is_inside(path)) => {
            Err(format!("{name}: one in the other: {cure}"))
        }
        Some(rest) => Err(format!("{name}: after {cure}: {rest:#?}")),
        None if kept != precious => Err(format!("{name}: {cure} destroys a file: {precious}, {kept}")),
        None => Ok(()),
    }
}

#[track_caller]
fn all_are_cured(faults: &[Fault]) {
    let mut failed = Vec::new();
    for &fault in faults {
        let is_root = nix::unistd::geteuid().is_root();
        if fault.2 != User {
            failed.extend(cure(fault, false).err());
        }
        if is_root && fault.2 != Root {
            failed.extend(cure(fault, true).err());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn of_profile_and_policy() {
    all_are_cured(&OF_THE_PROFILE);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn of_the_home() {
    all_are_cured(&OF_THE_HOME);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn of_the_links() {
    all_are_cured(&OF_THE_LINKS);
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn of_the_rest() {
    all_are_cured(&OF_THE_REST);
}
