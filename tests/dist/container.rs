//! Container shapes: the root is `/opt/data`, it belongs to uid 10000, and that uid may have no passwd entry. `/opt` and
//! `/etc/passwd` are mounted for each run in a namespace of its own; what is on the volume stays in the sandbox.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::PathBuf;

use crate::support::{Outcome, Run, Sandbox, listing};

const USER: u32 = 10000;
const ENTRY: &str = "hermes:x:10000:10000::/opt/data:/bin/sh\n";

/// A volume, in the sandbox's `data`, with the profile `builder`, all of it [`USER`]'s.
struct Container(Sandbox);

impl Container {
    fn new(with_home: bool, passwd_entry: &str) -> Self {
        assert!(nix::unistd::geteuid().is_root(), "this test mounts: run it as root");
        let sandbox = Sandbox::without_hermes();
        sandbox.mkdir("data/profiles/builder");
        if with_home {
            sandbox.mkdir("data/home");
        }
        sandbox.write("passwd", format!("root:x:0:0::/root:/bin/sh\n{passwd_entry}"));
        sandbox.copied_binary();
        let container = Self(sandbox);
        container.give_all();
        container
    }

    /// The user has logged in to Claude Code, with the volume as home.
    fn with_login(self) -> Self {
        self.0.mkdir("data/.claude");
        self.0.write("data/.claude.json", "{}");
        self.give_all();
        self
    }

    fn give_all(&self) {
        self.0.chown_all(USER);
    }

    /// A start of the command in the container, by the user or by root, without HOME.
    fn run(&self, uid: u32, options: &[&str], command: &[&str]) -> Run {
        let dir = self.0.dir.display();
        let prelude = format!(
            "mount -t tmpfs -o mode=755 none /opt\nmkdir /opt/data\nmount --bind {dir}/data /opt/data\n\
             mount --bind {dir}/passwd /etc/passwd"
        );
        let run = self.0.hx([options, &["--"], command].concat()).program(self.0.copied_binary());
        run.no_env("HOME").env("HERMES_HOME", "/opt/data").uid(uid).mounted(&prelude)
    }

    fn by_user(&self, options: &[&str]) -> Run {
        self.run(USER, options, &["env", "-0"])
    }

    /// As `docker exec` does it.
    fn by_root(&self, options: &[&str]) -> Run {
        self.run(0, options, &["env", "-0"]).env("HOME", "/root")
    }

    /// The links on the volume, with their texts and owners.
    fn links(&self) -> BTreeMap<PathBuf, (PathBuf, u32)> {
        let data = self.0.path("data");
        let links = listing(&data).into_keys().filter(|path| path.is_symlink());
        links
            .map(|path| {
                let uid = path.symlink_metadata().unwrap().uid();
                (path.strip_prefix(&data).unwrap().to_owned(), (fs::read_link(path).unwrap(), uid))
            })
            .collect()
    }
}

/// HOME and HERMES_REAL_HOME of a command that ran; empty where they are not set.
#[track_caller]
fn homes(outcome: &Outcome) -> (String, String) {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let value = |name| outcome.var(name).unwrap_or_default();
    (value("HOME"), value("HERMES_REAL_HOME"))
}

fn pair(home: &str, real: &str) -> (String, String) {
    (home.into(), real.into())
}

#[test]
fn with_a_home_on_the_volume_home_is_that_whatever_it_was() {
    let container = Container::new(true, "");
    for (home, real) in [("/", "/"), ("/opt/data", "/opt/data"), ("/opt/data/home", ""), ("/gone", ""), ("", "")] {
        let outcome = container.by_user(&[]).env("HOME", home).run().ok();
        assert_eq!(homes(&outcome), pair("/opt/data/home", real), "HOME={home}");
        assert_eq!(outcome.var("HERMES_HOME").unwrap(), "/opt/data");
    }
    assert_eq!(homes(&container.by_user(&[]).run().ok()), pair("/opt/data/home", ""), "without HOME");
    assert!(container.links().is_empty(), "{:?}", container.links());
}

#[test]
fn without_a_real_home_nothing_is_linked_and_a_finding_says_so() {
    let container = Container::new(true, "").with_login();
    let outcome = container.by_user(&["-v"]).run();
    assert_eq!(homes(&outcome), pair("/opt/data/home", ""));
    assert!(outcome.stderr.contains("nothing is linked: the real home is unknown"), "{outcome:?}");
    assert!(container.links().is_empty(), "{:?}", container.links());
}

#[test]
fn where_home_is_the_volume_itself_its_login_is_linked() {
    for entry in ["", ENTRY] {
        let container = Container::new(true, entry).with_login();
        let run = container.by_user(&[]);
        // By the variable, or by the passwd entry.
        let outcome = if entry.is_empty() { run.env("HOME", "/opt/data") } else { run }.run().ok();
        assert_eq!(homes(&outcome), pair("/opt/data/home", "/opt/data"));
        let link = |name: &str| (PathBuf::from("home").join(name), (PathBuf::from("/opt/data").join(name), USER));
        assert_eq!(container.links(), BTreeMap::from([link(".claude"), link(".claude.json")]));
    }
}

