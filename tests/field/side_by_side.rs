//! Side by side with Hermes Agent: what its own builders make of an environment for the commands of its terminal, in the
//! foreground and in the background, and for its other children, and what hermes-exec makes of the same one. What they
//! remove is removed, and every difference is in the man page, which has none that is not seen here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::Sandbox;
use crate::support::dice::Dice;
use crate::{direct, installed};

mod world;

use world::World;

const ENVIRONMENTS: usize = 400;

/// All environments in one process: what each builder removes, and what it sets or alters. Whether this machine is a
/// container is told, not looked for. The last builder also sets a variable for the sake of Windows.
const BUILD: &str = "
import json, os, sys
import hermes_cli.auth, hermes_cli.config, hermes_constants
from tools import env_passthrough
from tools.environments import local
hermes_constants._container_detected = False
answers = []
for given in json.load(open(sys.argv[1])):
    os.environ.clear()
    os.environ.update(given)
    env_passthrough._config_passthrough = None
    other = local.hermes_subprocess_env()
    if 'PYTHONUTF8' not in given:
        del other['PYTHONUTF8']
    built = local._make_run_env({}), local._sanitize_subprocess_env(dict(os.environ)), other
    answers.append([{
        'gone': [name for name in given if name not in one],
        'set': {name: value for name, value in one.items() if given.get(name) != value},
    } for one in built])
json.dump(answers, open(sys.argv[2], 'w'))
";

type Block = BTreeMap<String, String>;

/// One variable for which Hermes and hermes-exec have an answer each; `None` is absent.
struct Case<'a> {
    world: &'a World,
    given: &'a Block,
    name: &'a str,
    hermes: Option<&'a str>,
    ours: Option<&'a str>,
}

impl Case<'_> {
    fn given(&self) -> Option<&str> {
        self.given.get(self.name).map(String::as_str)
    }

    fn is_removed_by_us_alone(&self) -> bool {
        self.ours.is_none() && self.hermes.is_some() && self.hermes == self.given()
    }

    fn is_removed_by_both(&self) -> bool {
        self.given().is_some() && self.ours.is_none() && self.hermes.is_none()
    }

    /// The row of the catalogue: its class.
    fn class(&self) -> Option<&str> {
        self.world.catalogue.get(self.name).map(String::as_str)
    }
}

