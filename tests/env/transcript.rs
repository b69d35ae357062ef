//! Plays the transcripts in `tests/transcripts/`: an environment before, the options, the environment after. The form is
//! explained at the top of `tests/transcripts/README.md`. Each case is played five times over: as written, once within
//! itself (the block must not change again), with `-v` and with `-n` (no value marked `canary` may be printed, and `-n`
//! must do nothing), and by its own word for a failure.

use crate::support::Sandbox;
use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// One section of a transcript.
#[derive(Default)]
struct Case {
    title: String,
    given: Vec<Vec<u8>>,
    options: Vec<OsString>,
    before: Vec<Vec<u8>>,
    after: Vec<Vec<u8>>,
    warning: Option<String>,
    /// The options change what selects the profile or the homes, so a second run within the first sees another set-up.
    once: bool,
}

/// Plays every case of `tests/transcripts/<name>.txt` and fails with the list of those that differ.
#[track_caller]
pub fn play(name: &str) {
    let path = format!("{}/tests/transcripts/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let sections: Vec<&str> = text.split("\n=== ").skip(1).collect();
    assert!(!sections.is_empty(), "{path} has no case");
    let mut differing = String::new();
    for section in sections {
        let sandbox = Sandbox::with_builder();
        let case = Case::read(section, &sandbox);
        for problem in case.problems(&sandbox) {
            writeln!(differing, "\n=== {}\n{problem}", case.title).unwrap();
        }
    }
    assert!(differing.is_empty(), "{path} differs:\n{differing}");
}

impl Case {
    fn read(section: &str, sandbox: &Sandbox) -> Self {
        let mut lines = section.lines();
        let mut case = Self { title: lines.next().unwrap().to_owned(), ..Self::default() };
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (mark, rest) = line.split_at(1);
            let entry = || unescape(&placed(rest, sandbox));
            match mark {
                " " => {
                    case.before.push(entry());
                    case.after.push(entry());
                }
                "-" => case.before.push(entry()),
                "+" => case.after.push(entry()),
                "!" => case.warning = Some(rest.trim().to_owned()),
                "$" => {
                    let words = rest.trim().strip_prefix("hermes-exec").and_then(|rest| rest.strip_suffix("-- env"));
                    let words = words.unwrap_or_else(|| panic!("{line:?} is not `$ hermes-exec … -- env`"));
                    let word = |word| OsString::from_vec(unescape(&placed(word, sandbox)));
                    case.options = words.split_whitespace().map(word).collect();
                }
                _ if line == "once" => case.once = true,
                _ => match line.strip_prefix("given ") {
                    Some(given) => case.given.push(unescape(&placed(given, sandbox))),
                    None => panic!("{line:?} is no line of a transcript"),
                },
            }
        }
        assert!(!case.before.is_empty(), "{:?} has no environment", case.title);
        for given in &case.given {
            set_up(given, sandbox);
        }
        case
    }

    fn problems(&self, sandbox: &Sandbox) -> Vec<String> {
        let mut problems = Vec::new();
        let start = |extra: &[&str], command: &[OsString]| {
            let mut args: Vec<OsString> = extra.iter().map(Into::into).collect();
            args.extend(self.options.iter().cloned());
            args.push("--".into());
            args.extend(command.iter().cloned());
            sandbox.hx(args).raw_block(&self.before).secret_may_show().run()
        };
        let env = ["/usr/bin/env".into(), "-0".into()];

        let (untouched, planned) = (sandbox.listing(), start(&["-n"], &env));
        if sandbox.listing() != untouched {
            problems.push("-n has changed a file".to_owned());
        }
        let verbose = start(&["-v"], &env);
        for (option, outcome) in [("-n", &planned), ("-v", &verbose)] {
            if outcome.code() != 0 {
                problems.push(format!("{option}: {outcome:?}"));
            }
        }
        if verbose.stderr.contains("canary") || planned.stderr.contains("canary") || planned.out().contains("canary") {
            problems.push(format!("a value is printed: {} {}", verbose.stderr, planned.out()));
        }

        let outcome = start(&[], &env);
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
            again.extend(self.options.iter().cloned());
            again.push("--".into());
            again.extend(env.iter().cloned());
            let nested = start(&[], &again);
            if nested.stdout != outcome.stdout {
                let twice = if nested.code() == 0 { nested.entries() } else { Vec::new() };
                problems.push(format!("a run within a run differs: {}{}", nested.stderr, difference(&block, &twice)));
            }
        }
        problems
    }
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

/// The places of this sandbox in the stead of `{real}` and its like.
fn placed(text: &str, sandbox: &Sandbox) -> String {
    let root = sandbox.root();
    [
        ("{dir}", sandbox.dir.clone()),
        ("{real}", sandbox.real()),
        ("{root}", root.clone()),
        ("{profile}", root.join("profiles/builder")),
        ("{home}", sandbox.home()),
        ("{agent}", root.join("hermes-agent")),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (place, path)| text.replace(place, path.to_str().unwrap()))
}

/// `\xNN` is the byte NN, `\n` a line feed.
fn unescape(text: &str) -> Vec<u8> {
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
fn set_up(given: &[u8], sandbox: &Sandbox) {
    let text = std::str::from_utf8(given).unwrap();
    let (kind, path) = text.split_once(": ").unwrap_or_else(|| panic!("{text:?} has no kind"));
    match kind {
        "a directory" => {
            sandbox.mkdir(path);
        }
        "a file" => {
            sandbox.write(path, "");
        }
        "a link" => {
            let (path, target) = path.split_once(" to ").unwrap();
            sandbox.link(target, path);
        }
        "Hermes' own venv" => {
            sandbox.hermes_venv(path);
        }
        "a venv" => {
            sandbox.script(format!("{path}/bin/python"), "#!/bin/sh\n");
        }
        _ => panic!("{kind:?} is nothing that can be given"),
    }
}

#[test]
fn an_escape_is_one_byte() {
    assert_eq!(unescape(r"N\xffA=\n."), b"N\xffA=\n.");
}

#[test]
fn a_transcript_that_differs_is_reported() {
    let sandbox = Sandbox::with_builder();
    let case = Case::read("title\n$ hermes-exec -- env\n HOME={real}\n+NEVER=there", &sandbox);
    let problems = case.problems(&sandbox);
    assert!(!problems.is_empty(), "a variable that cannot be there was found");
    assert_eq!(case.before[0], [b"HOME=", sandbox.real().as_os_str().as_bytes()].concat());
}
