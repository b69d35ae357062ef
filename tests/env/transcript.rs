//! Plays the transcripts in `tests/transcripts/`: an environment before, the options, the environment after, or how the
//! command ended. The form is explained at the top of `tests/transcripts/README.md`. A case about the environment is played
//! several times: as written, once within itself (the block must not change again), with `-v` and with `-n` (no value marked
//! `canary` may be printed, and `-n` must do nothing), and as JSON for its rules and grants.

use crate::support::explained::Explained;
use crate::support::{Outcome, Sandbox};
use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// One section of a transcript.
#[derive(Default)]
struct Case {
    title: String,
    given: Vec<(String, Vec<u8>)>,
    options: Vec<OsString>,
    command: Vec<OsString>,
    dir: Option<String>,
    before: Vec<Vec<u8>>,
    after: Vec<Vec<u8>>,
    warning: Option<String>,
    /// What selects the profile, the homes or the rules is another one for a second run within the first.
    once: bool,
    rules: Vec<(u64, String)>,
    grants: Option<Vec<String>>,
    /// The links in the home afterwards.
    links: Option<String>,
    /// Instead of an environment: the status, and what the message says.
    failure: Option<(i32, Vec<String>)>,
    /// Instead of an environment: what the command prints.
    printed: Option<String>,
}

/// The titles of a transcript's cases.
pub fn titles(name: &str) -> Vec<String> {
    let (_, text) = read(name);
    text.split("\n=== ").skip(1).map(|section| section.lines().next().unwrap().to_owned()).collect()
}