/// A difference in the man page, and the cases that it speaks of.
type Row = (&'static str, fn(&Case) -> bool);

/// Where the two differ.
const DIFFERENCES: &[Row] = &[
    ("Ev CLAUDE_CODE_OAUTH_TOKEN", |case| case.name == "CLAUDE_CODE_OAUTH_TOKEN" && case.is_removed_by_us_alone()),
    ("Other credentials and settings", |case| {
        let other = |class| class != "provider-endpoint" && case.name != "CLAUDE_CODE_OAUTH_TOKEN";
        case.class().is_some_and(other) && case.is_removed_by_us_alone()
    }),
    ("Other endpoints", |case| case.class() == Some("provider-endpoint") && case.is_removed_by_us_alone()),
    ("Names that Hermes' files declare", |case| world::DECLARED.contains(&case.name) && case.is_removed_by_us_alone()),
    ("A provider's key under another name", |case| {
        case.given().is_some_and(|value| value.starts_with("sk-ant-")) && case.is_removed_by_us_alone()
    }),
    ("A credential's name in lower or mixed case", |case| {
        let capitals = case.name.to_ascii_uppercase();
        capitals != case.name && case.world.catalogue.contains_key(&capitals) && case.is_removed_by_us_alone()
    }),
    ("Any of these names after Ev APPTAINERENV_", |case| {
        let plain = case.name.strip_prefix("APPTAINERENV_").unwrap_or_default();
        let known = case.world.catalogue.contains_key(plain) || case.world.markers.contains(plain);
        known && case.is_removed_by_us_alone()
    }),
    // In the foreground Hermes hands on the value, under the name and in the place of what else had that name.
    ("Ev _HERMES_FORCE_NAME", |case| {
        let forced = case.given.get(&format!("_HERMES_FORCE_{}", case.name));
        forced.is_some()
            && case.hermes == forced.map(String::as_str)
            && case.ours.is_none_or(|ours| Some(ours) == case.given())
    }),
    ("Markers of environments", |case| case.world.markers.contains(case.name) && case.is_removed_by_us_alone()),
    ("Markers in Ql env_passthrough", |case| {
        ["VIRTUAL_ENV", "CONDA_PREFIX"].contains(&case.name)
            && case.given.get("HERMES_HOME") == Some(&case.world.passing_markers)
            && case.hermes.is_none()
            && case.ours == case.given()
    }),
    ("Ev PATH", |case| case.name == "PATH" && case.world.is_path_as_described(case.given(), case.hermes, case.ours)),
    ("Ev PYTHONPATH", |case| {
        let own = case.world.own_packages.as_str();
        let rest = |given: &str| given.split(':').filter(|&entry| entry != own).collect::<Vec<_>>().join(":");
        let left = case.given().map(rest).filter(|rest| !rest.is_empty());
        case.name == "PYTHONPATH" && case.hermes == case.given() && case.ours == left.as_deref()
    }),
    ("Ev XDG_*_HOME", |case| {
        case.name.starts_with("XDG_") && case.name.ends_with("_HOME") && case.is_removed_by_us_alone()
    }),
    ("Ev HOME", |case| case.world.is_home_as_described(case)),
];

/// Where the table says that they agree.
const AGREEMENTS: &[Row] = &[
    ("The general AWS chain", |case| {
        let kept = case.ours.is_some() && case.hermes == case.ours && case.ours == case.given();
        ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"].contains(&case.name) && kept
    }),
    ("A name of the list in Ql env_passthrough", |case| case.name == world::REFUSED && case.is_removed_by_both()),
];

/// The names that Hermes answers with.
#[track_caller]
fn ask(sandbox: &Sandbox, words: &[&str]) -> BTreeSet<String> {
    let python = installed("hermes-agent/bin/python");
    let outcome = direct(sandbox, &[&[python, "-c", include_str!("ask.py")], words].concat()).run();
    assert_eq!(outcome.code(), 0, "Hermes Agent has changed: {outcome:?}");
    outcome.out().lines().map(str::to_owned).collect()
}

/// The section of the man page on the differences.
fn section() -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("man/hermes-exec.1")).unwrap();
    let section = page.split_once("\n.Sh DIFFERENCES FROM HERMES\n").expect("the section").1;
    section.split("\n.Sh ").next().unwrap().to_owned()
}

/// The differences of the man page.
fn table() -> Vec<String> {
    section().lines().filter_map(|line| line.strip_prefix(".It ")).map(str::to_owned).collect()
}

/// The row that speaks of the case.
fn row(rows: &[Row], case: &Case) -> Option<&'static str> {
    rows.iter().find(|(_, fits)| fits(case)).map(|&(row, _)| row)
}

/// What hermes-exec makes of an environment.
#[track_caller]
fn ours(sandbox: &Sandbox, given: &Block) -> Block {
    let run = sandbox.hx(["--", "/usr/bin/env", "-0"]).no_env("ANTHROPIC_API_KEY");
    let outcome = given.iter().fold(run, |run, (name, value)| run.env(name, value)).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let ours: Block = outcome.block().into_iter().collect();
    let text = outcome.out();
    let removed = given.iter().filter(|(name, value)| value.contains("canary-") && !ours.contains_key(*name));
    for (name, value) in removed {
        assert!(!text.contains(value), "the value of {name} passed under another name");
        let said =
            outcome.stderr.lines().filter(|line| line.starts_with("hermes-exec: ")).any(|line| line.contains(value));
        assert!(!said, "the value of {name} was printed: {}", outcome.stderr);
    }
    ours
}

/// What one of Hermes' builders does to an environment.
#[derive(serde::Deserialize)]
struct Built {
    gone: BTreeSet<String>,
    set: Block,
}

impl Built {
    fn of(self, given: &Block) -> Block {
        let mut block = given.clone();
        block.retain(|name, _| !self.gone.contains(name));
        block.extend(self.set);
        block
    }
}

