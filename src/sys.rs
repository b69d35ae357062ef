//! All that is `unsafe`: what the C entry is handed, the raw environment block, and a rename that nix lacks. What changes the state of
//! this process is the panic hook, and that it cannot be dumped; `execve` undoes both.

use std::borrow::Cow;
use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::environ::Environ;

/// The arguments as the C entry was handed them, the program's own name included.
pub fn arguments(argc: c_int, argv: *const *const c_char) -> Vec<OsString> {
    let count = usize::try_from(argc).unwrap_or(0);
    let mut all = Vec::with_capacity(count);
    for at in 0..count {
        // SAFETY: `argv` has `argc` elements (C11 5.1.2.2.1), and `at` is below that.
        let pointer = unsafe { *argv.add(at) };
        if pointer.is_null() {
            break;
        }
        // SAFETY: an element that is not null points to a string that ends with NUL and lives as long as the process.
        let argument = unsafe { CStr::from_ptr(pointer) };
        all.push(OsStr::from_bytes(argument.to_bytes()).to_owned());
    }
    all
}

/// The environment block of this process, every entry as it stands.
pub fn environment() -> Environ {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    let mut entries = Vec::new();
    // SAFETY: POSIX defines `environ` for every program; nothing in this one-threaded process changes it.
    let mut next = unsafe { environ };
    if next.is_null() {
        return Environ::default();
    }
    loop {
        // SAFETY: the array is read up to its terminating null pointer, not beyond.
        let pointer = unsafe { *next };
        if pointer.is_null() {
            return Environ::new(entries);
        }
        // SAFETY: every entry points to a string that ends with NUL; the block lives as long as the process.
        entries.push(Cow::Borrowed(unsafe { CStr::from_ptr(pointer) }));
        // SAFETY: `next` stood on an element before the terminating one.
        next = unsafe { next.add(1) };
    }
}

/// Has a file an access control list, as Linux keeps it in an extended attribute (xattr(7))?
#[cfg(target_os = "linux")]
pub fn has_acl(path: &Path) -> bool {
    use nix::NixPath;

    let ask = |path: &CStr| {
        let name = c"system.posix_acl_access".as_ptr();
        // SAFETY: both names end with NUL and are only read; with a length of 0 nothing is written.
        unsafe { nix::libc::getxattr(path.as_ptr(), name, std::ptr::null_mut(), 0) > 0 }
    };
    path.with_nix_path(ask).unwrap_or(false)
}

/// macOS gives rights by a list that the bits of the mode do not tell; nobody reads it here.
#[cfg(not(target_os = "linux"))]
pub fn has_acl(_: &Path) -> bool {
    false
}

/// The effective uid that this process was started with, without asking the kernel (getauxval(3)).
#[cfg(target_os = "linux")]
pub fn effective_uid() -> u32 {
    // SAFETY: it reads what the kernel has laid on the stack; every process has this entry.
    unsafe { nix::libc::getauxval(nix::libc::AT_EUID) as u32 }
}

#[cfg(not(target_os = "linux"))]
pub fn effective_uid() -> u32 {
    nix::unistd::Uid::effective().as_raw()
}

/// From here on a crash of this process leaves no core, and the same user can read neither its memory nor its environment:
/// both hold every credential that is about to be removed. The command's own state is what it would have been: `execve` sets
/// it anew (PR_SET_DUMPABLE(2const)).
pub fn refuse_dumps() {
    // It cannot fail with this value, and nothing could be done about it.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_dumpable(false);
}

/// Makes a panic end the process with 125 and one line that names the place, and no value.
pub fn on_panic_leave_with(status: c_int, say: fn(&str)) {
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        say(&format!("hermes-exec: error: this is a bug in hermes-exec{place}\n"));
        // SAFETY: ends the process without running anything else of it.
        unsafe { nix::libc::_exit(status) }
    }));
}

