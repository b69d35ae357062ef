//! What differs from system to system and is a fact, not a call: plans and checks ask the [`World`] for it, so that each
//! system's can be tested on any.
//!
//! [`World`]: super::World
#![forbid(unsafe_code)]

#[derive(Debug)]
pub struct Facts {
    /// The longest path of a socket, in bytes without the NUL (`sun_path`, unix(7)).
    pub socket_path: usize,
    /// Where each user may have a runtime directory, by uid, in which gpg then keeps its sockets (its `common/homedir.c`).
    pub runtime_dirs: Option<&'static str>,
    /// What execvp(3) searches when there is no PATH.
    pub no_path: &'static str,
    /// How much execve(2) takes of arguments and environment.
    pub most_arguments: &'static str,
}

/// glibc's `confstr(_CS_PATH)`; MAX_ARG_STRLEN, which is 32 pages, and a quarter of the stack limit (execve(2)).
pub const LINUX: Facts = Facts {
    socket_path: 107,
    runtime_dirs: Some("/run/user"),
    no_path: "/bin:/usr/bin",
    most_arguments: "131,071 bytes for one entry, and a quarter of `ulimit -s` for all",
};

/// Its <sys/un.h>, <paths.h> (`_PATH_DEFPATH`) and <sys/syslimits.h> (`ARG_MAX`).
pub const MACOS: Facts =
    Facts { socket_path: 103, runtime_dirs: None, no_path: "/usr/bin:/bin", most_arguments: "1,048,576 bytes for all" };

pub const THIS: &Facts = if cfg!(target_os = "linux") { &LINUX } else { &MACOS };
