//! What is decided otherwise on macOS and FreeBSD, as far as another system can run it: the facts of the one and the names of
//! its file systems by a [`World`] that answers as a Mac would, and giving a new entry away, which Linux has no need of. The
//! calls that only they have are checked by `tests/cross`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hermes_exec::cli::{self, Request};
use hermes_exec::doctor;
use hermes_exec::environ::Environ;
use hermes_exec::plan::Draft;
use hermes_exec::world::facts::{Facts, MACOS};
use hermes_exec::world::sealing::Sealing;
use hermes_exec::world::system::System;
use hermes_exec::world::{FileText, Input, Kind, Stat, World};

use crate::support::Sandbox;

/// A Mac on the file system of this machine: a name is found in whichever case it is written, and realpath(3) gives it as it
/// is on disk.
struct Mac {
    machine: System,
    /// What the password database says of every uid.
    home: PathBuf,
}

impl Mac {
    fn new(sandbox: &Sandbox) -> Self {
        Self { machine: System::default(), home: sandbox.real() }
    }

    fn on_disk(&self, path: &Path) -> PathBuf {
        let mut found = PathBuf::new();
        for part in path {
            let next = found.join(part);
            let names = || self.machine.names(&found).into_iter().find(|name| name.eq_ignore_ascii_case(part));
            let other = if self.machine.lstat(&next).is_ok() { None } else { names() };
            found = other.map_or(next, |name| found.join(name));
        }
        found
    }
}

/// Questions about a path are put to this machine with the name as it is on disk.
macro_rules! asked_on_disk {
    ($($question:ident($($limit:ident)?) -> $answer:ty;)*) => {$(
        fn $question(&self, path: &Path $(, $limit: usize)?) -> $answer {
            self.machine.$question(&self.on_disk(path) $(, $limit)?)
        }
    )*};
}

impl World for Mac {
    asked_on_disk! {
        stat() -> io::Result<Stat>;
        lstat() -> io::Result<Stat>;
        canonical() -> io::Result<PathBuf>;
        link_text() -> io::Result<PathBuf>;
        writable() -> io::Result<()>;
        executable() -> io::Result<()>;
        text(limit) -> FileText;
        stream(limit) -> io::Result<Vec<u8>>;
        text_of_no_link(limit) -> FileText;
        head(limit) -> Vec<u8>;
        names() -> Vec<OsString>;
        entries() -> io::Result<Vec<(OsString, Kind)>>;
    }

    fn sealing(&self) -> Sealing {
        self.machine.sealing()
    }

    fn parent_names(&self) -> Option<HashSet<Vec<u8>>> {
        None
    }

    fn home_of(&self, _: u32) -> Option<PathBuf> {
        Some(self.home.clone())
    }

    fn home_of_user(&self, _: &OsStr) -> Option<PathBuf> {
        None
    }

    fn facts(&self) -> &'static Facts {
        &MACOS
    }

    fn cwd(&self) -> Option<PathBuf> {
        self.machine.cwd()
    }

    fn now(&self) -> u64 {
        self.machine.now()
    }
}

