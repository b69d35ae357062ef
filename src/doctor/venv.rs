//! Is Hermes' own venv whole? A tool that took it for a project's own shows only at the next restart of the gateway.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Check;
use crate::facts::{Facts, Files, Text};
use crate::message::shown_path;
use crate::plan::Plan;
use crate::profile::FILE_LIMIT;
use crate::search_path::OwnVenvs;

/// The checks.
pub fn checks(plan: &Plan, facts: &Facts<'_>) -> Vec<Check> {
    let Some(selection) = &plan.selection else { return Vec::new() };
    let own = OwnVenvs::find(facts.environ, selection.root.as_ref(), facts.files);
    own.dirs().map(|venv| check(venv, facts.files)).collect()
}

fn check(venv: &Path, files: &dyn Files) -> Check {
    let path = shown_path(venv);
    match damage(venv, files) {
        None => Check::ok("own-venv", format!("Hermes' venv {path} is whole")),
        Some(what) => Check::problem(
            "own-venv",
            format!("Hermes' venv {path} is damaged: {what}; the gateway will not start again"),
            "reinstall Hermes: run its installer, or `hermes update`",
        ),
    }
}

fn damage(venv: &Path, files: &dyn Files) -> Option<String> {
    let versions: Vec<OsString> = names_with(&venv.join("lib"), b"python3", files);
    let has_hermes = |version: &OsString| {
        let packages = files.names(&venv.join("lib").join(version).join("site-packages"));
        packages.iter().any(|name| is_hermes(name.as_bytes()))
    };
    if !versions.iter().any(has_hermes) {
        return Some("there is no hermes_agent in its site-packages".into());
    }
    if files.stat(&venv.join("bin/python")).is_err() && files.stat(&venv.join("bin/python3")).is_err() {
        return Some("its interpreter is not there".into());
    }
    let Text::Read(config) = files.text(&venv.join("pyvenv.cfg"), FILE_LIMIT) else {
        return Some("it has no pyvenv.cfg".into());
    };
    // "version = 3.11.2" (venv) or "version_info = 3.11.2" (uv, virtualenv): the directory of its packages has the same.
    let version = config.bytes.split(|&byte| byte == b'\n').find_map(|line| {
        let at = line.iter().position(|&byte| byte == b'=')?;
        matches!(line[..at].trim_ascii(), b"version" | b"version_info").then(|| line[at + 1..].trim_ascii())
    })?;
    let minor: Vec<_> = version.split(|&byte| byte == b'.').take(2).collect();
    let wanted = [&b"python"[..], &minor.join(&b'.')].concat();
    if !versions.iter().any(|name| name.as_bytes() == wanted && has_hermes(name)) {
        return Some("pyvenv.cfg names another version of Python than its packages are for".into());
    }
    let interpreter = files.canonical(&venv.join("bin/python")).ok()?;
    let name = interpreter.file_name()?.as_bytes();
    let has_minor = name.strip_prefix(b"python3.").is_some_and(|minor| minor.first().is_some_and(u8::is_ascii_digit));
    (has_minor && name != wanted).then(|| "its interpreter is another version of Python than pyvenv.cfg says".into())
}

/// A distribution of Hermes: the package, its metadata, or what an editable installation leaves.
fn is_hermes(name: &[u8]) -> bool {
    [&b"hermes_agent"[..], b"__editable__.hermes_agent", b"__editable___hermes_agent", b"hermes-agent"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

fn names_with(dir: &Path, prefix: &[u8], files: &dyn Files) -> Vec<OsString> {
    files.names(dir).into_iter().filter(|name| name.as_bytes().starts_with(prefix)).collect()
}
