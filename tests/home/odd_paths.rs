//! Paths as people have them: long, with spaces, line breaks and bytes in no encoding, spelled in roundabout ways, and
//! names that differ in case only.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::links::{links, stamps, with_sources};
use crate::support::{Outcome, Run, Sandbox, bytes, listing};

/// `env -0` in the profile `builder` of the root that HERMES_HOME names, with `-v`.
fn start(sandbox: &Sandbox, hermes_home: impl AsRef<OsStr>) -> Run {
    sandbox.hx(["-v", "-p", "builder", "--", "env", "-0"]).env("HERMES_HOME", hermes_home)
}

/// The value of a variable as bytes.
#[track_caller]
fn value(outcome: &Outcome, name: &str) -> OsString {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let prefix = format!("{name}=");
    let entries = outcome.entries();
    let found = entries.iter().find_map(|entry| entry.strip_prefix(prefix.as_bytes()));
    bytes(found.unwrap_or_else(|| panic!("{name} is not set: {outcome:?}"))).to_owned()
}

/// The texts of the links in a home, by place; the places are those of the default items.
fn texts(home: &Path) -> Vec<PathBuf> {
    let links = listing(home).into_keys().filter(|path| path.is_symlink());
    links.map(|path| fs::read_link(path).unwrap()).collect()
}

/// Makes a root below the sandbox whose profile `builder` has a path of exactly so many bytes.
fn long_root(sandbox: &Sandbox, length: usize) -> PathBuf {
    let mut root = sandbox.path("long");
    let tail = "/profiles/builder".len();
    while root.as_os_str().len() + tail < length {
        let missing = length - tail - root.as_os_str().len() - 1;
        // No name is empty, and none is longer than 255 bytes.
        let name = if missing > 200 { missing.min(400) / 2 } else { missing };
        root.push("d".repeat(name));
    }
    fs::create_dir_all(root.join("profiles/builder")).unwrap();
    assert_eq!(root.join("profiles/builder").as_os_str().len(), length);
    root
}

#[test]
fn a_profile_whose_path_has_four_thousand_bytes_works() {
    // A socket in that home cannot be bound (108 bytes), and that is for the doctor to say.
    let sandbox = with_sources();
    let root = long_root(&sandbox, 4000);
    let home = root.join("profiles/builder/home");
    let outcome = start(&sandbox, &root).run();
    assert_eq!(value(&outcome, "HOME"), home);
    assert!(!outcome.stderr.contains("hermes-exec: warning"), "{outcome:?}");
    assert_eq!(texts(&home).len(), 4);

    let before = listing(&home);
    assert_eq!(start(&sandbox, &root).run().entries(), outcome.entries());
    assert_eq!(listing(&home), before);
    let unlink = sandbox.hx(["-p", "builder", "--unlink"]).env("HERMES_HOME", &root);
    unlink.run().ok();
    assert!(texts(&home).is_empty());
}

#[test]
fn a_link_whose_own_path_is_too_long_takes_nothing_from_the_others() {
    // It can be made, from directory to directory, but not looked at by its path.
    let sandbox = with_sources();
    let root = long_root(&sandbox, 4000);
    let place = format!("{0}/{0}", "n".repeat(60));
    sandbox.write(Path::new("real").join(&place), "");
    let run = |option: &str| {
        let run =
            sandbox.hx([option, "-p", "builder", "--share", &place, "echo", "ran"]).env("HERMES_HOME", &root).run();
        assert_eq!((run.code(), run.out().as_str()), (0, "ran\n"), "{run:?}");
        run
    };
    run("-v");
    let outcome = run("-v");
    assert!(outcome.stderr.contains("File name too long"), "{outcome:?}");
    assert_eq!(texts(&root.join("profiles/builder/home/Library")).len(), 2, "the others are made");
    run("-q").ok();
    fs::remove_dir_all(root.join("profiles/builder/home")).unwrap();
}

#[test]
fn a_home_whose_path_would_be_too_long_is_an_error() {
    let sandbox = with_sources();
    let root = long_root(&sandbox, 4092);
    start(&sandbox, &root).run().fails(125, &["File name too long"]);
    assert!(fs::read_dir(root.join("profiles/builder")).unwrap().next().is_none());
}

#[test]
fn a_real_home_with_a_long_path_is_linked_to() {
    let sandbox = Sandbox::with_builder();
    let long = long_root(&sandbox, 3900);
    fs::create_dir(long.join(".claude")).unwrap();
    let outcome = start(&sandbox, sandbox.root()).env("HOME", &long).run();
    assert_eq!(value(&outcome, "HERMES_REAL_HOME"), long);
    assert_eq!(fs::read_link(sandbox.home().join(".claude")).unwrap(), long.join(".claude"));
}

