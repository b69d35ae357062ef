//! The sections of the text: what each says, and that it says what is so.

use super::{explained, own_venv, section};
use crate::support::Sandbox;

#[test]
fn profile_names_its_source_and_directory() {
    let sandbox = Sandbox::with_builder();
    let dir = sandbox.profile("builder").display().to_string();
    let start = || sandbox.hx(["-n", "true"]);
    sandbox.write("real/.hermes/active_profile", "builder\n");
    for (run, source) in [
        (sandbox.hx(["-n", "-p", "builder", "true"]), "--profile"),
        (start().env("HERMES_HOME", &dir), "HERMES_HOME"),
        (start().env("HERMES_PROFILE", "builder"), "HERMES_PROFILE"),
        (start(), "active_profile"),
    ] {
        let text = run.run().ok().out();
        assert_eq!(section(&text, "Profile"), [format!("builder (from {source})"), dir.clone()], "{text}");
    }
    let root = sandbox.root().display().to_string();
    let text = start().env("HERMES_SUPERVISED_CHILD", "1").run().ok().out();
    assert_eq!(section(&text, "Profile"), ["default (from default)".to_owned(), root], "{text}");
    let text = Sandbox::without_hermes().hx(["-n", "true"]).run().ok().out();
    assert!(section(&text, "Profile")[0].contains("no Hermes"), "{text}");
}

/// hermes-agent#27250: a program and its tools disagree about `~`.
#[test]
fn home_shows_both_homes_and_why() {
    let sandbox = Sandbox::with_builder();
    let [real, home] = [sandbox.real(), sandbox.home()].map(|path| path.display().to_string());
    let text = explained(&sandbox, &[], &[]);
    let lines = section(&text, "HOME");
    for line in [format!("from {real}"), format!("to   {home}"), format!("real home {real}")] {
        assert!(lines.contains(&line.as_str()), "{line}: {text}");
    }
    assert!(lines.contains(&"mode auto (from default)"), "{text}");
    assert!(lines.iter().any(|line| line.contains("will be created")), "the home is not there yet: {text}");

    sandbox.mkdir("real/.hermes/profiles/builder/home");
    let text = explained(&sandbox, &["--home", "profile"], &[]);
    assert!(section(&text, "HOME").contains(&"mode profile (from --home)"), "{text}");
    assert!(!text.contains("will be created"), "{text}");
    for (name, word, source) in [
        ("HERMES_EXEC_HOME_MODE", "real", "HERMES_EXEC_HOME_MODE"),
        ("TERMINAL_HOME_MODE", "host", "TERMINAL_HOME_MODE"),
    ] {
        let text = explained(&sandbox, &[], &[(name, word)]);
        let lines = section(&text, "HOME");
        assert!(lines.contains(&format!("mode real (from {source})").as_str()), "{text}");
        assert!(lines[0].starts_with(&real) && !text.contains(&home), "HOME stays: {text}");
    }
}

#[test]
fn links_show_state_place_and_target() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.write("real/.claude.json", "{}");
    sandbox.mkdir("real/.config/gh");
    sandbox.write("real/.hermes/profiles/builder/home/.config", "in the way");
    sandbox.link(sandbox.real().join(".claude"), "real/.hermes/profiles/builder/home/.claude");
    let text = explained(&sandbox, &["--share", ".config/gh,.ssh"], &[]);
    let lines = section(&text, "Links");
    let real = sandbox.real().display().to_string();
    for (state, place, target) in [
        ("present", ".claude", format!(" -> {real}/.claude")),
        ("create", ".claude.json", format!(" -> {real}/.claude.json")),
        ("left", ".config/gh", format!(" -> {real}/.config/gh")),
        ("source-missing", ".ssh", String::new()),
        ("source-missing", "Library/Keychains", String::new()),
    ] {
        let wanted = format!("{state:<15}{place}{target}");
        assert!(lines.contains(&wanted.as_str()), "{wanted:?}: {text}");
    }
    assert!(section(&text, "Findings").iter().any(|line| line.contains(".config")), "the file in the way: {text}");
    assert!(!explained(&sandbox, &["--no-share", "all"], &[]).contains("Links"));
}

