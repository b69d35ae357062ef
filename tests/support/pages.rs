//! Plays pages: sessions in a shell, as text files beside the tests. `tests/README.md` explains their form. What comes of the
//! commands is compared with what the page says; `SNAPSHOTS=overwrite` writes the page anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use snapbox::Assert;
use snapbox::data::{Data, DataFormat};

use super::{Run, Sandbox, binary};

/// What every command of a page may use.
const PRELUDE: &str = include_str!("prelude.sh");

/// One scene: a machine of its own.
struct Scene<'a> {
    sandbox: Sandbox,
    binary: PathBuf,
    /// What was there before the last `$ changes`; nothing where the scene has none.
    listing: BTreeMap<PathBuf, String>,
    has_changes: bool,
    /// Variables and functions beside those of every page.
    more: &'a str,
}

impl<'a> Scene<'a> {
    fn new(text: &str, more: &'a str) -> Self {
        let is_sealed = ["--seal=", "readable as "].iter().any(|words| text.contains(words));
        let sandbox = if is_sealed { Sandbox::away_from_tmp() } else { Sandbox::with_builder() };
        // Another user has to reach it.
        let binary = if text.contains(" as ") { sandbox.copied_binary() } else { binary() };
        let has_changes = text.contains("\n$ changes\n");
        let mut scene = Self { sandbox, binary, listing: BTreeMap::new(), has_changes, more };
        scene.remember();
        scene
    }

    /// A start of bash, which does this.
    fn bash(&self, script: &str) -> Run {
        let real = self.sandbox.real();
        let here =
            script.replace("/home/you", real.to_str().unwrap()).replace("/box", self.sandbox.dir.to_str().unwrap());
        let places = [
            ("hermes_exec", self.binary.clone()),
            ("dir", self.sandbox.dir.clone()),
            ("real", real),
            ("root", self.sandbox.root()),
            ("profile", self.sandbox.root().join("profiles/builder")),
            ("home", self.sandbox.home()),
            ("cargo", Path::new(env!("CARGO")).parent().unwrap().to_owned()),
            ("source", env!("CARGO_MANIFEST_DIR").into()),
            ("tools", Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools")),
        ];
        let places =
            places.iter().fold(String::new(), |text, (name, path)| format!("{text}{name}='{}'\n", path.display()));
        self.sandbox.hx(["--norc", "-c", &format!("{places}{PRELUDE}{}\n{here}", self.more)]).program("/bin/bash")
    }

    /// A text as on every machine: the user's home is `/home/you`, and what lies beside it is in `/box`.
    fn portable(&self, text: &str) -> String {
        let text = text.replace(self.binary.to_str().unwrap(), "hermes-exec");
        let text = text.replace(self.sandbox.real().to_str().unwrap(), "/home/you");
        text.replace(self.sandbox.dir.to_str().unwrap(), "/box")
    }

    fn remember(&mut self) {
        if self.has_changes {
            self.listing = self.sandbox.listing();
        }
    }

    /// What is done before the session is not shown, and has to succeed.
    fn set_up(&mut self, script: &str) {
        let outcome = self.bash(&format!("set -e; cd \"$dir\"\n{script}")).run();
        assert_eq!(outcome.code(), 0, ": {script}\n{}", outcome.stderr);
        self.remember();
    }

    /// What a command prints: standard output, then standard error with `! ` before each line, then a status that is not 0.
    fn printed(&mut self, command: &str) -> String {
        if command == "changes" {
            return self.changes();
        }
        let only_reports =
            ["-n", "--explain", "--doctor"].iter().any(|option| command.split(' ').any(|word| word == *option));
        let before = only_reports.then(|| self.sandbox.listing());
        let outcome = self.bash(command).run();
        assert!(before.is_none_or(|before| before == self.sandbox.listing()), "`{command}` changes files");
        let mut text = self.portable(&outcome.out());
        if !text.is_empty() && !text.ends_with('\n') {
            text += "\n";
        }
        for line in self.portable(&outcome.stderr).lines() {
            writeln!(text, "! {line}").unwrap();
        }
        if outcome.code() != 0 {
            writeln!(text, "? {}", outcome.code()).unwrap();
        }
        text
    }

    /// Does what the lines say, and returns them with what is printed.
    fn play(&mut self, text: &str) -> String {
        let mut all = String::new();
        let mut lines = text.lines().filter(|line| is_written(line)).peekable();
        while let Some(line) = lines.next() {
            let mut script = line.get(2..).unwrap_or_default().to_owned();
            writeln!(all, "{line}").unwrap();
            while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
                write!(script, "\n{}", &more[2..]).unwrap();
                writeln!(all, "{more}").unwrap();
            }
            if line.starts_with(": ") {
                self.set_up(&script);
            } else if line.starts_with("$ ") {
                let printed = self.printed(&script);
                assert!(!printed.lines().any(is_written), "`{script}` prints what only an author writes:\n{printed}");
                all += &printed;
            }
        }
        all
    }

