//! Facts that differ between systems. Plans and checks get them from the [`World`], so that each system's facts can be
//! tested on any system.
//!
//! [`World`]: super::World
#![forbid(unsafe_code)]

#[derive(Debug)]
pub struct Facts {
    /// The longest path of a socket, in bytes without the NUL (`sun_path`, unix(7)).
    pub socket_path: usize,
    /// The parent of the users' runtime directories, named by uid, in which gpg keeps its sockets (GnuPG,
    /// `common/homedir.c`).
    pub runtime_dirs: Option<&'static str>,
    /// What execvp(3) searches when PATH is not set.
    pub no_path: &'static str,
    /// The limit of execve(2) for arguments and environment, in words.
    pub most_arguments: &'static str,
}

/// glibc's `confstr(_CS_PATH)`; MAX_ARG_STRLEN, which is 32 pages, and a quarter of the stack limit (execve(2)).
pub const LINUX: Facts = Facts {
    socket_path: 107,
    runtime_dirs: Some("/run/user"),
    no_path: "/bin:/usr/bin",
    most_arguments: "131,071 bytes for one entry, and a quarter of `ulimit -s` for all",
};

/// From <sys/un.h>, <paths.h> (`_PATH_DEFPATH`) and <sys/syslimits.h> (`ARG_MAX`).
pub const MACOS: Facts =
    Facts { socket_path: 103, runtime_dirs: None, no_path: "/usr/bin:/bin", most_arguments: "1,048,576 bytes for all" };

pub const THIS: &Facts = if cfg!(target_os = "linux") { &LINUX } else { &MACOS };
