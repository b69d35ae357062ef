//! What is shipped beside the binary says what the binary does: the completions, the man page, and the package metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use clap::CommandFactory;
use hermes_exec::cli::Options;
use hermes_exec::plan::catalogue;
use hermes_exec::plan::env::pointers::POINTERS;
use hermes_exec::plan::env::{core, decision::Rule, markers};
use serde_json::Value as Json;

use crate::support::Sandbox;

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// In a word of its own, or behind '='.
    Value,
    /// Behind '=', if at all.
    ValueOrNothing,
}

use Takes::{Nothing, Value, ValueOrNothing};

/// Options by their spelling, with the dashes.
type Table = BTreeMap<String, Takes>;

/// The text of a file of this repository.
fn text(rel: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(rel)).unwrap()
}

/// The options as clap has them, and for those with a fixed set of values these.
fn of_clap() -> (Table, BTreeMap<String, Vec<String>>) {
    let (mut table, mut values) = (Table::new(), BTreeMap::new());
    let mut command = Options::command();
    command.build();
    for option in command.get_arguments().filter(|arg| !arg.is_positional()) {
        let takes = match option.get_num_args().unwrap().min_values() {
            _ if !option.get_action().takes_values() => Nothing,
            0 => ValueOrNothing,
            _ => Value,
        };
        assert!(!option.is_hide_set(), "{}: a hidden option is no option", option.get_id());
        let Some(long) = option.get_long() else {
            // An option of one letter alone, such as `-c`.
            table.insert(format!("-{}", option.get_short().unwrap()), takes);
            continue;
        };
        let aliases = option.get_visible_aliases().unwrap_or_default();
        let shorts = option.get_short().into_iter().chain(option.get_visible_short_aliases().unwrap_or_default());
        table.extend([long].into_iter().chain(aliases).map(|name| (format!("--{name}"), takes)));
        table.extend(shorts.map(|letter| (format!("-{letter}"), takes)));
        let possible: Vec<_> = option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        if takes != Nothing && !possible.is_empty() {
            values.insert(format!("--{long}"), possible);
        }
    }
    (table, values)
}

/// The text between two marks.
#[track_caller]
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{start:?} is missing"));
    rest.split_once(end).unwrap_or_else(|| panic!("{end:?} is missing")).0
}

fn is_long(option: &str) -> bool {
    option.starts_with("--")
}

#[test]
fn bash_completes_the_options_of_clap() {
    let script = text("completions/hermes-exec.bash");
    let (table, values) = of_clap();
    let listed: BTreeSet<_> = between(&script, "local options='", "'").split_whitespace().collect();
    let mut expected: BTreeSet<String> = table.keys().cloned().collect();
    // What may have a value behind '=' is offered in both forms.
    expected.extend(table.iter().filter(|(_, takes)| **takes == ValueOrNothing).map(|(name, _)| format!("{name}=")));
    assert_eq!(listed, expected.iter().map(String::as_str).collect());

    let with_value: BTreeSet<_> = between(&script, "local with_value='", "'").split_whitespace().collect();
    let expected = table.iter().filter(|(name, takes)| **takes == Value && is_long(name));
    assert_eq!(with_value, expected.map(|(name, _)| name.as_str()).collect());
    let letters = table.iter().filter(|(name, takes)| **takes == Value && !is_long(name));
    let letters: BTreeSet<char> = letters.map(|(name, _)| name.chars().nth(1).unwrap()).collect();
    let brackets: Vec<_> = script.split("%%[").skip(1).map(|rest| rest.split_once(']').unwrap().0).collect();
    let known: Vec<_> = brackets.into_iter().filter(|set| !set.contains([':', '!'])).collect();
    assert!(!known.is_empty());
    for set in known {
        assert_eq!(set.chars().collect::<BTreeSet<_>>(), letters);
    }
    for (option, possible) in values {
        let branch = between(&script, &format!("        {option}) "), ";;");
        assert!(branch.contains(&format!("'{}'", possible.join(" "))), "{option}: {branch}");
    }
}

#[test]
fn zsh_completes_the_options_of_clap() {
    let script = text("completions/_hermes-exec");
    let (table, values) = of_clap();
    let mut listed = Table::new();
    let specs = between(&script, "_arguments -s -S -C : \\\n", "'(-)1:").lines();
    for spec in specs.map(|line| line.trim().trim_end_matches(" \\")).filter(|spec| !spec.is_empty()) {
        // "'(exclusions)*"{-p+,--profile=}'[text]…': what is in the braces, or right before the bracket.
        let before = spec.split('[').next().unwrap();
        let names = before.rsplit([')', '*', '\'', '"']).find(|part| !part.is_empty()).unwrap();
        for name in names.trim_matches(['{', '}']).split(',') {
            let bare = name.trim_end_matches(['+', '=', '-']);
            let takes = match &name[bare.len()..] {
                "" => Nothing,
                "=-" => ValueOrNothing,
                "+" if !is_long(bare) => Value,
                "=" if is_long(bare) => Value,
                other => panic!("{spec}: {other:?}"),
            };
            assert_eq!(listed.insert(bare.to_owned(), takes), None, "{bare} stands twice");
            if let Some(possible) = values.get(bare) {
                let spec = spec.trim_end_matches(['\'', '"']);
                assert!(spec.ends_with(&format!(":({})", possible.join(" "))), "{spec}");
            }
        }
    }
    assert_eq!(listed, table);
}

