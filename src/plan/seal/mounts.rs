//! The mount table, and the other paths by which a mounted file can be reached. Landlock checks the directories above a
//! file on the path that was used, across mount points, so that each such path counts separately.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The fields of a line of proc_pid_mountinfo(5) that matter here.
struct Mount {
    /// The device, `major:minor`.
    device: Vec<u8>,
    /// The directory or file of the device's file system that is mounted.
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

    /// Other paths that may refer to the same file as a canonical path. A mount that is hidden by another one gives a path
    /// to something else, so the caller must compare.
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

/// As [`Path::join`], but without a final slash if `below` is empty.
fn joined(path: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { path.to_owned() } else { path.join(below) }
}

/// Space, tab, line feed and backslash are written as a backslash and three octal digits.
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
