//! Random strings for `-c`, and random words in a shim, compared with what a real shell makes of the same bytes. The strings
//! are made of what quoting is about, and of builtins alone: they are really run.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use hermes_exec::plan::shims::Written;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::support::{Sandbox, binary, spawn};

fn config() -> ProptestConfig {
    ProptestConfig { cases: 150, failure_persistence: None, rng_seed: RngSeed::Fixed(18), ..ProptestConfig::default() }
}

/// Pieces of a command line. None of them writes a file, starts a program or waits.
const PIECES: [&[u8]; 34] = [
    b"'", b"\"", b"\\", b" ", b"\t", b"\n", b"$X", b"${X}", b"$1", b"$@", b"\"$@\"", b"\"$*\"", b"$0", b"*", b"?",
    b"~", b"{a,b}", b"#", b";", b" && ", b" || ", b"-n", b"--", b"!", b"\xc3\xa9", b"\xff", b"$(printf x)",
    b"`printf y`", b"a", b"b c", b"=", b"%s", b"exit 3", b"printf '<%s>' ",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(select(&PIECES[..]), 0..12).prop_map(|pieces| pieces.concat())
}

/// In an environment in which nothing but builtins is found.
fn ended(program: &Path, args: &[&[u8]], shell: &str, dir: &Path) -> Output {
    let mut command = Command::new(program);
    command.args(args.iter().map(|arg| OsStr::from_bytes(arg))).env_clear().current_dir(dir).stdin(Stdio::null());
    command
        .env("PATH", "/no/where")
        .env("SHELL", shell)
        .env("X", "one  two")
        .env("HOME", dir.with_file_name("real"))
        .env("PWD", dir);
    spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output().unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_string_does_what_the_shell_does_with_it(
        string in text(), words in prop::collection::vec(text(), 0..4), shell in select(vec!["/bin/bash", "/bin/sh"]),
    ) {
        let sandbox = Sandbox::without_hermes();
        let string = [b"printf '<%s>' ", &string[..]].concat();
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let dir = sandbox.path("work");
        let alone = ended(Path::new(shell), &[&[&b"-c"[..], b"--", &string], &words[..]].concat(), shell, &dir);
        let own = ended(&binary(), &[&[&b"-c"[..], &string, b"--"], &words[..]].concat(), shell, &dir);
        prop_assert_eq!(own, alone, "{}", string.escape_ascii());
    }

    #[test]
    fn a_shim_hands_on_its_words(options in prop::collection::vec(text(), 0..4), args in prop::collection::vec(text(), 0..3)) {
        let sandbox = Sandbox::without_hermes();
        let program = sandbox.script("it's/show", "#!/bin/sh\nprintf '%s\\0' \"$@\"\n");
        let options: Vec<_> = options.iter().map(|word| OsStr::from_bytes(word).to_owned()).collect();
        let tool = OsStr::new("a'b $c");
        let shim = Written { program, options };
        let path = sandbox.script("shim", shim.text(tool));
        let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
        let ended = ended(&path, &args, "/bin/sh", &sandbox.path("work"));
        let words = shim.options.iter().map(|word| word.as_bytes()).chain([&b"--"[..], tool.as_bytes()]).chain(args);
        let expected: Vec<u8> = words.flat_map(|word| [word, b"\0"].concat()).collect();
        prop_assert_eq!(ended.stdout.escape_ascii().to_string(), expected.escape_ascii().to_string());
    }
}
