//! A start in memory: command line, environment block and files, from one text. The text is a list of records with a NUL
//! byte between them, the one byte that none of the three can hold. A record's first byte says what it is:
//!
//! - `a` a word of the command line
//! - `e` an entry of the environment block
//! - `f` a file: its path, a line end, its text. Relative paths count from the root of Hermes
//! - `d` a directory, `l` a link (path, line end, text), `x` a path at which nothing is
//! - `u` we are root
#![allow(dead_code)]

use std::borrow::Cow;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::LazyLock;

use hermes_exec::cli::{self, Options, Request};
use hermes_exec::environ::Environ;
use hermes_exec::error::Failure;
use hermes_exec::plan::Draft;
use hermes_exec::plan::catalogue;
use hermes_exec::world::Input;
use hermes_exec::world::settings::Settings;

use super::secret::{holds_secret, is_in_a_key};
use super::world::{Machine, USER};

static WORLD: LazyLock<Machine> = LazyLock::new(Machine::default);
static GROUPS: LazyLock<&[&str]> = LazyLock::new(catalogue::groups);

/// See the top of this file.
#[derive(Clone, Debug)]
pub struct Case {
    /// The command line without our own name.
    pub words: Vec<OsString>,
    /// The inherited block.
    pub environ: Environ,
    /// The machine.
    pub world: Machine,
    /// Who we are.
    pub uid: u32,
    /// What stands for a secret stands where it may be told: in a path, or in a file of which a part is told.
    pub tells: bool,
}

impl Case {
    /// Reads the text. Records that are none are passed over.
    pub fn read(text: &[u8]) -> Self {
        let mut case =
            Self { words: Vec::new(), environ: Environ::default(), world: WORLD.clone(), uid: USER, tells: false };
        let mut entries = Vec::new();
        for record in text.split(|&byte| byte == 0) {
            let Some((kind, rest)) = record.split_first() else { continue };
            let (first, second) = match rest.iter().position(|&byte| byte == b'\n') {
                Some(end) => (&rest[..end], &rest[end + 1..]),
                None => (rest, &[][..]),
            };
            let path = |bytes| Path::new(OsStr::from_bytes(bytes));
            match kind {
                b'a' => case.words.push(OsString::from_vec(rest.to_vec())),
                b'e' => entries.push(rest),
                b'f' => {
                    case.world.file(path(first), second);
                    let is_silent = match Path::new(OsStr::from_bytes(first)).file_name().map(OsStr::as_bytes) {
                        Some(b".env" | b"config.yaml") => true,
                        Some(b"hermes-exec.json") => !is_in_a_key(second),
                        _ => false,
                    };
                    case.tells |= holds_secret(first) || holds_secret(second) && !is_silent;
                }
                b'd' => case.world.directory(path(rest)),
                b'l' => case.world.link(path(first), path(second)),
                b'x' => case.world.remove(path(rest)),
                b'u' => case.uid = 0,
                _ => {}
            }
            case.tells |= matches!(kind, b'd' | b'l') && holds_secret(rest);
        }
        case.environ = block(entries);
        case
    }

    /// The options, where the command line asks for a plan.
    ///
    /// # Errors
    /// Where it is none.
    pub fn options(&self) -> Result<Option<Options>, Failure> {
        let mut args: Vec<OsString> = vec!["hermes-exec".into()];
        args.extend(self.words.iter().cloned());
        let is_group = |word: &[u8]| GROUPS.iter().any(|group| group.as_bytes() == word);
        cli::parse(&args, is_group).map(|parsed| match parsed {
            Request::Run(options) | Request::Explain(options) | Request::Doctor(options) => Some(*options),
            Request::Text(_) | Request::Catalogue { .. } | Request::Unlink(_) | Request::Shims(..) => None,
        })
    }

    /// What the program knows.
    pub fn input(&self) -> Input<'_> {
        Input {
            environ: &self.environ,
            settings: Settings::read(&self.environ),
            uid: self.uid,
            own_name: b"hermes-exec".to_vec(),
            world: &self.world,
        }
    }

    /// The plan.
    pub fn plan(&self, options: &Options) -> Draft {
        Draft::build(options, &self.input())
    }

    /// The case in which the command finds itself: the block and the machine that the plan leads to.
    pub fn after(&self, options: &Options, plan: &Draft) -> Self {
        let mut next = Self { environ: plan.env.child.clone(), ..self.clone() };
        if let Some(home) = &plan.home {
            next.world.prepare(home);
        }
        if let Some(dir) = &options.chdir {
            next.world.cwd = self.world.cwd.join(dir);
        }
        next
    }
}

/// A block of these entries, which have no NUL.
pub fn block<'a>(entries: impl IntoIterator<Item = &'a [u8]>) -> Environ {
    let entry = |entry| CString::new::<&[u8]>(entry).expect("NUL parts the records");
    Environ::new(entries.into_iter().map(|bytes| Cow::Owned(entry(bytes))).collect())
}
