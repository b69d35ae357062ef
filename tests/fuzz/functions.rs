//! What is done with random bytes, one function a target. Each panics where a promise is broken: cargo-fuzz hunts for such
//! bytes, and `tests/fuzz/replay.rs` goes through those in `corpus`, and through others made from them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use hermes_exec::cli::{self, Request};
use hermes_exec::environ::Environ;
use hermes_exec::error::Status;
use hermes_exec::plan::catalogue;
use hermes_exec::plan::files::config::{self, Config};
use hermes_exec::plan::files::dotenv;
use hermes_exec::plan::files::policy::{self, PolicyFile};
use hermes_exec::plan::home::items;
use hermes_exec::plan::shell;
use hermes_exec::plan::shims::Written;
use hermes_exec::world::Input;
use serde_json::Value;

use crate::support::random::case::Case;
use crate::support::random::invariants;
use crate::support::random::secret::{SECRET, holds_secret, is_in_a_key, tells_no_secret};
use crate::support::random::world::Machine;

/// A plan, from a text as `tests/support/case.rs` reads it.
pub fn plan(text: &[u8]) {
    invariants::hold(&Case::read(text));
}

/// A policy file: what is read can be used as it is; what is wrong is said with its place and without a value.
pub fn policy(text: &[u8]) {
    read_policy(text, !is_in_a_key(text));
    // The same with a secret in place of each word, so that one of them is of a kind that is refused.
    if let Ok(value) = serde_json::from_slice::<Value>(text) {
        for at in 0..words(&value) {
            let mut altered = value.clone();
            plant(&mut altered, &mut at.clone());
            let text = serde_json::to_vec(&altered).unwrap_or_default();
            read_policy(&text, !is_in_a_key(&text));
        }
    }
}

fn read_policy(text: &[u8], is_secret: bool) {
    match policy::parse(Path::new("/p/hermes-exec.json"), text) {
        Ok(file) => sound(&file),
        Err(failure) => {
            assert_eq!(failure.status, Status::Failed);
            let place = failure.message.strip_prefix("/p/hermes-exec.json:");
            let mut numbers = place.into_iter().flat_map(|place| place.splitn(3, ':'));
            let line = numbers.next().and_then(|line| line.parse::<usize>().ok());
            let lines = text.split(|&byte| byte == b'\n').count();
            assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "{failure}");
            assert!(numbers.next().is_some_and(|column| column.parse::<usize>().is_ok_and(|at| at >= 1)), "{failure}");
            assert!(failure.hint.is_some(), "{failure}");
            if is_secret {
                tells_no_secret(&failure.message);
                tells_no_secret(&failure.hint.unwrap_or_default());
            }
        }
    }
}

fn sound(file: &PolicyFile) {
    for (at, (name, value)) in file.set.iter().enumerate() {
        assert!(!name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0'), "{name:?}");
        assert!(file.set[..at].iter().all(|(known, _)| known != name), "{name:?} twice");
    }
    for (at, (name, program)) in file.programs.iter().enumerate() {
        assert!(!name.is_empty() && !name.contains('/'), "{name:?}");
        assert!(file.programs[..at].iter().all(|(known, _)| known != name), "{name:?} twice");
        assert!(program.inherit_credentials.iter().flatten().all(|group| catalogue::groups().contains(group)));
    }
    assert!(file.inherit_credentials.iter().all(|group| catalogue::groups().contains(group)));
    let of_programs = file.programs.iter().flat_map(|(_, program)| &program.share);
    let more = file.share.iter().flatten().chain(of_programs);
    let items = items::items(Some(&items::DEFAULT), more, &[]).unwrap_or_default();
    assert!(items.len() >= 2, "the default ones are among them");
    for place in items::places(&items) {
        let mut parts = place.components();
        assert!(parts.clone().next().is_some() && parts.all(|part| matches!(part, Component::Normal(_))), "{place:?}");
    }
}

/// How many words there are in it that are no keys.
fn words(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(items) => items.iter().map(words).sum(),
        Value::Object(pairs) => pairs.values().map(words).sum(),
        _ => 0,
    }
}

/// Puts a secret in place of the word with this number.
fn plant(value: &mut Value, at: &mut usize) {
    match value {
        Value::String(word) if *at == 0 => *word = String::from_utf8_lossy(SECRET).into(),
        Value::Array(items) => items.iter_mut().for_each(|item| plant(item, at)),
        Value::Object(pairs) => pairs.values_mut().for_each(|item| plant(item, at)),
        _ => {}
    }
    if let Value::String(_) = value {
        *at = at.wrapping_sub(1);
    }
}

