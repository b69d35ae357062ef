//! What every test stands on: a [`Sandbox`] with a real home, a Hermes root and profiles, and [`Run`], which starts the
//! built binary in a clean environment with a planted secret and fails the test when that secret shows up in any output.
#![allow(dead_code, clippy::unwrap_used)]

pub mod dice;
pub mod explained;
pub mod pages;
pub mod picture;
pub mod plan;
#[cfg(target_os = "linux")]
pub mod pty;
pub mod random;
pub mod scenario;
pub mod start;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub mod tracer;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output};
use std::sync::{LazyLock, PoisonError, RwLock};

use assert_cmd::assert::Assert;
use nix::errno::Errno;
use nix::libc;
use predicates::str::{contains, is_match};

use self::start::Start;

/// The binary under test: as cargo built it with the tests, or, for `tests/run`, the release build.
pub const BINARY: &str = match option_env!("HERMES_EXEC_BINARY") {
    Some(path) => path,
    None => env!("CARGO_BIN_EXE_hermes-exec"),
};

/// The same, unless `tests/mutants` puts an altered one in its place.
pub fn binary() -> PathBuf {
    std::env::var_os("HERMES_EXEC_MUTANT").map_or_else(|| BINARY.into(), PathBuf::from)
}

/// Names that select a profile or HOME: another value changes what runs, and not only what is removed.
pub const SELECTING: [&str; 7] = [
    "HOME", "HERMES_HOME", "HERMES_PROFILE", "HERMES_REAL_HOME", "HERMES_DATA_DIR_SUFFIX", "HERMES_EXEC_HOME_MODE",
    "TERMINAL_HOME_MODE",
];

/// The text that stands in every planted secret. Nothing that the binary prints may hold it.
pub const CANARY: &str = "canary-5up3r-s3cr3t";

/// Held while a program is started, and alone while a program is written: a start in another thread would hand the open file
/// to its child for a moment, and a program that is open for writing cannot be executed (ETXTBSY).
static STARTS: RwLock<()> = RwLock::new(());

/// Where these trees are, unless TMPDIR names a place: in memory, if programs can be started there. ext4 looks through the
/// inodes that were deleted in the last minutes before it gives one out (`recently_deleted` in the kernel's
/// fs/ext4/ialloc.c), which made every third second of these tests. Not for foreign tools, which link files from `target`.
pub fn room() -> &'static Path {
    static ROOM: LazyLock<PathBuf> = LazyLock::new(|| {
        let is_asked_for = env!("CARGO_CRATE_NAME") == "all" && std::env::var_os("TMPDIR").is_none();
        memory().filter(|_| is_asked_for).map_or_else(std::env::temp_dir, PathBuf::from)
    });
    &ROOM
}

#[cfg(target_os = "linux")]
fn memory() -> Option<&'static str> {
    use nix::sys::statvfs::{FsFlags, statvfs};
    let found = statvfs("/dev/shm").ok()?;
    let free = u128::from(found.blocks_available()) * u128::from(found.fragment_size());
    (free > 1 << 30 && !found.flags().contains(FsFlags::ST_NOEXEC)).then_some("/dev/shm")
}

#[cfg(not(target_os = "linux"))]
fn memory() -> Option<&'static str> {
    None
}

/// A directory tree of its own: `<dir>/real` is the real home, `<dir>/real/.hermes` the root, `<dir>/work` a project.
pub struct Sandbox {
    temporary: tempfile::TempDir,
    /// The canonical path of the tree.
    pub dir: PathBuf,
}

impl Sandbox {
    /// A tree with a real home and a Hermes root, and no profile.
    pub fn new() -> Self {
        let bare = Self::without_hermes();
        bare.mkdir("real/.hermes/profiles");
        bare
    }

    /// As [`Sandbox::with_builder`], below neither `/tmp` nor `/dev`: tools make files there, and neither is to be above the real
    /// home.
    pub fn away_from_tmp() -> Self {
        let sandbox = Self::without_hermes_in(Path::new("/var/tmp"));
        sandbox.profile("builder");
        sandbox
    }

    /// A tree with a real home in which Hermes is not installed.
    pub fn without_hermes() -> Self {
        Self::without_hermes_in(room())
    }

