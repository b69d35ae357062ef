//! Malice: links planted in a profile, and parts of it swapped between the look and the act. Nothing is created, replaced
//! or removed outside the profile's directory, and no file or directory inside it. Where the moment matters, the plan is
//! made first, then the tree is changed, then the plan is carried out; `races` is about chance.

// The attack is one of glibc's functions.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod races;

#[cfg(target_os = "linux")]
crate::pages! { depth_linux }

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::plan::prepare;
use hermes_exec::error::Failure;

use crate::support::plan::plan;
use crate::support::{Sandbox, listing};

/// The options of every run here: each kind of place, in the home itself and below directories of it.
const OPTIONS: [&str; 4] = ["-p", "builder", "--share", ".config/gh,.local/share/deep/er"];
const PLACES: [&str; 6] = [
    "Library/Keychains",
    "Library/Preferences/com.apple.security.plist",
    ".claude",
    ".claude.json",
    ".config/gh",
    DEEP,
];
const DEEP: &str = ".local/share/deep/er";

const PROFILE: &str = "real/.hermes/profiles/builder";

/// A real home with a source for every place, the profile `builder`, and a place outside that nobody may write to.
struct Trap {
    sandbox: Sandbox,
    outside: BTreeMap<PathBuf, String>,
}

impl Trap {
    fn new() -> Self {
        let sandbox = Sandbox::with_builder();
        for place in PLACES {
            sandbox.write(Path::new("real").join(place), "of the user");
        }
        // A whole profile with everything that a start makes room for, so that a link to any part of it leads somewhere.
        for place in PLACES {
            sandbox.mkdir(Path::new("victim/profiles/builder/home").join(place).parent().unwrap());
        }
        let mut trap = Self { sandbox, outside: BTreeMap::new() };
        trap.outside = trap.victim();
        trap
    }

    fn victim(&self) -> BTreeMap<PathBuf, String> {
        let all = listing(&self.sandbox.path("victim")).into_iter();
        // With the time of the last change: what is created and removed again counts, too.
        all.map(|(path, what)| {
            let meta = path.symlink_metadata().unwrap();
            let what = format!("{what} {}.{} {}", meta.ctime(), meta.ctime_nsec(), meta.ino());
            (path, what)
        })
        .collect()
    }

    fn builder(&self, rel: &str) -> PathBuf {
        self.sandbox.path(PROFILE).join(rel)
    }

    /// The home with every link in it, made by a run.
    fn with_links(self) -> Self {
        self.sandbox.hx([&OPTIONS[..], &["true"]].concat()).run().ok();
        self
    }

    /// Plans, changes the tree, carries the plan out.
    fn race(&self, change: impl FnOnce(&Self)) -> Result<Vec<String>, Failure> {
        let plan = plan(&self.sandbox, OPTIONS).unwrap();
        change(self);
        prepare(&plan)
    }

    #[track_caller]
    fn assert_outside_untouched(&self, what: &str) {
        assert_eq!(self.victim(), self.outside, "{what}");
    }
}

/// Puts a link to the same part of the other tree in the place of a part of ours; what stood there goes beside it.
fn plant(trap: &Trap, part: &str) {
    let (ours, theirs) = (trap.sandbox.path("real/.hermes").join(part), trap.sandbox.path("victim").join(part));
    if ours.symlink_metadata().is_ok() {
        fs::rename(&ours, ours.with_extension("aside")).unwrap();
    }
    symlink(theirs, ours).unwrap();
}

/// What lies below the profile's directory, from the outermost part to the innermost.
const PARTS: [&str; 8] = [
    "profiles/builder/home",
    "profiles/builder/home/Library",
    "profiles/builder/home/Library/Preferences",
    "profiles/builder/home/.config",
    "profiles/builder/home/.local",
    "profiles/builder/home/.local/share",
    "profiles/builder/home/.local/share/deep",
    "profiles/builder/home/.local/share/deep/er",
];

/// Also where it leads nowhere: nothing is created there.
#[test]
fn a_planted_link_leads_no_write_outside() {
    for part in PARTS {
        for dangles in [false, true] {
            let is_home = part == "profiles/builder/home";
            if is_home && dangles {
                // Which is an error; see `directory`.
                continue;
            }
            let trap = Trap::new();
            fs::create_dir_all(trap.sandbox.root().join(part).parent().unwrap()).unwrap();
            if dangles {
                symlink(trap.sandbox.path("victim/new"), trap.sandbox.root().join(part)).unwrap();
            } else {
                plant(&trap, part);
            }
            let outcome = trap.sandbox.hx([&["-v"], &OPTIONS[..], &["true"]].concat()).run();
            assert_eq!(outcome.code(), 0, "{part}: {outcome:?}");
            assert!(outcome.stderr.contains(part), "{part} is a finding: {outcome:?}");
            trap.assert_outside_untouched(part);
            assert!(is_home || trap.builder("home/.claude").is_symlink(), "{part}: the others are made");
        }
    }
}