#[test]
fn environment_counts_and_groups_by_rule() {
    let sandbox = Sandbox::with_builder();
    let variables = [("GH_TOKEN", "x"), ("VIRTUAL_ENV", "/somewhere"), ("EDITOR", "vi"), ("CARGO_TERM_COLOR", "x")];
    let options = ["--unset", "CARGO_*", "--set", "MINE=x"];
    let text = explained(&sandbox, &options, &variables);
    let lines = section(&text, "Environment");
    // ANTHROPIC_API_KEY is planted; HOME, HERMES_HOME, HERMES_PROFILE and HERMES_REAL_HOME are computed.
    assert_eq!(lines[0], "2 kept, 4 removed, 5 set", "counts first: {text}");
    let headings: Vec<_> = lines.iter().filter(|line| line.contains(" by rule ")).copied().collect();
    assert_eq!(
        headings,
        [
            "set by rule 0 (computed): 4",
            "set by rule 1 (set): 1",
            "removed by rule 2 (unset): 1",
            "removed by rule 4 (credentials): 2",
            "removed by rule 6 (markers): 1",
            "kept by rule 11 (everything else): 2; -v lists them",
        ],
        "{text}"
    );
    let at = |wanted: &str| lines.iter().position(|line| line.starts_with(wanted)).unwrap_or(usize::MAX);
    assert!(at("removed by rule 4") < at("GH_TOKEN") && at("GH_TOKEN") < at("removed by rule 6"), "{text}");
    assert!(lines[at("GH_TOKEN")].contains("github"), "with the group: {text}");
    assert!(lines[at("VIRTUAL_ENV")].contains("python-venv"), "with the family: {text}");
    assert!(!text.contains("EDITOR"), "what is kept is only counted: {text}");

    let text = explained(&sandbox, &[&["-v"], &options[..]].concat(), &variables);
    let lines = section(&text, "Environment");
    for name in ["EDITOR", "PATH", "GH_TOKEN", "MINE", "CARGO_TERM_COLOR", "HOME", "HERMES_REAL_HOME"] {
        assert!(lines.iter().any(|line| line.split(' ').next() == Some(name)), "-v lists all, {name}: {text}");
    }
    assert!(!text.contains("-v lists"), "{text}");
}

#[test]
fn path_shows_what_moves() {
    let sandbox = Sandbox::with_builder();
    let venv = own_venv(&sandbox);
    let bin = venv.join("bin").display().to_string();
    let path = format!("{bin}:/usr/bin:/bin");
    let marked = [("VIRTUAL_ENV", venv.to_str().unwrap()), ("PATH", &path)];
    let text = explained(&sandbox, &[], &marked);
    assert!(section(&text, "PATH").contains(&bin.as_str()), "{text}");
    assert!(!explained(&sandbox, &["--keep", "VIRTUAL_ENV"], &marked).contains("\nPATH"));
    assert!(!explained(&sandbox, &[], &[]).contains("\nPATH"));
}

#[test]
fn command_shows_what_the_word_comes_to() {
    let sandbox = Sandbox::with_builder();
    sandbox.script("bin/tool", "#!/bin/sh\n");
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    let run = |word: &str| sandbox.hx(["-n", word, "an argument"]).env("PATH", &path).run();
    let text = run("tool").ok().out();
    assert_eq!(section(&text, "Command"), [format!("tool -> {}/bin/tool", sandbox.dir.display())], "{text}");
    let text = run("no-such-tool").out();
    assert_eq!(section(&text, "Command"), ["no-such-tool -> 'no-such-tool' was not found on PATH"], "{text}");
    assert!(!sandbox.hx(["-n"]).run().ok().out().contains("Command"), "there need not be one");
}

#[test]
fn warnings_and_findings_are_told() {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("other");
    sandbox.write("real/.claude.json", "{}");
    sandbox.mkdir("real/.claude");
    sandbox.mkdir("real/.hermes/profiles/builder/home/.claude");
    let run = sandbox.hx(["-n", "true"]).env("HERMES_HOME", sandbox.profile("builder")).env("HERMES_PROFILE", "other");
    let text = run.run().ok().out();
    assert!(section(&text, "Warnings").iter().any(|line| line.contains("HERMES_PROFILE")), "{text}");
    assert!(section(&text, "Findings").iter().any(|line| line.contains(".claude")), "{text}");
    let sound = Sandbox::with_builder();
    let text = explained(&sound, &[], &[]);
    assert!(!text.contains("Warnings") && !text.contains("Findings"), "{text}");
}
