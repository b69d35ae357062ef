//! Hermes' own venv: damage shows otherwise only at the next restart of the gateway. That the real `uv` does this damage,
//! and that it is seen, is in `tests/field`.

use std::path::{Path, PathBuf};

use super::{Report, Setup, fires, hinted};
use crate::support::Run;

/// A venv with Hermes in it, whose interpreter is CPython 3.11 by its name.
pub fn made(setup: &Setup, rel: &str) -> PathBuf {
    let sandbox = &setup.sandbox;
    sandbox.script("system/bin/python3.11", "#!/bin/sh\n");
    sandbox.link(sandbox.path("system/bin/python3.11"), format!("{rel}/bin/python"));
    sandbox.link("python", format!("{rel}/bin/python3"));
    sandbox.script(format!("{rel}/bin/hermes"), "#!/bin/sh\nfrom hermes_cli.main import main\n");
    sandbox.write(format!("{rel}/pyvenv.cfg"), "home = /system/bin\nversion_info = 3.11.2\n");
    let packages = format!("{rel}/lib/python3.11/site-packages");
    sandbox.write(format!("{packages}/hermes_agent-1.0.dist-info/METADATA"), "");
    sandbox.write(format!("{packages}/__editable__.hermes_agent-1.0.pth"), "");
    sandbox.path(rel)
}

/// The default place, and one that only a marker tells.
const PLACES: [&str; 3] = ["real/.hermes/hermes-agent/venv", "real/.hermes/hermes-agent/.venv", "agent/venv"];

fn doctor(setup: &Setup, venv: &Path) -> Run {
    setup.sandbox.script("tools/uv", "#!/bin/sh\n");
    let run = setup.doctor(&[]);
    if venv.starts_with(setup.sandbox.root()) { run } else { run.env("VIRTUAL_ENV", venv) }
}

#[test]
fn intact() {
    for rel in PLACES {
        let setup = Setup::new();
        let venv = made(&setup, rel);
        let check = Report::of(doctor(&setup, &venv)).the("own-venv", &["intact", venv.to_str().unwrap()]).clone();
        assert_eq!(check.level, "ok");
    }
    Report::of(Setup::new().doctor(&[])).lacks("own-venv");
}

/// Every way in which `pyvenv.cfg` and installers write what is sound.
#[test]
fn intact_in_every_form() {
    let setup = Setup::new();
    let venv = made(&setup, PLACES[0]);
    let packages = venv.join("lib/python3.11/site-packages");
    let quiet = |what: &str| {
        let report = Report::of(doctor(&setup, &venv));
        assert_eq!(report.the("own-venv", &["intact"]).level, "ok", "{what}");
    };
    for config in
        ["home = /x\nversion = 3.11.2\n", "version=3.11\n", "home = /x\n", "version_info = 3.11.2.final.0\r\n"]
    {
        std::fs::write(venv.join("pyvenv.cfg"), config).unwrap();
        quiet(config);
    }
    std::fs::remove_file(packages.join("__editable__.hermes_agent-1.0.pth")).unwrap();
    quiet("no editable installation");
    std::fs::remove_dir_all(packages.join("hermes_agent-1.0.dist-info")).unwrap();
    std::fs::create_dir(packages.join("hermes_agent")).unwrap();
    quiet("the package itself");
    // What an earlier version of Python left.
    std::fs::create_dir_all(venv.join("lib/python3.10/site-packages")).unwrap();
    quiet("another version beside it");
    // An interpreter that is a copy; one only by its other name.
    std::fs::remove_file(venv.join("bin/python")).unwrap();
    setup.sandbox.script(venv.join("bin/python"), "#!/bin/sh\n");
    quiet("a copied interpreter");
    std::fs::remove_file(venv.join("bin/python3")).unwrap();
    std::fs::rename(venv.join("bin/python"), venv.join("bin/python3")).unwrap();
    quiet("only python3");
    // conda writes no pyvenv.cfg.
    std::fs::remove_file(venv.join("pyvenv.cfg")).unwrap();
    std::fs::create_dir(venv.join("conda-meta")).unwrap();
    quiet("conda");
}

/// Takes something out of a venv, or puts it in another way.
type Damage = fn(&Setup, &Path);