#[test]
fn fish_completes_the_options_of_clap() {
    let script = text("completions/hermes-exec.fish");
    let (table, values) = of_clap();
    let mut offered = Table::new();
    for line in script.lines().filter_map(|line| line.strip_prefix("__hermes_exec_option ")) {
        let words: Vec<_> = line.split_whitespace().collect();
        let of = |flag: &str| words.iter().position(|word| *word == flag).map(|at| words[at + 1]);
        let takes = match (words.contains(&"-x") || words.contains(&"-r"), words.contains(&"-a")) {
            (true, _) => Value,
            (false, true) => ValueOrNothing,
            (false, false) => Nothing,
        };
        let Some(long) = of("-l").map(|name| format!("--{name}")) else {
            offered.insert(format!("-{}", of("-s").unwrap()), takes);
            continue;
        };
        if let Some(possible) = values.get(&long) {
            assert!(line.contains(&format!("-a '{}'", possible.join(" "))), "{line}");
        }
        assert_eq!(offered.insert(long, takes), None, "{line}");
        offered.extend(of("-s").map(|letter| (format!("-{letter}"), takes)));
    }
    assert_eq!(offered, table);

    // What it takes for options before a command.
    let mut parsed = Table::new();
    for word in between(&script, "argparse -s ", " -- ").split_whitespace().filter(|word| *word != "\\") {
        let word = word.trim_matches('\'');
        let names = word.split('=').next().unwrap();
        let takes = match &word[names.len()..] {
            "" => Nothing,
            "=" | "=+" => Value,
            "=?" => ValueOrNothing,
            other => panic!("{word}: {other}"),
        };
        let (short, long) = names.split_once('/').map_or((None, names), |(short, long)| (Some(short), long));
        parsed.insert(if long.len() == 1 { format!("-{long}") } else { format!("--{long}") }, takes);
        parsed.extend(short.map(|letter| (format!("-{letter}"), takes)));
    }
    assert_eq!(parsed, table);
}

const PAGE: &str = "man/hermes-exec.1";

/// A section of the man page.
#[track_caller]
fn section(title: &str) -> String {
    let page = text(PAGE) + ".Sh ";
    between(&page, &format!("\n.Sh {title}\n"), "\n.Sh ").to_owned()
}

#[test]
fn the_man_page_has_the_options_of_clap() {
    let (table, values) = of_clap();
    let mut listed = Table::new();
    let options = section("OPTIONS");
    for line in options.lines().filter_map(|line| line.strip_prefix(".It Fl ")) {
        let takes = match (line.contains("Op ="), line.contains("Ar ")) {
            (true, _) => ValueOrNothing,
            (false, true) => Value,
            (false, false) => Nothing,
        };
        for name in line.split("Fl ").map(|rest| rest.split(' ').next().unwrap()) {
            assert_eq!(listed.insert(format!("-{name}"), takes), None, "{line}");
        }
    }
    assert_eq!(listed, table);
    for (option, possible) in values {
        let block = between(&options, &format!("\n.It Fl {} ", &option[1..]), "\n.El\n");
        let words: Vec<_> = block.lines().filter_map(|line| line.strip_prefix(".It Cm ")).collect();
        assert_eq!(words, possible, "{option}");
    }
    // No option is spoken of elsewhere that is not there.
    for word in text(PAGE).split(".Fl ").skip(1).map(|rest| rest.split_whitespace().next().unwrap()) {
        let name = format!("-{word}");
        // Behind "There are no".
        assert!(table.contains_key(&name) || ["--", "-i", "-0", "-S"].contains(&name.as_str()), "{name}");
    }
}

/// The words behind a macro, anywhere in a text.
fn marked<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    let macros = text.lines().flat_map(move |line| line.split(mark).skip(1));
    macros.filter_map(|rest| rest.split([' ', ')']).find(|word| !word.is_empty()))
}

/// Every key of a JSON text.
fn keys(value: &Json, all: &mut BTreeSet<String>) {
    match value {
        Json::Object(entries) => entries.iter().for_each(|(key, value)| {
            all.insert(key.clone());
            keys(value, all);
        }),
        Json::Array(values) => values.iter().for_each(|value| keys(value, all)),
        _ => {}
    }
}

