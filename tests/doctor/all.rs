//! `--doctor --all`: the same checks for every profile of the root.

use serde_json::Value;

use super::Setup;
use crate::support::{Outcome, Run, Sandbox};

fn document(outcome: &Outcome) -> Value {
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The row of a profile in the table: its cells without the name.
#[track_caller]
fn row(text: &str, name: &str) -> Vec<String> {
    let table = text.split("\n\n").next().unwrap();
    let mut rows = table.lines().filter_map(|line| line.strip_prefix(&format!("{name} ")));
    let row = rows.next().unwrap_or_else(|| panic!("no row {name}: {text}"));
    row.split_whitespace().map(str::to_owned).collect()
}

fn names(document: &Value) -> Vec<&str> {
    document["profiles"].as_array().unwrap().iter().map(|profile| profile["name"].as_str().unwrap()).collect()
}

/// A setup with profiles that are broken, each in its own way.
fn broken() -> Setup {
    let setup = Setup::new();
    let profiles = setup.sandbox.root().join("profiles");
    setup.sandbox.write(profiles.join("badpolicy/hermes-exec.json"), "{");
    setup.sandbox.write(profiles.join("filehome/home"), "");
    setup.sandbox.link("/no/where", profiles.join("dangling"));
    for name in ["Upper", "a b", "default", ".hidden", "gone", ".deleted/gone"] {
        setup.sandbox.mkdir(profiles.join(name));
    }
    setup.sandbox.write(profiles.join("a-file"), "");
    setup
}

/// What is said of each is what `-p` says of it, and the files stay as they are.
#[test]
fn each_report_is_the_single_one() {
    let setup = broken();
    let before = setup.sandbox.listing();
    let outcome = setup.start(&["--doctor", "--all", "--json"]).run();
    let all = document(&outcome);
    assert_eq!(outcome.code(), 1, "{outcome:?}");
    let listed = ["default", "Upper", "a b", "badpolicy", "builder", "dangling", "default", "filehome"];
    assert_eq!(names(&all), listed);
    for (at, profile) in all["profiles"].as_array().unwrap().iter().enumerate() {
        let name = profile["name"].as_str().unwrap();
        if name == "Upper" || (name == "default" && at > 0) {
            let [check] = &profile["checks"].as_array().unwrap()[..] else { panic!("{profile}") };
            let message = check["message"].as_str().unwrap();
            assert!(check["level"] == "problem" && message.contains("another profile by that name"), "{check}");
            continue;
        }
        let single = document(&setup.start(&["-p", name, "--doctor", "--json"]).run());
        assert_eq!(profile["checks"], single["checks"], "{name}");
        let dir = setup.sandbox.root().join(if name == "default" { ".".into() } else { format!("profiles/{name}") });
        assert_eq!(profile["dir"].as_str().map(std::path::Path::new), Some(dir.components().as_path()));
    }
    assert_eq!(setup.sandbox.listing(), before, "no write");
}

#[test]
fn the_text_is_a_table_and_what_is_not_sound() {
    let setup = broken();
    let outcome = setup.start(&["--doctor", "--all"]).run();
    let text = outcome.out();
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (1, ""));
    assert_eq!(row(&text, "profile"), ["links", "claude", "git", "leaks", "worst"]);
    assert_eq!(row(&text, "builder")[..3], ["ok", "ok", "ok"], "{text}");
    for name in ["badpolicy", "filehome", "dangling", "Upper", "a b"] {
        assert_eq!(row(&text, name), ["-", "-", "-", "-", "problem"], "{text}");
        let section = text.split_once(&format!("\n\n{name}\n")).unwrap_or_else(|| panic!("{name}: {text}")).1;
        assert!(section.starts_with("problem  "), "{text}");
    }
    assert!(text.contains("cure: [ ! -e ") && !text.contains("\n\nbuilder\n"), "{text}");
    assert!(text.lines().last().unwrap().starts_with("8 profiles: 6 with problems, "), "{text}");
}

