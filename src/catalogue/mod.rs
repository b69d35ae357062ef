//! The built-in table of what Hermes Agent manages: which variable belongs to which group, of which class, and why.
//!
//! The table is two files that can be read and audited without Rust. Both hold lines of five tab-separated columns: name,
//! group, class, secret (`yes` or `no`), reason. `names.tsv` is sorted by the ASCII-upper-cased name; the compiler makes a
//! hash table of its lines, so that a start pays neither for parsing nor for memory, and a name that is not in it costs
//! little more than its own length. `patterns.tsv` holds the few names with a `*`. Rows marked secret stand for their name
//! in any ASCII case, because a credential is one in any spelling; the others for that name alone, because a setting such
//! as `LLM_MODEL` is read in one spelling only.
//!
//! This file removes and keeps nothing; what a row leads to is the policy's business. It does not look at values, and it
//! does not see through `APPTAINERENV_` and `SINGULARITYENV_`.
#![forbid(unsafe_code)]

use crate::pattern::{self, Beginnings};

static NAMES: &str = include_str!("names.tsv");
static PATTERNS: &str = include_str!("patterns.tsv");
static SETTINGS: &str = include_str!("settings.txt");

// Where the first column of each line starts and ends, found by the compiler. Offsets and not references: in a
// position-independent program those would have to be relocated at each start.
static NAME_KEYS: [(u32, u32); count_lines(NAMES)] = keys(NAMES);
static PATTERN_KEYS: [(u32, u32); count_lines(PATTERNS)] = keys(PATTERNS);
static BEGINNINGS: Beginnings = beginnings();

/// The slots of the hash table, a power of two; a third of them is taken.
const SLOTS: usize = 2048;
/// The lines of `names.tsv` by the hashes of their names, counted from 1; 0 where a slot is free. A line whose slot is
/// taken is in the next free one.
static LINES: [u16; SLOTS] = lines();

/// The groups that are granted by their name only, never by the bare `--inherit-credentials`: what is in them belongs to
/// Hermes as a service, or opens far more than a model.
pub const SEALED: [&str; 6] = ["gateway", "github", "hermes-internal", "infrastructure", "messaging", "secret-manager"];

/// The name of the one row that no grant opens: Hermes carries a variable past its own filter under this prefix.
const FORCED: &str = "_HERMES_FORCE_*";

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The variable's name, or a pattern with `*`.
    pub name: &'static str,
    /// The vendor, or the part of Hermes, that it belongs to: the word that grants it.
    pub group: &'static str,
    /// What sort of thing it is, e.g. `provider-key` or `messaging`.
    pub class: &'static str,
    /// Whether the value itself is a secret. If so, the row stands for its name in any ASCII case.
    pub secret: bool,
    /// One phrase for people, e.g. "API key of Anthropic".
    pub reason: &'static str,
}

impl Row {
    /// Whether granting the group keeps the variable. False for `_HERMES_FORCE_*` alone.
    pub fn is_grantable(&self) -> bool {
        self.name != FORCED
    }

    /// Whether it leads to the models of a provider, and the bare `--inherit-credentials` grants it.
    pub fn is_of_a_provider(&self) -> bool {
        (self.class.starts_with("provider-") || self.class == "cloud-credential") && !is_sealed(self.group)
    }

    fn at(text: &'static str, (start, _): (u32, u32)) -> Option<Row> {
        text[start as usize..].lines().next().map(Row::parse)
    }

    fn parse(line: &'static str) -> Row {
        let mut columns = line.split('\t');
        let mut next = || columns.next().expect("each line has five columns, and a test reads them all");
        Row { name: next(), group: next(), class: next(), secret: next() == "yes", reason: next() }
    }
}

/// The row for a variable's name: the literal row, else the first pattern that fits.
pub fn find(name: &[u8]) -> Option<Row> {
    literal(name).or_else(|| by_pattern(name))
}

/// Whether a name with a secret word in it is known to hold no secret: Hermes' settings, and other tools' places of keys.
pub fn is_setting(name: &[u8]) -> bool {
    SETTINGS.lines().any(|known| pattern::matches(known.as_bytes(), name))
}

fn literal(name: &[u8]) -> Option<Row> {
    let mut slot = slot(name, 0, name.len());
    while LINES[slot] != 0 {
        let at = NAME_KEYS[usize::from(LINES[slot]) - 1];
        if key(NAMES, at).eq_ignore_ascii_case(name) {
            return Row::at(NAMES, at).filter(|row| row.secret || row.name.as_bytes() == name);
        }
        slot = (slot + 1) % SLOTS;
    }
    None
}

/// Most names fit no pattern in any case, so a line's other columns are read only after that.
fn by_pattern(name: &[u8]) -> Option<Row> {
    if !BEGINNINGS.allow(name) {
        return None;
    }
    let fitting = PATTERN_KEYS.iter().filter(|&&at| pattern::matches_ignoring_case(key(PATTERNS, at), name));
    let mut rows = fitting.filter_map(|&at| Row::at(PATTERNS, at));
    rows.find(|row| row.secret || pattern::matches(row.name.as_bytes(), name))
}