#[test]
fn the_man_page_has_the_keys_of_the_json() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.claude.json", "{}");
    let mut all = BTreeSet::new();
    for args in [
        &["-n", "--json", "-p", "builder", "--share", ".claude.json", "--", "true"][..],
        &["-n", "--json", "-p", "builder", "--seal=files", "no-such-command"],
        &["--doctor", "--json", "-p", "builder"],
        &["--doctor", "--all", "--json"],
        &["--catalogue", "--json"],
    ] {
        let outcome = sandbox.hx(args).run();
        keys(&serde_json::from_str(&outcome.out()).unwrap(), &mut all);
    }
    let section = section("JSON");
    assert_eq!(marked(&section, "Ql ").collect::<BTreeSet<_>>(), all.iter().map(String::as_str).collect());
}

#[test]
fn the_man_page_has_the_keys_of_the_policy_file() {
    let sandbox = Sandbox::with_builder();
    let known = |file: &str| -> BTreeSet<String> {
        sandbox.write("real/.hermes/hermes-exec.json", file);
        let outcome = sandbox.hx(["true"]).run().fails(125, &["valid keys here: "]);
        let list = outcome.stderr.split_once("valid keys here: ").unwrap().1;
        list.trim().split(", ").map(str::to_owned).collect()
    };
    let page = section("FILES");
    let (_, page) = page.split_once("is one JSON object").unwrap();
    let (page, of_programs) = page.split_once(".It Ql programs").unwrap();
    let items = page.lines().filter_map(|line| line.strip_prefix(".It Ql "));
    let listed = items.flat_map(|item| item.split(" , ").map(|key| key.trim_start_matches("Ql "))).chain(["programs"]);
    let keys = known(r#"{"no-key-comes-near-this": 1}"#);
    assert_eq!(listed.map(str::to_owned).collect::<BTreeSet<_>>(), keys);
    let listed = marked(of_programs, "Ql ").map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(listed, known(r#"{"programs": {"true": {"no-key-comes-near-this": 1}}}"#));
}

#[test]
fn the_man_page_has_the_rules() {
    let rules = section("RULES");
    let listed: Vec<_> = rules.lines().filter_map(|line| line.strip_prefix(".It ")).collect();
    let all = [
        Rule::Computed,
        Rule::Set,
        Rule::Unset,
        Rule::Keep,
        Rule::Catalogue,
        Rule::Passthrough,
        Rule::Marker,
        Rule::Redirect,
        Rule::Declared,
        Rule::Shape,
        Rule::Minimal,
        Rule::Kept,
    ];
    let expected: Vec<_> = all.iter().map(|rule| format!("{} {}", *rule as u8, rule.as_str())).collect();
    assert_eq!(listed, expected);

    let by_name = between(&rules, "The groups\n", "are granted by name only");
    assert_eq!(marked(by_name, "Cm ").collect::<Vec<_>>(), catalogue::BY_NAME_ONLY);
    let families = between(&rules, ".It 6 ", ".It 7 ");
    assert_eq!(marked(families, "Cm ").collect::<Vec<_>>(), markers::FAMILIES.map(|family| family.name));
    let pointers = between(&rules, "exist there:", "The pointers");
    let named: Vec<_> = marked(pointers, "Ev ").filter(|name| *name != "DISPLAY").collect();
    assert_eq!(named, POINTERS.map(|(name, _)| name));
    for line in between(&rules, "Core names are\n", ".It 11").lines().filter_map(|line| line.strip_prefix(".Ev ")) {
        for name in line.split([' ', ',', '.']).filter(|name| !name.is_empty()) {
            assert!(core::is_core(name.replace('*', "X").as_bytes()), "{name} is no core name");
        }
    }
}

/// Every variable that the source asks the environment for.
#[test]
fn the_man_page_has_the_variables_that_are_read() {
    fn walk(dir: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = fs::read_to_string(&path).unwrap();
                for call in ["environ.given(b\"", "environ.get(b\"", "is_on(b\"", "word(b\""] {
                    found.extend(source.split(call).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()));
                }
            }
        }
    }
    let mut read = BTreeSet::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut read);
    assert!(read.len() > 8, "{read:?}");
    let page = text(PAGE);
    for name in read {
        assert!(page.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name), "{name}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    for option in ["-V", "--version"] {
        let version = Sandbox::without_hermes().hx([option]).run().ok().out();
        assert_eq!(version, format!("hermes-exec {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn the_changelog_of_the_package_begins_with_this_version() {
    let changelog = text("man/changelog");
    assert!(changelog.starts_with(&format!("hermes-exec ({}-1) ", env!("CARGO_PKG_VERSION"))), "{changelog}");
}

/// A section of the README.
#[track_caller]
fn readme(heading: &str) -> String {
    let text = text("README.md") + "\n## ";
    between(&text, &format!("# {heading}\n"), "\n## ").to_owned()
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_readme_counts_the_catalogue() {
    let section = readme("What is removed, kept and linked");
    let (names, groups) = (catalogue::rows().count(), catalogue::groups().len());
    assert!(
        section.contains(&format!("| 4 | {names} names that ")) && section.contains(&format!(" in {groups} groups"))
    );
    let by_name: BTreeSet<_> = quoted(between(&section, "granted by name only: ", ". ")).collect();
    assert_eq!(by_name, catalogue::BY_NAME_ONLY.into_iter().collect());
}
