//! What selects the profile: the option, HERMES_HOME, HERMES_PROFILE, `active_profile` or the default; and which names are
//! valid.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::layout::is_profile_shaped;
use crate::environ::is_blank;
use crate::error::Failure;
use crate::plan::diagnostic::{Diagnostic, Origin};
use crate::plan::remedy::make_readable;
use crate::text::{escaped, escaped_path, shell_quoted_path};
use crate::world::{FILE_LIMIT, FileText, Input};

/// The file in the root in which Hermes stores the profile that was selected last.
pub const ACTIVE_PROFILE: &str = "active_profile";
const NAMES: &str = "a name is a letter or digit, then up to 63 letters, digits, '-' and '_'";

pub const OPTION: Origin = Origin::Option("--profile");
/// A profile directory given as `--hermes-home` or `HERMES_HOME`.
pub const HERMES_HOME: Origin = Origin::Variable("HERMES_HOME");
pub const VARIABLE: Origin = Origin::Variable("HERMES_PROFILE");

/// The source that selects the profile, and its word. Only the source that wins is validated, later.
pub(super) struct Choice {
    pub source: Origin,
    word: OsString,
    /// What the user must know about the other sources.
    pub warnings: Vec<Diagnostic>,
}

impl Choice {
    /// Tries the sources in order. `option` is the value of `--profile`. Errors: 125 if `active_profile` is a link, or
    /// cannot be read for a reason other than its type or mode.
    pub fn make(
        option: Option<&OsStr>,
        hermes_home: Option<&Path>,
        root: &Path,
        input: &Input<'_>,
    ) -> Result<Self, Failure> {
        let shaped = hermes_home.filter(|path| is_profile_shaped(path)).and_then(Path::file_name);
        let variable = input.environ.given(b"HERMES_PROFILE").map(OsStr::from_bytes);
        let mut warnings = Vec::new();
        let (source, word) = if let Some(word) = option {
            (OPTION, word.to_owned())
        } else if let Some(word) = shaped {
            warnings.extend(variable.filter(|other| folded(other) != folded(word)).map(|other| conflict(word, other)));
            (HERMES_HOME, word.to_owned())
        } else if let Some(word) = variable {
            (VARIABLE, word.to_owned())
        } else if let Some(word) = active_profile(root, input, &mut warnings)? {
            (Origin::ActiveProfile, word)
        } else {
            (Origin::Default, "default".into())
        };
        Ok(Self { source, word, warnings })
    }

    /// What a fault of the choice is about.
    pub fn subject(&self) -> &'static str {
        match self.source {
            HERMES_HOME => "hermes-home",
            Origin::ActiveProfile => "active-profile",
            _ => "profile",
        }
    }

    pub fn directory(&self, hermes_home: Option<&Path>, root: &Path) -> Result<(String, PathBuf), Failure> {
        let name = self.name(root)?;
        if self.source == HERMES_HOME {
            let dir = hermes_home.unwrap_or(root).to_owned();
            if name == "default" {
                return Err(Failure::new(format!("'{}' is not the default profile", escaped_path(&dir)))
                    .about("hermes-home")
                    .hint(format!("the default profile is the root itself: HERMES_HOME={}", escaped_path(root))));
            }
            return Ok((name, dir));
        }
        let dir = match hermes_home {
            _ if name == "default" => root.to_owned(),
            // --profile names the profile of HERMES_HOME, as in a run within a run. The spelling stays.
            Some(path) if is_profile_shaped(path) && path.file_name() == Some(OsStr::new(&name)) => path.to_owned(),
            _ => root.join("profiles").join(&name),
        };
        Ok((name, dir))
    }

    /// The name, trimmed and in lower case. The text of `active_profile` is never shown: another user with write access
    /// could have put a secret into it. Errors: 125 if it is not a valid name.
    pub fn name(&self, root: &Path) -> Result<String, Failure> {
        let name = folded(&self.word);
        let is_word = |&byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let valid = name.first().is_some_and(is_word)
            && name.len() <= 64
            && name.iter().all(|byte| is_word(byte) || matches!(byte, b'_' | b'-'));
        match String::from_utf8(name) {
            Ok(name) if valid => Ok(name),
            _ if self.source == Origin::ActiveProfile => Err(Failure::new(format!(
                "{} does not contain a profile name",
                escaped_path(&root.join(ACTIVE_PROFILE))
            ))
            .about(self.subject())
            .hint(NAMES)),
            _ => Err(Failure::new(format!(
                "'{}' (from {}) is not a profile name",
                // A word that is longer than any name may be a whole file.
                escaped(&self.word.as_bytes()[..self.word.len().min(80)]),
                self.source
            ))
            .about(self.subject())
            .hint(NAMES)),
        }
    }
}

