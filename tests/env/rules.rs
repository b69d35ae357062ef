//! The environment block and the numbered rules 0 to 4, 7 and 11. Most cases are transcripts; here stand those
//! that go over the whole catalogue. Rule 6 is in the page `families`.

use crate::support::{SELECTING, Sandbox};
use std::collections::BTreeSet;

/// A row of the catalogue as it was researched: name or pattern, and `strip`, `keep` or `see-spec`.
struct Row {
    name: String,
    default: String,
}

/// The rows of `tests/data/catalogue.tsv`, with text in place of the `*` of a pattern. Names that select a profile or HOME
/// are left out: a canary in them changes what runs, not what is removed.
fn catalogue() -> Vec<Row> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/catalogue.tsv");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let rows: Vec<_> = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter(|cells| !SELECTING.contains(&cells[0]))
        .map(|cells| Row { name: cells[0].replace('*', "Sample"), default: cells[1].to_owned() })
        .collect();
    for (marked, at_least) in [("strip", 600), ("keep", 1300)] {
        let number = rows.iter().filter(|row| row.default == marked).count();
        assert!(number > at_least, "{path} has lost its rows: {number} are marked {marked}");
    }
    rows
}

/// A block with every name of the catalogue set to a canary of its own.
fn every_name(sandbox: &Sandbox) -> Vec<String> {
    let mut block = vec![format!("HOME={}", sandbox.real().display())];
    let entry = |(at, row): (usize, Row)| format!("{}=canary-{at}", row.name);
    block.extend(catalogue().into_iter().enumerate().map(entry));
    block
}

#[test]
fn no_row_marked_strip_passes_and_no_row_marked_keep_is_dropped() {
    let rows = catalogue();
    for options in [&["--"][..], &["-p", "builder", "--"]] {
        let sandbox = Sandbox::with_builder();
        let args = options.iter().chain(&["/usr/bin/env", "-0"]);
        // The loader of `env` complains about the canaries in its own variables: stderr is not looked at.
        let outcome = sandbox.hx(args).raw_block(every_name(&sandbox)).run();
        assert_eq!(outcome.code(), 0, "{}", outcome.stderr);
        let passed: BTreeSet<(String, String)> = outcome.block().into_iter().collect();
        let passes = |at: usize, row: &Row| passed.contains(&(row.name.clone(), format!("canary-{at}")));
        for (marked, expected) in [("strip", false), ("keep", true)] {
            let wrong: Vec<_> = rows
                .iter()
                .enumerate()
                .filter(|(at, row)| row.default == marked && passes(*at, row) != expected)
                .map(|(_, row)| &row.name)
                .collect();
            assert!(wrong.is_empty(), "{options:?}: marked {marked}, but not so: {wrong:?}");
        }
        // By name, too: a stripped name is absent, not emptied or replaced.
        let names: BTreeSet<_> = passed.iter().map(|(name, _)| name).collect();
        let left: Vec<_> = rows.iter().filter(|row| row.default == "strip" && names.contains(&row.name)).collect();
        assert!(left.is_empty(), "{:?}", left.iter().map(|row| &row.name).collect::<Vec<_>>());
    }
}

#[test]
fn the_kept_rows_stay_in_their_order() {
    let sandbox = Sandbox::new();
    let block = every_name(&sandbox);
    let passed = sandbox.hx(["/usr/bin/env", "-0"]).raw_block(&block).run().entries();
    assert!(passed.len() > 1300, "{}", passed.len());
    let mut given = block.iter().map(String::as_bytes);
    for entry in &passed {
        assert!(
            given.any(|known| known == entry),
            "{:?} is new, altered or out of order",
            entry.escape_ascii().to_string()
        );
    }
}

#[test]
fn a_row_marked_strip_goes_behind_the_prefixes_of_container_tools_as_well() {
    let sandbox = Sandbox::new();
    for prefix in ["APPTAINERENV_", "SINGULARITYENV_"] {
        let stripped: Vec<_> = catalogue().into_iter().filter(|row| row.default == "strip").collect();
        let mut block = vec![format!("HOME={}", sandbox.real().display())];
        block.extend(stripped.iter().map(|row| format!("{prefix}{}=canary", row.name)));
        let outcome = sandbox.hx(["/usr/bin/env", "-0"]).raw_block(&block).run().ok();
        assert_eq!(outcome.block().len(), 1, "{:?}", outcome.block());
    }
}

#[test]
fn no_catalogue_value_shows_in_the_report_of_changes() {
    let sandbox = Sandbox::with_builder();
    for option in ["-v", "-n"] {
        let args = [option, "-p", "builder", "--", "/usr/bin/true"];
        let outcome = sandbox.hx(args).raw_block(every_name(&sandbox)).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        // Our own lines: the loader of `true` prints what stands in its variables.
        let ours = outcome.stderr.lines().filter(|line| line.starts_with("hermes-exec: "));
        let text = outcome.out() + &ours.collect::<String>();
        assert!(text.contains("ANTHROPIC_API_KEY"), "{option} names what it removes: {text}");
        assert!(!text.contains("canary-"), "{option} prints a value");
    }
}

#[test]
fn a_large_block_passes_whole() {
    let sandbox = Sandbox::new();
    let mut block: Vec<Vec<u8>> = (0..10_000).map(|at| format!("V{at}={at}").into_bytes()).collect();
    block.push(format!("HOME={}", sandbox.real().display()).into_bytes());
    block.push([b"LONG=".to_vec(), vec![b'x'; 131_066]].concat());
    let outcome = sandbox.hx(["/usr/bin/env", "-0"]).raw_block(&block).run().ok();
    assert_eq!(outcome.entries(), block);
}
