//! All that is `unsafe`: what the C entry is handed, and the raw environment block. Nothing here changes the state of the
//! process, apart from the panic hook.

use std::borrow::Cow;
use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

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

/// Makes a panic end the process with 125 and one line that names the place, and no value.
pub fn on_panic_leave_with(status: c_int, say: fn(&str)) {
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        say(&format!("hermes-exec: error: this is a bug in hermes-exec{place}\n"));
        // SAFETY: ends the process without running anything else of it.
        unsafe { nix::libc::_exit(status) }
    }));
}
