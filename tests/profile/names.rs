//! Names of profiles, and what is said about one that is not there.

use super::{env, selected};
use crate::support::{Sandbox, bytes};

#[test]
fn names_are_trimmed_and_lower_cased() {
    let sandbox = Sandbox::with_builder();
    for name in ["builder", "BUILDER", "Builder", " builder ", "\tbuilder\n"] {
        assert_eq!(selected(&sandbox, sandbox.hx(env(&["-p", name]))), "builder", "{name:?}");
        assert_eq!(selected(&sandbox, sandbox.hx(env(&[])).env("HERMES_PROFILE", name)), "builder", "{name:?}");
    }
    for name in ["default", "DEFAULT", " default"] {
        assert_eq!(selected(&sandbox, sandbox.hx(env(&["-p", name]))), "default", "{name:?}");
    }
}

#[test]
fn digits_dashes_underscores_and_sixty_four_bytes_are_names() {
    let sandbox = Sandbox::new();
    let long = "a".repeat(64);
    for name in ["0", "9-_", "a", "a-b_c", &long] {
        sandbox.profile(name);
        assert_eq!(selected(&sandbox, sandbox.hx(env(&["-p", name]))), name);
    }
}

#[test]
fn other_names_are_refused_from_every_source() {
    let sandbox = Sandbox::with_builder();
    let long = "a".repeat(65);
    let bad =
        ["../x", "..", ".", ".deleted", "a/b", "/", "_x", "a.b", "a b", "é", "a\nb", "a\x1b[31m", "ſ", "K", &long];
    for name in bad {
        sandbox.mkdir(format!("real/.hermes/profiles/{}", name.replace("..", "up")));
        let before = sandbox.listing();
        sandbox.hx([&format!("--profile={name}"), "true"]).run().fails(125, &[]);
        sandbox.hx(["true"]).env("HERMES_PROFILE", name).run().fails(125, &[]);
        sandbox.write("real/.hermes/active_profile", name);
        let outcome = sandbox.hx(["true"]).run().fails(125, &[]);
        assert!(!outcome.stderr.contains('\x1b'), "{outcome:?}");
        std::fs::remove_file(sandbox.path("real/.hermes/active_profile")).unwrap();
        assert_eq!(sandbox.listing(), before, "{name:?}");
    }
    sandbox.hx(["--profile=", "true"]).run().fails(125, &[]);
    sandbox.hx(["--profile=-x", "true"]).run().fails(125, &[]);
    sandbox.hx([bytes(b"--profile=\xff\xfe"), bytes(b"true")]).run().fails(125, &[]);
    sandbox.hx(["true"]).env("HERMES_PROFILE", bytes(b"builder\xff")).run().fails(125, &[]);
}

#[test]
fn the_name_is_escaped_in_the_message() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.hx(["-p", "a\x1b[31m\nb", "true"]).run().fails(125, &["[31m"]);
    let escaped = outcome.stderr.lines().next().unwrap().bytes().all(|byte| byte >= b' ');
    assert!(escaped, "{outcome:?}");
}

#[test]
fn a_missing_profile_is_named_with_those_that_are_known_and_how_to_make_it() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("writer");
    let before = sandbox.listing();
    let outcome = sandbox.hx(["-p", "bulider", "true"]).run();
    outcome.fails(125, &["bulider", "builder", "writer", "hermes -p default profile create"]);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn a_deleted_profile_is_said_to_be_deleted() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("old");
    sandbox.write("real/.hermes/profiles/.deleted/old", "");
    let before = sandbox.listing();
    let deleted = sandbox.hx(["-p", "old", "true"]).run().fails(125, &["old", "deleted"]);
    let missing = sandbox.hx(["-p", "never", "true"]).run().fails(125, &["never"]);
    assert!(!missing.stderr.contains("deleted"), "two wordings: {} {}", deleted.stderr, missing.stderr);
    assert!(!deleted.stderr.lines().any(|line| line.contains("known") && line.contains("old,")), "{deleted:?}");
    sandbox.hx(["true"]).env("HERMES_PROFILE", "old").run().fails(125, &["deleted"]);
    sandbox.hx(["true"]).env("HERMES_HOME", sandbox.root().join("profiles/old")).run().fails(125, &["deleted"]);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn a_deleted_profile_whose_directory_is_gone_is_deleted_all_the_same() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.hermes/profiles/.deleted/old");
    sandbox.hx(["-p", "old", "true"]).run().fails(125, &["deleted"]);
}

#[test]
fn a_profile_that_is_a_file_is_no_profile() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.hermes/profiles/afile", "");
    let before = sandbox.listing();
    sandbox.hx(["-p", "afile", "true"]).run().fails(125, &["afile"]);
    sandbox.hx(["true"]).env("HERMES_HOME", sandbox.root().join("profiles/afile")).run().fails(125, &["afile"]);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn a_missing_profile_never_falls_back_and_is_never_made() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.hermes/home");
    sandbox.mkdir("real/.claude");
    let before = sandbox.listing();
    for mode in ["auto", "profile", "real"] {
        sandbox.hx(["-p", "gone", "--home", mode, "echo", "ran"]).run().fails(125, &["gone"]);
    }
    sandbox.hx(["-p", "gone", "--hermes-home", sandbox.root().to_str().unwrap(), "-n"]).run();
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn an_upper_case_directory_is_not_reached_by_a_name_but_by_its_path() {
    // Names are lower case, so that `Work` and `work` cannot be one directory on one system and two on another.
    let sandbox = Sandbox::new();
    let path = sandbox.profile("Work");
    sandbox.hx(["-p", "Work", "true"]).run().fails(125, &["work"]);
    let outcome = sandbox.hx(env(&[])).env("HERMES_HOME", &path).run().ok();
    assert_eq!(outcome.var("HOME").unwrap(), path.join("home").display().to_string());
    assert_eq!(outcome.var("HERMES_HOME").unwrap(), path.display().to_string());
}
