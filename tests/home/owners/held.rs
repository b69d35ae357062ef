//! Starts that a test holds at their system calls, by the user and by root in the user's profile.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};

use nix::libc;
use nix::sys::ptrace;

use super::{HOME, OPTIONS, PLACES, USER, dir_of_user, give, of_user};
use crate::support::start::Start;
use crate::support::tracer::Held;
use crate::support::{Run, Sandbox};

/// Who starts hermes-exec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Caller {
    User,
    /// Root, whose own login is HOME.
    Root,
}

pub const CALLERS: [Caller; 2] = [Caller::User, Caller::Root];

/// What a start has to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// The home is missing.
    First,
    /// Everything is in place.
    Steady,
    /// A link is stale.
    Replace,
    Unlink,
}

pub const WORKS: [Work; 4] = [Work::First, Work::Steady, Work::Replace, Work::Unlink];

/// The calls that look at an entry of the home, or change one. Nothing before the home is opened makes any of them.
pub const ON_ENTRIES: [i64; 6] = [
    libc::SYS_mkdirat,
    libc::SYS_symlinkat,
    libc::SYS_readlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
];

/// A profile in which one start after the other finds the same work.
pub struct Scene {
    pub sandbox: Sandbox,
    pub caller: Caller,
    pub work: Work,
    program: PathBuf,
}

impl Scene {
    pub fn new(caller: Caller, work: Work) -> Self {
        let sandbox = of_user();
        sandbox.mkdir("login/.claude");
        sandbox.write("login/.claude.json", "{}");
        let program = sandbox.copied_binary();
        Self { sandbox, caller, work, program }
    }

    pub fn home(&self) -> PathBuf {
        self.sandbox.path(HOME)
    }

    /// Makes the home what the work needs.
    pub fn set_up(&self) {
        let _ = fs::remove_dir_all(self.home());
        if self.work == Work::First {
            return;
        }
        let home = dir_of_user(&self.sandbox, HOME);
        for place in PLACES {
            let text = match (self.work, place) {
                (Work::Replace, ".claude") => "gone",
                _ => place,
            };
            self.sandbox.link(self.sandbox.real().join(text), home.join(place));
        }
        give(&self.sandbox.profile("builder"));
    }

    /// The start that is held.
    pub fn start(&self) -> Start<'static> {
        let home = if self.caller == Caller::User { self.sandbox.real() } else { self.sandbox.path("login") };
        let block = [
            format!("HOME={}", home.display()),
            format!("HERMES_HOME={}", self.sandbox.root().display()),
            "PATH=/usr/bin:/bin".into(),
            format!("ANTHROPIC_API_KEY=sk-ant-{}", crate::support::CANARY),
        ];
        let start = Start::new(self.sandbox.path("work")).block(block).step(ptrace::traceme);
        if self.caller == Caller::User { start.uid(USER) } else { start }
    }

    pub fn hold<'s>(&self, start: &'s Start<'static>) -> Held<'s, 'static> {
        let what = if self.work == Work::Unlink { "--unlink" } else { "true" };
        let argv = ["hermes-exec"].into_iter().chain(OPTIONS).chain([what]);
        Held::new(start, &self.program, argv)
    }

    /// The same, to its next call on an entry after `count` of them. None when there is none.
    pub fn hold_at_entry<'s>(&self, start: &'s Start<'static>, count: usize) -> Option<Held<'s, 'static>> {
        let mut held = self.hold(start);
        for _ in 0..=count {
            if !to_entry(&mut held) {
                return None;
            }
        }
        Some(held)
    }

    /// Another start of the same caller, not held.
    pub fn run(&self, what: &str) -> Run {
        let run = self.sandbox.hx([&OPTIONS[1..], &[what]].concat()).program(&self.program);
        match self.caller {
            Caller::User => run.uid(USER),
            Caller::Root => run.env("HOME", self.sandbox.path("login")).env("HERMES_HOME", self.sandbox.root()),
        }
    }

    /// A program of the user saves a file as careful ones do: under another name, then by `rename`.
    pub fn save(&self, place: &str, text: &str) {
        let new = self.sandbox.write(self.sandbox.path("saved"), text);
        lchown(&new, Some(USER), Some(USER)).unwrap();
        fs::rename(new, self.home().join(place)).unwrap();
    }

    /// What is in the home, by its path there.
    pub fn entries(&self) -> Vec<String> {
        let home = self.home();
        let all = home.is_dir().then(|| crate::support::listing(&home)).into_iter().flat_map(BTreeMap::into_keys);
        all.map(|path| path.strip_prefix(&home).unwrap().display().to_string()).collect()
    }

    pub fn temporaries(&self) -> Vec<String> {
        self.entries().into_iter().filter(|entry| entry.contains(".hermes-exec.")).collect()
    }

    /// Every place is a link to its source.
    #[track_caller]
    pub fn assert_linked(&self, what: &str) {
        for place in PLACES {
            let text = fs::read_link(self.home().join(place));
            assert_eq!(text.ok(), Some(self.sandbox.real().join(Path::new(place))), "{what}: {place}");
        }
    }
}

/// Goes on to the next call on an entry.
pub fn to_entry(held: &mut Held<'_, '_>) -> bool {
    while let Some(call) = held.next_call() {
        if ON_ENTRIES.contains(&call) {
            return true;
        }
    }
    false
}
