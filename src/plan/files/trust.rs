//! Finds the policy file, and checks that no other user could have written it. This does not protect against an agent that
//! has the caller's uid.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use super::policy::{self, PolicyFile};
use crate::cli::Options;
use crate::error::Failure;
use crate::plan::profile::{Selection, failed, linked};
use crate::plan::remedy::{Remedy, as_owner, as_root, make_readable};
use crate::text::{escaped_path, shell_quoted_path};
use crate::world::{FILE_LIMIT, FileText, Input, Stat};

/// The name of the file in a profile's directory or in the root.
const NAME: &str = "hermes-exec.json";

/// Reads the policy file that applies: `--policy`, else the profile's, else the root's; `None` if there is none. Errors:
/// 125 if the file of `--policy` does not exist, and for a file that cannot be read, cannot be trusted, or is invalid.
pub fn load(options: &Options, selection: &Selection, input: &Input<'_>) -> Result<Option<PolicyFile>, Failure> {
    if options.no_policy {
        return Ok(None);
    }
    let profile = selection.profile.as_ref();
    if let Some(path) = &options.policy {
        let path = Path::new(path);
        return match read(path, Links::Followed, input)? {
            Some(file) => Ok(Some(file)),
            None => Err(Failure::new(format!("--policy: {} does not exist", escaped_path(path)))
                .hint("name an existing file, or use --no-policy")),
        };
    }
    let dirs = [profile.map(|profile| &profile.dir), selection.root.as_ref().map(|root| &root.spelled)];
    let mut paths: Vec<PathBuf> = dirs.into_iter().flatten().map(|dir| dir.join(NAME)).collect();
    paths.dedup();
    for path in paths {
        if let Some(file) = read(&path, Links::Refused, input)? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Whether a link in the place of the policy file is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// Yes: `--policy` names it, and the user may have linked it.
    Followed,
    /// No: a command could have planted a link there.
    Refused,
}

fn read(path: &Path, links: Links, input: &Input<'_>) -> Result<Option<PolicyFile>, Failure> {
    let text = match links {
        Links::Followed => input.world.text(path, FILE_LIMIT),
        Links::Refused => input.world.text_of_no_link(path, FILE_LIMIT),
    };
    if text == FileText::Missing && (links == Links::Refused || input.world.lstat(path).is_err()) {
        return Ok(None);
    }
    let shown = escaped_path(path);
    let refuse = |why: &str, hint: String| Err(Failure::new(format!("{shown}: {why}")).hint(hint));
    let fix = || format!("fix or remove {shown}, or use --no-policy");
    match text {
        FileText::Missing => refuse("it is a dangling symlink", fix()),
        FileText::Link => Err(linked(path)),
        FileText::Failed(why) => Err(failed(path, &why)),
        FileText::Unreadable(why) => {
            Err(Failure { cure: make_readable(path, input), ..Failure::new(format!("{shown}: {why}")).hint(fix()) })
        }
        FileText::Found { is_cut: true, .. } => {
            refuse("larger than 1 MiB", format!("shorten {shown}, or use --no-policy"))
        }
        FileText::Found { bytes, stat, .. } => match distrust(path, stat, input) {
            Some((why, Remedy { hint, cure })) => {
                Err(Failure { hint: hint.or_else(|| cure.clone()), cure, ..Failure::new(format!("{shown}: {why}")) })
            }
            None => policy::parse(path, &bytes).map(Some),
        },
    }
}

/// Why a file with this owner and mode cannot be trusted, and what fixes it. For root, the profile's owner is
/// just another user: root would obey what an agent wrote. With an access control list, the group bits are the upper limit
/// of what it grants to the users and groups named in it (acl(5)).
fn distrust(path: &Path, stat: Stat, input: &Input<'_>) -> Option<(&'static str, Remedy)> {
    let path_word = shell_quoted_path(path);
    let close = |bits: &str| as_owner(Some(stat.uid), &format!("chmod {bits} {path_word}"), input);
    if stat.uid != input.uid && stat.uid != 0 {
        return Some(("owned by another user", as_root(&format!("chown {} {path_word}", input.uid), input)));
    }
    if stat.mode & 0o002 != 0 {
        return Some(("world-writable", close("o-w")));
    }
    if stat.mode & 0o020 == 0 {
        return None;
    }
    if stat.gid != input.gid() {
        return Some(("writable by another group", close("g-w")));
    }
    input.world.has_acl(path).then(|| ("writable by its access control list", close("g-w")))
}
