//! Writes PATH shims. A file that is not a shim for the same tool is left alone, and then nothing is written at all.
#![forbid(unsafe_code)]

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::Context;

use crate::error::Failure;
use crate::plan::shims::{PATH_FILE, Shims, Written};
use crate::text::escaped_path;

/// Who starts a tool through a shim need not be who wrote it; a umask has no say.
const MODE: u32 = 0o755;

/// Writes the shims, or brings them up to date. Errors: 125 where a file is in the way, or cannot be written.
pub fn write(shims: &Shims) -> anyhow::Result<()> {
    for (tool, _) in &shims.files {
        let path = shims.dir.join(tool);
        match fs::symlink_metadata(&path) {
            Err(_) => {}
            Ok(meta) if meta.is_file() && Written::read(&fs::read(&path).unwrap_or_default(), tool).is_some() => {}
            Ok(_) => {
                let path = escaped_path(&path);
                return Err(Failure::new(format!("{path} exists and is not a shim for that tool; nothing is written"))
                    .hint("take another directory, or move it away")
                    .into());
            }
        }
    }
    if !shims.dir.is_dir() {
        DirBuilder::new().recursive(true).mode(MODE).create(&shims.dir).with_context(|| escaped_path(&shims.dir))?;
        fs::set_permissions(&shims.dir, Permissions::from_mode(MODE)).with_context(|| escaped_path(&shims.dir))?;
    }
    for (tool, text) in &shims.files {
        put(&shims.dir.join(tool), text, MODE)?;
    }
    put(&shims.dir.join(PATH_FILE), &shims.path, 0o644)
}

/// Puts a file in its place by a temporary one and `rename`, unless it is there as it should be.
fn put(path: &Path, text: &[u8], mode: u32) -> anyhow::Result<()> {
    let context = || escaped_path(path);
    if fs::read(path).is_ok_and(|known| known == text) {
        let is_right = fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o777 == mode);
        return if is_right {
            Ok(())
        } else {
            fs::set_permissions(path, Permissions::from_mode(mode)).with_context(context)
        };
    }
    let temporary = path.with_file_name(format!(".hermes-exec.{}.tmp", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary).and_then(|mut file| {
        file.write_all(text)?;
        file.set_permissions(Permissions::from_mode(mode))?;
        fs::rename(&temporary, path)
    });
    written.inspect_err(|_| drop(fs::remove_file(&temporary))).with_context(context)
}
