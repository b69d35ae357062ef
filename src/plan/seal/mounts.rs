//! The mount table, and the other paths by which a mounted file can be reached. Landlock judges a file by the directories
//! above it on the path that was walked, through the mount points, so that each such path counts for itself.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One line of proc_pid_mountinfo(5), as far as it matters.
struct Mount {
    /// The device, `major:minor`.
    device: Vec<u8>,
    /// The directory or file of that device's file system that is mounted.
    root: PathBuf,
    point: PathBuf,
}

pub struct Mounts(Vec<Mount>);

impl Mounts {
    pub fn parse(text: &[u8]) -> Self {
        let mount = |line: &[u8]| {
            let mut fields = line.split(|&byte| byte == b' ').skip(2);
            let (device, root, point) = (fields.next()?, fields.next()?, fields.next()?);
            Some(Mount { device: device.to_owned(), root: unescaped(root), point: unescaped(point) })
        };
        Self(text.split(|&byte| byte == b'\n').filter_map(mount).collect())
    }

    /// The paths that may lead to the same thing as a canonical path does, itself not among them. A mount that is hidden
    /// below another one gives a path that leads elsewhere: compare.
    pub fn other_paths(&self, path: &Path) -> Vec<PathBuf> {
        let mut others = Vec::new();
        for mount in &self.0 {
            let Ok(below) = path.strip_prefix(&mount.point) else { continue };
            let in_device = joined(&mount.root, below);
            for other in self.0.iter().filter(|other| other.device == mount.device) {
                if let Ok(below) = in_device.strip_prefix(&other.root) {
                    others.push(joined(&other.point, below));
                }
            }
        }
        others.retain(|other| other != path);
        others.sort();
        others.dedup();
        others
    }
}

/// As [`Path::join`], which would put a slash behind a path to which nothing is added.
fn joined(path: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { path.to_owned() } else { path.join(below) }
}

/// Space, tab, line feed and backslash stand as three octal digits behind a backslash.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        let octal = tail.get(..3).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match octal.filter(|_| *first == b'\\') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}
