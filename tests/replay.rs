//! The fuzz targets of `tests/fuzz` without a fuzzer: over each file of the corpus, and over others made from it with a fixed
//! seed.

#[path = "fuzz/functions.rs"]
mod functions;

use std::fs;
use std::path::{Path, PathBuf};

/// Numbers from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the limit; 0 where there is none.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// A piece of a text.
    fn piece<'a>(&mut self, text: &'a [u8]) -> &'a [u8] {
        let start = self.below(text.len() + 1);
        let length = self.below((text.len() - start).min(64) + 1);
        &text[start..start + length]
    }
}

/// Another text, one to four steps away.
fn altered(text: &[u8], others: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(text.len());
        let end = (at + numbers.below(16)).min(text.len());
        match numbers.below(7) {
            0 if !text.is_empty() => text[at] ^= 1 << numbers.below(8),
            1 if !text.is_empty() => text[at] = numbers.next() as u8,
            2 => text.truncate(at),
            3 => drop(text.drain(at..end)),
            4 => drop(text.splice(at..at, numbers.piece(&text.clone()).to_vec())),
            5 => {
                let one = &others[numbers.below(others.len())];
                drop(text.splice(at..end, numbers.piece(one).to_vec()));
            }
            _ => {
                let one = &others[numbers.below(others.len())];
                text.truncate(at);
                text.extend_from_slice(&one[numbers.below(one.len())..]);
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
    let mut numbers = Numbers(0);
    for (path, text) in paths.iter().zip(&texts) {
        let told = Told(path, text);
        function(told.1);
        for _ in 0..times {
            let text = altered(text, &texts, &mut numbers);
            let told = Told(path, &text);
            function(told.1);
        }
    }
}

#[test]
fn policy_files() {
    replay("policy", 3000, functions::policy);
}

#[test]
fn dotenv_files() {
    replay("dotenv", 3000, functions::dotenv);
}

#[test]
fn config_files() {
    replay("config", 3000, functions::config);
}

#[test]
fn plans() {
    replay("plan", 250, functions::plan);
}
