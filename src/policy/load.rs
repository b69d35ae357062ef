//! Finds the policy file, and sees to it that nobody else could have written it. It protects against other users, not
//! against an agent with the caller's uid.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use crate::cli::Options;
use crate::facts::{Facts, Stat, Text, is_missing};
use crate::message::{Failure, shown_path};
use crate::policy::file::{self, PolicyFile};
use crate::profile::{FILE_LIMIT, Profile, Selection};

/// The name of the file in a profile's directory or in the root.
const NAME: &str = "hermes-exec.json";

/// Reads the one policy file that holds: `--policy`, else the profile's, else the root's. None where there is none.
///
/// # Errors
/// 125 when `--policy` names a file that is not there, and for a file that cannot be read, is not to be trusted, or is wrong.
pub fn load(options: &Options, selection: &Selection, facts: &Facts<'_>) -> Result<Option<PolicyFile>, Failure> {
    if options.no_policy {
        return Ok(None);
    }
    let profile = selection.profile.as_ref();
    if let Some(path) = &options.policy {
        let path = Path::new(path);
        return match read(path, profile, facts)? {
            Some(file) => Ok(Some(file)),
            None => Err(Failure::new(format!("--policy: there is no file {}", shown_path(path)))
                .hint("name a file that is there, or give --no-policy")),
        };
    }
    let dirs = [profile.map(|profile| &profile.dir), selection.root.as_ref().map(|root| &root.spelled)];
    let mut paths: Vec<PathBuf> = dirs.into_iter().flatten().map(|dir| dir.join(NAME)).collect();
    paths.dedup();
    for path in paths {
        if let Some(file) = read(&path, profile, facts)? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

fn read(path: &Path, profile: Option<&Profile>, facts: &Facts<'_>) -> Result<Option<PolicyFile>, Failure> {
    let shown = shown_path(path);
    let refuse = |why: &str, hint: String| Err(Failure::new(format!("{shown}: {why}")).hint(hint));
    if facts.files.lstat(path).is_err_and(|error| is_missing(&error)) {
        return Ok(None);
    }
    let mend = || format!("mend or remove {shown}, or give --no-policy");
    match facts.files.text(path, FILE_LIMIT) {
        // Somebody wanted rules there: their loss must not go unnoticed.
        Text::Missing => refuse("a link that leads nowhere", mend()),
        Text::Unreadable(why) | Text::NoDescriptor(why) => refuse(&why, mend()),
        Text::Read(content) if content.is_cut => {
            refuse("larger than 1 MiB", format!("shorten {shown}, or give --no-policy"))
        }
        Text::Read(content) => match distrust(content.stat, profile, facts) {
            Some((why, cure)) => refuse(why, format!("{cure} {shown}")),
            None => file::parse(path, &content.bytes).map(Some),
        },
    }
}

/// Why a file with this owner and mode is not to be trusted, and the command that mends it.
fn distrust(stat: Stat, profile: Option<&Profile>, facts: &Facts<'_>) -> Option<(&'static str, String)> {
    let owner = profile.map(|profile| profile.owner);
    let trusted_user = stat.uid == facts.uid || stat.uid == 0 || owner.is_some_and(|(uid, _)| uid == stat.uid);
    let trusted_group = stat.gid == facts.gid || owner.is_some_and(|(_, gid)| gid == stat.gid);
    if !trusted_user {
        return Some(("it belongs to another user", format!("chown {}", facts.uid)));
    }
    if stat.mode & 0o002 != 0 {
        return Some(("everybody can write it", "chmod o-w".into()));
    }
    (stat.mode & 0o020 != 0 && !trusted_group).then(|| ("another group can write it", "chmod g-w".into()))
}