/// The renames that rename(2) lacks, in one step: two names exchanged, or a new name that has to be free. Linux has them by
/// renameat2(2), which not every C library wraps, macOS by renameatx_np(2), and others (ENOSYS) not at all.
pub mod rename {
    use std::ffi::{CStr, OsStr, c_int};
    use std::os::fd::{AsRawFd, OwnedFd};

    use nix::NixPath;
    use nix::errno::Errno;

    #[derive(Clone, Copy)]
    pub enum Flag {
        Exchange,
        ToFree,
    }

    /// Renames within a directory.
    pub fn rename(dir: &OwnedFd, from: &OsStr, to: &OsStr, flag: Flag) -> nix::Result<()> {
        let dir = dir.as_raw_fd();
        from.with_nix_path(|from| to.with_nix_path(|to| call(dir, from, to, flag)))??
    }

    #[cfg(target_os = "linux")]
    fn call(dir: c_int, from: &CStr, to: &CStr, flag: Flag) -> nix::Result<()> {
        use nix::libc::{RENAME_EXCHANGE, RENAME_NOREPLACE, SYS_renameat2, syscall};

        let flag = if matches!(flag, Flag::Exchange) { RENAME_EXCHANGE } else { RENAME_NOREPLACE };
        // SAFETY: both names end with NUL, and the kernel only reads them.
        Errno::result(unsafe { syscall(SYS_renameat2, dir, from.as_ptr(), dir, to.as_ptr(), flag) }).map(drop)
    }

    #[cfg(target_vendor = "apple")]
    fn call(dir: c_int, from: &CStr, to: &CStr, flag: Flag) -> nix::Result<()> {
        use nix::libc::{RENAME_EXCL, RENAME_SWAP, renameatx_np};

        let flag = if matches!(flag, Flag::Exchange) { RENAME_SWAP } else { RENAME_EXCL };
        // SAFETY: both names end with NUL, and are only read.
        Errno::result(unsafe { renameatx_np(dir, from.as_ptr(), dir, to.as_ptr(), flag) }).map(drop)
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    fn call(_: c_int, _: &CStr, _: &CStr, _: Flag) -> nix::Result<()> {
        Err(Errno::ENOSYS)
    }
}

/// The password database. On Linux glibc's `getpwuid` loads the host's NSS modules, and a static program crashes where those
/// do not fit it (seen on Debian 12, `passwd: files systemd`, with a uid that is in no file); so `/etc/passwd` (passwd(5)) is
/// read, and a user known only to a network directory has to have HOME set.
#[cfg(not(target_os = "macos"))]
pub mod passwd {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

    pub fn home_of(uid: u32) -> Option<PathBuf> {
        find(|_, known| known == uid.to_string().as_bytes())
    }

    pub fn home_of_user(name: &OsStr) -> Option<PathBuf> {
        find(|known, _| known == name.as_bytes())
    }

    fn find(is_wanted: impl Fn(&[u8], &[u8]) -> bool) -> Option<PathBuf> {
        std::fs::read("/etc/passwd").ok()?.split(|&byte| byte == b'\n').find_map(|line| {
            let fields: Vec<_> = line.split(|&byte| byte == b':').collect();
            let [name, _, uid, _, _, home, ..] = fields[..] else { return None };
            is_wanted(name, uid).then(|| OsStr::from_bytes(home).into())
        })
    }
}

/// The password database. On macOS users are in Open Directory, and only the system's own functions know them.
#[cfg(target_os = "macos")]
pub mod passwd {
    use std::ffi::OsStr;
    use std::path::PathBuf;

    use nix::unistd::{Uid, User};

    pub fn home_of(uid: u32) -> Option<PathBuf> {
        Some(User::from_uid(Uid::from_raw(uid)).ok()??.dir)
    }

    pub fn home_of_user(name: &OsStr) -> Option<PathBuf> {
        Some(User::from_name(name.to_str()?).ok()??.dir)
    }
}
