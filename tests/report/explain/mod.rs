//! `--explain` for people, `--only`, and `-v` on a run. What programs read is in `json`, and that it is true in
//! `agreement`.

mod escapes;
mod failing;
mod only;
mod page;
mod sections;
mod shells;
mod silent;
#[cfg(target_os = "linux")]
mod terminal;
mod verbose;

use std::path::PathBuf;

use crate::support::Sandbox;

/// The text of `-n -p builder OPTIONS true`, in an environment with these variables besides the usual ones.
#[track_caller]
fn explained(sandbox: &Sandbox, options: &[&str], variables: &[(&str, &str)]) -> String {
    let run = sandbox.hx([&["-n", "-p", "builder"], options, &["true"]].concat());
    variables.iter().fold(run, |run, (name, value)| run.env(name, value)).run().ok().out()
}

/// The lines of the section with this title, each without what is in front of its text.
#[track_caller]
fn section<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let is_start = |line: &str| line.starts_with(|first: char| first.is_ascii_uppercase());
    let mut lines = text.lines().skip_while(|line| line.split(' ').next() != Some(title));
    let first = lines.next().unwrap_or_else(|| panic!("no section {title}: {text}"));
    let rest = lines.take_while(|line| !is_start(line)).map(str::trim);
    std::iter::once(first[title.len()..].trim()).chain(rest).collect()
}

/// A venv that is Hermes' own, by its `bin/hermes`.
fn own_venv(sandbox: &Sandbox) -> PathBuf {
    sandbox.hermes_venv("agent/venv")
}
