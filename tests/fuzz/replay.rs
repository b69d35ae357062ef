//! The fuzz targets of `tests/fuzz` without a fuzzer: over each file of the corpus, and over others made from it with a fixed
//! seed.

#[path = "functions.rs"]
mod functions;

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::dice::Dice;

/// A piece of a text.
fn piece<'a>(text: &'a [u8], dice: &mut Dice) -> &'a [u8] {
    let start = dice.roll(text.len() + 1);
    let length = dice.roll((text.len() - start).min(64) + 1);
    &text[start..start + length]
}

/// Another text, one to four steps away.
fn altered(text: &[u8], others: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(text.len());
        let end = (at + dice.roll(16)).min(text.len());
        match dice.roll(7) {
            0 if !text.is_empty() => text[at] ^= 1 << dice.roll(8),
            1 if !text.is_empty() => text[at] = dice.next() as u8,
            2 => text.truncate(at),
            3 => drop(text.drain(at..end)),
            4 => drop(text.splice(at..at, piece(&text.clone(), dice).to_vec())),
            5 => {
                let one = &others[dice.roll(others.len())];
                drop(text.splice(at..end, piece(one, dice).to_vec()));
            }
            _ => {
                let one = &others[dice.roll(others.len())];
                text.truncate(at);
                text.extend_from_slice(&one[dice.roll(one.len())..]);
            }
        }
    }
    text
}

/// Tells which text it was when a test fails.
struct Told<'a>(&'a Path, &'a [u8]);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("made from {}: \"{}\"", self.0.display(), self.1.escape_ascii());
        }
    }
}

/// `times` texts are made from each file.
fn replay(target: &str, times: usize, function: fn(&[u8])) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut paths: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(texts.len() >= 24 && texts.iter().all(|text| text.len() < 4096), "a small corpus, but one");
    // An unoptimised build is there to be debugged; it sees a part.
    let times = if cfg!(debug_assertions) { times / 20 } else { times };
    let mut dice = Dice(0);
    for (path, text) in paths.iter().zip(&texts) {
        let told = Told(path, text);
        function(told.1);
        for _ in 0..times {
            let text = altered(text, &texts, &mut dice);
            let told = Told(path, &text);
            function(told.1);
        }
    }
}

#[ignore = "long: tests/run plays it"]
#[test]
fn policy_files() {
    replay("policy", 3000, functions::policy);
}

#[ignore = "long: tests/run plays it"]
#[test]
fn dotenv_files() {
    replay("dotenv", 3000, functions::dotenv);
}

#[ignore = "long: tests/run plays it"]
#[test]
fn config_files() {
    replay("config", 3000, functions::config);
}

#[ignore = "long: tests/run plays it"]
#[test]
fn strings_and_shims() {
    replay("shell", 3000, functions::shell);
}

#[ignore = "long: tests/run plays it"]
#[test]
fn plans() {
    replay("plan", 250, functions::plan);
}
