//! The effect of `--seal` on this machine: whether the kernel can enforce it, and which rules it needs.
//!
//! Landlock can allow but not deny (landlock(7)). So everything next to the paths of the secret files is granted piece by
//! piece: a directory on such a path is *narrow*, and everything in it is granted except narrow directories and secret
//! files. A directory without a secret below it is granted as a whole; so there are as many rules as entries next to the
//! paths. The cost: what is created later directly in a narrow directory cannot be granted. It cannot be read, and files
//! cannot be created there at all. For a program that saves by replacing the old file with a new one, and then cannot read
//! that, would start from nothing and overwrite what the user had (seen with Claude Code 2.1.197 and `.claude.json`).
//! Refused at once, it keeps the old file.
#![forbid(unsafe_code)]

pub mod mounts;
pub mod secrets;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::SealLevel;
use crate::error::Failure;
use crate::plan::diagnostic::{Diagnostic, Origin};
use crate::plan::profile::Selection;
use crate::text::{escaped_path, os_message};
use crate::world::sealing::{Landlock, Sealing};
use crate::world::{Input, World};
use secrets::{PartialDir, Secrets, Unlisted};

/// What a domain refuses whatever its rules are: it needs no_new_privs (PR_SET_NO_NEW_PRIVS(2const)), and mounts cannot be
/// changed inside (landlock(7), "Current limitations").
const REFUSES: &str =
    "sudo and other set-user-id programs, mount and pivot_root (bubblewrap, rootless containers) do not work inside";

/// What a domain refuses from ABI 6 on (landlock(7), LANDLOCK_SCOPE_SIGNAL), and what remains possible before.
const NO_SIGNALS: &str = "signals to processes outside are refused";
const SIGNALS: &str = "signals to processes outside remain possible before Linux 6.12: one can make a process dump its memory, or \
    Node.js open its inspector";

const OPTION: Origin = Origin::Option("--seal");

#[derive(Debug, Default)]
pub struct SealPlan {
    pub level: SealLevel,
    pub source: Origin,
    /// Why the seal, and so the run, is impossible.
    pub refusal: Option<Failure>,
    /// What the seal does not prevent, because of this process's capabilities.
    pub leak: Option<&'static str>,
    /// Signals to processes outside are also refused.
    pub scopes_signals: bool,
    pub secrets: BTreeSet<PathBuf>,
    /// The directories above them, outer ones first; empty if everything may be read.
    pub narrow: Vec<PartialDir>,
    /// Device and inode of those directories and files, which must not get a rule by any path.
    pub identities: BTreeSet<(u64, u64)>,
    /// A home in one of them that will be created before the seal, and is granted.
    pub new_home: Option<PathBuf>,
    /// The open descriptors that the command inherits, with their targets.
    pub descriptors: Vec<(u32, PathBuf)>,
}

impl SealPlan {
    /// Plans the seal. `new_home` is a home that will be created first.
    pub fn build(
        option: Option<SealLevel>,
        of_file: Option<SealLevel>,
        selection: &Selection,
        new_home: Option<&Path>,
        input: &Input<'_>,
    ) -> Self {
        let (level, source) = match (option, of_file) {
            (Some(level), _) => (level, OPTION),
            (None, Some(level)) => (level, Origin::Policy),
            (None, None) => (SealLevel::Off, Origin::Default),
        };
        let mut plan = Self { level, source, ..Self::default() };
        if level != SealLevel::Off {
            let sealing = input.world.sealing();
            plan.refusal = plan.fill(&sealing, selection, input).err();
            plan.new_home = new_home.filter(|_| !plan.narrow.is_empty()).map(Path::to_owned);
            plan.descriptors = sealing.descriptors;
        }
        plan
    }

    fn fill(&mut self, sealing: &Sealing, selection: &Selection, input: &Input<'_>) -> Result<(), Failure> {
        can_seal(sealing.landlock).map_err(|(why, cure)| self.refused(why, &format!("{cure}, or --seal=off")))?;
        self.scopes_signals = matches!(sealing.landlock, Landlock::Abi(6..));
        if sealing.watches_all {
            self.leak = Some("CAP_PERFMON, which root has, lets the command read /proc/PID/environ of other processes");
        }
        if self.level == SealLevel::Files {
            let cure = "use --seal=on or --seal=off";
            let mounts = sealing.mounts.as_ref().map_err(|error| {
                self.refused(&format!("/proc/self/mountinfo cannot be read: {}", os_message(error)), cure)
            })?;
            let unlisted = |Unlisted(dir, error)| {
                let dir = escaped_path(&dir);
                let why = format!("{dir}, which contains secret files, cannot be listed: {}", os_message(&error));
                self.refused(&why, &format!("make it readable (chmod u+rx {dir}), or {cure}"))
            };
            let secrets = Secrets::gather(selection, mounts, input).map_err(unlisted)?;
            let narrow = secrets.narrow().map_err(unlisted)?;
            self.identities = secrets.identities(&narrow);
            (self.secrets, self.narrow) = (secrets.found, narrow);
        }
        Ok(())
    }