/// The cells are those of the checks, and a warning alone is not a failure.
#[test]
fn the_cells_are_the_worst_levels() {
    let setup = Setup::new();
    setup.sandbox.write("real/.gitconfig", "");
    setup.sandbox.write("real/.ssh/config", "");
    setup.sandbox.write("real/.hermes/profiles/builder/home/.ssh", "in the way");
    let text = setup.start(&["--doctor", "--all", "--share", ".ssh"]).env("GH_TOKEN", "x").run().ok().out();
    let cells = row(&text, "builder");
    assert_eq!((&cells[0][..], &cells[4][..]), ("warning", "warning"), "{text}");
    assert_ne!((&cells[2][..], row(&text, "default")[2].as_str()), ("ok", "-"), "{text}");
    assert!(text.contains("\n\nbuilder\nwarning  link: "), "{text}");
}

#[test]
fn where_there_is_no_hermes_or_no_list() {
    let run = |run: Run| run.run().ok();
    let nowhere = Sandbox::without_hermes();
    assert!(run(nowhere.hx(["--doctor", "--all"])).out().starts_with("no Hermes found"));
    assert_eq!(document(&run(nowhere.hx(["--doctor", "--all", "--json"])))["profiles"], Value::Array(Vec::new()));
    // What names the root and is wrong is the matter of one report.
    let outcome = nowhere.hx(["--doctor", "--all", "--json", "--hermes-home", "relative"]).run();
    assert_eq!((outcome.code(), names(&document(&outcome))), (1, vec!["default"]), "{outcome:?}");
    // Another root is another list.
    let setup = Setup::new();
    let other = setup.sandbox.mkdir("other");
    setup.sandbox.mkdir("other/profiles/writer");
    let outcome = setup.start(&["--doctor", "--all", "--json", "--hermes-home", other.to_str().unwrap()]).run();
    assert_eq!(names(&document(&outcome)), ["default", "writer"], "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_that_may_not_be_read_is_a_problem_of_its_own() {
    let sandbox = Sandbox::away_from_tmp();
    let root = sandbox.mkdir("data");
    let profiles = sandbox.mkdir("data/profiles");
    sandbox.chown_all(1000);
    std::fs::set_permissions(&profiles, std::os::unix::fs::PermissionsExt::from_mode(0o300)).unwrap();
    let run = sandbox.hx(["--doctor", "--all", "--json"]).uid(1000).env("HERMES_HOME", root).run();
    assert_eq!((run.code(), names(&document(&run))), (1, vec!["default", "*"]), "{run:?}");
}

#[test]
fn options_that_do_not_go_with_it() {
    let sandbox = Sandbox::with_builder();
    for options in [&["--all", "true"][..], &["--all", "-n", "true"], &["--all", "--catalogue"], &["--all"]] {
        sandbox.hx(options).run().fails(125, &["--all needs --doctor"]);
    }
    for profile in ["-pbuilder", "--profile=builder"] {
        sandbox.hx(["--doctor", "--all", profile]).run().fails(125, &["--all", "--profile"]);
    }
    sandbox.hx(["--doctor", "--all", "true"]).run().fails(125, &["take no command"]);
}

/// How many system calls a report takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn calls(sandbox: &Sandbox, options: &[&str]) -> usize {
    use crate::support::start::Start;
    use crate::support::tracer::Held;
    let block = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".to_owned()];
    let sink = std::fs::File::create("/dev/null").unwrap();
    let start = Start::new(sandbox.path("work")).block(block).outputs(&sink, &sink).step(nix::sys::ptrace::traceme);
    let argv: Vec<_> = ["hermes-exec"].iter().chain(options).map(|&word| word.to_owned()).collect();
    let mut held = Held::new(&start, &crate::support::binary(), &argv);
    std::iter::from_fn(|| held.next_call()).count()
}

/// Forty profiles take no more than forty reports of one, and one start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn forty_profiles_are_quick() {
    let sandbox = Sandbox::new();
    sandbox.mkdir("real/.claude");
    for number in 1..=40 {
        sandbox.mkdir(format!("real/.hermes/profiles/p{number}/home"));
    }
    let one = calls(&sandbox, &["--doctor", "-p", "p1"]);
    let all = calls(&sandbox, &["--doctor", "--all"]);
    assert!(one > 100 && all < 41 * one, "{all} for all, {one} for one");
    let text = sandbox.hx(["--doctor", "--all"]).run().ok().out();
    assert_eq!(text.split("\n\n").next().unwrap().lines().count(), 42, "{text}");
}
