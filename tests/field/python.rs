//! Python programs, and the package managers that came with Hermes' own venv.

use crate::support::{CANARY, Sandbox};
use crate::{Agent, PRINT_PREFIX, direct, has_tiny, site_packages, system};

/// The probe of the report: what a Python child can read of Anthropic's, as JSON.
const PROBE: &str = "import json, os\n\
    print(json.dumps({k: v for k, v in sorted(os.environ.items()) if k.startswith('ANTHROPIC')}))";

/// Names that hold a credential, or that send one elsewhere.
const ANTHROPIC: [&str; 10] = [
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_AWS_API_KEY", "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_ENVIRONMENT_KEY", "ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_IDENTITY_TOKEN",
    "ANTHROPIC_TOKEN", "ANTHROPIC_WEBHOOK_SIGNING_KEY",
];

#[test]
fn a_child_sees_no_credentials_unless_they_are_granted() {
    let sandbox = Sandbox::new();
    let probe = [system("python3"), "-c", PROBE];
    let openai = [system("python3"), "-c", "import os; print('OPENAI_API_KEY' in os.environ)"];
    let start = |options: &[&str], command: &[&str]| {
        let run = match options {
            [] => direct(&sandbox, command),
            _ => sandbox.hx([options, command].concat()).secret_may_show(),
        };
        let run = ANTHROPIC.iter().fold(run, |run, name| run.env(name, format!("{name}-{CANARY}")));
        run.env("OPENAI_API_KEY", CANARY).run().ok().out()
    };
    let all = ANTHROPIC.map(|name| format!("\"{name}\": \"{name}-{CANARY}\"")).join(", ");
    let all = format!("{{{all}}}\n");
    assert_eq!(start(&[], &probe), all, "without the wrapper");
    assert_eq!(start(&[], &openai), "True\n", "without the wrapper");

    assert_eq!(start(&["--"], &probe), "{}\n");
    assert_eq!(start(&["--inherit-credentials=anthropic", "--"], &probe), all);
    assert_eq!(start(&["--inherit-credentials=anthropic", "--"], &openai), "False\n");
}

/// NousResearch/hermes-agent#22054: every project got the agent's interpreter.
#[test]
fn the_interpreter_of_the_system_comes_before_the_agents() {
    let agent = Agent::new();
    let ours = format!("{}\n", agent.venv.display());
    let command = [system("env"), "python3", "-c", PRINT_PREFIX];
    assert_eq!(agent.without(&command).run().ok().out(), ours, "without the wrapper");

    let expected = direct(&agent.sandbox, &command).run().ok().out();
    assert_ne!(expected, ours);
    assert_eq!(agent.with(&command).run().ok().out(), expected, "started by a child");
    assert_eq!(agent.with(&command[1..]).run().ok().out(), expected, "started by us");
    // What stands nowhere else is found still.
    assert_eq!(agent.with(&["hermes"]).run().ok().out(), "hermes\n");
}

/// NousResearch/hermes-agent#74817, #88089, #65909: modules for another interpreter, and a loop of crashes.
#[test]
fn the_modules_of_the_agent_do_not_reach_other_programs() {
    let agent = Agent::new();
    let packages = site_packages(&agent.venv);
    agent.sandbox.write(packages.join("json.py"), "raise SystemExit('the wrong json')\n");
    let own = agent.sandbox.write("own modules/mine.py", "").parent().unwrap().to_owned();
    let command = [system("python3"), "-B", "-c", "import json, mine, os; print(os.environ['PYTHONPATH'])"];
    let path = format!("{}:{}", packages.display(), own.display());
    let outcome = agent.without(&command).env("PYTHONPATH", &path).run();
    assert!(outcome.stderr.contains("the wrong json"), "without the wrapper: {outcome:?}");

    let outcome = agent.with(&command).env("PYTHONPATH", &path).run().ok();
    assert_eq!(outcome.out(), format!("{}\n", own.display()));

    // Absent, not empty: an empty one would mean the working directory.
    let command = [system("python3"), "-c", "import json, os; print('PYTHONPATH' in os.environ)"];
    let outcome = agent.without(&command).env("PYTHONPATH", &packages).run();
    assert!(outcome.stderr.contains("the wrong json"), "without the wrapper: {outcome:?}");
    assert_eq!(agent.with(&command).env("PYTHONPATH", &packages).run().ok().out(), "False\n");
}

/// QwenLM/qwen-code#11718, AppImage/AppImageKit#501: a launcher's Python is gone, and no other one starts.
#[test]
fn the_python_of_a_launcher_that_is_gone() {
    let agent = Agent::new();
    let gone = "/nonexistent/.mount_gone/usr";
    let command = [system("python3"), "-c", "print(1)"];
    let outcome = agent.without(&command).env("PYTHONHOME", gone).run();
    assert_ne!(outcome.code(), 0, "without the wrapper: {outcome:?}");

    assert_eq!(agent.with(&command).env("PYTHONHOME", gone).run().ok().out(), "1\n");
}

/// python-poetry/poetry#5289, pypa/virtualenv#541: the wrong interpreter in every script that is generated.
#[test]
fn the_launcher_of_another_venv() {
    let agent = Agent::new();
    let other = "/nonexistent/bin/python";
    let command = [system("python3"), "-c", "import sys; print(sys.executable)"];
    let outcome = agent.without(&command).env("__PYVENV_LAUNCHER__", other).run();
    assert_eq!(outcome.out(), format!("{other}\n"), "without the wrapper");

    let outcome = agent.with(&command).env("__PYVENV_LAUNCHER__", other).run().ok();
    assert_eq!(outcome.out(), format!("{}\n", system("python3")));
}

/// A pip that is found nowhere but in the agent's venv would install into it.
#[test]
fn the_pip_of_the_agent_is_refused() {
    let agent = Agent::with_pip();
    let install = ["pip", "install", "--no-index", "--no-cache-dir", agent.wheel()];
    let command = [&[system("env")], &install[..]].concat();
    let outcome = agent.without(&command).env("PATH", agent.venv.join("bin")).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(has_tiny(&agent.venv), "without the wrapper: {outcome:?}");

    let agent = Agent::with_pip();
    agent.wheel();
    let outcome = agent.with(&install).env("PATH", agent.venv.join("bin")).run();
    outcome.fails(126, &["pip", agent.venv.to_str().unwrap()]);
    assert!(agent.is_intact());

    let keep = agent.with_options(&["--keep", "VIRTUAL_ENV"], &install);
    let outcome = keep.env("PATH", agent.venv.join("bin")).run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert!(has_tiny(&agent.venv), "the user's own word: {outcome:?}");
}
