//! What a seal depends on: the kernel's Landlock, our own capabilities, the descriptors that the command inherits, and the
//! mounts. Asked only when a seal is wanted.
#![forbid(unsafe_code)]

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use nix::fcntl::OFlag;
use nix::unistd::Uid;

/// The kernel's support of Landlock (landlock(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landlock {
    /// Available, with this version of its ABI.
    Abi(u32),
    /// Built in, but not enabled.
    Disabled,
    Missing,
    NotLinux,
}

impl Landlock {
    #[cfg(target_os = "linux")]
    fn probe() -> Self {
        use landlock::{LandlockStatus, RestrictSelf};
        // Without flags and no_new_privs this has no effect except to ask for the ABI version.
        match RestrictSelf::default().no_new_privs(false).apply().map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => Self::Abi(effective_abi as u32),
            Ok(LandlockStatus::NotEnabled) => Self::Disabled,
            Ok(LandlockStatus::NotImplemented) | Err(_) => Self::Missing,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn probe() -> Self {
        Self::NotLinux
    }
}

/// What a seal depends on. Gathered only if a seal is wanted.
#[derive(Debug)]
pub struct Sealing {
    pub landlock: Landlock,
    /// The command will have CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace.
    pub watches_all: bool,
    /// The open descriptors that the command inherits, with their targets.
    pub descriptors: Vec<(u32, PathBuf)>,
    /// The mounts that this process sees, in the format of proc_pid_mountinfo(5).
    pub mounts: io::Result<Vec<u8>>,
}

impl Sealing {
    pub fn gather() -> Self {
        Self {
            landlock: Landlock::probe(),
            watches_all: watches_all(),
            descriptors: inherited_descriptors(),
            mounts: fs::read("/proc/self/mountinfo"),
        }
    }
}

/// Will the command have CAP_PERFMON, or CAP_SYS_ADMIN which implies it, in the initial user namespace (capabilities(7))?
fn watches_all() -> bool {
    const SYS_ADMIN: u64 = 1 << 21;
    const PERFMON: u64 = 1 << 38;
    // The inode of the initial user namespace (include/uapi/linux/nsfs.h: USER_NS_INIT_INO).
    const INITIAL: u64 = 0xEFFF_FFFD;
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return Uid::effective().is_root() };
    let field =
        |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap_or_default();
    let set = |name| u64::from_str_radix(field(name).trim(), 16).unwrap_or_default();
    // What is left after an `execve` with no_new_privs, when file capabilities do not count: root keeps what it has, others
    // the ambient set ("Transformation of capabilities during execve").
    let is_root = field("Uid").split_whitespace().take(2).any(|uid| uid == "0");
    let kept = if is_root { set("CapPrm") & (set("CapBnd") | set("CapInh")) } else { set("CapAmb") };
    kept & (SYS_ADMIN | PERFMON) != 0
        && fs::metadata("/proc/self/ns/user").map_or(true, |namespace| namespace.ino() == INITIAL)
}

/// The descriptors without FD_CLOEXEC, by number; none without `/proc`.
fn inherited_descriptors() -> Vec<(u32, PathBuf)> {
    let is_inherited = |number: &u32| {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap_or_default();
        i32::from_str_radix(flags.trim(), 8).is_ok_and(|flags| flags & OFlag::O_CLOEXEC.bits() == 0)
    };
    let listed = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let mut numbers: Vec<u32> = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    let target = |number: u32| (number, fs::read_link(format!("/proc/self/fd/{number}")).unwrap_or_default());
    numbers.into_iter().filter(is_inherited).map(target).collect()
}