/// Hands the options of a command line, and this environment on a Mac, to `look`.
fn on_a_mac<T>(
    sandbox: &Sandbox,
    words: &[&str],
    env: &[(&str, &Path)],
    look: impl FnOnce(&cli::Options, &Input<'_>) -> T,
) -> T {
    let args: Vec<OsString> = ["hermes-exec"].iter().chain(words).map(Into::into).collect();
    let options = match cli::parse(&args, |_| false).unwrap() {
        Request::Run(options) | Request::Doctor(options) => options,
        _ => panic!("{words:?} ask for something else"),
    };
    let entry = |(name, value): &(&str, &Path)| {
        Cow::Owned(CString::new([name.as_bytes(), b"=", value.as_os_str().as_bytes()].concat()).unwrap())
    };
    let (environ, mac) = (Environ::new(env.iter().map(entry).collect()), Mac::new(sandbox));
    look(&options, &Input::gather(&environ, OsStr::new("hermes-exec"), &mac))
}

fn planned<T>(sandbox: &Sandbox, words: &[&str], env: &[(&str, &Path)], look: impl FnOnce(&Draft) -> T) -> T {
    on_a_mac(sandbox, words, env, |options, input| look(&Draft::build(options, input)))
}

/// Whoever typed HERMES_HOME did not look how the directory is written.
#[test]
fn hermes_home_in_another_case_is_the_same_place() {
    let sandbox = Sandbox::with_builder();
    let venv = sandbox.hermes_venv("real/.hermes/hermes-agent/venv");
    let node = sandbox.mkdir("real/.hermes/node/bin");
    sandbox.mkdir("real/.claude");
    let home = sandbox.mkdir("real/.hermes/profiles/builder/home");
    let path = PathBuf::from(format!("{}/bin:{}:/usr/bin", venv.display(), node.display()));
    let given = sandbox.path("real/.HERMES/profiles/Builder");
    for inherited in [&home, &sandbox.real()] {
        let env = [("HERMES_HOME", given.as_path()), ("HOME", inherited), ("PATH", &path)];
        planned(&sandbox, &["env"], &env, |plan| {
            assert_eq!(plan.error, None);
            let selection = plan.selection.as_ref().unwrap();
            assert_eq!(selection.real.path().unwrap(), sandbox.real(), "HOME={}", inherited.display());
            let expected = format!("/usr/bin:{}/bin:{}", venv.display(), node.display());
            assert_eq!(plan.env.child.get(b"PATH").unwrap().escape_ascii().to_string(), expected);
            let target = plan.home.as_ref().unwrap().links.iter().find_map(|link| link.target.clone());
            assert_eq!(target.unwrap(), sandbox.path("real/.claude"));
        });
        let pip = format!("{}/bin/pip", venv.display());
        let pip = planned(&sandbox, &[&pip], &env, |plan| plan.failure().cloned());
        assert!(pip.unwrap().message.contains("would install into Hermes' own venv"));
    }
}

#[test]
fn without_path_the_directories_of_macos_are_searched_in_its_order() {
    let sandbox = Sandbox::without_hermes();
    let program = planned(&sandbox, &["env"], &[("HOME", &sandbox.real())], |plan| {
        plan.command.as_ref().unwrap().program.clone().unwrap().path
    });
    assert_eq!(program, Path::new("/usr/bin/env"));
}

/// There is no /run/user, and the path of a socket is shorter.
#[test]
fn gpg_gets_a_shorter_path_to_its_directory() {
    let sandbox = Sandbox::new();
    let (real, shown) = (sandbox.real(), sandbox.real().display().to_string());
    // What `HOME/.gnupg/S.gpg-agent.browser` adds to the profile's name.
    let rest = format!("{shown}/.hermes/profiles//home/.gnupg/S.gpg-agent.browser").len();
    for (length, is_told) in [(103, false), (104, true)] {
        let name = "x".repeat(length - rest);
        sandbox.profile(&name);
        let words = ["--doctor", "-p", &name];
        let check = |gnupg: Option<&str>| {
            let mut env = vec![("HOME", real.as_path())];
            env.extend(gnupg.map(|dir| ("GNUPGHOME", Path::new(dir))));
            on_a_mac(&sandbox, &words, &env, doctor::examine).into_iter().find(|check| check.id == "gpg-socket")
        };
        let told = check(None);
        assert_eq!(told.is_some(), is_told, "{length}");
        let Some(told) = told else { continue };
        assert!(told.message.contains("(103 bytes)"), "{told:?}");
        let (dir, short) = (format!("{shown}/.hermes/profiles/{name}/home/.gnupg"), format!("{shown}/.gnupg-{name}"));
        let cure = format!(
            "mkdir -p -m 700 {dir} && {{ test -L {short} || ln -s {dir} {short}; }} && export GNUPGHOME={short}"
        );
        assert_eq!(told.cure, Some(cure));
        assert_eq!(check(Some(&short)), None);
    }
}

/// What root creates there in the profile of another user is given away by a hold on it.
#[cfg(target_os = "linux")]
#[test]
fn a_new_entry_is_given_away_and_no_other() {
    use hermes_exec::act::owner::give_away;
    use nix::errno::Errno;
    use nix::sys::stat::SFlag;
    use std::os::unix::fs::{MetadataExt, lchown, symlink};

    assert!(nix::unistd::geteuid().is_root(), "this test gives files to another user: run it as root");
    let sandbox = Sandbox::new();
    let file = sandbox.write("file", "of root");
    let dir = sandbox.mkdir("dir");
    let held = std::fs::File::open(&dir).unwrap().into();
    let give = |name: &str, kind| give_away(&held, OsStr::new(name), kind, (10000.into(), 10001.into()));
    let owner = |path: &Path| path.symlink_metadata().map(|meta| (meta.uid(), meta.gid())).unwrap();

    symlink(&file, dir.join("link")).unwrap();
    std::fs::create_dir(dir.join("made")).unwrap();
    give("link", SFlag::S_IFLNK).unwrap();
    give("made", SFlag::S_IFDIR).unwrap();
    assert_eq!([owner(&dir.join("link")), owner(&dir.join("made"))], [(10000, 10001); 2]);
    assert_eq!(owner(&file), (0, 0), "what the link leads to is nobody else's");

    // What has come into its place meanwhile stays as it is: another kind, or another user's.
    std::fs::hard_link(&file, dir.join("exchanged")).unwrap();
    symlink(&file, dir.join("theirs")).unwrap();
    lchown(dir.join("theirs"), Some(10002), None).unwrap();
    for name in ["exchanged", "theirs"] {
        let before = owner(&dir.join(name));
        assert_eq!(give(name, SFlag::S_IFLNK), Err(Errno::ESTALE), "{name}");
        assert_eq!(owner(&dir.join(name)), before, "{name}");
    }
    symlink(&file, dir.join("made-by-a-link")).unwrap();
    assert_eq!(give("made-by-a-link", SFlag::S_IFDIR), Err(Errno::ESTALE));
    assert_eq!(give("gone", SFlag::S_IFLNK), Err(Errno::ENOENT));
}