#[test]
fn a_link_planted_after_the_look_leads_no_write_outside() {
    for part in PARTS {
        for fresh in [true, false] {
            let trap = if fresh { Trap::new() } else { Trap::new().with_links() };
            if !fresh {
                // Something to do everywhere.
                PLACES.iter().for_each(|place| fs::remove_file(trap.builder("home").join(place)).unwrap());
            }
            let result = trap.race(|trap| {
                fs::create_dir_all(trap.sandbox.path("real/.hermes").join(part).parent().unwrap()).unwrap();
                plant(trap, part);
            });
            trap.assert_outside_untouched(part);
            match result {
                Ok(findings) => {
                    assert!(!findings.is_empty(), "{part} {fresh}");
                    assert!(trap.builder("home/.claude").is_symlink(), "{part} {fresh}: the others are made");
                }
                Err(failure) => assert_eq!(part, "profiles/builder/home", "{fresh}: {failure}"),
            }
        }
    }
}

#[test]
fn another_directory_in_the_place_of_the_profile_is_not_the_profile() {
    for (part, home, as_link) in [
        ("real/.hermes/profiles/builder", false, true),
        ("real/.hermes/profiles/builder", true, true),
        ("real/.hermes/profiles/builder", true, false),
        ("real/.hermes/profiles", true, true),
        ("real/.hermes/profiles", true, false),
        ("real/.hermes", true, true),
    ] {
        let trap = Trap::new();
        if home {
            trap.sandbox.mkdir(trap.builder("home"));
        }
        let [ours, aside] = [part, "aside"].map(|rel| trap.sandbox.path(rel));
        let theirs = trap.sandbox.path(part.replace("real/.hermes", "victim"));
        let before = listing(&theirs);
        let result = trap.race(|_| {
            fs::rename(&ours, &aside).unwrap();
            if as_link { symlink(&theirs, &ours) } else { fs::rename(&theirs, &ours) }.unwrap();
        });
        let what = format!("{part}, home {home}, as link {as_link}");
        let failure = result.expect_err(&what);
        assert!(failure.message.contains(PROFILE), "{what}: {failure}");
        if !as_link {
            fs::rename(&ours, &theirs).unwrap();
        }
        assert_eq!(listing(&theirs), before, "{what}");
        assert!(listing(&aside).into_keys().all(|path| !path.is_symlink()), "{what}");
    }
}

#[test]
fn a_profile_or_a_home_deleted_after_the_look_does_not_come_back() {
    for (part, home, again) in
        [("", false, false), ("", false, true), ("", true, false), ("", true, true), ("home", true, false)]
    {
        let trap = Trap::new();
        if home {
            trap.sandbox.mkdir(trap.builder("home"));
        }
        // Held open, so that a directory made anew cannot get the number of the old one.
        let _held = fs::File::open(trap.builder("")).unwrap();
        let result = trap.race(|trap| {
            fs::remove_dir_all(trap.builder(part)).unwrap();
            if again {
                trap.sandbox.profile("builder");
            }
        });
        let what = format!("{part:?}, home {home}, again {again}");
        let failure = result.expect_err(&what);
        let named = if part.is_empty() { PROFILE.to_owned() } else { format!("{PROFILE}/{part}") };
        assert!(failure.message.contains(&named), "{what}: {failure}");
        assert_eq!(trap.builder("").exists(), again || !part.is_empty(), "{what}");
        assert!(!trap.builder("home").exists(), "{what}");
    }
}

#[test]
fn what_came_to_a_links_place_after_the_look_is_left() {
    for place in PLACES {
        for (stale, what) in
            [(false, "file"), (false, "directory"), (false, "link"), (true, "file"), (true, "directory")]
        {
            let trap = Trap::new();
            let at = trap.builder("home").join(place);
            if stale {
                trap.sandbox.link(trap.sandbox.real().join("gone"), &at);
            }
            let mut before = BTreeMap::new();
            let findings = trap.race(|trap| {
                if stale {
                    fs::remove_file(&at).unwrap();
                }
                match what {
                    "file" => drop(trap.sandbox.write(&at, "mine")),
                    "directory" => drop(trap.sandbox.write(at.join("inner"), "mine")),
                    _ => drop(trap.sandbox.link("/elsewhere", &at)),
                }
                before = listing(at.parent().unwrap());
            });
            let findings = findings.unwrap();
            let after = listing(at.parent().unwrap());
            let case = format!("{what} at {place}, stale {stale}: {findings:?}");
            for (path, what) in before.iter().filter(|(path, _)| path.starts_with(&at)) {
                assert_eq!(after.get(path), Some(what), "{case}");
            }
            assert!(findings.iter().any(|line| line.contains(at.to_str().unwrap())), "{case}");
            assert!(after.keys().all(|path| !path.display().to_string().contains(".tmp")), "{case}: no temporary");
        }
    }
}

#[test]
fn the_right_link_that_came_and_a_stale_one_that_went_after_the_look_are_no_findings() {
    for (stale, comes) in [(false, true), (true, true), (true, false)] {
        let trap = Trap::new();
        if stale {
            PLACES.iter().for_each(|place| {
                drop(trap.sandbox.link(trap.sandbox.real().join("gone"), trap.builder("home").join(place)));
            });
        }
        let findings = trap.race(|trap| {
            if comes {
                trap.sandbox.hx([&OPTIONS[..], &["true"]].concat()).run().ok();
            } else {
                PLACES.iter().for_each(|place| fs::remove_file(trap.builder("home").join(place)).unwrap());
            }
        });
        assert_eq!(findings.unwrap(), [""; 0], "stale {stale}, comes {comes}");
        for place in PLACES {
            let text = fs::read_link(trap.builder("home").join(place)).unwrap();
            assert_eq!(text, trap.sandbox.real().join(place), "stale {stale}, comes {comes}");
        }
    }
}
