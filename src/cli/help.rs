//! `-h` and `--help`. Both texts are written by hand, for a terminal of 80 columns, and a test checks that they name all of
//! clap's options. clap's own help is longer than a screen, and adds 65 KB.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// One screen of 24 lines.
const BRIEF: &str = include_str!("brief.txt");
/// All options in groups, with examples.
const LONG: &str = include_str!("help.txt");

/// The help that the arguments ask for.
pub fn text(args: &[OsString]) -> &'static str {
    let is_brief = |word: &[u8]| word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(&b'h');
    let asks = args.iter().find(|arg| *arg == "--help" || is_brief(arg.as_bytes()));
    if asks.is_some_and(|arg| arg == "--help") { LONG } else { BRIEF }
}
