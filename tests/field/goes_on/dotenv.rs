//! A `.env` of Hermes' that programs find by going upwards.

use crate::support::{CANARY, Run, Sandbox};
use crate::{installed, system};

const LOAD: &str = "import os; from dotenv import load_dotenv; load_dotenv(); print(os.environ.get('OPENAI_API_KEY'))";

/// python-dotenv#631, #364: every key that was removed is back, and nothing says so.
#[test]
fn w28_a_dotenv_above_the_working_directory_is_told() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.hermes/.env", format!("OPENAI_API_KEY=sk-{CANARY}\n"));
    let python = [installed("hermes-agent/bin/python"), "-c", LOAD];
    let within = sandbox.mkdir("real/.hermes/kanban/workspace");
    let run = || sandbox.hx([&["-v", "-p", "builder", "--"], &python[..]].concat()).env("OPENAI_API_KEY", "x");
    let run = || run().secret_may_show();
    let file = sandbox.root().join(".env").display().to_string();

    let outcome = run().dir(&within).run();
    assert!(outcome.out().contains(CANARY), "what cannot be kept: {outcome:?}");
    assert!(
        outcome.stderr.contains(&format!(
            "warning: programs that search upwards from the working directory for a .env find {file}"
        ))
    );
    let outcome = run().run();
    assert!(outcome.out() == "None\n" && !outcome.stderr.contains("upwards"), "elsewhere: {outcome:?}");
    // One of the project's own is found first.
    sandbox.write(within.join(".env"), "");
    assert!(!run().dir(&within).run().stderr.contains("upwards"));
    std::fs::remove_file(within.join(".env")).unwrap();

    let doctor = |dir: &std::path::Path| sandbox.hx(["-p", "builder", "--doctor"]).dir(dir).run().out();
    let cure = format!("cure: cd {}\n", sandbox.real().display());
    assert!(doctor(&within).contains("dotenv:") && doctor(&within).contains(&cure));
    assert!(!doctor(&sandbox.path("work")).contains("dotenv:"));
}

/// No notice says that a program runs without what it will find.
#[test]
fn w28_no_notice_is_false() {
    let sandbox = Sandbox::with_builder();
    sandbox.write(sandbox.profile("builder").join(".env"), "OPENAI_API_KEY=x\n");
    let within = sandbox.mkdir(sandbox.profile("builder").join("workspace"));
    sandbox.link(system("env"), "bin/aider");
    let notice = |run: Run| {
        let run = run.no_env("ANTHROPIC_API_KEY").env("OPENAI_API_KEY", "x").env("PATH", sandbox.path("bin"));
        run.run().stderr
    };
    let file = sandbox.profile("builder").join(".env");
    let to_grant = "to grant: --inherit-credentials\n";
    let expected = format!(
        "hermes-exec: notice: aider is not given OPENAI_API_KEY, but may find them in {}; {to_grant}",
        file.display()
    );
    assert_eq!(notice(sandbox.builder(["aider"]).dir(&within)), expected);
    let expected = format!("hermes-exec: notice: aider runs without OPENAI_API_KEY; {to_grant}");
    assert_eq!(notice(sandbox.builder(["aider"])), expected);
    assert_eq!(notice(sandbox.hx(["-C", within.to_str().unwrap(), "-p", "builder", "-q", "aider"])), "");
    let run = sandbox.hx(["-p", "builder", "-C", within.to_str().unwrap(), "--", "aider"]);
    assert!(notice(run).contains("may find them in"), "from where it starts");
}
