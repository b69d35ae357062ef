//! Is Hermes' own venv intact? A tool that took it for a project's own shows only at the next restart of the gateway.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::case::Case;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::env::hermes_places::{HermesPlaces, VENVS};
use crate::plan::env::markers::ENVIRONMENTS;
use crate::plan::remedy::with_program;
use crate::text::{escaped_path, shell_quoted_path};
use crate::world::{FILE_LIMIT, FileText, World, is_directory};

/// Where `uv tool install` and pipx put Hermes, below the real home.
const TOOLS: [&str; 2] = [".local/share/uv/tools/hermes-agent", ".local/share/pipx/venvs/hermes-agent"];

pub fn checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let real = case.plan.selection.as_ref().and_then(|selection| selection.real.path());
    let places = HermesPlaces::new(case.root.as_ref(), real, None);
    venvs(case, &places, real).iter().map(|venv| check(venv, case, &places)).collect()
}

/// Hermes' own venvs: those that PATH and the markers point to, and those in the usual places. By a marker or in a usual place
/// one counts also when Hermes is gone from it.
fn venvs(case: &Case<'_>, places: &HermesPlaces, real: Option<&Path>) -> Vec<PathBuf> {
    let (world, environ) = (case.input.world, case.input.environ);
    let path = environ.get(b"PATH").unwrap_or_default();
    let on_path = path.split(|&byte| byte == b':').filter_map(|element| places.venv_of_bin(element, world));
    let is_own = |venv: &&Path| {
        let is_there = |rel: &&str| world.lstat(&venv.join(rel)).is_ok();
        let is_venv = || ["pyvenv.cfg", "conda-meta", "bin/activate", "bin/python"].iter().any(is_there);
        // One that is gone altogether was one; a checkout or another runtime of Hermes' is none.
        let is_named = || places.named(venv).is_some() && (is_venv() || world.lstat(venv).is_err());
        venv.is_absolute() && (is_named() || world.stat(&venv.join("bin/hermes")).is_ok())
    };
    let marked = ENVIRONMENTS.iter().filter_map(|name| environ.given(name));
    let marked = marked.map(|value| Path::new(OsStr::from_bytes(value))).filter(is_own).map(Path::to_owned);
    let usual = places.checkouts().flat_map(|dir| VENVS.map(|name| dir.join(name)));
    let usual = usual.chain(real.into_iter().flat_map(|real| TOOLS.map(|dir| real.join(dir))));
    let mut seen = Vec::new();
    let is_new = |venv: &PathBuf| {
        let canonical = world.canonical(venv).unwrap_or_else(|_| venv.clone());
        let is_new = !seen.contains(&canonical);
        seen.push(canonical);
        is_new
    };
    on_path.chain(marked).chain(usual.filter(|venv| is_directory(world, venv))).filter(is_new).collect()
}

fn check(venv: &Path, case: &Case<'_>, places: &HermesPlaces) -> Diagnostic {
    let path = escaped_path(venv);
    let Some((what, is_broken)) = damage(venv, case.input.world) else {
        return Diagnostic::ok("own-venv", format!("Hermes' venv {path} is intact"));
    };
    if places.named(venv).is_none() && is_of_another_hermes(venv, case.input.world) {
        let message = format!(
            "the venv {path} is treated as Hermes' own, because of another project's program 'hermes' in its bin"
        );
        return Diagnostic::note("own-venv", message).hint("to use it: --keep VIRTUAL_ENV");
    }
    let checkout = case.root.as_ref().map(|root| root.spelled.join("hermes-agent"));
    let checkout = checkout.filter(|checkout| case.input.world.stat(&checkout.join("pyproject.toml")).is_ok());
    let package =
        checkout.map_or_else(|| "hermes-agent".to_owned(), |checkout| format!("-e {}", shell_quoted_path(&checkout)));
    let venv = shell_quoted_path(venv);
    let anew = if is_broken { format!("uv venv --clear {venv} && ") } else { String::new() };
    let install = format!("{anew}uv pip install --python {venv} --reinstall {package}");
    Diagnostic::problem("own-venv", format!("Hermes' venv {path} is damaged: {what}; the gateway will not start again"))
        .remedy(with_program("uv", install, case.input))
}

/// Is its `bin/hermes` a program of another project? pip's and uv's launcher of ours imports `hermes_cli`.
fn is_of_another_hermes(venv: &Path, world: &dyn World) -> bool {
    let FileText::Found { bytes, .. } = world.text(&venv.join("bin/hermes"), FILE_LIMIT) else { return false };
    !bytes.windows(10).any(|word| word == b"hermes_cli")
}

/// What is wrong with it, and whether it has to be created again.
fn damage(venv: &Path, world: &dyn World) -> Option<(&'static str, bool)> {
    let names = world.names(&venv.join("lib"));
    let versions: Vec<OsString> = names.into_iter().filter(|name| name.as_bytes().starts_with(b"python3")).collect();
    let has_hermes = |version: &OsString| {
        let packages = world.names(&venv.join("lib").join(version).join("site-packages"));
        packages.iter().any(|name| is_hermes(name.as_bytes()))
    };
    let is_there = |rel: &str| world.stat(&venv.join(rel)).is_ok();
    let Some(interpreter) = ["bin/python", "bin/python3"].into_iter().find(|rel| is_there(rel)) else {
        return Some(("its interpreter does not exist", true));
    };
    if !versions.iter().any(has_hermes) {
        return Some(("its site-packages have no hermes_agent", false));
    }
    let FileText::Found { bytes: config, .. } = world.text(&venv.join("pyvenv.cfg"), FILE_LIMIT) else {
        // An environment of conda has none, and needs none.
        return (!is_there("conda-meta")).then_some(("it has no pyvenv.cfg", true));
    };
    // "version = 3.11.2" (venv) or "version_info = 3.11.2" (uv, virtualenv): the directory of its packages has the same.
    let version = config.split(|&byte| byte == b'\n').find_map(|line| {
        let at = line.iter().position(|&byte| byte == b'=')?;
        matches!(line[..at].trim_ascii(), b"version" | b"version_info").then(|| line[at + 1..].trim_ascii())
    })?;
    let minor: Vec<_> = version.split(|&byte| byte == b'.').take(2).collect();
    let wanted = [&b"python"[..], &minor.join(&b'.')].concat();
    // A build without the global lock has a "t" behind it.
    let is_wanted = |name: &[u8]| name.strip_prefix(&wanted[..]).is_some_and(|rest| rest.is_empty() || rest == b"t");
    if !versions.iter().any(|name| is_wanted(name.as_bytes()) && has_hermes(name)) {
        return Some(("pyvenv.cfg names another version of Python than its packages are for", true));
    }
    let interpreter = world.canonical(&venv.join(interpreter)).ok()?;
    let name = interpreter.file_name()?.as_bytes();
    let has_minor = name.strip_prefix(b"python3.").is_some_and(|minor| minor.first().is_some_and(u8::is_ascii_digit));
    (has_minor && !is_wanted(name))
        .then_some(("its interpreter is another version of Python than pyvenv.cfg says", true))
}

/// A distribution of Hermes: the package, its metadata, or what an editable installation leaves.
fn is_hermes(name: &[u8]) -> bool {
    [&b"hermes_agent"[..], b"__editable__.hermes_agent", b"__editable___hermes_agent", b"hermes-agent"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