fn read(name: &str) -> (String, String) {
    let path = format!("{}/tests/transcripts/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    (path, text)
}

/// Plays every case of `tests/transcripts/<name>.txt` and fails with the list of those that differ.
#[track_caller]
pub fn play(name: &str) {
    let (path, text) = read(name);
    let sections: Vec<&str> = text.split("\n=== ").skip(1).collect();
    assert!(!sections.is_empty(), "{path} has no case");
    let mut differing = String::new();
    let variants = sections.iter().flat_map(|section| {
        let number = |mark| section.lines().filter(|line| line.starts_with(mark)).count();
        (0..number("with ").max(number("$ ")).max(1)).map(move |at| (section, at))
    });
    for (section, variant) in variants {
        let sandbox = Sandbox::with_builder();
        let case = Case::read(section, variant, &sandbox);
        for problem in case.problems(&sandbox) {
            writeln!(differing, "\n=== {}\n{problem}", case.title).unwrap();
        }
        // `tests/mutants` asks only whether there are any.
        if !differing.is_empty() && std::env::var_os("HERMES_EXEC_MUTANT").is_some() {
            break;
        }
    }
    assert!(differing.is_empty(), "{path} differs:\n{differing}");
}

impl Case {
    /// Of the lines `with …`, and of several commands, the one of this number counts.
    fn read(section: &str, variant: usize, sandbox: &Sandbox) -> Self {
        let mut lines = section.lines();
        let mut case = Self { title: lines.next().unwrap().to_owned(), ..Self::default() };
        let chosen = section.lines().filter_map(|line| line.strip_prefix("with ")).nth(variant);
        let chosen = chosen.map(|line| line.split_once(" => ").unwrap_or_else(|| panic!("{line:?} has no =>")));
        case.title.extend(chosen.iter().flat_map(|(given, _)| ["\nwith ", given]));
        let (mut commands, of_all) = (0, section.matches("\n$ ").count());
        assert!(of_all == 1 || chosen.is_none(), "{:?} has several commands and lines `with …`", case.title);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            commands += usize::from(line.starts_with("$ "));
            if of_all > 1 && commands > 0 && commands != variant + 1 {
                continue;
            }
            let (mark, rest) = line.split_at(1);
            let entry = || unescape(&placed(rest, sandbox));
            match mark {
                " " => {
                    case.before.push(entry());
                    case.after.push(entry());
                }
                "-" => case.before.push(entry()),
                "?" => {
                    let (_, names) = chosen.unwrap_or_else(|| panic!("{line:?} without a line `with …`"));
                    let mut names = names.split(' ');
                    let stays = names.next() == Some("keeps");
                    if names.any(|name| is_of(&entry(), name)) == stays {
                        case.after.push(entry());
                    }
                    case.before.push(entry());
                }
                "+" => case.after.push(entry()),
                "|" => {
                    let (_, text) = case.given.last_mut().unwrap_or_else(|| panic!("{line:?} belongs to no file"));
                    text.extend([entry(), b"\n".to_vec()].concat());
                }
                "!" => case.warning = Some(placed(rest.trim(), sandbox)),
                "$" => {
                    let words = rest.trim().strip_prefix("hermes-exec").and_then(|rest| rest.split_once("-- "));
                    let (options, command) = words.unwrap_or_else(|| panic!("{line:?} is not `$ hermes-exec … -- …`"));
                    let word = |word| OsString::from_vec(unescape(&placed(word, sandbox)));
                    case.options = options.split_whitespace().map(word).collect();
                    let command = if command == "env" { "/usr/bin/env -0" } else { command };
                    case.command = command.split_whitespace().map(word).collect();
                }
                _ if line.starts_with("with ") => {}
                _ => case.read_word(&placed(line, sandbox)),
            }
        }
        match chosen.and_then(|(given, _)| given.split_once(": ")) {
            Some(("options", words)) => case.options.extend(words.split(' ').map(Into::into)),
            Some((kind, text)) => case.given.push((placed(kind, sandbox), unescape(&placed(text, sandbox)))),
            None => {}
        }
        assert!(!case.before.is_empty(), "{:?} has no environment", case.title);
        assert!(!case.command.is_empty(), "{:?} has no command", case.title);
        for (kind, text) in &case.given {
            set_up(kind, text, sandbox);
        }
        case
    }

    /// A line that begins with a word.
    fn read_word(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest.split_once(':').map(|(first, rest)| (first, rest.trim()))) {
            ("once", _) => self.once = true,
            ("in", _) => self.dir = Some(rest.to_owned()),
            ("given", Some((kind, text))) => self.given.push((kind.to_owned(), unescape(text))),
            ("rule", Some((rule, names))) => self.rules.push((rule.parse().unwrap(), names.to_owned())),
            ("grants", _) => self.grants.get_or_insert_default().extend((!rest.is_empty()).then(|| rest.to_owned())),
            ("links", _) => self.links = Some(rest.to_owned()),
            ("error", Some((status, words))) => {
                let failure = self.failure.get_or_insert((status.parse().unwrap(), Vec::new()));
                failure.1.push(words.to_owned());
            }
            ("prints", _) => self.printed = Some(rest.to_owned()),
            _ => panic!("{line:?} is no line of a transcript"),
        }
    }

    fn start(&self, sandbox: &Sandbox, extra: &[&str], command: &[OsString]) -> Outcome {
        let mut args: Vec<OsString> = extra.iter().map(Into::into).collect();
        args.extend([&self.options[..], &["--".into()], command].concat());
        let run = sandbox.hx(args).raw_block(&self.before).secret_may_show();
        self.dir.iter().fold(run, |run, dir| run.dir(dir)).run()
    }

    fn problems(&self, sandbox: &Sandbox) -> Vec<String> {
        let mut problems = match (&self.failure, &self.printed) {
            (None, None) => self.problems_of_block(sandbox),
            (Some((status, words)), _) => {
                let untouched = sandbox.listing();
                let (outcome, planned) =
                    (self.start(sandbox, &[], &self.command), self.start(sandbox, &["-n"], &self.command));
                let is_said = words.iter().all(|words| outcome.stderr.contains(words.as_str()));
                let is_failure = outcome.stderr.starts_with("hermes-exec: error: ") && outcome.stdout.is_empty();
                let is_failure =
                    is_failure && !outcome.stderr.contains('\u{1b}') && outcome.stderr.lines().count() <= 2;
                let is_so = is_said && is_failure && [outcome.code(), planned.code()] == [*status; 2];
                let is_so = is_so && sandbox.listing() == untouched;
                (!is_so).then(|| format!("{outcome:?}, with -n {}", planned.code())).into_iter().collect()
            }
            (None, Some(text)) => {
                let outcome = self.start(sandbox, &[], &self.command);
                let is_so = (outcome.code(), outcome.stderr.as_str(), outcome.out().trim_end()) == (0, "", text);
                (!is_so).then(|| format!("{outcome:?}")).into_iter().collect()
            }
        };
        if let Some(expected) = &self.links {
            let links = sandbox.listing().into_iter().filter(|(_, what)| what.contains(" link to "));
            let links =
                links.filter_map(|(path, _)| Some(path.strip_prefix(sandbox.home()).ok()?.display().to_string()));
            let links = links.collect::<Vec<_>>().join(" ");
            if &links != expected {
                problems.push(format!("the links are {links:?}"));
            }
        }
        problems
    }

    fn problems_of_block(&self, sandbox: &Sandbox) -> Vec<String> {
        let mut problems = Vec::new();
        let (untouched, planned) = (sandbox.listing(), self.start(sandbox, &["-n"], &self.command));
        if sandbox.listing() != untouched {
            problems.push("-n has changed a file".to_owned());
        }
        problems.extend(self.problems_of_plan(sandbox));
        let verbose = self.start(sandbox, &["-v"], &self.command);
        for (option, outcome) in [("-n", &planned), ("-v", &verbose)] {
            if outcome.code() != 0 {
                problems.push(format!("{option}: {outcome:?}"));
            }
        }
        if verbose.stderr.contains("canary") || planned.stderr.contains("canary") || planned.out().contains("canary") {
            problems.push(format!("a value is printed: {} {}", verbose.stderr, planned.out()));
        }

        let outcome = self.start(sandbox, &[], &self.command);
        let as_expected = match &self.warning {
            Some(words) => outcome.stderr.starts_with("hermes-exec: warning: ") && outcome.stderr.contains(words),
            None => outcome.stderr.is_empty(),
        };
        if outcome.code() != 0 || !as_expected {
            problems.push(format!("exit {}, stderr {:?}", outcome.code(), outcome.stderr));
            return problems;
        }
        let block = outcome.entries();
        if block != self.after {
            problems.push(difference(&self.after, &block));
        }
        if !self.once {
            let mut again = vec![crate::support::binary().into_os_string()];
            again.extend([&self.options[..], &["--".into()], &self.command].concat());
            let nested = self.start(sandbox, &[], &again);
            if nested.stdout != outcome.stdout {
                let twice = if nested.code() == 0 { nested.entries() } else { Vec::new() };
                problems.push(format!("a run within a run differs: {}{}", nested.stderr, difference(&block, &twice)));
            }
        }
        problems
    }

    /// What the plan says of rules and grants.
    fn problems_of_plan(&self, sandbox: &Sandbox) -> Vec<String> {
        if self.rules.is_empty() && self.grants.is_none() {
            return Vec::new();
        }
        let outcome = self.start(sandbox, &["-n", "--json"], &self.command);
        let Ok(plan) = serde_json::from_slice(&outcome.stdout).map(Explained) else {
            return vec![format!("no plan: {outcome:?}")];
        };
        let mut problems = Vec::new();
        let named: Vec<(&str, u64)> =
            self.rules.iter().flat_map(|(rule, names)| names.split_whitespace().map(|name| (name, *rule))).collect();
        let others = named.iter().filter(|(name, _)| *name == "*").flat_map(|(_, rule)| {
            let names = self.before.iter().filter_map(|entry| std::str::from_utf8(entry).unwrap().split_once('='));
            let is_named = |name: &str| named.iter().any(|(known, _)| *known == name);
            names.map(|(name, _)| (name, *rule)).filter(move |(name, _)| !is_named(name))
        });
        for (name, rule) in named.iter().copied().filter(|(name, _)| *name != "*").chain(others) {
            let of_name = |block: &[Vec<u8>]| block.iter().find(|entry| is_of(entry, name)).cloned();
            let action = match (of_name(&self.before), of_name(&self.after)) {
                (_, None) => "removed",
                (before, after) if before == after => "kept",
                _ => "set",
            };
            let found = plan.variable(name);
            if found != Some((action, rule)) {
                problems.push(format!("{name} is not {action} by rule {rule}: {found:?}"));
            }
        }
        let mut grants: Vec<_> =
            plan.grants().iter().map(|(kind, name, by)| format!("{kind} {name} by {by}")).collect();
        grants.sort_unstable();
        if self.grants.as_ref().is_some_and(|expected| *expected != grants) {
            problems.push(format!("granted is {grants:?}"));
        }
        problems
    }
}

