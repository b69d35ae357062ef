//! The checks on shims: do they win over their tools, do they start a hermes-exec that exists, and do the shells see them in
//! which scripts and agents start tools? It looks for the directories that `--shims` has written, where PATH, Hermes'
//! `config.yaml` or the README puts one, and reads start files as text: no shell is asked.
//!
//! Hermes (hermes-agent 0.19.0, `tools/environments/local.py`) sources `terminal.shell_init_files`, or without any `~/.profile`,
//! `~/.bash_profile` and `~/.bashrc`; the tilde is expanded in its own HOME, and what is in the files in the agent's.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::case::Case;
use super::environment::some;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::files::config;
use crate::plan::profile::layout::expand;
use crate::plan::shims::{PATH_FILE, Written};
use crate::text::{escaped, escaped_path, shell_quoted, shell_quoted_path};
use crate::world::{FILE_LIMIT, FileText, Kind, World};

/// Where the README's recipe puts them, below the real home.
const USUAL: &str = ".local/lib/hermes-shims";
/// A login shell of bash reads the first of these that exists (bash(1), INVOCATION).
const OF_BASH: [&str; 3] = [".bash_profile", ".bash_login", ".profile"];
/// What else a login shell reads: by the files above, or one of zsh.
const OF_OTHERS: [&str; 3] = [".bashrc", ".zshenv", ".zprofile"];
const OF_HERMES: [&str; 3] = [".profile", ".bash_profile", ".bashrc"];

/// A directory with shims.
struct Shims {
    dir: PathBuf,
    tools: BTreeMap<OsString, Written>,
    is_on_path: bool,
}

/// How the start files of a shell speak of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Absolutely,
    /// By `~` or `$HOME`, which is another place in a profile's HOME.
    ByHome,
    Not,
}

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let Some(real) = case.plan.selection.as_ref().and_then(|selection| selection.real.path()) else {
        return Vec::new();
    };
    let listed = init_files(case, real);
    let mut checks = Vec::new();
    for shims in directories(case, real, &listed) {
        checks.push(wins(&shims, case.input.environ.get(b"PATH").unwrap_or_default(), case.input.world));
        checks.extend(gone(&shims, case));
        checks.push(seen(&shims, real, &listed, case));
    }
    checks
}

/// `terminal.shell_init_files` of the profile, as paths.
fn init_files(case: &Case<'_>, real: &Path) -> Vec<PathBuf> {
    let profile = case.plan.selection.as_ref().and_then(|selection| selection.profile.as_ref());
    let text = profile.map(|profile| text(&profile.dir.join("config.yaml"), case.input.world)).unwrap_or_default();
    let files = config::read_all(&text).unwrap_or_default().init_files;
    files.iter().filter_map(|file| expand(OsStr::from_bytes(file), Some(real))).collect()
}

fn text(path: &Path, world: &dyn World) -> Vec<u8> {
    match world.text(path, FILE_LIMIT) {
        FileText::Found { bytes, .. } => bytes,
        _ => Vec::new(),
    }
}

fn on_path(path: &[u8]) -> impl Iterator<Item = &Path> {
    path.split(|&byte| byte == b':')
        .map(|element| Path::new(OsStr::from_bytes(element)))
        .filter(|dir| dir.is_absolute())
}

fn directories(case: &Case<'_>, real: &Path, listed: &[PathBuf]) -> Vec<Shims> {
    let world = case.input.world;
    let path = case.input.environ.get(b"PATH").unwrap_or_default();
    let of_files = listed.iter().filter(|file| file.ends_with(PATH_FILE)).filter_map(|file| file.parent());
    let usual = real.join(USUAL);
    let mut dirs: Vec<PathBuf> = Vec::new();
    for dir in on_path(path).chain(of_files).chain([usual.as_path()]) {
        if world.stat(&dir.join(PATH_FILE)).is_ok() && !dirs.iter().any(|known| known == dir) {
            dirs.push(dir.to_owned());
        }
    }
    let shims = |dir: PathBuf| {
        let tool = |name: OsString| Some((name.clone(), Written::read(&text(&dir.join(&name), world), &name)?));
        let tools: BTreeMap<_, _> = world.names(&dir).into_iter().filter_map(tool).collect();
        let is_on_path = on_path(path).any(|element| element == dir);
        (!tools.is_empty()).then_some(Shims { dir, tools, is_on_path })
    };
    dirs.into_iter().filter_map(shims).collect()
}

/// On the PATH of this shell.
fn wins(shims: &Shims, path: &[u8], world: &dyn World) -> Diagnostic {
    let dir = escaped_path(&shims.dir);
    if !shims.is_on_path {
        return Diagnostic::ok("shims", format!("the shims in {dir} are not on PATH here"));
    }
    // A shim of another directory is one, too.
    let beaten = |tool: &OsString| {
        let starts = |path: &PathBuf| {
            world.stat(path).is_ok_and(|stat| stat.kind == Kind::File) && world.executable(path).is_ok()
        };
        let first = on_path(path).map(|dir| dir.join(tool)).find(starts)?;
        Written::read(&text(&first, world), tool).is_none().then(|| escaped_path(&first))
    };
    let winners: Vec<_> = shims.tools.keys().filter_map(beaten).collect();
    if winners.is_empty() {
        return Diagnostic::ok("shims", format!("the shims in {dir} come before their tools on PATH"));
    }
    let message = format!("programs come before their shims in {dir} on PATH: {}", some(&winners));
    Diagnostic::warning("shims", message).cure(format!("export PATH={}:\"$PATH\"", shell_quoted_path(&shims.dir)))
}

