//! Who says which profile it is: the option, HERMES_HOME, HERMES_PROFILE, `active_profile`, or nobody; and what a name may be.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{FILE_LIMIT, Source, Wanted};
use crate::environ::is_blank;
use crate::facts::{Content, Facts, Text};
use crate::message::{Failure, shown, shown_path};
use crate::real_home::is_profile_shaped;

/// Which source names the profile, and with what word. Only the source that wins is validated, later.
pub struct Choice {
    /// The source.
    pub source: Source,
    word: OsString,
    /// What the user must know of the sources that lose.
    pub warnings: Vec<String>,
}

impl Choice {
    /// Goes through the sources in their order.
    pub fn make(wanted: Wanted<'_>, hermes_home: Option<&Path>, root: &Path, facts: &Facts<'_>) -> Self {
        let shaped = hermes_home.filter(|path| is_profile_shaped(path)).and_then(Path::file_name);
        let variable = facts.environ.given(b"HERMES_PROFILE").map(OsStr::from_bytes);
        let mut warnings = Vec::new();
        let (source, word) = if let Some(word) = wanted.profile {
            (Source::Option, word.to_owned())
        } else if let Some(word) = shaped {
            if let Some(other) = variable
                && folded(other) != folded(word)
            {
                warnings.push(format!(
                    "HERMES_HOME selects the profile '{}' and HERMES_PROFILE names '{}'; HERMES_HOME wins",
                    shown(word.as_bytes()),
                    shown(other.as_bytes())
                ));
            }
            (Source::HermesHome, word.to_owned())
        } else if let Some(word) = variable {
            (Source::Variable, word.to_owned())
        } else if let Some(word) = active_profile(root, facts, &mut warnings) {
            (Source::ActiveProfile, word)
        } else {
            (Source::Default, "default".into())
        };
        Self { source, word, warnings }
    }

    /// The validated name, and the directory that it means.
    pub fn directory(&self, hermes_home: Option<&Path>, root: &Path) -> Result<(String, PathBuf), Failure> {
        let name = self.name()?;
        if self.source == Source::HermesHome {
            let dir = hermes_home.unwrap_or(root).to_owned();
            if name == "default" {
                return Err(Failure::new(format!("'{}' is not the default profile", shown_path(&dir)))
                    .hint(format!("the default profile is the root itself: HERMES_HOME={}", shown_path(root))));
            }
            return Ok((name, dir));
        }
        let dir = match hermes_home {
            _ if name == "default" => root.to_owned(),
            // --profile names what HERMES_HOME says already: a run within a run. The spelling stays.
            Some(path) if is_profile_shaped(path) && path.file_name() == Some(OsStr::new(&name)) => path.to_owned(),
            _ => root.join("profiles").join(&name),
        };
        Ok((name, dir))
    }

    /// The name, trimmed and in lower case, if it is one.
    pub fn name(&self) -> Result<String, Failure> {
        let name = folded(&self.word);
        let is_word = |&byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let valid = name.first().is_some_and(is_word)
            && name.len() <= 64
            && name.iter().all(|byte| is_word(byte) || matches!(byte, b'_' | b'-'));
        match String::from_utf8(name) {
            Ok(name) if valid => Ok(name),
            _ => Err(Failure::new(format!(
                "'{}' ({}) is not a profile name",
                // What is longer than a name may be a whole file, and none for a message.
                shown(&self.word.as_bytes()[..self.word.len().min(80)]),
                self.source.words()
            ))
            .hint("a name is a letter or digit, then up to 63 letters, digits, '-' and '_'")),
        }
    }
}

/// The word in `<root>/active_profile`, if there is one and it is to be read.
fn active_profile(root: &Path, facts: &Facts<'_>, warnings: &mut Vec<String>) -> Option<OsString> {
    // A supervised child's profile is its supervisor's business; the file is for people who type commands.
    const SUPERVISED: [&[u8]; 3] =
        [b"HERMES_SUPERVISED_CHILD", b"HERMES_S6_SUPERVISED_CHILD", b"HERMES_GATEWAY_EXTERNAL_SUPERVISOR"];
    if root.as_os_str().is_empty() || SUPERVISED.iter().any(|name| facts.environ.given(name).is_some()) {
        return None;
    }
    let path = root.join("active_profile");
    match facts.files.text(&path, FILE_LIMIT) {
        Text::Missing => None,
        // Without a free descriptor the start fails at the profile's own files.
        Text::Unreadable(why) | Text::NoDescriptor(why) => {
            warnings.push(format!("{}: {why}; read as empty", shown_path(&path)));
            None
        }
        Text::Read(Content { is_cut: true, .. }) => {
            warnings.push(format!("{}: larger than 1 MiB; read as empty", shown_path(&path)));
            None
        }
        Text::Read(Content { bytes, .. }) => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii();
            (!is_blank(bytes)).then(|| OsStr::from_bytes(bytes).to_owned())
        }
    }
}

fn folded(word: &OsStr) -> Vec<u8> {
    word.as_bytes().trim_ascii().to_ascii_lowercase()
}
