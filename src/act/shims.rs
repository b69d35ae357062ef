//! Writes PATH shims. If an existing file is not a shim for the same tool, nothing is written at all.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::Context;
use nix::errno::Errno;
use nix::unistd::{UnlinkatFlags, unlinkat};

use crate::error::Failure;
use crate::plan::shims::{PATH_FILE, PATH_TITLE, Shims, Written};
use crate::sys::rename::{Flag, rename};
use crate::text::escaped_path;

/// Other users may start a tool through a shim, whatever the writer's umask is.
const MODE: u32 = 0o755;

/// Writes or updates the shims. Errors: 125 if another file is in the way, or a shim cannot be written.
pub fn write(shims: &Shims) -> anyhow::Result<()> {
    let files = || shims.files.iter().map(|(tool, text)| (tool.as_os_str(), text, MODE));
    let all: Vec<_> = files().chain([(OsStr::new(PATH_FILE), &shims.path, 0o644)]).collect();
    for (name, ..) in &all {
        let path = shims.dir.join(name);
        if fs::symlink_metadata(&path).is_ok() && !is_ours(&path, name) {
            return Err(in_the_way(&path, "nothing is written").into());
        }
    }
    if !shims.dir.is_dir() {
        DirBuilder::new().recursive(true).mode(MODE).create(&shims.dir).with_context(|| escaped_path(&shims.dir))?;
        fs::set_permissions(&shims.dir, Permissions::from_mode(MODE)).with_context(|| escaped_path(&shims.dir))?;
    }
    let dir = OwnedFd::from(File::open(&shims.dir).with_context(|| escaped_path(&shims.dir))?);
    all.iter().try_for_each(|(name, text, mode)| put(&dir, &shims.dir.join(name), text, *mode))
}

fn in_the_way(path: &Path, what: &str) -> Failure {
    let path = escaped_path(path);
    Failure::new(format!("{path} exists and was not written by --shims for that tool; {what}"))
        .hint("choose another directory, or move it away")
}

/// Is this a shim for the tool, or the file that puts shims on PATH?
fn is_ours(path: &Path, name: &OsStr) -> bool {
    let text = text(path).unwrap_or_default();
    if name == PATH_FILE { text.starts_with(PATH_TITLE) } else { Written::read(&text, name).is_some() }
}

/// The text of a regular file.
fn text(path: &Path) -> Option<Vec<u8>> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file).and_then(|_| fs::read(path).ok())
}

/// Puts a file in its place atomically, unless it already exists with this text and mode.
fn put(dir: &OwnedFd, path: &Path, new: &[u8], mode: u32) -> anyhow::Result<()> {
    let context = || escaped_path(path);
    if text(path).is_some_and(|known| known == new) {
        let is_right = fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o777 == mode);
        let correct = || fs::set_permissions(path, Permissions::from_mode(mode)).with_context(context);
        return if is_right { Ok(()) } else { correct() };
    }
    let temporary = path.with_file_name(format!(".hermes-exec.{}.tmp", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary).and_then(|mut file| {
        file.write_all(new)?;
        file.set_permissions(Permissions::from_mode(mode))
    });
    let placed = written.with_context(context).and_then(|()| place(dir, &temporary, path));
    placed.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// Gives the temporary file its name. A file that has appeared there since the check is put back.
fn place(dir: &OwnedFd, temporary: &Path, path: &Path) -> anyhow::Result<()> {
    let (from, to) = (temporary.file_name().unwrap_or_default(), path.file_name().unwrap_or_default());
    let moved = match rename(dir, from, to, Flag::ToFree) {
        Err(Errno::EEXIST) => rename(dir, from, to, Flag::Exchange).and_then(|()| {
            if is_ours(temporary, to) {
                return unlinkat(dir, from, UnlinkatFlags::NoRemoveDir);
            }
            rename(dir, from, to, Flag::Exchange).and(Err(Errno::EEXIST))
        }),
        // The file system supports neither.
        Err(Errno::ENOSYS | Errno::EINVAL) => return fs::rename(temporary, path).with_context(|| escaped_path(path)),
        moved => moved,
    };
    match moved {
        Err(Errno::EEXIST) => Err(in_the_way(path, "it appeared just now").into()),
        moved => moved.with_context(|| escaped_path(path)),
    }
}
