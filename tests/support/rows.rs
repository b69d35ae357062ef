//! Tables of starts: a line as one would type it, and what the command gets, or how the line is refused.

use super::{Run, Sandbox};

impl Sandbox {
    /// A text with the places of this tree: `{dir}`, `{real}`, `{root}`, `{profile}` and `{home}` of `builder`, `{agent}`.
    pub fn placed(&self, text: &str) -> String {
        let places = [
            ("{dir}", self.dir.clone()),
            ("{real}", self.real()),
            ("{root}", self.root()),
            ("{profile}", self.root().join("profiles/builder")),
            ("{home}", self.home()),
            ("{agent}", self.root().join("hermes-agent")),
        ];
        places.iter().fold(text.to_owned(), |text, (mark, path)| text.replace(mark, path.to_str().unwrap()))
    }

    /// A start as a shell would read it, `NAME=value … --option …`; the command prints its block.
    pub fn line(&self, line: &str) -> Run {
        let line = self.placed(line);
        let words: Vec<_> = line.split_whitespace().collect();
        let variables = words.iter().take_while(|word| !word.starts_with('-')).count();
        let run = self.hx([&words[variables..], &["--", "/usr/bin/env", "-0"]].concat());
        words[..variables].iter().fold(run, |run, word| {
            let (name, value) = word.split_once('=').unwrap_or_else(|| panic!("{word:?} is not NAME=value"));
            run.env(name, value)
        })
    }

    /// Each line succeeds without a word on stderr, and its command sees each `NAME=value`, and no variable of a `-NAME`.
    #[track_caller]
    pub fn gives(&self, rows: &[(&str, &str)]) {
        for (line, expected) in rows {
            let outcome = self.line(line).run().ok();
            for word in self.placed(expected).split_whitespace() {
                let (name, value) = match word.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (&word[1..], None),
                };
                assert_eq!(outcome.var(name).as_deref(), value, "{line}: {name}");
            }
        }
    }

    /// Each line is refused with 125 and a message that holds the words on both sides of a `…`; nothing on the disk changes.
    #[track_caller]
    pub fn refuses(&self, rows: &[(&str, &str)]) {
        let before = self.listing();
        for (line, words) in rows {
            let words = self.placed(words);
            self.line(line).run().fails(125, &words.split(" … ").collect::<Vec<_>>());
            assert_eq!(self.listing(), before, "{line}");
        }
    }
}