/// A `.env`: names that are names, the same whatever its lines end with, and whatever stands above.
pub fn dotenv(text: &[u8]) {
    let names = dotenv::names(text);
    let equals = text.iter().filter(|&&byte| byte == b'=').count();
    assert!(names.len() <= equals);
    for name in &names {
        assert!(!name.is_empty());
        // What is no UTF-8 is read as Latin-1, and so are the names.
        let stands_there = || text.windows(name.len()).any(|window| window == name);
        assert!(std::str::from_utf8(text).is_err() || stands_there(), "{:?}", name.escape_ascii());
    }
    if !text.starts_with(b"\xef\xbb\xbf") {
        let marked = dotenv::names(&[b"\xef\xbb\xbf", text].concat());
        assert_eq!(marked, names, "behind a byte order mark");
        let mut below = dotenv::names(&[b"# A comment\nTHE_FIRST='x'\n", text].concat());
        assert!(below.remove(&b"THE_FIRST"[..]));
        let others = names.iter().filter(|name| name.as_slice() != b"THE_FIRST").cloned().collect();
        assert_eq!(below, others, "below another line");
    }
    if !text.contains(&b'\r') {
        let ends = text.split(|&byte| byte == b'\n').collect::<Vec<_>>();
        // A name in quotes may hold the end of a line.
        let of_a_line = |mut names: BTreeSet<Vec<u8>>| {
            names.retain(|name| !name.contains(&b'\n') && !name.contains(&b'\r'));
            names
        };
        let names = of_a_line(names);
        assert_eq!(of_a_line(dotenv::names(&ends.join(&b"\r\n"[..]))), names, "with lines as Windows ends them");
        assert_eq!(of_a_line(dotenv::names(&ends.join(&b'\r'))), names, "with lines that a carriage return ends");
    }
}

/// A `config.yaml`: what is wrong is said without any text of it.
pub fn config(text: &[u8]) {
    let read = config::read(text);
    match &read {
        Ok(Config { passthrough, declared, home_mode: _, init_files: _ }) => {
            for name in passthrough.iter().chain(declared) {
                assert_eq!(name.trim_ascii(), name.as_slice(), "{:?}", name.escape_ascii());
            }
        }
        Err(why) => {
            let place = why.strip_prefix("invalid YAML at line ").and_then(|place| place.split_once(", column "));
            let is_place =
                place.is_some_and(|(line, column)| line.parse::<usize>().is_ok() && column.parse::<usize>().is_ok());
            let others = ["not UTF-8", "contains a collection that is too large", "collections are nested too deeply"];
            assert!(is_place || others.contains(&why.as_str()), "{why}");
            assert!(!holds_secret(why.as_bytes()));
        }
    }
    if !text.starts_with(b"\xef\xbb\xbf") {
        assert_eq!(config::read(&[b"\xef\xbb\xbf", text].concat()), read, "behind a byte order mark");
    }
    // Without a word that matters it is not looked into.
    let holds = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    let words = [&b"env_passthrough"[..], b"key_env", b"eyEnv", b"home_mode"];
    if !(words.into_iter().any(holds) || holds(b"secrets") && holds(b"env")) {
        assert_eq!(read, Ok(Config::default()));
    }
}

/// Words, of which the first is the string of `-c`, come to the shell byte for byte. The same words in a shim are read as they
/// were written, and what is no shim is not read as one.
pub fn shell(text: &[u8]) {
    let words: Vec<OsString> = text.split(|&byte| byte == 0).map(|word| OsStr::from_bytes(word).to_owned()).collect();
    let (environ, world) = (Environ::new(Vec::new()), Machine::default());
    let input = Input::gather(&environ, OsStr::new("hermes-exec"), &world);
    let mut args: Vec<OsString> = ["hermes-exec", "-c"].map(Into::into).into();
    args.push(words[0].clone());
    args.push("--".into());
    args.extend_from_slice(&words[1..]);
    let Ok(Request::Run(mut options)) = cli::parse(&args, |_| false) else { panic!("{args:?}") };
    shell::wrap(&mut options, &input);
    let [shell, dash, dashes, rest @ ..] = options.command.as_slice() else { panic!("{:?}", options.command) };
    assert_eq!((shell.as_bytes(), dash.as_bytes(), dashes.as_bytes()), (&b"/bin/sh"[..], &b"-c"[..], &b"--"[..]));
    assert_eq!(rest, words);

    let (shim, tool) = (Written { program: words[0].clone().into(), options: words[1..].to_vec() }, OsStr::new("it's"));
    assert_eq!(Written::read(&shim.text(tool), tool).as_ref(), Some(&shim));
    assert_eq!(Written::read(&shim.text(tool), OsStr::new("other")), None);
    let (first, last) = (b"#!/bin/sh\nexec ", &br#" -- 'it'\''s' "$@""#[..]);
    let script = [first, text, last, b"\n"].concat();
    if let Some(read) = Written::read(&script, tool) {
        assert_eq!(read.text(tool), script);
    }
}