    fn refused(&self, why: &str, cure: &str) -> Failure {
        let by = if self.source == OPTION { "--seal" } else { "seal of the policy file" };
        Failure::new(format!("{by}={}: {why}", self.level.as_str())).about("seal").hint(cure)
    }

    /// The directories directly in which no file can be created.
    pub fn dirs(&self) -> impl Iterator<Item = &Path> {
        self.narrow.iter().map(|narrow| narrow.dir.as_path())
    }

    /// What does not work inside, and what stays open.
    pub fn limits(&self) -> Vec<String> {
        let open = self
            .descriptors
            .iter()
            .map(|(number, target)| format!("descriptor {number} stays open: {}", escaped_path(target)));
        match self.level {
            SealLevel::Off => Vec::new(),
            SealLevel::On | SealLevel::Files => {
                let signals = if self.scopes_signals { NO_SIGNALS } else { SIGNALS };
                [REFUSES, signals].map(str::to_owned).into_iter().chain(open).collect()
            }
        }
    }

    pub fn rules(&self) -> usize {
        let granted: usize = self.narrow.iter().map(|narrow| narrow.granted.len()).sum();
        usize::from(self.level != SealLevel::Off) + granted + usize::from(self.new_home.is_some())
    }

    /// Findings: what does not hold, and that the command's working directory is narrow.
    pub fn findings(&self, chdir: Option<&Path>, world: &dyn World) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        findings.extend(self.leak.map(|leak| Diagnostic::warning("seal", format!("the seal does not hold: {leak}"))));
        if !self.narrow.is_empty()
            && let Ok(dir) = world.canonical(chdir.unwrap_or(Path::new(".")))
            && self.dirs().any(|narrow| narrow == dir)
        {
            let dir = escaped_path(&dir);
            let message =
                format!("the working directory {dir} is above secret files: no file can be created directly in it");
            findings.push(Diagnostic::warning("seal", message));
        }
        findings
    }
}

/// Can this kernel enforce a seal? If not, why, and what would help. ABI 1 refuses every rename and link across directories
/// (landlock(7), "File reparenting"), which commands would notice.
fn can_seal(landlock: Landlock) -> Result<(), (&'static str, &'static str)> {
    match landlock {
        Landlock::Abi(2..) => Ok(()),
        Landlock::Abi(_) => {
            Err(("this kernel's Landlock refuses renames across directories", "use Linux 5.19 or later"))
        }
        Landlock::Disabled => Err(("Landlock is disabled", "add landlock to the kernel parameter lsm=")),
        Landlock::Missing => Err((
            "this kernel has no Landlock, or a seccomp filter blocks it",
            "use Linux 5.19 or later with CONFIG_SECURITY_LANDLOCK",
        )),
        Landlock::NotLinux => Err(("it needs Landlock, which only Linux has", "run it on Linux")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w54_what_an_older_kernel_leaves_open_is_said() {
        let limits = |scopes_signals| {
            SealPlan { level: SealLevel::On, scopes_signals, ..SealPlan::default() }.limits().join("\n")
        };
        assert!(limits(true).contains(NO_SIGNALS) && !limits(true).contains(SIGNALS));
        assert!(limits(false).contains("Linux 6.12") && !limits(false).contains(NO_SIGNALS));
    }

    #[test]
    fn a_kernel_that_would_refuse_renames_counts_as_none() {
        for landlock in [Landlock::Abi(1), Landlock::Disabled, Landlock::Missing, Landlock::NotLinux] {
            assert!(can_seal(landlock).is_err(), "{landlock:?}");
        }
        for abi in [2, 3, 7, 100] {
            assert!(can_seal(Landlock::Abi(abi)).is_ok(), "{abi}");
        }
    }
}
