//! Many starts of every kind, of one user and of root, in several profiles of one root. What comes of them does not
//! depend on their order: it is what comes of one start of each kind.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::tree;
use crate::support::{Run, Sandbox, listing};

/// A user without passwd entry.
const USER: u32 = 10000;

const PROFILES: [&str; 5] = ["builder", "writer", "reader", "old", "stale"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for source in [".claude/.credentials.json", ".claude.json", ".config/gh/hosts.yml", ".gitconfig", ".ssh/config"] {
        sandbox.write(PathBuf::from("real").join(source), "of the user");
    }
    PROFILES.iter().for_each(|name| drop(sandbox.profile(name)));
    sandbox.write("real/.hermes/profiles/.deleted/old", "");
    for (place, text) in [(".claude", "real/gone"), (".claude.json", "real/.hermes/gone"), (".gitconfig", "elsewhere")]
    {
        sandbox.link(sandbox.path(text), PathBuf::from("real/.hermes/profiles/stale/home").join(place));
    }
    sandbox.write("real/.hermes/profiles/stale/home/.config/gh", "a file");
    sandbox.copied_binary();
    sandbox.chown_all(USER);
    sandbox
}

/// The kinds of start, by number, with the exit status of each.
fn kind(sandbox: &Sandbox, kind: usize) -> Option<(Run, i32)> {
    let binary = sandbox.copied_binary();
    let nested = ["-p", "builder", "--", binary.to_str().unwrap(), "-p", "writer", "--share", ".ssh", "--", "true"];
    let (args, status): (&[&str], i32) = match kind {
        0 => (&["-p", "builder", "true"], 0),
        1 => (&["-p", "builder", "--share", ".config/gh,.gitconfig", "true"], 0),
        2 => (&["-p", "builder", "--no-share", "all", "true"], 0),
        3 => (&["-p", "writer", "--share", ".config", "true"], 0),
        4 => (&["-p", "writer", "--share", ".config/gh,.config", "false"], 1),
        5 => (&["--home", "profile", "--share", ".ssh", "true"], 0),
        6 => (&["--share", ".ssh", "sh", "-c", "exit 7"], 7),
        7 => (&["-p", "builder", "--share", ".ssh", "-n", "true"], 0),
        8 => (&["-p", "reader", "--home", "real", "true"], 0),
        9 => (&["-p", "gone", "true"], 125),
        10 => (&["-p", "old", "true"], 125),
        11 => (&["-p", "stale", "--share", ".config/gh,.gitconfig", "true"], 0),
        12 => (&nested, 0),
        13 => (&["-p", "writer", "no-such-command"], 127),
        // By root; what it makes belongs to the user all the same.
        14 => (&["-p", "builder", "--share", ".config/gh", "true"], 0),
        15 => (&["-p", "reader", "--share", ".ssh", "true"], 0),
        _ => return None,
    };
    let run = sandbox.hx(args).program(&binary);
    Some((if kind < 14 { run.uid(USER) } else { run }, status))
}

#[cfg_attr(target_os = "linux", ignore = "long: tests/run plays it")]
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc")]
#[test]
fn many_mixed_starts_leave_what_one_of_each_leaves() {
    let alone = sandbox();
    let kinds =
        (0..).map_while(|number| kind(&alone, number)).map(|(run, status)| assert_eq!(run.run().code(), status));
    let kinds = kinds.count();
    let expected = tree(&alone, "real");

    let sandbox = sandbox();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= 500 {
                        break;
                    }
                    // 7 and the number of kinds have no divisor in common: each kind meets each.
                    let (run, status) = kind(&sandbox, number * 7 % kinds).unwrap();
                    let outcome = run.run();
                    assert_eq!(outcome.code(), status, "{outcome:?}");
                    assert_eq!(outcome.stderr.is_empty(), status < 125, "{outcome:?}");
                }
            });
        }
    });
    assert_eq!(tree(&sandbox, "real"), expected);

    // And it is as good a tree as can be: nothing is left to do, and nothing is anybody's but the user's.
    let before: BTreeMap<_, _> = listing(&sandbox.real());
    (0..kinds).for_each(|number| drop(kind(&sandbox, number).unwrap().0.run()));
    assert_eq!(listing(&sandbox.real()), before);
    assert!(before.values().all(|what| what.contains(&format!(" {USER}:{USER} "))), "{before:#?}");
    let home = sandbox.path("real/.hermes/profiles/stale/home");
    assert_eq!(fs::read_link(home.join(".claude")).unwrap(), sandbox.real().join(".claude"));
    assert_eq!(fs::read_to_string(home.join(".config/gh")).unwrap(), "a file");
}
