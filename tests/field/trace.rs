//! What the kernel sees of a start: one process, few system calls. `trace-linux.txt` has more.

use std::fs;

use crate::support::scenario::{Scenario, Size};
use crate::support::{BINARY, Run, Sandbox};
use crate::{direct, system};

/// The system calls of a command, one a line as strace prints them, in order; of all its processes.
fn trace(sandbox: &Sandbox, command: &[&str]) -> Vec<String> {
    trace_in(sandbox, |run| run, command)
}

/// The same, in an environment that `with` makes.
fn trace_in(sandbox: &Sandbox, with: impl Fn(Run) -> Run, command: &[&str]) -> Vec<String> {
    let file = sandbox.path("trace");
    let strace = [system("strace"), "-f", "-s", "256", "-o", file.to_str().unwrap(), "--"];
    let outcome = with(direct(sandbox, &[&strace[..], command].concat())).run();
    assert_eq!(outcome.code(), 0, "strace has to be allowed here: {outcome:?}");
    let lines = fs::read_to_string(file).unwrap();
    // Each line starts with a process id.
    lines.lines().map(|line| line.split_once(' ').unwrap().1.trim_start().to_owned()).collect()
}

/// The calls of a start in the profile's home, up to the moment when the command takes over.
fn start(sandbox: &Sandbox) -> Vec<String> {
    up_to_the_command(trace(sandbox, &[BINARY, "-p", "builder", "--", system("true")]))
}

/// Without the second `execve` and what comes after it.
fn up_to_the_command(all: Vec<String>) -> Vec<String> {
    let is_start = |&at: &usize| is(&all[at], "execve") && all[at].ends_with(" = 0");
    let starts: Vec<_> = (0..all.len()).filter(is_start).collect();
    assert_eq!(starts.len(), 2, "one of ours, and one of the command: {all:#?}");
    all[..starts[1]].to_vec()
}

fn is(line: &str, name: &str) -> bool {
    line.split_once('(').is_some_and(|(known, _)| known == name)
}

fn makes_a_process(line: &&String) -> bool {
    ["clone", "clone3", "fork", "vfork"].iter().any(|name| is(line, name))
}

/// 99designs/aws-vault#453: a wrapper that stays competes for signals and for the terminal.
#[test]
fn a_start_is_one_process() {
    let sandbox = Sandbox::with_builder();
    let shell = trace(&sandbox, &[system("sh"), "-c", "/usr/bin/true; :"]);
    assert_eq!(shell.iter().filter(makes_a_process).count(), 1, "a wrapper that is a shell: {shell:#?}");

    let ours = start(&sandbox);
    let made: Vec<_> = ours.iter().filter(makes_a_process).collect();
    assert!(made.is_empty(), "{made:#?}");
}

/// What is asked of the kernel is what decides something, and nothing is asked twice.
#[test]
fn a_full_start_makes_at_most_90_system_calls() {
    let Scenario { sandbox, block } = Scenario::new(Size::default());
    let all = trace_in(&sandbox, |run| run.raw_block(&block), &[BINARY, "-p", "builder", "--", "true"]);
    // A debug build asks whether a descriptor is open before it closes it.
    let is_of_debug = |line: &&String| is(line, "fcntl") && line.contains("F_GETFD");
    let ours: Vec<_> = up_to_the_command(all)[1..].iter().filter(|line| !is_of_debug(line)).cloned().collect();
    assert!(ours.len() <= 90, "{} system calls: {ours:#?}", ours.len());

    let reads = |line: &&String| [".env\"", "/config.yaml\""].iter().any(|file| line.contains(file));
    // Three of the profile, three of the root, one of Hermes' code and one of the machine.
    assert_eq!(ours.iter().filter(reads).count(), 8, "what Hermes loads, each once: {ours:#?}");
    assert!(!ours.iter().any(|line| line.contains("O_DIRECTORY") || is(line, "getdents64")), "a listing: {ours:#?}");
    // What is asked about a path: the call, the path, and whether a link at its end is followed.
    let question = |line: &String| {
        let mut quoted = line.splitn(3, '"');
        let (call, path) = (quoted.next()?.to_owned(), quoted.next()?.to_owned());
        // What was looked at is then opened by the hold on it.
        (path.starts_with('/') && !path.starts_with("/proc/self/fd/")).then(|| (call, path, line.contains("NOFOLLOW")))
    };
    let mut questions: Vec<_> = ours.iter().filter_map(question).collect();
    let asked = questions.len();
    questions.sort();
    questions.dedup();
    assert_eq!(questions.len(), asked, "a question that was asked before: {ours:#?}");
}
