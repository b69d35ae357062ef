//! The shape of the source: `plan/`, `report/` and `doctor/` reach the outside only through `World`, `world/` writes nothing,
//! `unsafe` is in one file, and no file imports, directly or round a corner, one that imports it. So `--explain` cannot have
//! an effect, and every file can be read on top of those below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders that only compute.
const PURE: [&str; 3] = ["doctor/", "plan/", "report/"];

/// What they may not name: the modules that reach the outside, and the methods of `Path` that do.
const REACHING: [&str; 17] = [
    "std::fs", "std::env", "std::process", "std::net", "std::thread", "nix::", "libc::", "crate::sys", "crate::act",
    ".exists", ".is_dir", ".canonicalize", ".metadata", ".symlink_metadata", ".read_link", ".read_dir", ".try_exists",
];

/// The calls by which `world/` could write.
const WRITING: [&str; 14] = [
    "fs::write", "fs::copy", "fs::rename", "fs::hard_link", "fs::set_permissions", "File::create", "create_dir",
    "remove_", "::symlink(", "write(true)", "append(true)", "mkdir", "unlink", "chown",
];

/// The code of a source text: no comments, no tests.
fn code(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    code.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The words of [`REACHING`] in code.
fn reaching(code: &str) -> Vec<String> {
    let named = |word: &&str| {
        // `unix::` is not `nix::`.
        let apart = |at: usize| !code[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        match word.strip_prefix('.') {
            // A method is called, or handed on by its path.
            Some(method) => [format!(".{method}("), format!("Path::{method}")].iter().any(|form| code.contains(form)),
            None => code.match_indices(*word).any(|(at, _)| apart(at)),
        }
    };
    let mut found: Vec<String> = REACHING.into_iter().filter(named).map(str::to_owned).collect();
    // `use std::{fs, io};` names the module as well, over several lines too.
    for import in code.split("use std::{").skip(1) {
        let names = import.split(';').next().unwrap().split(|c: char| !(c.is_alphanumeric() || c == '_'));
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

/// Every Rust file of `src/` by its path there, with its text.
fn sources() -> BTreeMap<String, String> {
    fn walk(dir: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                walk(&entry, files);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                files.push(entry);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    walk(&root, &mut files);
    let text =
        |file: &PathBuf| (file.strip_prefix(&root).unwrap().display().to_string(), fs::read_to_string(file).unwrap());
    files.iter().map(text).collect()
}

/// The paths that a `use` names, braces opened: `crate::{a::B, c}` is `crate::a::B` and `crate::c`.
fn opened(path: &str) -> Vec<String> {
    let Some((front, list)) = path.split_once('{') else { return vec![path.trim().to_owned()] };
    let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => parts.push(&list[std::mem::replace(&mut start, at + 1)..at]),
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
        .iter()
        .filter(|part| !part.trim().is_empty())
        .flat_map(|part| opened(&format!("{front}{}", part.trim())))
        .collect()
}

/// The module that a file is: `plan/home/mod.rs` is `plan::home`.
fn module(file: &str) -> String {
    file.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("lib").replace('/', "::")
}

/// The paths below `crate` that the code of a module names.
fn named(module: &str, code: &str, is_folder: bool) -> BTreeSet<String> {
    let parent = if is_folder { module } else { module.rsplit_once("::").map_or("", |(parent, _)| parent) };
    let above = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let mut paths: Vec<String> = Vec::new();
    for import in code.split("\nuse ").skip(1).chain(code.split("pub use ").skip(1)) {
        paths.extend(opened(&import.split(';').next().unwrap().replace('\n', " ")));
    }
    for front in ["crate::", "super::"] {
        let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        // `pub(in crate::plan)` says who may look, and imports nothing.
        let found = code
            .match_indices(front)
            .filter(|(at, _)| !code[..*at].ends_with("pub(in "))
            .map(|(at, _)| code[at..].split(|c| !is_path(c)).next().unwrap());
        paths.extend(found.filter(|path| !path.ends_with("::")).map(str::to_owned));
    }
    // A folder's own file names the modules that it declares without `self::`.
    let declared =
        code.lines().filter_map(|line| line.trim().trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
    for child in declared.filter(|child| code.contains(&format!("{child}::"))) {
        paths.push(format!("self::{child}"));
    }
    let full = |path: String| {
        let path = path.trim_start_matches("pub ").to_owned();
        let inside = |base: &str, rest: &str| if base.is_empty() { rest.to_owned() } else { format!("{base}::{rest}") };
        match path.split_once("::") {
            Some(("crate", rest)) => Some(rest.to_owned()),
            Some(("super", rest)) => Some(inside(if is_folder { above } else { parent }, rest)),
            Some(("self", rest)) => Some(inside(module, rest)),
            _ => None,
        }
    };
    paths.into_iter().filter_map(full).collect()
}

/// Which file imports which.
fn imports(sources: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let files: BTreeMap<String, &String> = sources.keys().map(|file| (module(file), file)).collect();
    let target = |path: &str| {
        let parts: Vec<_> = path.split("::").collect();
        (1..=parts.len()).rev().find_map(|count| files.get(&parts[..count].join("::")).map(|file| (*file).clone()))
    };
    let of = |(file, text): (&String, &String)| {
        let is_folder = file.ends_with("/mod.rs") || file == "lib.rs";
        let named = named(&module(file), &code(text), is_folder);
        (file.clone(), named.iter().filter_map(|path| target(path)).filter(|other| other != file).collect())
    };
    let written = |file: &&String| !["main.rs", "build.rs"].contains(&file.as_str()) && !file.ends_with("tests.rs");
    sources.iter().filter(|(file, _)| written(file)).map(of).collect()
}

/// A way from a file back to itself.
fn circle(imports: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        file: &str,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
        imports: &BTreeMap<String, BTreeSet<String>>,
    ) -> Option<Vec<String>> {
        if let Some(start) = way.iter().position(|known| known == file) {
            return Some(way[start..].to_vec());
        }
        if !done.insert(file.to_owned()) {
            return None;
        }
        way.push(file.to_owned());
        let found = imports.get(file)?.iter().find_map(|next| walk(next, way, done, imports));
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|file| walk(file, &mut Vec::new(), &mut done, imports))
}

#[test]
fn pure_folders_do_not_reach_outside() {
    for (file, text) in sources().iter().filter(|(file, _)| PURE.iter().any(|folder| file.starts_with(folder))) {
        let found = reaching(&code(text));
        assert!(found.is_empty(), "{file} reaches outside: {found:?}");
    }
}

#[test]
fn the_world_is_only_read() {
    for (file, text) in sources().iter().filter(|(file, _)| file.starts_with("world/")) {
        let code = code(text);
        let found: Vec<_> = WRITING.iter().filter(|call| code.contains(**call)).collect();
        assert!(found.is_empty(), "{file} writes: {found:?}");
    }
}

#[test]
fn no_file_imports_one_that_imports_it() {
    let imports = imports(&sources());
    assert!(imports["plan/mod.rs"].contains("plan/env/mod.rs"), "the reader of imports sees none: {imports:?}");
    assert_eq!(circle(&imports), None);
}

#[test]
fn every_file_but_the_unsafe_one_and_the_entry_forbids_unsafe() {
    for (file, text) in sources() {
        let above = file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/mod.rs"));
        let forbids = |text: &String| text.contains("#![forbid(unsafe_code)]");
        // The attribute of a `mod.rs` holds for the files that it declares.
        let is_free = forbids(&text) || sources().get(&above).is_some_and(forbids);
        let may = ["sys.rs", "main.rs", "lib.rs", "build.rs"].contains(&file.as_str());
        assert!(is_free || may, "{file} does not forbid unsafe");
        let code = code(&text);
        let lines =
            code.lines().filter(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe"));
        for line in lines.filter(|_| file != "sys.rs") {
            let is_entry = file == "main.rs" && (line.contains("no_mangle") || line.contains("extern \"C\""));
            assert!(is_entry, "{file}: {line}");
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
    assert_eq!(reaching("paths.filter(|path| Path::is_dir(path))"), [".is_dir"]);
    assert_eq!(reaching("use crate::sys::passwd;"), ["crate::sys"]);
    assert_eq!(reaching("let n = std::fs::read(path);"), ["std::fs"]);
}

#[test]
fn the_scanner_passes_pure_code() {
    let pure = "//! Never std::fs.\nuse std::collections::BTreeMap;\nuse std::os::unix::ffi::OsStrExt;\nfn is_dir() {} // nix::";
    assert_eq!(reaching(&code(pure)), [""; 0]);
}

/// Circles of three kinds: two files of one folder, a child and its folder, and round a corner through another folder.
#[test]
fn the_reader_of_imports_sees_circles() {
    let circle_of = |files: &[(&str, &str)]| {
        let sources = files.iter().map(|(file, text)| ((*file).to_owned(), format!("\n{text}\n"))).collect();
        circle(&imports(&sources))
    };
    assert_eq!(circle_of(&[("a.rs", "use crate::b::{C, D};"), ("b.rs", "fn f() {}")]), None);
    assert_eq!(circle_of(&[("a/x.rs", "use super::y::Y;"), ("a/y.rs", "use super::x::X;")]).unwrap().len(), 2);
    let parent = "pub mod x;\npub struct P;\nfn f() { x::g() }";
    assert_eq!(circle_of(&[("a/mod.rs", parent), ("a/x.rs", "use super::P;")]).unwrap().len(), 2);
    assert_eq!(circle_of(&[("a/mod.rs", "pub mod x;\npub struct P;"), ("a/x.rs", "use super::P;")]), None);
    let corner = [
        ("a/x.rs", "use crate::b::{\n    y::{Y, Z},\n};"),
        ("b/y.rs", "use crate::c::C;"),
        ("c.rs", "fn f() { crate::a::x::g() }"),
    ];
    assert_eq!(circle_of(&corner).unwrap().len(), 3);
}
