//! `-c STRING`: a shell runs it, and its words, its status and its environment are those of any command.

use crate::support::Sandbox;

#[test]
fn a_string_is_run_by_the_shell_of_the_caller() {
    let sandbox = Sandbox::with_builder();
    let shell_of = |shell: &str| {
        let run = sandbox.hx(["-p", "builder", "-n", "--json", "-c", "true"]).env("SHELL", shell);
        let plan: serde_json::Value = serde_json::from_slice(&run.run().ok().stdout).unwrap();
        plan["command"]["word"].as_str().unwrap().to_owned()
    };
    assert_eq!(shell_of("/bin/bash"), "/bin/bash");
    assert_eq!(shell_of("/bin/sh"), "/bin/sh");
    // One that has another language, is not there, or is relative, is not taken.
    for other in ["/usr/bin/env", "/no/such/bash", "bash", "", "/usr/bin/fish"] {
        assert_eq!(shell_of(other), "bash", "{other:?}");
    }
    let without_bash = sandbox.hx(["-n", "--json", "-c", "true"]).env("PATH", "/no/where").run().ok();
    let plan: serde_json::Value = serde_json::from_slice(&without_bash.stdout).unwrap();
    assert_eq!(plan["command"]["word"], "/bin/sh");
}

#[test]
fn words_after_it_are_its_parameters_and_options_may_stand_on_both_sides() {
    let sandbox = Sandbox::with_builder();
    let print = "printf '%s|' \"$0\" \"$@\"; exit 7";
    for words in [
        &["-p", "builder", "-c", print, "zero", "one two", "-x", "--"][..],
        &["-c", print, "-p", "builder", "zero", "one two", "-x", "--"],
        &["-c", print, "--profile=builder", "--", "zero", "one two", "-x", "--"],
    ] {
        let outcome = sandbox.hx(words).run();
        assert_eq!((outcome.code(), outcome.out().as_str()), (7, "zero|one two|-x|--|"), "{words:?}");
    }
}

/// What Claude Code does with its CLAUDE_CODE_SHELL_PREFIX: the path, one word of flags, and the command as one word.
#[test]
fn the_string_is_taken_byte_for_byte() {
    let sandbox = Sandbox::with_builder();
    for text in ["it's", "a \"b\" $c `d`", "-n", "--", "*", "\\", "line\nline", "\u{e9}"] {
        let string = format!("printf %s '{}'", text.replace('\'', r"'\''"));
        assert_eq!(sandbox.hx(["-c", &string]).run().ok().out(), text);
        let dashes = sandbox.hx(["-c", "printf %s \"$1\"", "zero", text]);
        if !text.starts_with('-') {
            assert_eq!(dashes.run().ok().out(), text);
        }
    }
    let key = sandbox.hx(["-p", "builder", "-c", "echo ${ANTHROPIC_API_KEY-gone} $HOME"]).run().ok().out();
    assert_eq!(key, format!("gone {}\n", sandbox.home().display()));
}

#[test]
fn the_program_of_the_policy_file_is_the_shell() {
    let sandbox = Sandbox::with_builder();
    let policy = r#"{"programs": {"bash": {"home": "real", "set": {"X": "1"}}}}"#;
    sandbox.write("real/.hermes/profiles/builder/hermes-exec.json", policy);
    let outcome = sandbox.hx(["-p", "builder", "-c", "echo $HOME $X"]).env("SHELL", "/bin/bash").run().ok();
    assert_eq!(outcome.out(), format!("{} 1\n", sandbox.real().display()));
}

#[test]
fn it_goes_with_a_run_and_explain_alone() {
    let sandbox = Sandbox::with_builder();
    for mode in ["--doctor", "--unlink", "--catalogue", "--completions=bash"] {
        sandbox.hx([mode, "-c", "true"]).run().fails(125, &["take no command"]);
    }
    sandbox.hx(["--shims", "x", "-c", "true"]).run().fails(125, &["--shims"]);
    sandbox.hx(["-c"]).run().fails(125, &["-c"]);
}
