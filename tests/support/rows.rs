//! A start as a line that one would type.

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
}
