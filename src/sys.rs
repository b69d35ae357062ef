//! Everything `unsafe`: the arguments of the C entry, the raw environment block, and system calls that nix lacks. The only
//! changes to this process's state are the panic hook and the protection from dumps; `execve` undoes both.

use std::borrow::Cow;
use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::environ::Environ;

/// The arguments of the C entry, including the program's own name.
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

/// The environment block of this process, every entry unchanged.
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
        // SAFETY: the array is read up to its terminating null pointer and no further.
        let pointer = unsafe { *next };
        if pointer.is_null() {
            return Environ::new(entries);
        }
        // SAFETY: every entry points to a string that ends with NUL; the block lives as long as the process.
        entries.push(Cow::Borrowed(unsafe { CStr::from_ptr(pointer) }));
        // SAFETY: `next` pointed to an element before the terminating one.
        next = unsafe { next.add(1) };
    }
}

/// Does a file have an access control list? Linux keeps it in an extended attribute (xattr(7)).
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

/// macOS has access control lists that the mode bits do not reflect; they are not read.
#[cfg(not(target_os = "linux"))]
pub fn has_acl(_: &Path) -> bool {
    false
}

/// The effective uid that this process was started with, without a system call (getauxval(3)).
#[cfg(target_os = "linux")]
pub fn effective_uid() -> u32 {
    // SAFETY: it reads what the kernel put on the stack; every process has this entry.
    unsafe { nix::libc::getauxval(nix::libc::AT_EUID) as u32 }
}

#[cfg(not(target_os = "linux"))]
pub fn effective_uid() -> u32 {
    nix::unistd::Uid::effective().as_raw()
}

/// From here on a crash of this process leaves no core, and other processes of the user cannot read its memory or its
/// environment: both hold every credential that is about to be removed. The command is not affected: `execve` resets this
/// (PR_SET_DUMPABLE(2const)).
pub fn refuse_dumps() {
    // It cannot fail with this value.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_dumpable(false);
}

/// Makes a panic end the process with `status` and one line that names the place but no value.
pub fn on_panic_leave_with(status: c_int, say: fn(&str)) {
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        say(&format!("hermes-exec: error: this is a bug in hermes-exec{place}\n"));
        // SAFETY: ends the process without running any more of its code.
        unsafe { nix::libc::_exit(status) }
    }));
}

/// The columns of a terminal; none for what is not one, or does not say (TIOCGWINSZ, ioctl_tty(2)).
pub fn columns(of: &impl AsRawFd) -> Option<u16> {
    let mut size = nix::libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the request writes a `winsize`, and gets one.
    let result = unsafe { nix::libc::ioctl(of.as_raw_fd(), nix::libc::TIOCGWINSZ, &mut size) };
    (result == 0 && size.ws_col > 0).then_some(size.ws_col)
}

/// The atomic renames that rename(2) lacks: exchanging two names, and renaming only if the new name is free. Linux has them
/// in renameat2(2), which not every C library wraps, macOS in renameatx_np(2), and other systems not at all (ENOSYS).
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

/// The password database. On Linux glibc's `getpwuid` loads the host's NSS modules, and a static program crashes if those do
/// not match it (seen on Debian 12, `passwd: files systemd`, with a uid that is in no file). So `/etc/passwd` (passwd(5)) is
/// read, and a user known only to a network directory must have HOME set.
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

/// The password database. On macOS users are in Open Directory, which only the system's own functions can read.
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