fn conflict(word: &OsStr, other: &OsStr) -> Diagnostic {
    let [word, other] = [word, other].map(|name| escaped(name.as_bytes()));
    let message =
        format!("HERMES_HOME selects the profile '{word}' and HERMES_PROFILE names '{other}'; HERMES_HOME wins");
    Diagnostic::warning("profile", message).cure("unset HERMES_PROFILE")
}

/// The word in `<root>/active_profile`; `None` if there is none, or the file must not be read.
fn active_profile(root: &Path, input: &Input<'_>, warnings: &mut Vec<Diagnostic>) -> Result<Option<OsString>, Failure> {
    // Hermes' supervisor chooses the profile of its children; the file is for commands that are typed.
    const SUPERVISED: [&[u8]; 3] =
        [b"HERMES_SUPERVISED_CHILD", b"HERMES_S6_SUPERVISED_CHILD", b"HERMES_GATEWAY_EXTERNAL_SUPERVISOR"];
    if root.as_os_str().is_empty() || SUPERVISED.iter().any(|name| input.environ.given(name).is_some()) {
        return Ok(None);
    }
    let path = root.join(ACTIVE_PROFILE);
    let why = match input.world.text_of_no_link(&path, FILE_LIMIT) {
        FileText::Missing => return Ok(None),
        FileText::Found { bytes, is_cut: false, .. } => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii();
            return Ok((!is_blank(bytes)).then(|| OsStr::from_bytes(bytes).to_owned()));
        }
        FileText::Found { .. } => "larger than 1 MiB".to_owned(),
        FileText::Unreadable(why) => why,
        FileText::Link => return Err(linked(&path).about("active-profile")),
        FileText::Failed(why) => return Err(failed(&path, &why).about("active-profile")),
    };
    warnings.push(unread("active-profile", &path, &format!("{why}; treated as empty"), input));
    Ok(None)
}

/// The error for a link that is not followed, since a command may have planted it.
pub fn linked(path: &Path) -> Failure {
    let cure = format!("rm {}", shell_quoted_path(path));
    Failure::new(format!("{} is a symlink, which is not followed here", escaped_path(path)))
        .hint(format!("remove it: {cure}"))
        .cure(cure)
}

/// The error for a file whose content is unknown.
pub fn failed(path: &Path, why: &str) -> Failure {
    Failure::new(format!("{} cannot be read: {why}", escaped_path(path)))
        .hint("fix it, or move it away; if no descriptor is free, close some or raise the limit: ulimit -n")
}

/// The warning for a file that cannot be read. `id`: which file it is.
pub fn unread(id: &'static str, path: &Path, why: &str, input: &Input<'_>) -> Diagnostic {
    let check = Diagnostic::warning(id, format!("{}: {why}", escaped_path(path)));
    match make_readable(path, input) {
        Some(cure) => check.cure(cure),
        None => check.hint(format!("to edit it: \"${{EDITOR:-vi}}\" {}", shell_quoted_path(path))),
    }
}

/// A name as it is looked for.
pub fn folded(word: &OsStr) -> Vec<u8> {
    word.as_bytes().trim_ascii().to_ascii_lowercase()
}
