//! Remembers answers, so that a plan sees one consistent view of the world and each question costs one system call. It asks
//! nothing itself.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use nix::errno::Errno;

use super::PATH_MAX;

/// Answers by path; an error is kept as its number. Paths are compared as plain bytes, which is cheaper than by components
/// or by hash.
pub(super) struct Cache<T>(RefCell<BTreeMap<OsString, Result<T, i32>>>);

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Cache<T> {
    /// The answer for a path; `ask` is called at most once for each. A path that is too long for the kernel is not
    /// remembered.
    pub fn get_or(&self, path: &Path, ask: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if path.as_os_str().len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG.into());
        }
        if let Some(known) = self.get(path) {
            return known;
        }
        let answer = ask();
        self.keep(path, &answer);
        answer
    }

    pub fn get(&self, path: &Path) -> Option<io::Result<T>> {
        let known = self.0.borrow().get(path.as_os_str()).cloned();
        known.map(|answer| answer.map_err(io::Error::from_raw_os_error))
    }

    pub fn knows(&self, path: &Path) -> bool {
        self.0.borrow().contains_key(path.as_os_str())
    }

    pub fn keep(&self, path: &Path, answer: &io::Result<T>) {
        let kept = match answer {
            Ok(answer) => Ok(answer.clone()),
            Err(error) => Err(error.raw_os_error().unwrap_or_default()),
        };
        self.0.borrow_mut().insert(path.into(), kept);
    }
}