    /// What was created, changed and removed since the setup, or the last time.
    fn changes(&mut self) -> String {
        let now = self.sandbox.listing();
        let mut text = String::new();
        for (path, what) in &now {
            let verb = match self.listing.get(path) {
                None => "created",
                Some(before) if before != what => "changed",
                Some(_) => continue,
            };
            writeln!(text, "{verb} {} {}", path.display(), described(what)).unwrap();
        }
        for path in self.listing.keys().filter(|path| !now.contains_key(*path)) {
            writeln!(text, "removed {}", path.display()).unwrap();
        }
        self.listing = now;
        if text.is_empty() { "nothing\n".to_owned() } else { self.portable(&text) }
    }
}

/// An entry of a listing. The owner is named if it is another user than who runs the tests.
fn described(entry: &str) -> String {
    let (mode, rest) = entry.split_once(' ').unwrap();
    let (owner, what) = rest.split_once(' ').unwrap();
    let (kind, permissions) = mode.split_at(mode.len() - 4);
    let own = format!("{}:{}", nix::unistd::geteuid(), nix::unistd::getegid());
    let owner = if owner == own { String::new() } else { format!(" of {owner}") };
    let what = match (kind, what.split_once(' ')) {
        ("12", _) => return format!("-> {}{owner}", what.trim_start_matches("link to ").trim_matches('"')),
        ("10", Some((_, text))) => format!("file {text:?}"),
        ("4", _) => "directory".to_owned(),
        _ => "other".to_owned(),
    };
    format!("{permissions} {what}{owner}")
}

/// Is this a line that a page's author writes?
fn is_written(line: &str) -> bool {
    ["$ ", ": ", "# ", "> ", "=== "].iter().any(|mark| line.starts_with(mark))
}

/// The scene as it is now, after what each scene of the page begins with.
fn played(head: &str, text: &str, more: &str) -> String {
    let mut scene = Scene::new(&format!("{text}\n"), more);
    scene.play(head);
    scene.play(text)
}

/// Plays the page `name` beside the file `module`.
///
/// # Panics
/// When it differs.
#[track_caller]
pub fn play(module: &str, name: &str) {
    play_with(module, name, "");
}

/// The same with more variables, and with what each `prelude.sh` above and beside the page says; `$here` is its directory.
#[track_caller]
pub fn play_with(module: &str, name: &str, variables: &str) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(module).with_file_name(format!("{}.txt", name.replace('_', "-")));
    let here = path.parent().unwrap();
    let mut more = String::new();
    for folder in here.ancestors().take_while(|folder| !folder.ends_with("tests")) {
        more.insert_str(0, &std::fs::read_to_string(folder.join("prelude.sh")).unwrap_or_default());
    }
    let more = format!("{variables}here='{}'\n{more}", here.display());
    let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (head, scenes) = page.split_once("=== ").unwrap_or_else(|| panic!("{} has no scene", path.display()));
    let now: Vec<_> = scenes.split("\n=== ").map(|scene| played(head, &format!("=== {scene}"), &more)).collect();
    let now = format!("{head}{}", now.join("\n"));
    Assert::new()
        .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
        .normalize_paths(false)
        .eq(now, Data::read_from(&path, Some(DataFormat::Text)));
}

/// A test for each page beside this file: `pages! { directory links }` plays `directory.txt` and `links.txt`.
#[macro_export]
macro_rules! pages {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                $crate::support::pages::play(file!(), stringify!($name));
            }
        )*
    };
}
