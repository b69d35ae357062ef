//! Options turned back into words, for a shim. Relative paths are made absolute from `base`.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::{Assignment, Markers, Options};

/// The options of a run, without `--set` and those that belong to a single command.
pub fn of_run(options: &Options, base: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut add = |option: &str, value: &OsStr| {
        words.push(OsString::from_vec([option.as_bytes(), b"=", value.as_bytes()].concat()))
    };
    let absolute = |path: &OsStr| match path.as_bytes().starts_with(b"~/") {
        true => path.to_owned(),
        false => base.join(path).into_os_string(),
    };
    options.profile.iter().for_each(|name| add("--profile", name));
    options.hermes_home.iter().for_each(|dir| add("--hermes-home", &absolute(dir)));
    options.home.iter().for_each(|mode| add("--home", OsStr::new(mode.as_str())));
    options.shares.iter().for_each(|(adds, item)| add(if *adds { "--share" } else { "--no-share" }, item));
    options.keep.iter().for_each(|pattern| add("--keep", pattern));
    options.unset.iter().for_each(|pattern| add("--unset", pattern));
    for assignment in &options.sets {
        if let Assignment::From(assignment) = assignment {
            let at = assignment.as_bytes().iter().position(|&byte| byte == b'=').map_or(0, |at| at + 1);
            let (name, file) = assignment.as_bytes().split_at(at);
            add("--set-from", OsStr::from_bytes(&[name, absolute(OsStr::from_bytes(file)).as_bytes()].concat()));
        }
    }
    if let Some(grants) = &options.grants {
        grants.groups.iter().for_each(|group| add("--inherit-credentials", group));
    }
    options
        .markers
        .iter()
        .for_each(|which| add("--markers", OsStr::new(if *which == Markers::All { "all" } else { "own" })));
    options.policy.iter().for_each(|file| add("--policy", &absolute(file)));
    options.chdir.iter().for_each(|dir| add("--chdir", &absolute(dir)));
    options.seal.iter().for_each(|level| add("--seal", OsStr::new(level.as_str())));
    let flags = [
        (options.grants.as_ref().is_some_and(|grants| grants.every), "--inherit-credentials"),
        (options.minimal, "--minimal"),
        (options.no_policy, "--no-policy"),
        (options.verbose, "--verbose"),
        (options.quiet, "--quiet"),
    ];
    words.extend(flags.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag.into()));
    words
}
