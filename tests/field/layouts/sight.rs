//! What a command sees of Hermes' venv: which Python is the first, which modules it can import; and whether `--doctor` knows
//! the venv, whole and damaged.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::place::{Layout, Row};
use super::{gateway, order};
use crate::support::Outcome;
use crate::{PRINT_PREFIX, direct, system};

/// One thing that a command sees, with a venv of the user's at hand.
type Part = (&'static str, fn(&Layout, &Path));

const PARTS: [Part; 5] = [
    ("PATH", order::own_places_stand_last),
    ("a start in a start", order::nested_starts_change_nothing),
    ("the first Python", first_python),
    ("PYTHONPATH", modules),
    ("--doctor", doctor),
];

/// One row of the table. A part that fails says so itself, and does not hide the others.
pub fn all(row: Row) {
    let layout = Layout::new(row);
    gateway::assert_what_hermes_leaves(&layout);
    let users = layout.users_venv();
    let fails = |part: &Part| catch_unwind(AssertUnwindSafe(|| part.1(&layout, &users))).is_err();
    let failed: Vec<_> = PARTS.iter().filter(|part| fails(part)).map(|part| part.0).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// The first Python is the user's venv's where there is one, else the system's. Where there is no other one, Hermes' runs.
fn first_python(layout: &Layout, users: &Path) {
    let prefix = |outcome: Outcome| outcome.ok().out().trim_end().to_owned();
    let command = ["python3", "-c", PRINT_PREFIX];
    let by_a_child = [&[system("env")], &command[..]].concat();
    let venv = layout.venv.to_str().unwrap();
    assert_eq!(prefix(layout.without(&by_a_child).run()), venv, "without the wrapper");
    let before = layout.bytes();

    let expected = prefix(direct(&layout.sandbox, &by_a_child).run());
    assert_ne!(expected, venv);
    assert_eq!(prefix(layout.with(&by_a_child).run()), expected, "started by a child");
    assert_eq!(prefix(layout.with(&command).run()), expected, "started by us");
    let run = layout.with(&command).env("PATH", layout.path_with(users));
    assert_eq!(Path::new(&prefix(run.run())), users);
    let run = layout.with(&command).env("PATH", layout.path_without_others(&["python3"]));
    assert_eq!(prefix(run.run()), venv);
    layout.assert_untouched(&before);
}

/// Neither the code nor the packages are on PYTHONPATH; what is the user's there stays.
fn modules(layout: &Layout, _: &Path) {
    let seen = |given: &str| layout.with(&["/usr/bin/env", "-0"]).env("PYTHONPATH", given).run().ok().var("PYTHONPATH");
    let packages = layout.packages().display().to_string();
    let users = layout.sandbox.mkdir("modules").display().to_string();
    let own: Vec<String> =
        layout.checkout().map(|checkout| checkout.display().to_string()).into_iter().chain([packages]).collect();
    assert_eq!(seen(&users).as_deref(), Some(&*users));
    for entry in &own {
        assert_eq!(seen(&format!("{entry}:{users}")).as_deref(), Some(&*users), "{entry}");
        assert_eq!(seen(entry), None, "{entry}: absent, not empty");
    }
    assert_eq!(seen(&own.join(":")), None);

    // Without `site`, which runs what else the machine's Python has been told to run.
    let import = [system("python3"), "-S", "-B", "-c", "import hermes_cli"];
    let outcome = layout.without(&import).env("PYTHONPATH", own.join(":")).run();
    assert_eq!(outcome.code(), 0, "without the wrapper: {outcome:?}");
    // As Hermes hands it on: one layout sets the variable.
    let outcome = layout.with(&import).run();
    assert!(outcome.stderr.contains("No module named 'hermes_cli'"), "{outcome:?}");
}

/// What `--doctor` says of Hermes' venv: the levels and messages.
fn own_venv(layout: &Layout) -> Vec<(String, String)> {
    let outcome = layout.hx(&["-p", "builder", "--doctor", "--json"]).run();
    let told: serde_json::Value =
        serde_json::from_str(&outcome.out()).unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
    let text = |check: &serde_json::Value, key: &str| check[key].as_str().unwrap().to_owned();
    let checks = told["checks"].as_array().unwrap().iter().filter(|check| check["id"] == "own-venv");
    let checks = checks.map(|check| (text(check, "level"), text(check, "message")));
    let venv = format!("{} ", layout.venv.display());
    checks.filter(|(_, message)| message.contains(&venv)).collect()
}

/// The venv is known without a marker, once; and so is its damage, which shows only at the gateway's next start.
fn doctor(layout: &Layout, _: &Path) {
    let told = own_venv(layout);
    assert!(matches!(&told[..], [(level, _)] if level == "ok"), "{told:?}");

    // As `uv pip sync` leaves it.
    let packages = layout.on_disk(&layout.packages());
    fs::rename(&packages, packages.with_file_name("away")).unwrap();
    fs::create_dir(&packages).unwrap();
    let told = own_venv(layout);
    assert!(
        matches!(&told[..], [(level, message)] if level == "problem" && message.contains("hermes_agent")),
        "{told:?}"
    );
}
