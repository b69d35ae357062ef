//! The built-in table of the variables that Hermes Agent manages: the group and the class of each, and why it is there.
//!
//! The table is two files that can be read and audited without knowing Rust. Each line has five tab-separated columns:
//! name, group, class, secret (`yes` or `no`), reason. `names.tsv` is sorted by the ASCII-upper-cased name and searched as
//! it is, so that a start neither parses nor copies it. `patterns.tsv` holds the few names with a `*`. A row marked secret
//! applies to its name in any ASCII case, because a credential is one in any spelling; other rows only to the exact name,
//! because a setting like `LLM_MODEL` is read in one spelling only.
//!
//! `settings.txt` is the opposite: names that look like a credential because of one of their words but are not, like
//! `HERMES_MAX_TOKENS` and the paths of token files; one a line, sorted. No rule that guesses removes them.
//!
//! `env/` decides what is removed. Values, and the prefixes `APPTAINERENV_` and `SINGULARITYENV_`, are not handled here.
#![forbid(unsafe_code)]

use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::plan::logins::{Login, login};
use crate::plan::pattern::{self, FirstBytes, may_match, with_first_byte};

static NAMES: &str = include_str!("names.tsv");
static PATTERNS: &str = include_str!("patterns.tsv");
static SETTINGS: &str = include_str!("settings.txt");

// Where the first column of each line starts and ends, computed by the compiler. Offsets rather than references, which a
// position-independent program would have to relocate at each start.
static NAME_KEYS: [(u32, u32); count_lines(NAMES)] = keys(NAMES);
static PATTERN_KEYS: [(u32, u32); count_lines(PATTERNS)] = keys(PATTERNS);
static SETTING_KEYS: [(u32, u32); count_lines(SETTINGS)] = keys(SETTINGS);
static FIRST_BYTES: FirstBytes = first_bytes();

/// The groups that are granted by name only, never by the bare `--inherit-credentials`: their variables belong to Hermes as
/// a service, or give access to far more than a model.
pub const BY_NAME_ONLY: [&str; 6] =
    ["gateway", "github", "hermes-internal", "infrastructure", "messaging", "secret-manager"];

/// The one row that cannot be granted: with this prefix Hermes carries variables past its own filter.
const FORCED: &str = "_HERMES_FORCE_*";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: &'static str,
    /// The vendor or the part of Hermes that it belongs to: the word that grants it.
    pub group: &'static str,
    /// What sort of thing it is, e.g. `provider-key` or `messaging`.
    pub class: &'static str,
    /// Whether the value itself is a secret. If so, the row applies to its name in any ASCII case.
    pub secret: bool,
    /// One phrase for people, e.g. "API key of Anthropic".
    pub reason: &'static str,
}

impl Row {
    /// Does granting the group keep the variable? False only for `_HERMES_FORCE_*`.
    pub fn is_grantable(&self) -> bool {
        self.name != FORCED
    }

    /// Does it give access to a provider's models, and does the bare `--inherit-credentials` grant it?
    pub fn is_of_a_provider(&self) -> bool {
        (self.class.starts_with("provider-") || self.class == "cloud-credential") && !is_by_name_only(self.group)
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

pub fn find(name: &[u8]) -> Option<Row> {
    literal(name).or_else(|| by_pattern(name))
}

/// Is a name that contains a secret word known to hold no secret? So are settings of Hermes, and paths of other tools' key
/// files.
pub fn is_setting(name: &[u8]) -> bool {
    SETTING_KEYS.iter().any(|&at| pattern::matches(key(SETTINGS, at), name))
}

fn literal(name: &[u8]) -> Option<Row> {
    let at = NAME_KEYS.binary_search_by(|&at| compare_ignoring_case(key(NAMES, at), name)).ok()?;
    Row::at(NAMES, NAME_KEYS[at]).filter(|row| row.secret || row.name.as_bytes() == name)
}

fn compare_ignoring_case(left: &[u8], right: &[u8]) -> Ordering {
    left.iter().map(u8::to_ascii_uppercase).cmp(right.iter().map(u8::to_ascii_uppercase))
}

/// A line's other columns are read only if its pattern matches, since most names match none.
fn by_pattern(name: &[u8]) -> Option<Row> {
    if !may_match(&FIRST_BYTES, name) {
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
        while !matches!(text.as_bytes()[at], b'\t' | b'\n') {
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

const fn first_bytes() -> FirstBytes {
    let (mut set, mut line) = ([false; 256], 0);
    while line < PATTERN_KEYS.len() {
        set = with_first_byte(set, PATTERNS.as_bytes()[PATTERN_KEYS[line].0 as usize]);
        line += 1;
    }
    set
}

pub fn rows() -> impl Iterator<Item = Row> {
    NAMES.lines().chain(PATTERNS.lines()).map(Row::parse)
}

pub fn groups() -> &'static [&'static str] {
    // A policy file may ask for it a hundred thousand times.
    static GROUPS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let mut groups: Vec<_> = rows().map(|row| row.group).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    });
    &GROUPS
}

pub fn is_by_name_only(group: &str) -> bool {
    BY_NAME_ONLY.contains(&group)
}

/// The group of this name. Errors: a hint, if there is none.
pub fn group(word: &[u8]) -> Result<&'static str, String> {
    let known = groups();
    if let Some(group) = known.iter().find(|group| group.as_bytes() == word) {
        return Ok(group);
    }
    // The name of a program means the groups with which it logs in.
    let close = match login(word) {
        Some(Login::Groups(groups)) => groups.to_vec(),
        _ => std::str::from_utf8(word).ok().and_then(|word| closest(word, known.iter().copied())).into_iter().collect(),
    };
    Err(match close.is_empty() {
        false => format!("did you mean '{}'?", close.join("' or '")),
        true => "to list the groups: hermes-exec --catalogue".into(),
    })
}

/// The known word that `word` is most likely a misspelling of: with at most a third of its characters, and at most three,
/// inserted, removed, changed or swapped with a neighbour. Case does not count. Of equally close words, the first.
pub fn closest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let limit = (word.len() / 3).clamp(1, 3);
    let distance = |known: &str| strsim::osa_distance(&word.to_ascii_lowercase(), &known.to_ascii_lowercase());
    words
        .map(|known| (distance(known), known))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|pair| pair.0)
        .map(|pair| pair.1)
}