    fn without_hermes_in(parent: &Path) -> Self {
        let temporary = tempfile::Builder::new().prefix("hermes-exec-test-").tempdir_in(parent).unwrap();
        let dir = temporary.path().canonicalize().unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
        let bare = Self { temporary, dir };
        bare.mkdir("real");
        bare.mkdir("work");
        bare
    }

    /// A tree with the profile `builder`.
    pub fn with_builder() -> Self {
        let sandbox = Self::new();
        sandbox.profile("builder");
        sandbox
    }

    /// `rel` below the tree.
    pub fn path(&self, rel: impl AsRef<Path>) -> PathBuf {
        self.dir.join(rel)
    }

    /// The real home.
    pub fn real(&self) -> PathBuf {
        self.path("real")
    }

    /// The Hermes root in the real home.
    pub fn root(&self) -> PathBuf {
        self.path("real/.hermes")
    }

    /// The directory of the named profile, made when missing.
    pub fn profile(&self, name: &str) -> PathBuf {
        self.mkdir(format!("real/.hermes/profiles/{name}"))
    }

    /// The home of the profile `builder`; not made here.
    pub fn home(&self) -> PathBuf {
        self.path("real/.hermes/profiles/builder/home")
    }

    /// Makes a directory and its parents.
    pub fn mkdir(&self, rel: impl AsRef<Path>) -> PathBuf {
        let path = self.path(rel);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a file and makes its parents.
    pub fn write(&self, rel: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(rel);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes an executable file and makes its parents.
    pub fn script(&self, rel: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let _alone = STARTS.write().unwrap_or_else(PoisonError::into_inner);
        let path = self.write(rel, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Makes a symbolic link with the given text, and its parents.
    pub fn link(&self, text: impl AsRef<Path>, rel: impl AsRef<Path>) -> PathBuf {
        let path = self.path(rel);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(text, &path).unwrap();
        path
    }

    /// A stand-in for Hermes' own venv: `bin/hermes`, an interpreter, and a distribution.
    pub fn hermes_venv(&self, rel: impl AsRef<Path>) -> PathBuf {
        let rel = rel.as_ref();
        for tool in ["hermes", "python", "python3", "pip", "pip3", "pip3.11"] {
            self.script(rel.join("bin").join(tool), format!("#!/bin/sh\necho own {tool}\n"));
        }
        self.write(rel.join("pyvenv.cfg"), "home = /usr/bin\n");
        self.write(rel.join("lib/python3.11/site-packages/hermes_agent/__init__.py"), "");
        self.path(rel)
    }

    /// A text with the places of this tree: `{dir}`, `{real}`, `{root}`, `{profile}` and `{home}` of `builder`, `{agent}`.
    pub fn placed(&self, text: &str) -> String {
        let places = [
            ("{dir}", self.dir.clone()),
            ("{real}", self.real()),
            ("{root}", self.root()),
            ("{profile}", self.root().join("profiles/builder")),
            ("{home}", self.home()),
            ("{agent}", self.root().join("hermes-agent")),
        ];
        places.iter().fold(text.to_owned(), |text, (mark, path)| text.replace(mark, path.to_str().unwrap()))
    }

    /// Gives the whole tree to a user.
    pub fn chown_all(&self, uid: u32) {
        fn walk(path: &Path, uid: u32) {
            std::os::unix::fs::lchown(path, Some(uid), Some(uid)).unwrap();
            if path.symlink_metadata().unwrap().is_dir() {
                for entry in fs::read_dir(path).unwrap() {
                    walk(&entry.unwrap().path(), uid);
                }
            }
        }
        walk(&self.dir, uid);
    }

    /// Everything below the tree, as text: path, kind, mode, owner, and a link's text or a file's bytes. Equal listings
    /// mean that nothing was created, removed or altered.
    pub fn listing(&self) -> BTreeMap<PathBuf, String> {
        listing(&self.dir)
    }

    /// A start of the binary with the given arguments, in a clean environment: HOME is the real home, PATH the system's,
    /// and a planted `ANTHROPIC_API_KEY`. The working directory is `<dir>/work`.
    pub fn hx<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        Run {
            program: binary().into(),
            args: args.into_iter().map(|arg| arg.as_ref().to_owned()).collect(),
            raw_block: None,
            env: [
                ("HOME", self.real().into_os_string()),
                ("PATH", "/usr/bin:/bin".into()),
                ("ANTHROPIC_API_KEY", format!("sk-ant-{CANARY}").into()),
            ]
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect(),
            dir: self.path("work"),
            uid: None,
            secret_may_show: false,
        }
    }

    /// A start of `hermes-exec -p builder -- …`.
    pub fn builder<S: AsRef<OsStr>>(&self, command: impl IntoIterator<Item = S>) -> Run {
        let mut args: Vec<OsString> = ["-p", "builder", "--"].map(Into::into).into();
        args.extend(command.into_iter().map(|arg| arg.as_ref().to_owned()));
        self.hx(args)
    }

    /// A copy of the binary that any user can reach.
    pub fn copied_binary(&self) -> PathBuf {
        self.copied("hermes-exec", &binary())
    }

    /// A copy of a program that any user can reach.
    pub fn copied(&self, rel: impl AsRef<Path>, program: &Path) -> PathBuf {
        let copy = self.path(rel);
        if !copy.exists() {
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            let _alone = STARTS.write().unwrap_or_else(PoisonError::into_inner);
            fs::copy(program, &copy).unwrap();
        }
        copy
    }
}

/// See [`Sandbox::listing`].
pub fn listing(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let what = if meta.is_symlink() {
                format!("link to {:?}", fs::read_link(&path).unwrap())
            } else if meta.is_file() {
                format!("file {}", String::from_utf8_lossy(&fs::read(&path).unwrap()))
            } else {
                if meta.is_dir() {
                    open.push(path.clone());
                }
                String::from("directory or other")
            };
            all.insert(path, format!("{:o} {}:{} {what}", meta.mode(), meta.uid(), meta.gid()));
        }
    }
    all
}

/// One start of a program: set it up, then [`Run::run`] it.
#[derive(Clone)]
pub struct Run {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    raw_block: Option<Vec<Vec<u8>>>,
    dir: PathBuf,
    uid: Option<u32>,
    secret_may_show: bool,
}

impl Run {
    /// Sets a variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self = self.no_env(&name);
        self.env.push((name.as_ref().into(), value.as_ref().into()));
        self
    }

