//! poetry in a project of the user's, started by an agent whose own venv is exported.

use std::path::Path;

use crate::support::{Outcome, Run, Sandbox};
use crate::{Agent, SYSTEM, direct, has_tiny, installed, site_packages, system, wheel, wrapped};

const ENVIRONMENT: [&str; 4] = ["poetry", "env", "info", "-p"];
const INSTALL: [&str; 3] = ["poetry", "install", "--no-interaction"];

/// The command line with the real poetry.
fn poetry<'a>(command: &[&'a str]) -> Vec<&'a str> {
    [&[installed("poetry/bin/poetry")], &command[1..]].concat()
}

/// Makes the working directory a project that needs the wheel beside it.
fn project(sandbox: &Sandbox) {
    let text = format!(
        "[project]\nname = \"project\"\nversion = \"1.0\"\nrequires-python = \">=3.8\"\n\
         [tool.poetry]\npackage-mode = false\n[tool.poetry.dependencies]\ntiny = {{ path = \"{}\" }}\n",
        wheel(sandbox)
    );
    sandbox.write("work/pyproject.toml", text);
}

/// Which environment poetry takes; `None` when the project has none yet.
#[track_caller]
fn environment(run: Run) -> Option<String> {
    let outcome = run.run();
    let path = outcome.out().trim_end().to_owned();
    assert_eq!(outcome.code(), i32::from(path.is_empty()), "{outcome:?}");
    (!path.is_empty()).then_some(path)
}

#[track_caller]
fn succeeded(outcome: &Outcome) {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
}

/// python-poetry/poetry#909, #9931 (V14): within another environment, the packages go there.
#[test]
fn it_installs_into_an_environment_of_the_project() {
    let agent = Agent::new();
    project(&agent.sandbox);
    succeeded(&agent.with(&poetry(&INSTALL)).run());
    let own = environment(agent.with(&poetry(&ENVIRONMENT))).expect("an environment of the project");
    assert!(Path::new(&own).starts_with(agent.sandbox.real().join(".cache/pypoetry/virtualenvs")), "{own}");
    assert!(has_tiny(Path::new(&own)), "{own}");
    assert!(agent.is_intact());

    succeeded(&agent.without(&poetry(&INSTALL)).run());
    assert!(has_tiny(&agent.venv), "without the wrapper");
}

/// The same for conda's pair (V14): poetry does not take the environment `base`, and knows by the other variable that it
/// is that one. With half of the pair removed it takes Hermes' own, so the pair goes as a whole.
#[test]
fn it_takes_no_environment_of_condas() {
    let agent = Agent::new();
    project(&agent.sandbox);
    let venv = agent.venv.to_str().unwrap();
    let start = |run: Run| run.no_env("VIRTUAL_ENV").env("CONDA_PREFIX", venv);
    let base = |run: Run| start(run).env("CONDA_DEFAULT_ENV", "base");
    let command = poetry(&ENVIRONMENT);
    assert_eq!(environment(base(agent.without(&command))), None, "without the wrapper, whole");
    assert_eq!(environment(start(agent.without(&command))).as_deref(), Some(venv), "without the wrapper, half");

    assert_eq!(environment(start(agent.with(&command))), None);
    assert_eq!(environment(base(agent.with_options(&["--unset", "CONDA_DEFAULT_ENV"], &command))), None);
    // Kept, it is whole as well.
    assert_eq!(environment(base(agent.with_options(&["--keep", "CONDA_PREFIX"], &command))), None);
}

/// python-poetry/poetry#9044 (V15): an image has a venv in PATH and VIRTUAL_ENV, and means it. By PATH alone poetry does not
/// find it, and such an image needs the option.
#[test]
fn an_environment_that_an_image_means_is_kept_on_request() {
    let sandbox = Sandbox::new();
    project(&sandbox);
    let image = sandbox.path("image");
    let venv = image.to_str().unwrap();
    direct(&sandbox, &[system("python3"), "-m", "venv", "--without-pip", venv]).run().ok();
    let start = |run: Run| {
        let run = run.env("PATH", format!("{venv}/bin:{SYSTEM}")).env("VIRTUAL_ENV", venv);
        run.env("POETRY_VIRTUALENVS_CREATE", "false")
    };
    let command = poetry(&ENVIRONMENT);
    assert_eq!(environment(start(direct(&sandbox, &command))).as_deref(), Some(venv), "without the wrapper");
    assert_eq!(environment(start(direct(&sandbox, &command)).no_env("VIRTUAL_ENV")), None, "by PATH alone");
    assert_eq!(environment(start(wrapped(&sandbox, &command))), None);

    let keep = |command: &[&str]| start(sandbox.hx([&["--keep", "VIRTUAL_ENV", "--"], command].concat()));
    assert_eq!(environment(keep(&command)).as_deref(), Some(venv));
    succeeded(&keep(&poetry(&INSTALL)).run());
    assert!(has_tiny(&image));
}

/// python-poetry/poetry#11084, pdm-project/pdm#3742 (V17): what poetry starts gets PYTHONPATH still; and the two variables
/// that it clears for others keep poetry itself from starting.
#[test]
fn nothing_that_leads_to_another_python_comes_through() {
    let agent = Agent::new();
    project(&agent.sandbox);
    let packages = site_packages(&agent.venv);
    // Of the standard library, which comes behind PYTHONPATH and before the packages. Poetry does without it.
    agent.sandbox.write(packages.join("colorsys.py"), "raise SystemExit('the wrong colorsys')\n");
    let variables = [
        ("PYTHONPATH", packages.to_str().unwrap(), "the wrong colorsys"),
        ("PYTHONHOME", "/nonexistent/usr", "encodings"),
        ("__PYVENV_LAUNCHER__", "/nonexistent/bin/python", "No module named 'poetry'"),
    ];
    let print = "import colorsys, os, sys; print([name for name in sys.argv[1:] if name in os.environ])";
    let names = variables.map(|(name, ..)| name);
    let command = poetry(&[&["poetry", "run", "python3", "-c", print], &names[..]].concat());
    for (name, value, fault) in variables {
        let outcome = agent.without(&command).env(name, value).run();
        assert_ne!(outcome.code(), 0, "without the wrapper: {outcome:?}");
        assert!(outcome.stderr.contains(fault), "without the wrapper: {outcome:?}");
    }

    let outcome = variables.iter().fold(agent.with(&command), |run, (name, value, _)| run.env(name, value)).run();
    succeeded(&outcome);
    assert!(outcome.out().ends_with("[]\n"), "{outcome:?}");
}
