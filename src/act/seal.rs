//! Carries out a [`SealPlan`]: puts this process, and with it the command, into a Landlock domain. A process in a domain
//! cannot reach the environment, memory and descriptors of processes outside (landlock(7), "Ptrace restrictions"), whatever
//! the domain's rules are; these are for files. It decides nothing, and a seal that is not wholly enforced is an error.
//!
//! [`SealPlan`]: crate::plan::seal::SealPlan

pub use imp::Seal;

#[cfg(target_os = "linux")]
mod imp {
    use std::error::Error;
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use landlock::{
        AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, make_bitflags,
    };
    use nix::errno::Errno;
    use nix::fcntl::{OFlag, open, openat};
    use nix::sys::stat::Mode;

    use crate::cli::SealLevel;
    use crate::error::Failure;
    use crate::plan::seal::SealPlan;
    use crate::text::{escaped_path, os_message};

    /// The rules, ready to be enforced. Their descriptor is closed when they are, or by `execve`.
    pub struct Seal<'a> {
        ruleset: RulesetCreated,
        plan: &'a SealPlan,
    }

    impl<'a> Seal<'a> {
        /// Creates the rules of a plan, without an effect on this process; `None` if no seal is wanted. Errors: 125 if the
        /// kernel rejects them.
        pub fn create(plan: &'a SealPlan) -> Result<Option<Self>, Failure> {
            // Every domain that does not grant REFER refuses it (landlock(7), LANDLOCK_ACCESS_FS_REFER): the domain that
            // restricts least handles it alone and grants it everywhere.
            let handled: BitFlags<AccessFs> = match plan.level {
                SealLevel::Off => return Ok(None),
                SealLevel::On => AccessFs::Refer.into(),
                SealLevel::Files => BELOW | AccessFs::Refer,
            };
            let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
            let scoped = ruleset.handle_access(handled).and_then(|ruleset| match plan.scopes_signals {
                true => ruleset.scope(Scope::Signal),
                false => Ok(ruleset),
            });
            let created = scoped.and_then(Ruleset::create);
            let mut seal = Self { ruleset: created.map_err(|error| cannot_seal(&innermost(&error)))?, plan };

            let root = Path::new("/");
            let top = open(root, PLACE, Mode::empty()).map_err(|errno| cannot_open(root, errno))?;
            seal.grant(&top.into(), if plan.narrow.is_empty() { handled } else { AccessFs::Refer.into() })?;
            for narrow in &plan.narrow {
                let dir = open(&narrow.dir, PLACE, Mode::empty()).map_err(|errno| cannot_open(&narrow.dir, errno))?;
                for name in &narrow.granted {
                    match openat(&dir, name.as_os_str(), PLACE, Mode::empty()) {
                        Ok(entry) => seal.grant_all(&entry.into())?,
                        // What we cannot reach, the command cannot reach either.
                        Err(Errno::ENOENT | Errno::EACCES) => {}
                        Err(errno) => return Err(cannot_open(&narrow.dir.join(name), errno)),
                    }
                }
            }
            Ok(Some(seal))
        }

        /// Grants a file, or a directory with everything below it now and later, unless it must not have a rule.
        fn grant_all(&mut self, place: &File) -> Result<(), Failure> {
            let meta = place.metadata().map_err(|error| cannot_seal(&os_message(&error)))?;
            match self.plan.identities.contains(&(meta.dev(), meta.ino())) {
                true => Ok(()),
                false => self.grant(place, if meta.is_dir() { BELOW } else { AccessFs::ReadFile.into() }),
            }
        }

        fn grant(&mut self, place: &File, access: BitFlags<AccessFs>) -> Result<(), Failure> {
            let added = (&mut self.ruleset).add_rule(PathBeneath::new(place, access));
            added.map(drop).map_err(|error| cannot_seal(&innermost(&error)))
        }

        /// Seals this process. A new home must have been created before. Errors: 125 if the kernel refuses, or enforces
        /// only a part.
        pub fn enforce(mut self) -> Result<(), Failure> {
            if let Some(home) = &self.plan.new_home {
                let made = open(home, PLACE, Mode::empty()).map_err(|errno| cannot_open(home, errno))?;
                self.grant_all(&made.into())?;
            }
            match self.ruleset.restrict_self() {
                Ok(status) if status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs => Ok(()),
                Ok(_) => Err(cannot_seal("the kernel enforces only a part of it")),
                Err(error) => Err(cannot_seal(&innermost(&error))),
            }
        }
    }

    /// What is granted for everything below a directory: reading files, and creating regular ones.
    const BELOW: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | MakeReg});

    /// Refers to a place without opening it for reading or following a link.
    const PLACE: OFlag = OFlag::O_PATH.union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);

    fn cannot_open(path: &Path, errno: Errno) -> Failure {
        cannot_seal(&format!("{}: {}", escaped_path(path), errno.desc()))
    }

    fn cannot_seal(why: &str) -> Failure {
        Failure::new(format!("the command cannot be sealed: {why}")).hint("to run it without a seal: --seal=off")
    }

    /// The words of the system at the end of a chain of errors.
    fn innermost(error: &RulesetError) -> String {
        let mut innermost: &dyn Error = error;
        while let Some(source) = innermost.source() {
            innermost = source;
        }
        match innermost.downcast_ref().and_then(std::io::Error::raw_os_error) {
            // landlock(7): LANDLOCK_MAX_NUM_LAYERS.
            Some(number) if Errno::from_raw(number) == Errno::E2BIG => "it is already inside 16 seals".into(),
            Some(number) => Errno::from_raw(number).desc().into(),
            None => innermost.to_string(),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use crate::cli::SealLevel;
    use crate::error::Failure;
    use crate::plan::seal::SealPlan;

    pub enum Seal {}

    impl Seal {
        /// Errors: 125 for every level but `off`.
        pub fn create(plan: &SealPlan) -> Result<Option<Self>, Failure> {
            match plan.level {
                SealLevel::Off => Ok(None),
                SealLevel::On | SealLevel::Files => Err(Failure::new("a seal needs Landlock, which only Linux has")),
            }
        }

        pub fn enforce(self) -> Result<(), Failure> {
            match self {}
        }
    }
}