    /// Removes a variable.
    pub fn no_env(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.retain(|(known, _)| known != name.as_ref());
        self
    }

    /// Starts with exactly these entries as the environment block, in this order, whatever was set before. Any bytes are
    /// possible: names that stand twice, entries without `=`, text that is not UTF-8.
    pub fn raw_block(mut self, entries: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        self.raw_block = Some(entries.into_iter().map(|entry| entry.as_ref().to_vec()).collect());
        self
    }

    /// Another working directory.
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = dir.into();
        self
    }

    /// Another program than the binary under test, with the same arguments and environment.
    pub fn program(mut self, program: impl Into<OsString>) -> Self {
        self.program = program.into();
        self
    }

    /// One more option, in front of the other arguments.
    pub fn option(mut self, option: &str) -> Self {
        self.args.insert(0, option.into());
        self
    }

    /// Starts through `sh`, which first does `prelude`: `umask 0`, `cd ..`, `exec 0<&-`.
    pub fn after_sh(mut self, prelude: &str) -> Self {
        let program = std::mem::replace(&mut self.program, "/bin/sh".into());
        let script = format!("{prelude}\nexec \"$@\"").into();
        self.args.splice(0..0, ["-c".into(), script, "sh".into(), program]);
        self
    }

    /// Runs as this uid and gid, without other groups. The program must be one that this user can reach
    /// ([`Sandbox::copied_binary`]).
    pub fn uid(mut self, uid: u32) -> Self {
        self.uid = Some(uid);
        self
    }

    /// The planted secret is granted in this run, so the command may print it.
    pub fn secret_may_show(mut self) -> Self {
        self.secret_may_show = true;
        self
    }

    /// The start with these descriptors 1 and 2.
    fn start(&self, out: impl Into<OwnedFd>, err: impl Into<OwnedFd>) -> Start<'static> {
        let entry = |(name, value): &(OsString, OsString)| [name.as_bytes(), b"=", value.as_bytes()].concat();
        let block = self.raw_block.clone().unwrap_or_else(|| self.env.iter().map(entry).collect());
        let start = Start::with_outputs(&self.dir, out, err).block(block);
        self.uid.into_iter().fold(start, Start::uid)
    }

    fn argv(&self) -> impl Iterator<Item = &OsString> {
        std::iter::once(&self.program).chain(&self.args)
    }

    /// Runs to the end. Panics when the planted secret shows up where it must not.
    pub fn run(self) -> Outcome {
        let ((mut out, out_end), (mut err, err_end)) = (pipe().unwrap(), pipe().unwrap());
        let start = self.start(out_end, err_end);
        let pid = match start.spawn(Path::new(&self.program), self.argv()) {
            Ok(child) => child.left_alone(),
            Err(errno) => panic!("{:?}: {errno}", self.program),
        };
        // The other ends of the pipes, which only the program has now.
        drop(start);
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| err.read_to_end(&mut stderr).unwrap());
            out.read_to_end(&mut stdout).unwrap();
        });
        let mut status = 0;
        // SAFETY: writes a status to a place of ours (waitpid(2)).
        Errno::result(unsafe { libc::waitpid(pid.as_raw(), &mut status, 0) }).unwrap();
        let stderr = String::from_utf8(stderr).expect("our messages are UTF-8");
        let outcome = Outcome { status: ExitStatus::from_raw(status), stdout, stderr };
        assert!(!outcome.stderr.contains(CANARY), "the planted secret is on stderr: {}", outcome.stderr);
        assert!(
            self.secret_may_show || !outcome.out().contains(CANARY),
            "the planted secret is on stdout: {}",
            outcome.out()
        );
        outcome
    }
}

