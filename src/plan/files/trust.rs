//! Finds the policy file, and sees to it that nobody else could have written it. It protects against other users, not
//! against an agent with the caller's uid.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use super::policy::{self, PolicyFile};
use crate::cli::Options;
use crate::error::Failure;
use crate::plan::profile::Selection;
use crate::plan::profile::layout::Profile;
use crate::text::escaped_path;
use crate::world::{FILE_LIMIT, FileText, Input, Stat, is_missing};

/// The name of the file in a profile's directory or in the root.
const NAME: &str = "hermes-exec.json";

/// Reads the one policy file that holds: `--policy`, else the profile's, else the root's. None where there is none.
/// Errors: 125 when `--policy` names a file that is not there, and for a file that cannot be read, is not to be
/// trusted, or is wrong.
pub fn load(options: &Options, selection: &Selection, input: &Input<'_>) -> Result<Option<PolicyFile>, Failure> {
    if options.no_policy {
        return Ok(None);
    }
    let profile = selection.profile.as_ref();
    if let Some(path) = &options.policy {
        let path = Path::new(path);
        return match read(path, profile, input)? {
            Some(file) => Ok(Some(file)),
            None => Err(Failure::new(format!("--policy: there is no file {}", escaped_path(path)))
                .hint("name a file that is there, or give --no-policy")),
        };
    }
    let dirs = [profile.map(|profile| &profile.dir), selection.root.as_ref().map(|root| &root.spelled)];
    let mut paths: Vec<PathBuf> = dirs.into_iter().flatten().map(|dir| dir.join(NAME)).collect();
    paths.dedup();
    for path in paths {
        if let Some(file) = read(&path, profile, input)? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

fn read(path: &Path, profile: Option<&Profile>, input: &Input<'_>) -> Result<Option<PolicyFile>, Failure> {
    let shown = escaped_path(path);
    let refuse = |why: &str, hint: String| Err(Failure::new(format!("{shown}: {why}")).hint(hint));
    if input.world.lstat(path).is_err_and(|error| is_missing(&error)) {
        return Ok(None);
    }
    let mend = || format!("mend or remove {shown}, or give --no-policy");
    match input.world.text(path, FILE_LIMIT) {
        // Somebody wanted rules there: their loss must not go unnoticed.
        FileText::Missing => refuse("a link that leads nowhere", mend()),
        FileText::Unreadable(why) | FileText::NoDescriptor(why) => refuse(&why, mend()),
        FileText::Found { is_cut: true, .. } => {
            refuse("larger than 1 MiB", format!("shorten {shown}, or give --no-policy"))
        }
        FileText::Found { bytes, stat, .. } => match distrust(stat, profile, input) {
            Some((why, cure)) => refuse(why, format!("{cure} {shown}")),
            None => policy::parse(path, &bytes).map(Some),
        },
    }
}

/// Why a file with this owner and mode is not to be trusted, and the command that mends it.
fn distrust(stat: Stat, profile: Option<&Profile>, input: &Input<'_>) -> Option<(&'static str, String)> {
    let owner = profile.map(|profile| profile.owner);
    let trusted_user = stat.uid == input.uid || stat.uid == 0 || owner.is_some_and(|(uid, _)| uid == stat.uid);
    let trusted_group = stat.gid == input.gid || owner.is_some_and(|(_, gid)| gid == stat.gid);
    if !trusted_user {
        return Some(("it belongs to another user", format!("chown {}", input.uid)));
    }
    if stat.mode & 0o002 != 0 {
        return Some(("everybody can write it", "chmod o-w".into()));
    }
    (stat.mode & 0o020 != 0 && !trusted_group).then(|| ("another group can write it", "chmod g-w".into()))
}
