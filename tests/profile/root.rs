//! The root: where it comes from, odd spellings of it, and values that are refused.

use super::{env, selected};
use crate::support::Sandbox;
use std::path::PathBuf;

#[test]
fn hermes_home_is_profile_shaped_when_its_parent_is_called_profiles() {
    let sandbox = Sandbox::with_builder();
    let root = sandbox.root().display().to_string();
    for path in
        ["profiles/builder", "profiles/builder/", "profiles//builder//", "/profiles/builder", "./profiles/builder"]
    {
        let run = sandbox.hx(env(&[])).env("HERMES_HOME", format!("{root}/{path}"));
        assert_eq!(selected(&sandbox, run), "builder", "{path}");
    }
    for path in ["", "/", "/.", "/profiles", "/profiles/.", "/profiles/..", "/profiles/../"] {
        let value = format!("{root}{path}");
        let outcome = sandbox.hx(env(&[])).env("HERMES_HOME", &value).run().ok();
        assert_eq!(outcome.var("HOME").unwrap(), sandbox.real().display().to_string(), "{path}");
        assert_eq!(outcome.var("HERMES_HOME").unwrap(), value, "the spelling is kept");
    }
}

#[test]
fn the_shape_is_a_matter_of_spelling_not_of_the_disk() {
    // A link to a profile is a root of its own; a directory that only leads through `profiles` is one, too.
    let sandbox = Sandbox::with_builder();
    let real = sandbox.real().display().to_string();
    sandbox.link(sandbox.profile("builder"), "way");
    for path in [sandbox.path("way"), sandbox.mkdir("real/.hermes/profiles/builder/deeper")] {
        let outcome = sandbox.hx(env(&[])).env("HERMES_HOME", path).run().ok();
        assert_eq!(outcome.var("HOME").unwrap(), real);
    }
}

#[test]
fn a_shaped_path_selects_its_directory_as_spelled() {
    let sandbox = Sandbox::with_builder();
    sandbox.link(sandbox.root(), "way");
    let spelled = sandbox.path("way/profiles/builder");
    for value in [spelled.display().to_string(), format!("{}/", spelled.display())] {
        let outcome = sandbox.hx(env(&[])).env("HERMES_HOME", &value).run().ok();
        assert_eq!(outcome.var("HERMES_HOME").unwrap(), value, "the spelling is kept when exported");
        let home = PathBuf::from(outcome.var("HOME").unwrap()).canonicalize().unwrap();
        assert_eq!(home, sandbox.home());
    }
    let outcome = sandbox.hx(env(&["-p", "builder"])).env("HERMES_HOME", sandbox.path("way")).run().ok();
    assert_eq!(outcome.var("HERMES_HOME").unwrap(), spelled.display().to_string());
}

#[test]
fn a_shaped_hermes_home_gives_its_grandparent_as_root() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("data/profiles/one");
    let two = sandbox.mkdir("data/profiles/two");
    let outcome = sandbox.hx(env(&["-p", "two"])).env("HERMES_HOME", sandbox.path("data/profiles/one")).run().ok();
    assert_eq!(outcome.var("HERMES_HOME").unwrap(), two.display().to_string());
    let outcome = sandbox.hx(env(&["-p", "default"])).env("HERMES_HOME", sandbox.path("data/profiles/one")).run().ok();
    assert_eq!(outcome.var("HERMES_HOME").unwrap(), sandbox.path("data").display().to_string());
}

#[test]
fn with_an_option_only_the_root_has_to_be_there() {
    let sandbox = Sandbox::with_builder();
    let run = sandbox.hx(env(&["-p", "builder"])).env("HERMES_HOME", sandbox.root().join("profiles/gone"));
    assert_eq!(selected(&sandbox, run), "builder");
}

#[test]
fn a_tilde_is_the_real_home() {
    let sandbox = Sandbox::with_builder();
    for value in ["~/.hermes/profiles/builder", "~//.hermes/profiles/builder", "~/.hermes/profiles/builder/"] {
        assert_eq!(selected(&sandbox, sandbox.hx(env(&[])).env("HERMES_HOME", value)), "builder", "{value}");
        assert_eq!(selected(&sandbox, sandbox.hx(env(&["--hermes-home", value]))), "builder", "{value}");
    }
    let run = sandbox.hx(env(&["-p", "builder"])).env("HERMES_HOME", "~/.hermes");
    assert_eq!(selected(&sandbox, run), "builder");
}

#[test]
fn another_relative_value_is_refused() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("work/relative/profiles/builder");
    sandbox.mkdir("work/~user/.hermes");
    let before = sandbox.listing();
    for value in
        ["relative", ".", "..", "./relative", "relative/profiles/builder", "~user/.hermes", "~", "profiles/builder"]
    {
        sandbox.hx(["true"]).env("HERMES_HOME", value).run().fails(125, &["HERMES_HOME"]);
        sandbox.hx(["-p", "builder", "true"]).env("HERMES_HOME", value).run().fails(125, &["HERMES_HOME"]);
        sandbox.hx(["--hermes-home", value, "true"]).run().fails(125, &["--hermes-home"]);
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn the_option_stands_before_a_variable_that_is_wrong() {
    let sandbox = Sandbox::with_builder();
    let run = sandbox.hx(env(&["--hermes-home", sandbox.root().to_str().unwrap(), "-p", "builder"]));
    assert_eq!(selected(&sandbox, run.env("HERMES_HOME", "relative")), "builder");
}

#[test]
fn the_default_profile_is_not_reached_through_profiles() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("default");
    let root = sandbox.root();
    let before = sandbox.listing();
    for path in ["profiles/default", "profiles/default/", "profiles//default"] {
        let run = sandbox.hx(["true"]).env("HERMES_HOME", format!("{}/{path}", root.display()));
        let outcome = run.run().fails(125, &[]);
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
fn a_root_that_is_no_directory_is_refused() {
    let sandbox = Sandbox::with_builder();
    let file = sandbox.write("file", "");
    sandbox.link("nowhere", "dangling");
    let before = sandbox.listing();
    for root in [file, sandbox.path("gone"), sandbox.path("dangling")] {
        let text = root.to_str().unwrap();
        sandbox.hx(["true"]).env("HERMES_HOME", &root).run().fails(125, &[text]);
        sandbox.hx(["-p", "builder", "true"]).env("HERMES_HOME", &root).run().fails(125, &[]);
        sandbox.hx(["--hermes-home", text, "true"]).run().fails(125, &[text]);
        sandbox.hx(["-p", "builder", "true"]).env("HERMES_HOME", root.join("profiles/x")).run().fails(125, &[]);
    }
    sandbox.hx(["true"]).env("HERMES_HOME", sandbox.root().join("profiles/gone")).run().fails(125, &["gone"]);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn the_suffix_is_appended_to_the_root_in_the_real_home() {
    let sandbox = Sandbox::new();
    for suffix in ["-dev", ".d", "/inner", " x"] {
        let home = sandbox.mkdir(format!("real/.hermes{suffix}/profiles/builder")).join("home");
        let outcome = sandbox.hx(env(&["-p", "builder"])).env("HERMES_DATA_DIR_SUFFIX", suffix).run().ok();
        assert_eq!(outcome.var("HOME").unwrap(), home.display().to_string(), "{suffix:?}");
    }
}

#[test]
fn the_suffix_does_not_touch_hermes_home() {
    let sandbox = Sandbox::with_builder();
    let run = sandbox.hx(env(&["-p", "builder"])).env("HERMES_HOME", sandbox.root());
    assert_eq!(selected(&sandbox, run.env("HERMES_DATA_DIR_SUFFIX", "-dev")), "builder");
}
