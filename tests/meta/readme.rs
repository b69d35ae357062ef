//! The README's questions: its commands are run on a machine like the one it tells of, and say what it shows. Line ends
//! do not count, since paths are longer here; `...` stands for lines that it leaves out.

use crate::support::picture::{self, Terminal};
use crate::support::{Run, Sandbox};

/// The commands of the section and what it shows of their output.
fn shown() -> Vec<(Vec<String>, String)> {
    let text = include_str!("../../README.md");
    let section = text.split_once("\n## Questions\n").expect("the section").1.split("\n## ").next().unwrap();
    let mut all: Vec<(Vec<String>, String)> = Vec::new();
    let blocks = section.split("```console\n").skip(1).map(|rest| rest.split("```\n").next().unwrap());
    for line in blocks.flat_map(str::lines) {
        match line.strip_prefix("$ hermes-exec ") {
            Some(args) => all.push((args.split(' ').map(str::to_owned).collect(), String::new())),
            None => {
                let output = &mut all.last_mut().expect("a command comes first").1;
                output.push_str(line);
                output.push('\n');
            }
        }
    }
    all
}

/// The user of the README, within the gateway of the profile `builder`: `/home/you` is the real home here.
fn machine() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    let login = r#"{"claudeAiOauth": {"refreshToken": "made-up"}}"#;
    sandbox.write("real/.claude/.credentials.json", login);
    sandbox.write("real/.claude.json", "{}");
    for tool in ["uv", "gh", "claude", "hermes-exec"] {
        sandbox.script(format!("bin/{tool}"), "#!/bin/sh\n");
    }
    let venv = "real/.hermes/hermes-agent/venv";
    sandbox.script("system/python3.11", "");
    sandbox.link(sandbox.path("system/python3.11"), format!("{venv}/bin/python"));
    sandbox.script(format!("{venv}/bin/hermes"), "#!/bin/sh\n");
    sandbox.write(format!("{venv}/pyvenv.cfg"), "home = /usr/bin\nversion = 3.11.2\n");
    sandbox.write(format!("{venv}/lib/python3.11/site-packages/hermes_agent-1.0.dist-info/METADATA"), "");
    sandbox.hx(["-q", "-p", "builder", "true"]).run().ok();
    sandbox.profile("writer");
    sandbox.mkdir("real/.hermes/profiles/writer/home/.claude");
    sandbox.write("real/.hermes/profiles/writer/home/.claude.json", "{}");
    sandbox
}

fn start(sandbox: &Sandbox, args: &[String]) -> Run {
    let venv = sandbox.root().join("hermes-agent/venv");
    let path = format!("{}/bin:{}:/usr/bin:/bin", venv.display(), sandbox.path("bin").display());
    let run = sandbox.hx(args).no_env("ANTHROPIC_API_KEY").env("PATH", path).env("VIRTUAL_ENV", venv);
    let run = run.env("LANG", "C.UTF-8").env("EDITOR", "vi").env("GH_TOKEN", "x").env("OPENAI_API_KEY", "x");
    run.env("TERM", "xterm").env("HERMES_HOME", sandbox.profile("builder"))
}

/// The words of a text with `...` in it, one list for each piece between.
fn pieces(text: &str) -> Vec<Vec<&str>> {
    text.split("...\n").map(|piece| piece.split_whitespace().collect()).collect()
}

/// Does the text have these pieces, in this order, with anything between them?
fn fits(text: &str, pieces: &[Vec<&str>]) -> bool {
    let words: Vec<_> = text.split_whitespace().collect();
    let mut from = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let (is_first, is_last) = (number == 0, number + 1 == pieces.len());
        let starts = if is_first { 0..=0 } else { from..=words.len() };
        let here = |at: &usize| words[*at..].starts_with(piece) && (!is_last || at + piece.len() == words.len());
        match starts.into_iter().find(here) {
            Some(at) => from = at + piece.len(),
            None => return false,
        }
    }
    true
}

#[test]
fn the_questions_are_answered_as_the_readme_shows() {
    let sandbox = machine();
    let before = sandbox.listing();
    let shown = shown();
    assert_eq!(shown.len(), 4);
    for (args, wanted) in &shown {
        let (real, bin) = (sandbox.real().display().to_string(), sandbox.path("bin").display().to_string());
        let outcome = start(&sandbox, args).run().ok();
        let text = outcome.out().replace(&real, "/home/you").replace(&bin, "/usr/local/bin");
        assert!(fits(&text, &pieces(wanted)), "{args:?} in the README:\n{wanted}\nand here:\n{text}");
    }
    assert_eq!(sandbox.listing(), before, "they change nothing");
}

/// The answers that a newcomer looks for are among what is shown.
#[test]
fn the_answers_are_there() {
    let shown = shown();
    for ((args, output), (option, words)) in shown.iter().zip([
        ("-n", &["Command      uv -> ", "HOME  "][..]),
        ("--only", &["rule 4", "--inherit-credentials=github"]),
        ("--doctor", &["does not see the login", "cure: [ ! -e "]),
        ("--doctor", &["no problem, no warning, no note"]),
    ]) {
        assert!(args.iter().any(|arg| arg == option), "{args:?}");
        assert!(words.iter().all(|word| output.contains(word)), "{args:?}: {output}");
    }
}

#[test]
fn what_does_not_fit_is_seen() {
    let text = "a b c d e";
    for good in ["a b c d e", "...\n", "a\n...\n", "...\nd e", "a ...\n c\n...\ne"] {
        assert!(fits(text, &pieces(good)), "{good:?}");
    }
    for bad in ["a b c d", "b\n...\n", "...\nd", "a\n...\nd\n...\nc\n...\n", "a x\n...\n"] {
        assert!(!fits(text, &pieces(bad)), "{bad:?}");
    }
}

/// The numbers of the table on speed are those of the bars beside it.
#[test]
fn the_picture_of_speed_has_the_numbers_of_the_table() {
    let words = picture::words(include_str!("../../man/speed.svg"));
    let section = include_str!("../../README.md").split_once("\n## Speed\n").unwrap().1.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
    let rows: Vec<_> = rows.map(|row| row.split(" | ").collect::<Vec<_>>()).collect();
    assert!(rows.len() >= 3 && rows.iter().any(|row| row[0].contains("hermes-exec")), "{rows:?}");
    for row in rows {
        let (name, number) = (row[0].replace(['`', '*'], ""), row[1].split(' ').next().unwrap());
        let at = words.iter().position(|word| *word == name).unwrap_or_else(|| panic!("{name} has no bar"));
        assert_eq!(words[at + 1], format!("{number} ms"), "{name}");
    }
}

#[test]
fn a_picture_gives_back_its_words() {
    let svg = picture::terminals(&[Terminal { title: "a & b", colour: "red", transcript: "$ <x>\n  y\n" }]);
    assert_eq!(picture::words(&svg), ["a & b", "$ <x>", "  y"]);
}
