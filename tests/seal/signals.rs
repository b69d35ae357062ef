//! Signals: one makes a process outside dump its memory, another makes Node.js open its inspector, and both show the keys.

use super::environ::RELATIVES;
use super::{USER, full, start, text};

/// Tries signals that end nothing on processes outside, and then on one of its own.
const COMMAND: &str = r#"
for pid in "$@"; do
    for signal in 0 CHLD URG WINCH; do kill -s "$signal" "$pid" 2>/dev/null && echo "outside $signal"; done
done
sleep 60 >/dev/null 2>&1 &
kill -s TERM $! && echo own
"#;

#[test]
fn w54_signals_to_the_outside_are_refused() {
    let sandbox = full();
    let binary = sandbox.copied_binary();
    for (level, reached) in [("--seal=off", 12), ("--seal", 0), ("--seal=files", 0)] {
        let call = ["-c", RELATIVES, "sh", text(&binary), level, "-p", "builder", "--", "sh", "-c", COMMAND, "sh"];
        let outcome = sandbox.hx(call).program("/bin/sh").uid(USER).run();
        assert_eq!(outcome.out().matches("outside").count(), reached, "{level}: {outcome:?}");
        assert!(outcome.out().ends_with("own\n"), "{level}: {outcome:?}");
    }
}

/// What Hermes loads or keeps its login in, besides the files of its profiles.
#[test]
fn w56_every_file_in_which_hermes_keeps_secrets_is_closed() {
    let sandbox = full();
    let inherited = "other root/profiles/else";
    let files = [
        "real/.hermes/.op.env",
        "real/.hermes/profiles/builder/.op.env",
        "real/.hermes/hermes-agent/.env",
        "real/.hermes/shared/nous_auth.json",
        "other root/profiles/else/.env",
        "other root/profiles/else/auth.json",
        "managed/.env",
        "real/.hermes/.env.bak",
        "real/.hermes/profiles/builder/auth.json.tmp",
    ];
    for file in files {
        sandbox.write(file, "secret\n");
    }
    let open = [
        "real/.hermes/hermes-agent/run.py", "real/.hermes/shared/notes", "other root/profiles/else/config.yaml",
        "managed/notes",
    ];
    for file in open {
        sandbox.write(file, "open\n");
    }
    sandbox.chown_all(USER);
    let paths: Vec<_> = files.iter().chain(&open).map(|file| sandbox.path(file)).collect();
    let paths: Vec<_> = paths.iter().map(|path| text(path)).collect();
    let root = sandbox.root();
    let read = |level| {
        let args = [&["-p", "builder", "--hermes-home", text(&root), level, "--", "cat"], &paths[..]];
        let run = start(&sandbox, &args.concat())
            .env("HERMES_HOME", sandbox.path(inherited))
            .env("HERMES_MANAGED_DIR", sandbox.path("managed"));
        let out = run.run().out();
        (out.matches("secret").count(), out.matches("open").count())
    };
    assert_eq!(read("--seal"), (9, 4));
    assert_eq!(read("--seal=files"), (0, 4));
}
