//! The pure files do no I/O and forbid `unsafe`; `unsafe` stands in one file. `--explain` therefore cannot have
//! an effect.

use std::fs;
use std::path::{Path, PathBuf};

/// The files and directories of `src/` that only compute.
const PURE: [&str; 13] = [
    "catalogue",
    "doctor",
    "environ.rs",
    "home.rs",
    "message.rs",
    "pattern.rs",
    "plan",
    "policy",
    "profile",
    "real_home.rs",
    "report",
    "search_path.rs",
    "shares",
];

/// What a pure file may not name: the modules that reach the outside, and the methods of `Path` that do.
const REACHING: [&str; 17] = [
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::thread",
    "nix::",
    "libc::",
    "crate::sys",
    ".exists",
    ".is_dir",
    ".is_file",
    ".canonicalize",
    ".metadata",
    ".symlink_metadata",
    ".read_link",
    ".read_dir",
    ".try_exists",
];

/// The words of [`REACHING`] in the code of a source text; comments do not count.
fn reaching(source: &str) -> Vec<String> {
    let code: String = source.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n");
    // `use std::{fs, io};` names the module as well, over several lines too.
    let named = |word: &&str| {
        // `unix::` is not `nix::`.
        let before = |at: usize| code[..at].chars().next_back();
        let apart = |at: usize| !before(at).is_some_and(char::is_alphanumeric);
        match word.strip_prefix('.') {
            // A method is called, or handed on by its path.
            Some(method) => [format!(".{method}("), format!("Path::{method}")].iter().any(|form| code.contains(form)),
            None => code.match_indices(*word).any(|(at, _)| apart(at)),
        }
    };
    let mut found: Vec<String> = REACHING.into_iter().filter(named).map(str::to_owned).collect();
    for import in code.split("use std::{").skip(1) {
        let list = import.split(';').next().unwrap();
        let names = list.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let modules = ["fs", "env", "process", "net", "thread"];
        found.extend(names.filter(|name| modules.contains(name)).map(|name| format!("std::{{{name}}}")));
    }
    for import in ["use nix", "use libc"] {
        if code.contains(import) && !found.iter().any(|word| import.ends_with(word.trim_end_matches(':'))) {
            found.push(import.to_owned());
        }
    }
    found
}

/// Every Rust file at or below a path of `src/`.
fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        return entries.flat_map(|path| rust_files(&path)).collect();
    }
    if path.extension().is_some_and(|extension| extension == "rs") { vec![path.to_owned()] } else { Vec::new() }
}

fn source_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn pure_files_do_not_reach_outside() {
    for name in PURE {
        let files = rust_files(&source_directory().join(name));
        assert!(!files.is_empty(), "{name} is not there");
        for file in files {
            let found = reaching(&fs::read_to_string(&file).unwrap());
            assert!(found.is_empty(), "{} reaches outside: {found:?}", file.display());
        }
    }
}

#[test]
fn pure_files_forbid_unsafe() {
    let forbids = |file: &Path| fs::read_to_string(file).is_ok_and(|text| text.contains("#![forbid(unsafe_code)]"));
    for name in PURE {
        for file in rust_files(&source_directory().join(name)) {
            // The attribute of a `mod.rs` holds for the files that it declares.
            let above = file.with_file_name("mod.rs");
            assert!(forbids(&file) || forbids(&above), "{} does not forbid unsafe", file.display());
        }
    }
}

#[test]
fn unsafe_code_stands_in_one_file_and_in_the_entry() {
    for file in rust_files(&source_directory()) {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.lines().map(|line| line.split("//").next().unwrap());
        let lines: Vec<_> =
            code.filter(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe")).collect();
        match file.strip_prefix(source_directory()).unwrap().to_str().unwrap() {
            "sys.rs" => {}
            "main.rs" => {
                for line in lines {
                    assert!(line.contains("no_mangle") || line.contains("extern \"C\""), "main.rs: {line}");
                }
            }
            other => assert!(lines.is_empty(), "{other}: {lines:?}"),
        }
    }
}

#[test]
fn the_scanner_finds_what_it_looks_for() {
    assert_eq!(reaching("use std::fs;\n"), ["std::fs"]);
    assert_eq!(reaching("use std::{fs, io};\n"), ["std::{fs}"]);
    assert_eq!(reaching("use std::{\n    io,\n    env::{self},\n};\n"), ["std::{env}"]);
    assert_eq!(reaching("use nix::unistd;"), ["nix::"]);
    assert_eq!(reaching("fn f(p: &Path) -> bool { p.exists() }"), [".exists"]);
    assert_eq!(reaching("paths.filter(|path| Path::is_file(path))"), [".is_file"]);
    assert_eq!(reaching("use crate::sys::passwd;"), ["crate::sys"]);
    assert_eq!(reaching("let n = std::fs::read(path);"), ["std::fs"]);
}

#[test]
fn the_scanner_passes_pure_code() {
    let pure = "//! Never std::fs.\nuse std::collections::BTreeMap;\nuse std::os::unix::ffi::OsStrExt;\nfn is_dir() {} // nix::";
    assert_eq!(reaching(pure), [""; 0]);
}
