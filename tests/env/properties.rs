//! What holds of every start, on random ones: no rule, however it is combined with others, breaks a promise about the block.

use std::collections::BTreeMap;

use hermes_exec::cli::Options;
use hermes_exec::environ::split;
use hermes_exec::plan::Draft;
use hermes_exec::plan::env::decision::{Change, Rule};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};

use crate::support::bytes;
use crate::support::random::case::Case;
use crate::support::random::invariants;
use crate::support::random::starts::{raw, start};

/// The same cases each time, and no file of those that failed. An unoptimised build is there to be debugged; it sees a part.
fn config() -> ProptestConfig {
    let cases = if cfg!(debug_assertions) { 200 } else { 2000 };
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(10), ..ProptestConfig::default() }
}

/// Does it with the plan of a start, where the start comes to one.
fn planned(text: &[u8], check: impl FnOnce(&Case, &Options, &Draft)) {
    let case = Case::read(text);
    if let Ok(Some(options)) = case.options() {
        let plan = case.plan(&options);
        if plan.error.is_none() {
            check(&case, &options, &plan);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    /// The block, each outcome, a run within a run, `--keep '*'`, more grants, `--minimal` and the reports.
    #[ignore = "long: tests/run plays it"]
    #[test]
    fn what_holds_of_every_start_holds(text in start()) {
        invariants::hold(&Case::read(&text.0));
    }

    #[ignore = "long: tests/run plays it"]
    #[test]
    fn keeping_one_name_keeps_every_copy_of_it(text in start(), at in any::<prop::sample::Index>()) {
        planned(&text.0, |case, options, _| {
            let entries = case.environ.entries().iter().filter_map(|entry| split(entry.to_bytes()));
            let plain: Vec<_> = entries.map(|(name, _)| name).filter(|name| !name.contains(&b'*') && !name.contains(&b'?')).collect();
            let Some(name) = (!plain.is_empty()).then(|| *at.get(&plain)) else { return };
            let plan = case.plan(&invariants::with(options, |options| options.keep.push(bytes(name).into())));
            let outcome = plan.env.decisions.iter().find(|outcome| outcome.name == name).unwrap();
            assert!(outcome.rule <= Rule::Keep, "{outcome:?}");
            if outcome.rule == Rule::Keep {
                assert!(plan.env.child.copies(name).eq(case.environ.copies(name)), "{outcome:?}");
            }
        });
    }

    #[ignore = "long: tests/run plays it"]
    #[test]
    fn any_bytes_as_words_entries_and_files_are_no_harm(
        words in prop::collection::vec(raw(12), 0..6),
        entries in prop::collection::vec(raw(40), 0..12),
        files in prop::collection::vec((prop::sample::select(&FILES[..]), raw(200)), 0..4),
        text in start(),
    ) {
        let mut records: Vec<Vec<u8>> = words.iter().map(|word| [b"a", word.as_slice()].concat()).collect();
        records.extend(entries.iter().map(|entry| [b"e", entry.as_slice()].concat()));
        records.extend(files.iter().map(|(file, text)| [b"f", file.as_bytes(), b"\n", text].concat()));
        invariants::hold(&Case::read(&records.join(&0)));
        // The same in the midst of what makes sense.
        records.retain(|record| record[0] != b'a');
        records.push(text.0);
        invariants::hold(&Case::read(&records.join(&0)));
    }
}

const FILES: [&str; 8] = [
    "active_profile", "config.yaml", ".env", "hermes-exec.json", "profiles/builder/config.yaml",
    "profiles/builder/.env", "profiles/builder/hermes-exec.json", "home",
];

/// The properties would hold of starts that come to nothing, too: these do not.
#[ignore = "long: tests/run plays it"]
#[test]
fn the_random_starts_come_to_every_rule_and_action() {
    let (starts, mut plans) = (1000, 0);
    let mut found: BTreeMap<(Rule, &str), usize> = BTreeMap::new();
    let mut runner = TestRunner::new(config());
    for _ in 0..starts {
        let text = start().new_tree(&mut runner).unwrap().current();
        planned(&text.0, |_, _, plan| {
            plans += 1;
            for outcome in &plan.env.decisions {
                *found.entry((outcome.rule, outcome.change.as_str())).or_default() += 1;
            }
        });
    }
    assert!(plans * 10 > starts * 6, "{plans} of {starts} come to a plan");
    let removed = Change::Remove.as_str();
    for wanted in [
        (Rule::Computed, "kept"),
        (Rule::Computed, "set"),
        (Rule::Set, "set"),
        (Rule::Unset, removed),
        (Rule::Keep, "kept"),
        (Rule::Catalogue, "kept"),
        (Rule::Catalogue, removed),
        (Rule::Passthrough, "kept"),
        (Rule::Marker, removed),
        (Rule::Redirect, removed),
        (Rule::Declared, removed),
        (Rule::Shape, removed),
        (Rule::Minimal, removed),
        (Rule::Kept, "kept"),
        (Rule::Kept, "edited"),
    ] {
        assert!(found.get(&wanted).is_some_and(|times| *times >= 10), "{wanted:?} in {found:?}");
    }
}
