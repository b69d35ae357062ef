//! A name or a path may hold what steers a terminal, or turns the order of the text round: it is shown, and does nothing.

use std::ffi::OsStr;

use crate::support::{Run, Sandbox, bytes};

/// An escape sequence, a line end, a right-to-left override, a zero-width space, a byte of no encoding.
const ODD: &[u8] = b"x\x1b[2J\n\xe2\x80\xae\xe2\x80\x8b\xff";
const SHOWN: &str = "x\\u{1b}[2J\\n\\u{202e}\\u{200b}\\xff";
/// As it stands in JSON, which doubles the backslash.
const IN_JSON: &str = "x\\\\u{1b}[2J\\\\n\\\\u{202e}\\\\u{200b}\\\\xff";

/// Printable text and line ends, and nothing that hides or reorders.
#[track_caller]
fn assert_harmless(text: &str) {
    let odd = |c: &char| (c.is_control() && *c != '\n') || ('\u{200b}'..='\u{202e}').contains(c) || *c == '\u{fffd}';
    assert_eq!(text.chars().find(odd), None, "{text:?}");
}

#[track_caller]
fn shows(run: Run, shown: &str) {
    let outcome = run.run();
    assert_harmless(&outcome.out());
    assert_harmless(&outcome.stderr);
    assert!(outcome.out().contains(shown) || outcome.stderr.contains(shown), "{outcome:?}");
}

fn args<'a>(options: &'a [&'a str]) -> Vec<&'a OsStr> {
    options.iter().map(OsStr::new).collect()
}

#[test]
fn names_of_variables() {
    let sandbox = Sandbox::with_builder();
    let removed = [&["-p", "builder", "--unset", "x*"][..], &["true"]];
    for (options, shown) in [(&["-n"][..], SHOWN), (&["-n", "--json"], IN_JSON), (&["-v"], SHOWN)] {
        let run = sandbox.hx([options, removed[0], removed[1]].concat()).env(bytes(ODD), "value");
        shows(run, shown);
    }
}

#[test]
fn the_name_that_only_is_asked_for() {
    let sandbox = Sandbox::with_builder();
    let name = bytes(b"A\x1b[31m\xff");
    let outcome = sandbox.hx([bytes(b"-n"), bytes(b"--only"), name]).env(name, "x").run().ok();
    assert!(outcome.out().starts_with("A\\u{1b}[31m\\xff is kept"), "{outcome:?}");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: names that are not UTF-8")]
#[test]
fn places_of_links_and_of_the_profile() {
    let sandbox = Sandbox::new();
    let odd = bytes(ODD);
    sandbox.mkdir(sandbox.real().join(odd));
    let root = sandbox.mkdir(sandbox.path("roots").join(odd));
    sandbox.mkdir(root.join("profiles/builder/home"));
    for (options, shown) in
        [(&["-n"][..], SHOWN), (&["-n", "--json"], IN_JSON), (&["--doctor"], SHOWN), (&["--doctor", "--json"], IN_JSON)]
    {
        let mut all = args(options);
        all.extend([OsStr::new("-p"), OsStr::new("builder"), OsStr::new("--share"), odd]);
        shows(sandbox.hx(all).env("HERMES_HOME", &root), shown);
    }
}

#[test]
fn the_command_and_names_in_errors() {
    let sandbox = Sandbox::with_builder();
    for (options, shown) in [(&["-n"][..], SHOWN), (&["-n", "--json"], IN_JSON), (&["-q"], SHOWN)] {
        let all = |last: &[&'static [u8]]| {
            let mut all = args(options);
            all.extend(last.iter().map(|word| bytes(word)));
            all
        };
        shows(sandbox.hx(all(&[ODD])), shown);
        shows(sandbox.hx(all(&[b"-p", ODD, b"true"])), shown);
        shows(sandbox.hx(all(&[b"true"])).env("HERMES_PROFILE", bytes(ODD)), shown);
    }
}

/// In text and in JSON an escaped byte can be told from a name in which the same characters stand themselves.
#[test]
fn a_backslash_of_a_name_is_doubled() {
    let sandbox = Sandbox::with_builder();
    let names =
        [(&b"A\x1b"[..], r"A\u{1b}"), (br"A\u{1b}", r"A\\u{1b}"), (br"A\\u{1b}", r"A\\\\u{1b}"), (br"A\", r"A\\")];
    let run = |options: &[&str]| {
        let run = sandbox.hx([&["-p", "builder", "--unset", "A*"], options, &["true"]].concat());
        names.iter().fold(run, |run, (name, _)| run.env(bytes(name), "x")).run()
    };
    let document: serde_json::Value = serde_json::from_slice(&run(&["-n", "--json"]).stdout).unwrap();
    let told: Vec<_> =
        document["variables"].as_array().unwrap().iter().filter_map(|variable| variable["name"].as_str()).collect();
    let (text, verbose) = (run(&["-n"]).out(), run(&["-v"]).stderr);
    for (_, shown) in names {
        assert_eq!(told.iter().filter(|name| *name == &shown).count(), 1, "{shown}: {told:?}");
        for said in [&text, &verbose] {
            assert_eq!(said.split_whitespace().filter(|word| *word == shown).count(), 1, "{shown}: {said}");
        }
    }
}

/// A cure is pasted into a shell: it is one line, and the same bytes for the shell.
#[test]
fn paths_in_cures_are_quoted() {
    let sandbox = Sandbox::with_builder();
    for odd in ["it's a $(touch made) `x`; \"y\"", "größe \\n", "a\nb\u{202e}"] {
        let link = sandbox.link("/no/where", sandbox.home().join(odd));
        let outcome = sandbox.hx(["--doctor", "-p", "builder", "--share", odd]).run();
        assert_harmless(&outcome.out());
        let cure = outcome.out().lines().find_map(|line| Some(line.trim().strip_prefix("cure: rm ")?.to_owned()));
        let cure = cure.unwrap_or_else(|| panic!("a dangling link: {outcome:?}"));
        let told = sandbox.hx(["-c", &format!("printf %s {cure}")]).program("/bin/bash").run().ok();
        assert_eq!(bytes(&told.stdout), link.as_os_str(), "{cure}");
    }
}
