//! What the kernel sees of a start: one process, few system calls, no write when there is nothing to do, and none of the
//! host's NSS modules.

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

/// Calls that change a file system, whether they succeed or not, and calls that print.
fn writes(line: &&String) -> bool {
    let name = line.split('(').next().unwrap();
    let changes = [
        "mkdir", "symlink", "rename", "unlink", "rmdir", "link", "mknod", "chmod", "fchmod", "chown", "fchown",
        "lchown", "truncate", "ftruncate", "fallocate", "utime", "futimesat", "setxattr", "lsetxattr", "fsetxattr",
        "removexattr", "lremovexattr", "fremovexattr", "creat", "write", "pwrite", "sendfile", "copy_file_range",
        "mount", "flock",
    ];
    let opens =
        name.starts_with("open") && ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|f| line.contains(f));
    opens || changes.iter().any(|call| name.starts_with(call))
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

/// The links are made once. Afterwards a start only looks.
#[test]
fn a_start_writes_nothing_when_the_links_are_right() {
    let sandbox = Sandbox::with_builder();
    for file in [".claude/.credentials.json", ".claude.json", "Library/Keychains/login.keychain-db"] {
        sandbox.write(sandbox.real().join(file), "{}");
    }
    sandbox.write(sandbox.real().join("Library/Preferences/com.apple.security.plist"), "");
    let first = start(&sandbox);
    for call in ["mkdir", "symlink"] {
        assert!(first.iter().filter(writes).any(|line| line.starts_with(call)), "the first start: {first:#?}");
    }

    let second = start(&sandbox);
    let written: Vec<_> = second.iter().filter(writes).collect();
    assert!(written.is_empty(), "{written:#?}");
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

/// glibc's `getpwuid` loads the modules that the host's `nsswitch.conf` names, and a static program crashes in one that was
/// made for another glibc. Without HOME the password database has to be asked: its file is read, and nothing else.
#[test]
fn the_password_database_is_read_without_the_hosts_nss_modules() {
    let sandbox = Sandbox::with_builder();
    let without_home = |run: Run| run.no_env("HOME").env("HERMES_HOME", sandbox.root());
    let command = [BINARY, "-p", "builder", "--", system("true")];
    let ours = up_to_the_command(trace_in(&sandbox, without_home, &command));
    assert!(ours.iter().any(|line| line.contains("\"/etc/passwd\"")), "{ours:#?}");
    for word in ["nsswitch", "nss_", "nscd", "socket(", ".so"] {
        assert!(!ours.iter().any(|line| line.contains(word)), "{word}: {ours:#?}");
    }
}