/// Whether an entry of a block is a variable of this name.
fn is_of(entry: &[u8], name: &str) -> bool {
    entry.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
}

/// Two blocks side by side, only where they differ.
fn difference(expected: &[Vec<u8>], found: &[Vec<u8>]) -> String {
    let mut text = String::new();
    for at in 0..expected.len().max(found.len()) {
        let show = |block: &[Vec<u8>]| block.get(at).map_or("nothing".into(), |e| e.escape_ascii().to_string());
        if expected.get(at) != found.get(at) {
            writeln!(text, "entry {at}: expected {}\n{:>10}found {}", show(expected), "", show(found)).unwrap();
        }
    }
    text
}

/// The places of this sandbox in the stead of `{real}` and its like, and `{N}` as N characters of a key.
fn placed(text: &str, sandbox: &Sandbox) -> String {
    let text = sandbox.placed(text);
    let mut parts = text.split('{');
    let mut placed = parts.next().unwrap().to_owned();
    for part in parts {
        match part.split_once('}').map(|(length, rest)| (length.parse(), rest)) {
            Some((Ok(length), rest)) => {
                placed.extend(["3xAmPlE0nLyN0tAr3alK3y".chars().cycle().take(length).collect(), rest.to_owned()])
            }
            _ => placed.extend(["{", part]),
        }
    }
    placed
}