fn key(text: &'static str, (start, end): (u32, u32)) -> &'static [u8] {
    &text.as_bytes()[start as usize..end as usize]
}

const fn count_lines(text: &str) -> usize {
    let (mut lines, mut at) = (0, 0);
    while at < text.len() {
        lines += (text.as_bytes()[at] == b'\n') as usize;
        at += 1;
    }
    lines
}

const fn keys<const LINES: usize>(text: &str) -> [(u32, u32); LINES] {
    let mut keys = [(0, 0); LINES];
    let (mut line, mut at) = (0, 0);
    while line < LINES {
        keys[line].0 = at as u32;
        while text.as_bytes()[at] != b'\t' {
            at += 1;
        }
        keys[line].1 = at as u32;
        while text.as_bytes()[at] != b'\n' {
            at += 1;
        }
        at += 1;
        line += 1;
    }
    keys
}

/// The slot in which the search for the name that is `text[start..end]`, in any ASCII case, begins: its FNV-1a hash.
const fn slot(text: &[u8], start: usize, end: usize) -> usize {
    let (mut hash, mut at) = (0x811c_9dc5_u32, start);
    while at < end {
        hash = (hash ^ text[at].to_ascii_uppercase() as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 16) as usize % SLOTS
}

const fn lines() -> [u16; SLOTS] {
    let mut lines = [0; SLOTS];
    let mut line = 0;
    while line < NAME_KEYS.len() {
        let (start, end) = NAME_KEYS[line];
        let mut slot = slot(NAMES.as_bytes(), start as usize, end as usize);
        while lines[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        line += 1;
        lines[slot] = line as u16;
    }
    lines
}

const fn beginnings() -> Beginnings {
    let (mut beginnings, mut line) = (Beginnings::NONE, 0);
    while line < PATTERN_KEYS.len() {
        beginnings = beginnings.and(PATTERNS.as_bytes()[PATTERN_KEYS[line].0 as usize]);
        line += 1;
    }
    beginnings
}

/// Every row: the names in order, then the patterns.
pub fn rows() -> impl Iterator<Item = Row> {
    NAMES.lines().chain(PATTERNS.lines()).map(Row::parse)
}

/// Every group, sorted, each once.
pub fn groups() -> Vec<&'static str> {
    let mut groups: Vec<_> = rows().map(|row| row.group).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// Whether a group is granted by its name only.
pub fn is_sealed(group: &str) -> bool {
    SEALED.contains(&group)
}

/// What a program signs in with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The credentials of these groups.
    Groups(&'static [&'static str]),
    /// Those of whichever provider the user has chosen in it.
    EveryProvider,
}

/// The programs that are known to read credentials of the catalogue, by base name.
const OWNERS: [(&str, Owner); 21] = [
    ("aider", Owner::EveryProvider),
    ("bws", Owner::Groups(&["secret-manager"])),
    ("claude", Owner::Groups(&["anthropic", "claude-code"])),
    ("codex", Owner::Groups(&["openai"])),
    ("copilot", Owner::Groups(&["github"])),
    ("crush", Owner::EveryProvider),
    ("gemini", Owner::Groups(&["google"])),
    ("gh", Owner::Groups(&["github"])),
    ("goose", Owner::EveryProvider),
    ("grok", Owner::Groups(&["xai"])),
    ("hf", Owner::Groups(&["huggingface"])),
    ("hub", Owner::Groups(&["github"])),
    ("huggingface-cli", Owner::Groups(&["huggingface"])),
    ("kimi", Owner::Groups(&["moonshot"])),
    ("llm", Owner::EveryProvider),
    ("modal", Owner::Groups(&["infrastructure"])),
    ("op", Owner::Groups(&["secret-manager"])),
    ("opencode", Owner::EveryProvider),
    ("qwen", Owner::Groups(&["alibaba"])),
    ("vercel", Owner::Groups(&["infrastructure"])),
    ("vibe", Owner::Groups(&["mistral"])),
];

/// Whose credentials a program, given by its base name, would sign in with. `None` for the many that read none.
pub fn owner(program: &[u8]) -> Option<Owner> {
    OWNERS.iter().find(|(name, _)| name.as_bytes() == program).map(|&(_, owner)| owner)
}

/// The known word that `word` is most likely a misspelling of: at most a third of its bytes, and at most three, put in,
/// taken out, changed or swapped; case does not count. Of equally close words the first.
pub fn closest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.len() / 3).clamp(1, 3);
    words
        .map(|known| (distance(word, known), known))
        .filter(|&(d, _)| d <= limit)
        .min_by_key(|&(d, _)| d)
        .map(|(_, w)| w)
}

/// Levenshtein's distance in bytes, ignoring ASCII case, with two neighbours in the wrong order as one mistake.
fn distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.to_ascii_lowercase().into_bytes(), to.to_ascii_lowercase().into_bytes());
    let (mut above, mut row) = (Vec::new(), (0..=to.len()).collect::<Vec<_>>());
    for (i, a) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut least = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(above[j - 1] + 1);
            }
            next.push(least);
        }
        above = std::mem::replace(&mut row, next);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests;
