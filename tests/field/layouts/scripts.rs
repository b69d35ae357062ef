//! A script whose first line names hermes-exec as its interpreter: the kernel starts hermes-exec with the script as its
//! command, which is the script again.

use std::path::Path;

use crate::support::{Outcome, Run, Sandbox};

/// Ends a start that would go on for ever, by the processor's time and not by the clock.
fn bounded(run: Run) -> Outcome {
    run.after_sh("ulimit -t 3").run()
}

fn sandbox() -> (Sandbox, String) {
    let sandbox = Sandbox::with_builder();
    let tools = sandbox.copied_binary().parent().unwrap().display().to_string();
    (sandbox, tools)
}

fn started(sandbox: &Sandbox, script: &Path, tools: &str) -> Outcome {
    bounded(sandbox.hx(["word"]).program(script).env("PATH", format!("{tools}:/usr/bin:/bin")))
}

/// uutils/coreutils#3483 (W11): with no command in the first line the script runs itself for ever.
#[test]
fn w11_a_script_of_ours_without_a_command_is_an_error() {
    let (sandbox, tools) = sandbox();
    for (name, line) in [
        ("direct", format!("#!{tools}/hermes-exec")),
        ("spaced", format!("#! {tools}/hermes-exec ")),
        ("by-env", "#!/usr/bin/env hermes-exec".to_owned()),
    ] {
        let script = sandbox.script(format!("work/{name}"), format!("{line}\necho text\n"));
        started(&sandbox, &script, &tools).fails(125, &["hint: ", "env -S"]);
        let by_path = sandbox.hx(["-p", "builder", "--", script.to_str().unwrap()]);
        bounded(by_path.env("PATH", format!("{tools}:/usr/bin:/bin"))).fails(125, &["hint: ", "env -S"]);
    }
}

/// What the hint says works.
#[test]
fn w11_a_script_that_names_its_command_runs() {
    let (sandbox, tools) = sandbox();
    let line = "#!/usr/bin/env -S hermes-exec -p builder -- /bin/sh";
    let script = sandbox.script("work/named", format!("{line}\necho \"$HERMES_PROFILE $1\"\n"));
    let outcome = started(&sandbox, &script, &tools).ok();
    assert!(outcome.out().ends_with(" word\n"), "{outcome:?}");
}