/// Names that a shell, a terminal or a text file would trip over.
const NAMES: [&[u8]; 6] =
    [b" a  b ", b"line\nbreak\r", b"\xff\xfe\x80", b"'\"$(x)`y`;&|*?", b"\x1b[31m\x07", "ö 家".as_bytes()];

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: names that are not UTF-8")]
#[test]
fn a_root_and_a_real_home_with_odd_names_are_taken_byte_for_byte() {
    for name in NAMES {
        let sandbox = Sandbox::new();
        let root = sandbox.mkdir(Path::new("roots").join(bytes(name)));
        let real = sandbox.mkdir(Path::new("homes").join(bytes(name)));
        let home = root.join("profiles/builder/home");
        sandbox.mkdir(root.join("profiles/builder"));
        sandbox.mkdir(real.join(".claude"));
        sandbox.write(home.join("Library"), "a file in the way, for a finding");
        sandbox.mkdir(real.join("Library/Keychains"));
        let outcome = start(&sandbox, &root).env("HOME", &real).run();
        assert_eq!(value(&outcome, "HOME"), home);
        assert_eq!(value(&outcome, "HERMES_REAL_HOME"), real);
        assert_eq!(value(&outcome, "HERMES_HOME"), root.join("profiles/builder"));
        assert_eq!(fs::read_link(home.join(".claude")).unwrap(), real.join(".claude"));
        // The finding is one line, and steers no terminal.
        assert!(outcome.stderr.contains("Library/Keychains is not linked"), "{outcome:?}");
        for line in outcome.stderr.lines() {
            assert!(line.starts_with("hermes-exec: ") && !line.contains(['\x1b', '\x07', '\r']), "{line:?}");
        }
        let again = start(&sandbox, &root).env("HOME", &real).run();
        assert_eq!(again.entries(), outcome.entries());
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: names that are not UTF-8")]
#[test]
fn shares_with_odd_names_are_made_replaced_and_removed() {
    for name in NAMES.into_iter().filter(|name| !name.contains(&b',')) {
        let sandbox = Sandbox::with_builder();
        let place = Path::new("odd").join(bytes(name)).join(bytes(name));
        let source = sandbox.write(Path::new("real").join(&place), "");
        let share = [OsStr::new("-p"), "builder".as_ref(), "--share".as_ref(), place.as_os_str()];
        let run = |last: &str| sandbox.hx([&share[..], &[OsStr::new(last)]].concat()).run();
        run("true").ok();
        assert_eq!(links(&sandbox)[&place], source);
        fs::remove_file(sandbox.home().join(&place)).unwrap();
        sandbox.link(sandbox.real().join("gone"), sandbox.home().join(&place));
        run("true").ok();
        assert_eq!(links(&sandbox)[&place], source);
        let outcome = run("--unlink").ok();
        assert_eq!(outcome.out().lines().count(), 1, "{outcome:?}");
        assert!(links(&sandbox).is_empty());
    }
}

#[test]
fn a_roundabout_spelling_of_the_root_leads_to_the_same_home_and_is_handed_on_as_it_is() {
    let sandbox = with_sources();
    sandbox.mkdir("real/.hermes/other");
    let root = sandbox.root().display().to_string();
    sandbox.builder(["true"]).run().ok();
    let before = stamps(&sandbox);
    for spelling in [
        "/", "//", "/.", "/./.", "/other/..", "/other/../", "/profiles/../.", "/../.hermes",
        "//profiles//builder/../..",
    ] {
        let value_given = format!("{root}{spelling}");
        let outcome = start(&sandbox, &value_given).run();
        assert_eq!(PathBuf::from(value(&outcome, "HOME")), sandbox.home(), "{spelling}");
        let handed_on = value(&outcome, "HERMES_HOME").into_string().unwrap();
        assert!(handed_on.starts_with(&value_given), "{spelling}: {handed_on}");
        assert_eq!(PathBuf::from(&handed_on).canonicalize().unwrap(), sandbox.profile("builder"));
        // And once more from within: the same block, nothing new.
        let inner = start(&sandbox, &handed_on).env("HOME", sandbox.home()).env("HERMES_REAL_HOME", sandbox.real());
        assert_eq!(value(&inner.run(), "HERMES_HOME"), handed_on.as_str(), "{spelling}");
    }
    assert_eq!(stamps(&sandbox), before, "nothing was written");
}

#[test]
fn two_dots_behind_a_link_are_where_the_link_leads() {
    // `<way>/..` is the parent of the directory that `way` leads to, not of the link.
    let sandbox = with_sources();
    let root = sandbox.mkdir("elsewhere/root");
    sandbox.mkdir("elsewhere/root/profiles/builder");
    sandbox.link(sandbox.mkdir("elsewhere/inner"), "way");
    let outcome = start(&sandbox, sandbox.path("way/../root")).run();
    assert_eq!(PathBuf::from(value(&outcome, "HOME")), root.join("profiles/builder/home"));
    assert_eq!(texts(&root.join("profiles/builder/home")).len(), 4);
    assert!(!sandbox.home().exists());
}