/// `\xNN` is the byte NN, `\n` a line feed.
pub fn unescape(text: &str) -> Vec<u8> {
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        let rest = match part.as_bytes() {
            [b'n', ..] => {
                bytes.push(b'\n');
                &part[1..]
            }
            [b'x', ..] => {
                bytes.push(u8::from_str_radix(&part[1..3], 16).unwrap());
                &part[3..]
            }
            _ => panic!("\\{part} is neither \\n nor \\xNN"),
        };
        bytes.extend(rest.as_bytes());
    }
    bytes
}

/// Makes what a line `given …` names.
fn set_up(kind: &str, given: &[u8], sandbox: &Sandbox) {
    let (kind, dir) = kind.split_once(" of ").map_or((kind, sandbox.root()), |(kind, dir)| (kind, dir.into()));
    let text = || std::str::from_utf8(given).unwrap();
    match kind {
        "a policy" => drop(sandbox.write(dir.join("hermes-exec.json"), given)),
        ".env" | ".op.env" | "config.yaml" => drop(sandbox.write(dir.join(kind), given)),
        path if path.starts_with('/') => drop(sandbox.write(path, given)),
        "a directory" => drop(sandbox.mkdir(text())),
        "a file" => drop(sandbox.write(text(), "")),
        "a link" => {
            let (path, target) = text().split_once(" to ").unwrap();
            sandbox.link(target, path);
        }
        "a script" => {
            let (path, words) = text().split_once(" that prints ").unwrap();
            sandbox.script(path, format!("#!/bin/sh\necho {words}\n"));
        }
        "Hermes' own venv" => drop(sandbox.hermes_venv(text())),
        "a venv" => drop(sandbox.script(format!("{}/bin/python", text()), "#!/bin/sh\n")),
        _ => panic!("{kind:?} is nothing that can be given"),
    }
}

/// A test for each transcript.
macro_rules! transcripts {
    ($($name:ident)*) => {
        const ALL: &[&str] = &[$(stringify!($name)),*];

        $(
            #[test]
            fn $name() {
                play(&stringify!($name).replace('_', "-"));
            }
        )*
    };
}

transcripts! {
    block credentials declared environments families hermes_places keys minimal options own_venv pip policy policy_places redirect
    reports_credentials reports_markers rule_7_xdg
}

/// But for the order of the rules, which has a test of its own.
#[test]
fn every_transcript_is_played() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = files.filter_map(|file| Some(file.strip_suffix(".txt")?.replace('-', "_"))).collect();
    names.sort_unstable();
    names.retain(|name| name != "rule_order");
    assert_eq!(names, ALL);
}

#[test]
fn an_escape_is_one_byte() {
    assert_eq!(unescape(r"N\xffA=\n."), b"N\xffA=\n.");
}

#[test]
fn a_transcript_that_differs_is_reported() {
    let problems = |lines: &str, variant| {
        let sandbox = Sandbox::with_builder();
        let case = Case::read(&format!("title\n HOME={{real}}\n$ hermes-exec -- env\n{lines}"), variant, &sandbox);
        assert_eq!(case.before[0], [b"HOME=", sandbox.real().as_os_str().as_bytes()].concat());
        case.problems(&sandbox)
    };
    let gone = " VIRTUAL_ENV=/x";
    for lines in
        ["", "-VIRTUAL_ENV=/x\nrule 6: VIRTUAL_ENV\nrule 11: *", "grants", "links", "?A=1\nwith options: -q => keeps A"]
    {
        assert_eq!(problems(lines, 0), [""; 0], "{lines}");
    }
    for lines in [
        "+NEVER=there", gone, "rule 4: HOME", "rule 4: *", "grants group github by policy file", "links .claude",
        "error 125: words", "prints words", "! words", "?A=1\nwith options: -q => removes A",
    ] {
        assert_ne!(problems(lines, 0), [""; 0], "{lines}");
    }
    let commands = format!("$ hermes-exec -- env\n{gone}");
    assert_eq!((problems(&commands, 0).len(), problems(&commands, 1).len()), (0, 1));
}