#[test]
fn damaged() {
    let damages: [(&str, Damage, bool); 7] = [
        (
            "have no hermes_agent",
            |_, venv| std::fs::remove_dir_all(venv.join("lib/python3.11/site-packages")).unwrap(),
            false,
        ),
        ("have no hermes_agent", |_, venv| std::fs::remove_dir_all(venv.join("lib")).unwrap(), false),
        (
            "interpreter does not exist",
            |setup, _| {
                std::fs::remove_file(setup.sandbox.path("system/bin/python3.11")).unwrap();
            },
            true,
        ),
        ("no pyvenv.cfg", |_, venv| std::fs::remove_file(venv.join("pyvenv.cfg")).unwrap(), true),
        (
            "another version of Python",
            |_, venv| {
                std::fs::write(venv.join("pyvenv.cfg"), "version_info = 3.12.1\n").unwrap();
            },
            true,
        ),
        (
            "another version of Python",
            |setup, venv| {
                let python = setup.sandbox.script("system/bin/python3.13", "");
                std::fs::remove_file(venv.join("bin/python")).unwrap();
                std::os::unix::fs::symlink(python, venv.join("bin/python")).unwrap();
            },
            true,
        ),
        (
            "another version of Python",
            |_, venv| {
                let lib = venv.join("lib");
                std::fs::rename(lib.join("python3.11"), lib.join("python3.9")).unwrap();
            },
            true,
        ),
    ];
    for (word, damage, is_broken) in damages {
        for rel in PLACES {
            let setup = Setup::new();
            let venv = made(&setup, rel);
            damage(&setup, &venv);
            let path = venv.display().to_string();
            let cure = fires(doctor(&setup, &venv), "own-venv", "problem", &["damaged", word, &path, "gateway"]);
            let anew = if is_broken { format!("uv venv --clear {path} && ") } else { String::new() };
            assert_eq!(cure, format!("{anew}uv pip install --python {path} --reinstall hermes-agent"), "{word}");
        }
    }
}

/// From a checkout, which is how Hermes' installer does it.
#[test]
fn cure_from_the_checkout() {
    let setup = Setup::new();
    let venv = made(&setup, PLACES[0]);
    std::fs::remove_dir_all(venv.join("lib")).unwrap();
    setup.sandbox.write("real/.hermes/hermes-agent/pyproject.toml", "");
    // Without uv there is nothing that could be pasted.
    let run = setup.doctor(&[]).env("PATH", setup.sandbox.path("tools"));
    let hint = hinted(run, "own-venv", "problem", &["damaged"]);
    assert!(hint.starts_with("with uv on PATH: uv pip install "), "{hint}");
    setup.sandbox.script("tools/uv", "#!/bin/sh\n");
    let cure = fires(setup.doctor(&[]), "own-venv", "problem", &["damaged"]);
    let checkout = setup.sandbox.root().join("hermes-agent").display().to_string();
    assert_eq!(cure, format!("uv pip install --python {} --reinstall -e {checkout}", venv.display()));
}

/// The marker names a venv that is gone altogether.
#[test]
fn gone() {
    let setup = Setup::new();
    let venv = setup.sandbox.root().join("hermes-agent/venv");
    fires(doctor(&setup, &venv).env("VIRTUAL_ENV", &venv), "own-venv", "problem", &["interpreter does not exist"]);
}

/// A marker that names Hermes' code, or another runtime of its, names no venv.
#[test]
fn what_is_no_venv() {
    let setup = Setup::new();
    for dir in ["hermes-agent", "node"] {
        let dir = setup.sandbox.mkdir(format!("real/.hermes/{dir}/bin")).parent().unwrap().to_owned();
        Report::of(setup.doctor(&[]).env("VIRTUAL_ENV", &dir)).is_quiet("own-venv");
    }
}

/// A profile that is wrong does not hide it.
#[test]
fn damaged_where_a_run_would_fail() {
    let setup = Setup::new();
    let venv = made(&setup, PLACES[0]);
    std::fs::remove_dir_all(venv.join("lib")).unwrap();
    let root = setup.sandbox.root();
    let start = |options: &[&str]| setup.start(&[&["--doctor"], options].concat());
    let gone = start(&[]).env("HERMES_HOME", root.join("profiles/gone"));
    for run in [start(&["-p", "nobody"]), gone, start(&[]).env("HERMES_PROFILE", "gone")] {
        let report = Report::of(run);
        assert!(report.0.iter().any(|check| check.level == "problem" && check.id != "own-venv"), "{report:#?}");
        report.the("own-venv", &["damaged"]);
    }
}

/// Somebody else's venv is none of our business.
#[test]
fn another_venv() {
    let setup = Setup::new();
    let venv = made(&setup, "work/.venv");
    std::fs::remove_file(venv.join("bin/hermes")).unwrap();
    std::fs::remove_dir_all(venv.join("lib")).unwrap();
    Report::of(setup.doctor(&[]).env("VIRTUAL_ENV", venv)).lacks("own-venv");
}

/// Other projects have a program of this name. What they are in is not to be made anew.
#[test]
fn another_projects_hermes() {
    let setup = Setup::new();
    let venv = made(&setup, "work/.venv");
    setup.sandbox.script(venv.join("bin/hermes"), "#!/bin/sh\nfrom hermes.commands.cli import main\n");
    std::fs::remove_dir_all(venv.join("lib")).unwrap();
    let report = Report::of(setup.doctor(&[]).env("VIRTUAL_ENV", &venv));
    assert_eq!(report.the("own-venv", &["treated as Hermes' own"]).level, "note");
}