#[test]
fn without_a_home_on_the_volume_home_stays_or_is_one_that_exists() {
    let container = Container::new(false, "");
    let before = listing(&container.0.path("data"));
    for home in ["/", "/opt/data"] {
        let outcome = container.by_user(&[]).env("HOME", home).run().ok();
        assert_eq!(homes(&outcome), pair(home, ""), "it is the default profile: no redirection");
    }
    let outcome = container.by_user(&[]).run();
    assert_eq!(homes(&outcome), pair("/", ""));
    assert!(outcome.stderr.contains("HOME is set to /"), "{outcome:?}");
    assert_eq!(listing(&container.0.path("data")), before);

    let container = Container::new(false, ENTRY);
    assert_eq!(homes(&container.by_user(&[]).run().ok()), pair("/opt/data", ""), "the passwd entry");
}

#[test]
fn a_named_profile_gets_its_home_on_the_volume() {
    let container = Container::new(true, "").with_login();
    let outcome = container.by_user(&["-p", "builder"]).env("HOME", "/opt/data").run().ok();
    assert_eq!(homes(&outcome), pair("/opt/data/profiles/builder/home", "/opt/data"));
    assert_eq!(outcome.var("HERMES_HOME").unwrap(), "/opt/data/profiles/builder");
    assert_eq!(container.links().len(), 2);

    // A run within the run finds the same, with HOME a profile's by now.
    let binary = container.0.copied_binary();
    let again = [binary.to_str().unwrap(), "-p", "builder", "--", "env", "-0"];
    let again = container.run(USER, &["-p", "builder"], &again).env("HOME", "/opt/data").run().ok();
    assert_eq!(again.entries(), outcome.entries());
}

#[test]
fn hermes_own_children_find_back_to_the_volume() {
    let container = Container::new(true, "").with_login();
    let run = container.by_user(&[]).env("HOME", "/opt/data/home").env("HERMES_REAL_HOME", "/opt/data");
    assert_eq!(homes(&run.run().ok()), pair("/opt/data/home", "/opt/data"));
    assert_eq!(container.links().len(), 2);
}

#[test]
fn root_links_nothing_of_its_own_and_says_whose_home_it_does_not_know() {
    for options in [&["-v"][..], &["-v", "-p", "builder"]] {
        let container = Container::new(true, "").with_login();
        let outcome = container.by_root(options).env("HERMES_REAL_HOME", "/root").run();
        assert_eq!(homes(&outcome).1, "");
        let note = "nothing is linked: the profile belongs to uid 10000, whose home is unknown";
        assert_eq!(outcome.stderr.matches(note).count(), 1, "{outcome:?}");
        assert!(container.links().is_empty(), "{:?}", container.links());
        container.by_root(&options[1..]).run().ok();
    }
}

#[test]
fn root_makes_everything_for_the_user() {
    let container = Container::new(false, ENTRY).with_login();
    let outcome = container.by_root(&["-p", "builder"]).run().ok();
    assert_eq!(homes(&outcome), pair("/opt/data/profiles/builder/home", "/opt/data"));
    let links = container.links();
    assert_eq!(links.len(), 2);
    for (path, (text, uid)) in links {
        assert!(text.starts_with("/opt/data") && uid == USER, "{} -> {} of {uid}", path.display(), text.display());
    }
    let home = container.0.path("data/profiles/builder/home").metadata().unwrap();
    assert_eq!((home.uid(), home.gid()), (USER, USER));

    // And the user can go on with it.
    let before = listing(&container.0.path("data"));
    container.by_user(&["-p", "builder"]).run().ok();
    assert_eq!(listing(&container.0.path("data")), before);
}

#[test]
fn on_a_volume_of_roots_the_user_is_told_that_no_home_can_be_made() {
    let container = Container::new(false, "");
    lchown(container.0.path("data"), Some(0), Some(0)).unwrap();
    let run = container.run(USER, &["--home", "profile"], &["true"]).env("HOME", "/");
    run.run().fails(125, &["cannot create the home /opt/data/home: Permission denied", "mkdir -m 700 /opt/data/home"]);
    assert_eq!(homes(&container.by_user(&[]).env("HOME", "/").run().ok()), pair("/", ""), "auto is no error");
}

/// An image with nothing in it but the binary: no shell, no `/etc`, no `/proc`, no `/dev`.
#[test]
fn in_an_empty_image_it_runs() {
    let container = Container::new(true, "");
    let image = container.0.mkdir("image/opt");
    fs::rename(container.0.path("data"), image.join("data")).unwrap();
    let image = container.0.path("image");
    fs::copy(container.0.copied_binary(), image.join("hermes-exec")).unwrap();
    let options = ["--", "/hermes-exec", "-n", "--json", "--", "/hermes-exec"];
    for (home, real) in [("/", "\"/\""), ("", "null")] {
        let args = ["--userspec=10000:10000", image.to_str().unwrap(), "/hermes-exec"].into_iter().chain(options);
        let run = container.0.hx(args).program("/usr/sbin/chroot").env("HERMES_HOME", "/opt/data").env("HOME", home);
        let outcome = run.run().ok();
        let told: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
        assert_eq!(told["home"]["from"], "/opt/data/home", "the outer one has redirected it: {told}");
        assert_eq!((&told["home"]["to"], &told["profile"]["name"]), (&"/opt/data/home".into(), &"default".into()));
        assert_eq!(told["home"]["real"].to_string(), real, "{told}");
    }
}
