//! W43: shims that do nothing: another program comes first, no shell that matters sees them, or what they start is gone. What
//! Hermes' terminal really does with the same files is in `tests/field/recipes-linux.txt`.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Report, Setup, fires, fires_and_is_cured};
use crate::support::Run;

/// Shims for `mytool` and `other` in a directory, which no start file names.
pub fn written(setup: &Setup, rel: &str) -> PathBuf {
    let dir = setup.sandbox.path(rel);
    for tool in ["mytool", "other"] {
        setup.sandbox.script(format!("tools/{tool}"), "#!/bin/sh\n");
        setup.start(&["-p", "builder", "--keep", "A'B", "--shims", dir.to_str().unwrap(), tool]).run().ok();
    }
    dir
}

pub const USUAL: &str = "real/.local/lib/hermes-shims";

pub fn with_path(setup: &Setup, dirs: &[&Path]) -> Run {
    let tools = setup.sandbox.path("tools");
    let names = dirs.iter().map(|dir| dir.display().to_string()).chain([format!("{}:/usr/bin", tools.display())]);
    setup.doctor(&[]).env("PATH", names.collect::<Vec<_>>().join(":"))
}

pub fn line(dir: &Path) -> String {
    format!(". {}/.path.sh\n", dir.display())
}

#[test]
fn w43_without_shims_nothing_is_said() {
    let setup = Setup::new();
    Report::of(setup.doctor(&[])).lacks("shims");
    // A directory of other programs, with a file of that name.
    setup.sandbox.write(format!("{USUAL}/.path.sh"), "");
    setup.sandbox.script(format!("{USUAL}/mytool"), "#!/bin/sh\nexec hermes-exec -- mytool \"$@\"\n");
    Report::of(setup.doctor(&[])).lacks("shims");
}

#[test]
fn w43_shims_that_are_seen_by_login_and_by_hermes() {
    let setup = Setup::new();
    let dir = written(&setup, USUAL);
    setup.sandbox.write("real/.profile", line(&dir));
    let report = Report::of(with_path(&setup, &[&dir]));
    assert_eq!(report.the("shims", &["come before their tools", dir.to_str().unwrap()]).level, "ok");
    assert_eq!(report.the("shims-seen", &["Hermes' terminal"]).level, "ok");
    // By Hermes alone, wherever they are.
    let elsewhere = Setup::new();
    let dir = written(&elsewhere, "it's/shims");
    let files = format!("terminal:\n  shell_init_files: ['~/.profile', \"{}/.path.sh\"]\n", dir.display());
    elsewhere.sandbox.write(elsewhere.sandbox.profile("builder").join("config.yaml"), files);
    let report = Report::of(elsewhere.doctor(&[]));
    assert_eq!(report.the("shims", &["not on PATH here"]).level, "ok");
    assert_eq!(report.the("shims-seen", &["Hermes' terminal"]).level, "ok");
}

#[test]
fn w43_a_program_that_comes_before_its_shim() {
    let setup = Setup::new();
    let dir = written(&setup, USUAL);
    setup.sandbox.write("real/.profile", line(&dir));
    let first = setup.sandbox.script("first/mytool", "#!/bin/sh\n");
    let run = with_path(&setup, &[first.parent().unwrap(), &dir]);
    fires_and_is_cured(&run, "shims", "warning", &["come before their shims", first.to_str().unwrap()]);
    // Neither a directory, nor what cannot be executed, nor another directory's shim for it is such a program.
    fs::remove_file(&first).unwrap();
    setup.sandbox.mkdir("first/mytool");
    setup.sandbox.write("first/other", "");
    Report::of(run.clone()).is_quiet("shims");
    let second = written(&setup, "second");
    Report::of(with_path(&setup, &[&second, &dir])).is_quiet("shims");
}

#[test]
fn w43_shims_that_start_a_hermes_exec_that_is_gone() {
    let setup = Setup::new();
    let dir = written(&setup, USUAL);
    setup.sandbox.write("real/.profile", line(&dir));
    let shim = dir.join("mytool");
    let text = fs::read_to_string(&shim).unwrap();
    let (_, options) = text.split_once(" '--").unwrap();
    let old = format!("#!/bin/sh\nexec '/old/hermes-exec' '--{options}");
    setup.sandbox.script(&shim, &old);
    fires_and_is_cured(&with_path(&setup, &[&dir]), "shims", "problem", &["does not exist", "mytool"]);
    let cured = fs::read_to_string(&shim).unwrap();
    assert!(!cured.contains("/old/") && cured.ends_with(options), "{cured}");
    // What is in a cure comes from a shim: words of a shell that somebody put there do not.
    setup.sandbox.script(&shim, old.replace("'--", "; touch /tmp/planted '--"));
    Report::of(with_path(&setup, &[&dir])).is_quiet("shims");
}

#[test]
fn w43_shims_that_nothing_puts_on_path() {
    let setup = Setup::new();
    let dir = written(&setup, USUAL);
    fires_and_is_cured(&setup.doctor(&[]), "shims-seen", "warning", &["no start file", dir.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(setup.sandbox.path("real/.profile")).unwrap(), line(&dir));
    // In a file that login does not come to.
    setup.sandbox.write("real/.bash_profile", "");
    Report::of(setup.doctor(&[])).is_quiet("shims-seen");
    fs::remove_file(setup.sandbox.path("real/.profile")).unwrap();
    // On PATH by other ways, which are the user's own affair.
    let report = Report::of(with_path(&setup, &[&dir]));
    assert_eq!(report.the("shims-seen", &["which is on PATH"]).level, "ok");
}

/// An agent's HOME is the profile's.
#[test]
fn w43_a_line_with_a_tilde() {
    for home in ["~", "$HOME", "${HOME}", "\"$HOME\""] {
        let setup = Setup::new();
        let dir = written(&setup, USUAL);
        setup.sandbox.write("real/.bash_profile", format!("export PATH={home}/.local/lib/hermes-shims:$PATH\n"));
        for run in [setup.doctor(&[]), with_path(&setup, &[&dir])] {
            fires(run, "shims-seen", "warning", &["~ or $HOME", "agent"]);
        }
        fires_and_is_cured(&setup.doctor(&[]), "shims-seen", "warning", &["~ or $HOME", "agent"]);
    }
}

/// Once the key is set, Hermes sources nothing else.
#[test]
fn w43_shell_init_files_without_the_shims() {
    let setup = Setup::new();
    let dir = written(&setup, USUAL);
    setup.sandbox.write("real/.profile", line(&dir));
    let config = setup.sandbox.profile("builder").join("config.yaml");
    for list in ["[$NOWHERE/x, ~/.other]", "\n  - $NOWHERE/x\n  - ~/.other", "&a [~/.other]\nx: *a"] {
        let _ = fs::remove_file(setup.sandbox.path("real/.other"));
        setup.sandbox.write(&config, format!("terminal:\n  shell_init_files: {list}\n"));
        fires_and_is_cured(&with_path(&setup, &[&dir]), "shims-seen", "warning", &["shell_init_files"]);
        assert_eq!(fs::read_to_string(setup.sandbox.path("real/.other")).unwrap(), line(&dir), "{list}");
    }
    for list in ["[]", "x", "[~/.profile]"] {
        setup.sandbox.write(&config, format!("terminal:\n  shell_init_files: {list}\n"));
        Report::of(setup.doctor(&[])).is_quiet("shims-seen");
    }
}
