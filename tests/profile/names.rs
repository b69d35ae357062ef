//! Names of profiles, and what is said about one that does not exist.

use super::{selected, selects};
use crate::support::{Sandbox, bytes, listing};
use std::fs;

#[test]
fn names_are_trimmed_and_lower_cased() {
    let sandbox = Sandbox::with_builder();
    for name in ["builder", "BUILDER", "Builder", " builder ", "\tbuilder\n", "default", "DEFAULT", " default"] {
        for run in [sandbox.hx(["-p", name, "env", "-0"]), sandbox.line("").env("HERMES_PROFILE", name)] {
            assert_eq!(selected(&sandbox, run), name.trim().to_lowercase(), "{name:?}");
        }
    }
}

#[test]
fn digits_dashes_underscores_and_sixty_four_bytes_are_names() {
    let sandbox = Sandbox::new();
    for name in ["0", "9-_", "a", "a-b_c", &"a".repeat(64)] {
        sandbox.profile(name);
        selects(&sandbox, name, &[&format!("-p {name}")]);
    }
}

#[test]
fn other_names_are_refused_from_every_source_and_escaped() {
    let sandbox = Sandbox::with_builder();
    let long = "a".repeat(65);
    let bad =
        ["../x", "..", ".", ".deleted", "a/b", "/", "_x", "a.b", "a b", "é", "a\nb", "a\x1b[31m\nb", "ſ", "K", &long];
    for name in bad {
        sandbox.mkdir(format!("real/.hermes/profiles/{}", name.replace("..", "up")));
        let before = sandbox.listing();
        let said = if name.contains("[31m") { "[31m" } else { "" };
        let of_option = sandbox.hx([&format!("--profile={name}"), "true"]).run().fails(125, &[said]);
        let of_variable = sandbox.hx(["true"]).env("HERMES_PROFILE", name).run().fails(125, &[]);
        let file = sandbox.write("real/.hermes/active_profile", name);
        let of_file = sandbox.hx(["true"]).run().fails(125, &[]);
        fs::remove_file(file).unwrap();
        for outcome in [of_option, of_variable, of_file] {
            assert!(!outcome.stderr.contains('\x1b'), "{outcome:?}");
        }
        assert_eq!(sandbox.listing(), before, "{name:?}");
    }
    for option in [&b"--profile="[..], b"--profile=-x", b"--profile=\xff\xfe"] {
        sandbox.hx([bytes(option), bytes(b"true")]).run().fails(125, &[]);
    }
    sandbox.hx(["true"]).env("HERMES_PROFILE", bytes(b"builder\xff")).run().fails(125, &[]);
}

#[test]
fn a_missing_profile_is_named_with_those_that_are_known_and_never_falls_back_nor_is_made() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("writer");
    sandbox.mkdir("real/.hermes/home");
    sandbox.mkdir("real/.claude");
    let before = sandbox.listing();
    for mode in ["auto", "profile", "real"] {
        let words = ["bulider", "builder", "writer", "hermes -p default profile create"];
        sandbox.line(&format!("-p bulider --home {mode}")).run().fails(125, &words);
    }
    sandbox.line("-p bulider --hermes-home {root} -n").run();
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn a_deleted_profile_is_said_to_be_deleted_in_every_case() {
    let sandbox = Sandbox::with_builder();
    // The directories of two are still there; where case does not count, `Old` is that of `old`.
    sandbox.profile("old");
    sandbox.profile("Old");
    sandbox.write("real/.hermes/profiles/.deleted/old", "");
    sandbox.mkdir("real/.hermes/profiles/.deleted/gone");
    sandbox.refuses(&[
        ("-p old", "'old' … was deleted"),
        ("-p OLD", "'old' … was deleted"),
        ("-p gone", "'gone' … was deleted"),
        ("HERMES_PROFILE=old", "deleted"),
        ("HERMES_HOME={root}/profiles/old", "deleted"),
        ("HERMES_HOME={root}/profiles/Old", "'old' … was deleted"),
    ]);
    let deleted = sandbox.line("-p old").run();
    assert!(!deleted.stderr.lines().any(|line| line.contains("known") && line.contains("old,")), "{deleted:?}");
    let missing = sandbox.line("-p never").run().fails(125, &["never"]);
    assert!(!missing.stderr.contains("deleted"), "two wordings: {} {}", deleted.stderr, missing.stderr);
}

#[test]
fn a_profile_that_is_a_file_is_not_a_profile() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.hermes/profiles/afile", "");
    sandbox.refuses(&[("-p afile", "afile"), ("HERMES_HOME={root}/profiles/afile", "afile")]);
}

#[test]
fn an_upper_case_directory_is_not_reached_by_a_name_but_by_its_path() {
    // Names are lower case, so that `Work` and `work` cannot be one directory on one system and two on another.
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.profile("Work");
    sandbox.profile("Builder");
    sandbox.refuses(&[("-p Work", "work")]);
    sandbox.gives(&[("-p Builder", "HOME={home} HERMES_PROFILE=builder")]);
    assert!(!sandbox.path("real/.hermes/profiles/Builder/home").exists());
    for name in ["Work", "Builder"] {
        let path = format!("HERMES_HOME={{root}}/profiles/{name}");
        sandbox.gives(&[(&path, &format!("HOME={{root}}/profiles/{name}/home {path}"))]);
        let links = |profile: &str| listing(&sandbox.profile(profile).join("home")).into_values().collect::<Vec<_>>();
        assert_eq!(links(name), links("builder"));
    }
}