/// Starts a program while nobody has another open for writing.
#[track_caller]
pub fn spawn(command: &mut Command) -> Child {
    let _start = STARTS.read().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program()))
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: ExitStatus,
    /// Standard output, as bytes.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// The exit status; 128 + n for death by signal n.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap())
    }

    /// Standard output as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The run for `assert_cmd`, which shows all of it where it is not as it should be.
    pub fn assert(&self) -> Assert {
        Assert::new(Output { status: self.status, stdout: self.stdout.clone(), stderr: self.stderr.clone().into() })
    }

    /// Succeeds when the run ended with 0 and printed nothing on stderr.
    #[track_caller]
    pub fn ok(self) -> Self {
        self.assert().success().stderr("");
        self
    }

    /// Succeeds when hermes-exec itself failed with `code`: nothing on stdout, one error line that contains all of
    /// `words`, and at most one hint line.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) -> Self {
        let form = is_match("^hermes-exec: error: [^\n]+\n(hermes-exec: hint: [^\n]+\n)?$").expect("a pattern");
        words
            .iter()
            .fold(self.assert().code(code).stdout("").stderr(form), |assert, word| assert.stderr(contains(*word)));
        self
    }

    /// The entries that the command `env -0` printed, byte for byte and in order.
    pub fn entries(&self) -> Vec<Vec<u8>> {
        let mut entries: Vec<_> = self.stdout.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
        assert_eq!(entries.pop(), Some(Vec::new()), "`env -0` ends its output with a NUL byte: {self:?}");
        entries
    }

    /// The environment block that the command `env -0` printed, in order.
    pub fn block(&self) -> Vec<(String, String)> {
        let entries = self.stdout.split(|&byte| byte == 0).filter(|entry| !entry.is_empty());
        let texts = entries.map(|entry| String::from_utf8_lossy(entry).into_owned());
        texts
            .map(|text| {
                let (name, value) = text.split_once('=').unwrap_or((&text, ""));
                (name.to_owned(), value.to_owned())
            })
            .collect()
    }

    /// One variable of that block.
    pub fn var(&self, name: &str) -> Option<String> {
        self.block().into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Bytes as an OS string, for values that are not UTF-8.
pub fn bytes(raw: &[u8]) -> &OsStr {
    OsStr::from_bytes(raw)
}

/// A text without its numbers: how many rules a seal takes depends on what other tests do in the same directory meanwhile.
pub fn without_numbers(text: &str) -> String {
    let mut left: Vec<char> = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    left.dedup_by(|c, before| *c == '0' && *before == '0');
    left.into_iter().collect()
}
