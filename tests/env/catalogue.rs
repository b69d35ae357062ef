//! The catalogue's data files keep the promises that the search in them relies on.

use hermes_exec::plan::catalogue::{closest, find, groups, is_setting, rows};

static NAMES: &str = include_str!("../../src/plan/catalogue/names.tsv");
static PATTERNS: &str = include_str!("../../src/plan/catalogue/patterns.tsv");
static SETTINGS: &str = include_str!("../../src/plan/catalogue/settings.txt");

fn name(line: &str) -> &str {
    line.split('\t').next().unwrap()
}

#[test]
fn both_files_are_well_formed() {
    for line in NAMES.lines().chain(PATTERNS.lines()) {
        let columns: Vec<_> = line.split('\t').collect();
        assert_eq!(columns.len(), 5, "{line}");
        assert!(columns.iter().all(|column| !column.is_empty() && column.trim() == *column), "{line}");
        assert!(line.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)), "not ASCII: {line}");
        assert!(matches!(columns[3], "yes" | "no"), "{line}");
        let plain = |byte: u8| byte == b'-' || byte.is_ascii_digit() || byte.is_ascii_lowercase();
        assert!(columns[1].bytes().chain(columns[2].bytes()).all(plain), "{line}");
    }
    assert!(NAMES.ends_with('\n') && PATTERNS.ends_with('\n'));
    assert!(NAMES.lines().all(|line| !line.contains('*')), "a pattern would never be found by name");
    assert!(PATTERNS.lines().all(|line| name(line).contains('*')));
}

#[test]
fn names_are_sorted_and_unique_in_any_case() {
    let folded: Vec<_> = NAMES.lines().map(|line| name(line).to_ascii_uppercase()).collect();
    for pair in folded.windows(2) {
        assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
    }
}

#[test]
fn every_row_is_found_by_its_name_and_in_another_case_only_when_secret() {
    for row in rows() {
        assert_eq!(find(row.name.replace('*', "X").as_bytes()).map(|found| found.name), Some(row.name));
        let lower = row.name.replace('*', "x").to_ascii_lowercase();
        assert_eq!(find(lower.as_bytes()).is_some(), row.secret, "{lower}");
    }
    for name in ["", "A", "OPENAI", "OPENAI_API_KEYS", "PATH", "ZZZ", "\n", "OPENAI_API_KEY\topenai"] {
        assert_eq!(find(name.as_bytes()), None, "{name:?}");
    }
    assert_eq!(find(b"\xff\xfe"), None);
}

#[test]
fn settings_are_sorted_known_and_no_credentials() {
    let names: Vec<_> = SETTINGS.lines().collect();
    assert!(SETTINGS.ends_with('\n') && names.is_sorted_by(|one, next| one < next));
    for name in &names {
        let example = name.replace('*', "0");
        assert!(is_setting(example.as_bytes()), "{name}");
        assert_eq!(find(example.as_bytes()), None, "{name}");
    }
    assert_eq!(names.iter().filter(|name| name.contains('*')).collect::<Vec<_>>(), [&"GIT_CONFIG_KEY_*"]);
    for name in ["", "HERMES_TOKENS", "hermes_max_tokens", "HERMES_MAX_TOKENS_2", "MAX_TOKENS", "GIT_CONFIG_KEY"] {
        assert!(!is_setting(name.as_bytes()), "{name:?}");
    }
}

#[test]
fn no_grant_opens_the_forced_names() {
    assert!(rows().any(|row| !row.is_grantable()));
    assert_eq!(find(b"_HERMES_FORCE_OPENAI_API_KEY").map(|row| row.is_grantable()), Some(false));
}

#[test]
fn the_closest_word_is_close() {
    let closest = |word| closest(word, groups().iter().copied());
    assert_eq!(closest("antropic"), Some("anthropic"));
    assert_eq!(closest("GitHub"), Some("github"));
    assert_eq!(closest("hugging-face"), Some("huggingface"));
    assert_eq!(closest("xia"), Some("xai"));
    assert_eq!(closest("nothing-like-it"), None);
    assert_eq!(closest(""), None);
}