/// Shims that start nothing any more; the cure writes them again with their options.
fn gone(shims: &Shims, case: &Case<'_>) -> Option<Diagnostic> {
    let is_gone = |written: &Written| case.input.world.executable(&written.program).is_err();
    let mut by_options: BTreeMap<&[OsString], Vec<&OsString>> = BTreeMap::new();
    for (tool, written) in shims.tools.iter().filter(|(_, written)| is_gone(written)) {
        by_options.entry(&written.options).or_default().push(tool);
    }
    let tools: Vec<_> = by_options.values().flatten().map(|tool| escaped(tool.as_bytes())).collect();
    let line = |(options, tools): (&&[OsString], &Vec<&OsString>)| {
        let words = options.iter().map(|word| shell_quoted(word.as_bytes()));
        let words = words.chain(["--shims".into(), shell_quoted_path(&shims.dir)]);
        let words = words.chain(tools.iter().map(|tool| shell_quoted(tool.as_bytes())));
        format!("{} {}", case.own_command, words.collect::<Vec<_>>().join(" "))
    };
    let cure = by_options.iter().map(line).collect::<Vec<_>>().join(" && ");
    let message =
        format!("shims in {} start a hermes-exec that does not exist: {}", escaped_path(&shims.dir), some(&tools));
    (!tools.is_empty()).then(|| Diagnostic::problem("shims", message).cure(cure))
}

/// By the shells that login and Hermes start. Hermes' come with another HOME.
fn seen(shims: &Shims, real: &Path, listed: &[PathBuf], case: &Case<'_>) -> Diagnostic {
    let world = case.input.world;
    let in_real = |names: &[&str]| names.iter().map(|name| real.join(name)).collect::<Vec<_>>();
    let bash = in_real(&OF_BASH).into_iter().find(|file| world.stat(file).is_ok());
    let first = bash.clone().unwrap_or_else(|| real.join(".profile"));
    let mut system: Vec<PathBuf> = vec!["/etc/profile".into()];
    system.extend(world.names(Path::new("/etc/profile.d")).iter().map(|name| Path::new("/etc/profile.d").join(name)));
    let login = [system.clone(), bash.into_iter().collect(), in_real(&OF_OTHERS)].concat();
    let of_hermes = if listed.is_empty() { in_real(&OF_HERMES) } else { listed.to_owned() };
    let agent = [system, of_hermes].concat();
    let [by_login, by_hermes] = [login, agent].map(|files| named(&shims.dir, real, &files, world));

    let dir = escaped_path(&shims.dir);
    let line = shell_quoted(format!(". {}", shell_quoted_path(&shims.dir.join(PATH_FILE))).as_bytes());
    let cure = |file: &Path| format!("echo {line} >>{}", shell_quoted_path(file));
    // A file that Hermes sources: the list cannot be made longer by a command of Hermes'.
    let file = listed.iter().find(|file| !file.as_os_str().as_bytes().contains(&b'$')).unwrap_or(&first);
    match (by_login, by_hermes) {
        (_, Named::Absolutely) => Diagnostic::ok("shims-seen", format!("Hermes' terminal puts {dir} on PATH")),
        (Named::Not, Named::Not) if !shims.is_on_path => {
            let message = format!("no start file of a login shell or of Hermes' terminal puts {dir} on PATH");
            Diagnostic::warning("shims-seen", message).cure(cure(file))
        }
        (_, Named::ByHome) | (Named::ByHome, _) => {
            let message =
                format!("a start file puts {dir} on PATH by ~ or $HOME, which for an agent is another directory");
            Diagnostic::warning("shims-seen", message).cure(cure(file))
        }
        (Named::Absolutely, _) => {
            let message = format!("a login shell puts {dir} on PATH, and no file of Hermes' shell_init_files does");
            Diagnostic::warning("shims-seen", message).cure(cure(file))
        }
        (Named::Not, Named::Not) => {
            let message =
                format!("no start file of a login shell or of Hermes' terminal names {dir}, which is on PATH");
            Diagnostic::ok("shims-seen", message)
        }
    }
}

fn named(dir: &Path, real: &Path, files: &[PathBuf], world: &dyn World) -> Named {
    let file = dir.join(PATH_FILE);
    if files.contains(&file) {
        return Named::Absolutely;
    }
    let below = dir.strip_prefix(real).map(|below| below.as_os_str().as_bytes());
    let holds = |text: &[u8], word: &[u8]| !word.is_empty() && text.windows(word.len()).any(|part| part == word);
    let texts: Vec<_> = files.iter().map(|file| text(file, world)).collect();
    let any = |word: &[u8]| texts.iter().any(|text| holds(text, word));
    if any(dir.as_os_str().as_bytes()) {
        return Named::Absolutely;
    }
    let by_home = |below: &[u8]| {
        [&b"~/"[..], b"$HOME/", b"$HOME\"/", b"${HOME}/"].iter().any(|home| any(&[home, below].concat()))
    };
    if below.is_ok_and(by_home) { Named::ByHome } else { Named::Not }
}
