//! The first rule that matches decides.

use super::transcript::{play, titles};

#[test]
fn the_first_rule_that_matches_decides() {
    play("rule-order");
}

/// That the transcript has what it promises. 6 and 7 share no name.
#[test]
fn each_adjacent_pair_has_a_case() {
    let rules = |title: &String| -> Vec<u64> {
        let words = title.split(':').next().unwrap().split(|c: char| !c.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let all: Vec<_> = titles("rule-order").iter().map(rules).filter(|rules| !rules.is_empty()).collect();
    for (first, second) in [(1, 0), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (7, 8), (8, 9), (9, 10), (10, 11)] {
        assert!(all.iter().any(|rules| rules[0] == first && rules.contains(&second)), "{first} before {second}");
    }
    let winning: std::collections::BTreeSet<_> = all.iter().map(|rules| rules[0]).collect();
    assert_eq!(winning, (0..=11).collect(), "each rule wins once");
}