/// What its three builders do to each of them.
fn hermes(sandbox: &Sandbox, all: &[Block]) -> Vec<[Built; 3]> {
    let asked = sandbox.write("asked.json", serde_json::to_vec(all).unwrap());
    let told = sandbox.path("told.json");
    let python = installed("hermes-agent/bin/python");
    let command = [python, "-c", BUILD, asked.to_str().unwrap(), told.to_str().unwrap()];
    let outcome = direct(sandbox, &command).env("PYTHONDONTWRITEBYTECODE", "1").run();
    assert_eq!(outcome.code(), 0, "Hermes Agent has changed: {outcome:?}");
    serde_json::from_slice(&fs::read(told).unwrap()).unwrap()
}

#[test]
fn hundreds_of_environments_differ_only_as_the_readme_says() {
    let sandbox = Sandbox::with_builder();
    let world = World::new(&sandbox, ask(&sandbox, &["blocked"]));
    let mut dice = Dice(0x4865_726d_6573);
    let all: Vec<Block> = (0..ENVIRONMENTS).map(|_| world.environment(&mut dice)).collect();
    let (mut seen, mut removed, mut unexplained) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for (given, three) in all.iter().zip(hermes(&sandbox, &all)) {
        let ours = ours(&sandbox, given);
        for (builder, built) in three.into_iter().enumerate() {
            let hermes = built.of(given);
            let names: BTreeSet<_> = given.keys().chain(hermes.keys()).chain(ours.keys()).collect();
            for name in names {
                let [hermes, ours] = [&hermes, &ours].map(|block| block.get(name).map(String::as_str));
                let case = Case { world: &world, given, name, hermes, ours };
                seen.extend(row(AGREEMENTS, &case));
                removed.extend(case.is_removed_by_both().then(|| name.clone()));
                if hermes != ours {
                    let row = row(DIFFERENCES, &case);
                    let given = case.given();
                    if row.is_none() {
                        unexplained.push(format!("{name} of builder {builder}: {given:?}, {hermes:?}, {ours:?}"));
                    }
                    seen.extend(row);
                }
            }
        }
    }
    assert!(
        unexplained.is_empty(),
        "not in the table, {} times: {:#?}",
        unexplained.len(),
        &unexplained[..unexplained.len().min(20)]
    );
    let expected: BTreeSet<_> = DIFFERENCES.iter().chain(AGREEMENTS).map(|&(row, _)| row).collect();
    assert_eq!(seen, expected, "a row that is not so any more");
    let missing: Vec<_> = world.blocked.iter().filter(|name| !removed.contains(*name)).collect();
    assert!(missing.is_empty(), "names of Hermes' list that were never seen to go: {missing:?}");
}

#[test]
fn the_table_has_these_rows_and_no_others() {
    let table = table();
    let of = |row: &str| table.iter().filter(|line| line.starts_with(row)).count();
    let rows: Vec<_> = DIFFERENCES.iter().chain(AGREEMENTS).map(|&(row, _)| row).collect();
    rows.iter().for_each(|row| assert_eq!(of(row), 1, "{row}"));
    assert_eq!(table.len(), rows.len(), "{table:#?}");
}

/// The table says how many names more there are, as far as it takes to write one figure and noughts.
#[test]
fn the_table_counts_right() {
    let sandbox = Sandbox::with_builder();
    let world = World::new(&sandbox, ask(&sandbox, &["blocked"]));
    let names: Vec<&str> = world.catalogue.keys().map(String::as_str).collect();
    let internal = ask(&sandbox, &[&["internal"], &names[..]].concat());
    let more = world.catalogue.iter().filter(|(name, _)| !world.blocked.contains(*name) && !internal.contains(*name));
    let (endpoints, others): (Vec<_>, Vec<_>) = more.partition(|(_, class)| *class == "provider-endpoint");
    let section = section().to_lowercase();
    for (what, count) in
        [("names more are removed here", others.len()), ("more names of base urls are removed here", endpoints.len())]
    {
        let about = format!("about {} {what}", (count + 5) / 10 * 10);
        assert!(section.contains(&about), "{about:?} ({count})");
    }
}
