//! The root: where it comes from, odd spellings of it, and values that are refused.

use super::selects;
use crate::support::Sandbox;
use std::path::PathBuf;

#[test]
fn hermes_home_is_profile_shaped_when_its_parent_is_called_profiles() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("writer");
    // The spelling is kept.
    for path in [
        "profiles/builder",
        "profiles/builder/",
        "profiles//builder//",
        "/profiles/builder",
        "./profiles/builder",
        "./profiles/./builder/.",
        "profiles/../profiles/builder",
        "profiles//writer/../../profiles/builder//",
    ] {
        let value = format!("HERMES_HOME={{root}}/{path}");
        selects(&sandbox, "builder", &[&value]);
        sandbox.gives(&[(&value, &value)]);
    }
    for path in [
        "", "/", "/.", "/profiles", "/profiles/.", "/profiles/..", "/profiles/../", "/profiles/builder/..",
        "/profiles/builder/../../profiles/..",
    ] {
        let value = format!("HERMES_HOME={{root}}{path}");
        sandbox.gives(&[(&value, &format!("HOME={{real}} {value}"))]);
    }
}

#[test]
fn the_shape_is_a_matter_of_spelling_not_of_the_disk() {
    // A link to a profile is a root of its own; a directory that is only reached through `profiles` is one, too.
    let sandbox = Sandbox::with_builder();
    sandbox.link(sandbox.profile("builder"), "way");
    sandbox.mkdir("real/.hermes/profiles/builder/deeper");
    selects(&sandbox, "default", &["HERMES_HOME={dir}/way", "HERMES_HOME={root}/profiles/builder/deeper"]);
}

#[test]
fn a_shaped_path_selects_its_directory_as_spelled() {
    let sandbox = Sandbox::with_builder();
    sandbox.link(sandbox.root(), "way");
    for spelled in ["HERMES_HOME={dir}/way/profiles/builder", "HERMES_HOME={dir}/way/profiles/builder/"] {
        sandbox.gives(&[(spelled, spelled)]);
        let home = PathBuf::from(sandbox.line(spelled).run().ok().var("HOME").unwrap()).canonicalize().unwrap();
        assert_eq!(home, sandbox.home());
    }
    sandbox.gives(&[("HERMES_HOME={dir}/way -p builder", "HERMES_HOME={dir}/way/profiles/builder")]);
}

#[test]
fn a_shaped_hermes_home_gives_its_grandparent_as_root() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("data/profiles/one");
    sandbox.mkdir("data/profiles/two");
    sandbox.gives(&[
        ("HERMES_HOME={dir}/data/profiles/one -p two", "HERMES_HOME={dir}/data/profiles/two"),
        ("HERMES_HOME={dir}/data/profiles/one -p default", "HERMES_HOME={dir}/data"),
    ]);
    // With an option only the root has to exist.
    selects(&sandbox, "builder", &["HERMES_HOME={root}/profiles/gone -p builder"]);
}

#[test]
fn a_tilde_is_the_real_home() {
    let sandbox = Sandbox::with_builder();
    for value in ["~/.hermes/profiles/builder", "~//.hermes/profiles/builder", "~/.hermes/profiles/builder/"] {
        selects(&sandbox, "builder", &[&format!("HERMES_HOME={value}"), &format!("--hermes-home {value}")]);
    }
    selects(&sandbox, "builder", &["HERMES_HOME=~/.hermes -p builder"]);
    sandbox.gives(&[
        ("HERMES_HOME=~/.hermes", "HERMES_HOME={root}"),
        ("HERMES_HOME=~/.hermes/profiles/builder", "HERMES_HOME={profile}"),
    ]);
}

#[test]
fn another_relative_value_is_refused() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("work/relative/profiles/builder");
    sandbox.mkdir("work/~user/.hermes");
    for value in
        ["relative", ".", "..", "./relative", "relative/profiles/builder", "~user/.hermes", "~", "profiles/builder"]
    {
        sandbox.refuses(&[
            (&format!("HERMES_HOME={value}"), "HERMES_HOME"),
            (&format!("HERMES_HOME={value} -p builder"), "HERMES_HOME"),
            (&format!("--hermes-home {value}"), "--hermes-home"),
        ]);
    }
    selects(&sandbox, "builder", &["HERMES_HOME=relative --hermes-home {root} -p builder"]);
}

#[test]
fn the_default_profile_is_not_reached_through_profiles() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("default");
    let root = sandbox.root();
    let before = sandbox.listing();
    for path in ["profiles/default", "profiles/default/", "profiles//default"] {
        let outcome = sandbox.line(&format!("HERMES_HOME={{root}}/{path}")).run().fails(125, &[]);
        let hint = outcome.stderr.lines().nth(1).expect("a hint");
        assert!(hint.contains(root.to_str().unwrap()) && !hint.contains("profiles/default"), "the root itself: {hint}");
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn a_name_in_a_shaped_path_is_validated() {
    let sandbox = Sandbox::with_builder();
    for name in ["a b", ".deleted", "a.b", "_x"] {
        let path = sandbox.profile(name);
        sandbox.hx(["true"]).env("HERMES_HOME", path).run().fails(125, &[]);
    }
}

#[test]
fn a_root_that_is_not_a_directory_is_refused() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("file", "");
    sandbox.link("nowhere", "dangling");
    for root in ["{dir}/file", "{dir}/gone", "{dir}/dangling"] {
        sandbox.refuses(&[
            (&format!("HERMES_HOME={root}"), root),
            (&format!("HERMES_HOME={root} -p builder"), ""),
            (&format!("HERMES_HOME={root}/profiles/x -p builder"), ""),
            (&format!("--hermes-home {root}"), root),
        ]);
    }
    sandbox.refuses(&[("HERMES_HOME={root}/profiles/gone", "gone")]);
}

#[test]
fn the_suffix_is_appended_to_the_root_in_the_real_home_and_to_no_other() {
    let sandbox = Sandbox::new();
    for suffix in ["-dev", ".d", "/inner", " x"] {
        let home = sandbox.mkdir(format!("real/.hermes{suffix}/profiles/builder")).join("home");
        let outcome = sandbox.line("-p builder").env("HERMES_DATA_DIR_SUFFIX", suffix).run().ok();
        assert_eq!(outcome.var("HOME").unwrap(), home.display().to_string(), "{suffix:?}");
    }
    sandbox.profile("builder");
    selects(&sandbox, "builder", &["HERMES_HOME={root} HERMES_DATA_DIR_SUFFIX=-dev -p builder"]);
}
