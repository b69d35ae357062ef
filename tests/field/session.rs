//! A session of an agent: Hermes' own terminal backend, in a profile, with the venv active from which it runs and with its
//! `.env` loaded, carries out what agents type all day, as `session.txt` has it, through `hermes-exec -p builder -- ` and
//! without it. `uv` goes through the shims of the README, since an agent sees no alias.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::{CANARY, binary, listing};
use crate::{Agent, SYSTEM, direct, home, installed, recipes, site_packages, system};

/// One thing that the agent types, with the output and the exit status that it is to have.
#[derive(Default)]
struct Step {
    command: String,
    output: Vec<&'static str>,
    status: i32,
}

/// What is in `session.txt`, which explains its form.
fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in include_str!("session.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), ..Step::default() });
            continue;
        }
        let step = steps.last_mut().expect("a command first");
        if let Some(more) = line.strip_prefix("> ") {
            step.command.extend(["\n", more]);
        } else if let Some(status) = line.strip_prefix("? ") {
            step.status = status.parse().unwrap();
        } else {
            step.output.push(line);
        }
    }
    steps
}

const SHIMS: &str = "~/.local/lib/hermes-shims/.path.sh";

/// Programs that leave a record of their environment when they are started by name.
const RECORDED: [&str; 30] = [
    "cat", "claude", "cp", "echo", "env", "false", "find", "git", "grep", "head", "ls", "mkdir", "node", "npm",
    "printenv", "printf", "pwd", "python3", "readlink", "seq", "sh", "sleep", "sort", "tail", "timeout", "touch",
    "true", "uv", "wc", "xargs",
];

/// Loads the `.env`, opens a terminal, and does one command after the other. Programs are recorded once the login shell is
/// over, which is Hermes' own. Whether this machine is a container, where Hermes redirects HOME itself, is told and not looked
/// for. The listing of the venv is not to change by this program's imports.
const SESSION: &str = "
import json, os, sys
sys.dont_write_bytecode = True
import hermes_constants
hermes_constants._container_detected = False
from hermes_cli.env_loader import load_hermes_dotenv
load_hermes_dotenv()
from tools.environments.local import LocalEnvironment
commands, answers, records, project = sys.argv[1:]
terminal = LocalEnvironment(cwd=project, timeout=120)
os.mkdir(records)
done = [terminal.execute(command) for command in json.load(open(commands))]
terminal.cleanup()
json.dump(done, open(answers, 'w'))
";

/// What came of a command, as Hermes hands it to its model.
#[derive(Debug, serde::Deserialize)]
struct Done {
    output: String,
    returncode: i32,
}

/// A program that ran, and its environment.
struct Record {
    program: String,
    environment: BTreeMap<String, String>,
}

/// A machine with Hermes Agent, the real one, in a venv of its own.
struct Machine {
    agent: Agent,
}

impl Machine {
    fn new() -> Self {
        let agent = Agent::installed_by_hermes();
        let (sandbox, venv) = (&agent.sandbox, &agent.venv);
        let from = format!("{}/.", site_packages(Path::new(installed("hermes-agent"))).display());
        direct(sandbox, &[system("cp"), "-a", &from, site_packages(venv).to_str().unwrap()]).run().ok();
        let script = fs::read_to_string(installed("hermes-agent/bin/hermes")).unwrap();
        let script = script.split_once('\n').unwrap().1;
        sandbox.script(venv.join("bin/hermes"), format!("#!{}/bin/python3\n{script}", venv.display()));

        let names = ["names", "patterns"].map(|file| {
            let path = format!("{}/src/plan/catalogue/{file}.tsv", env!("CARGO_MANIFEST_DIR"));
            fs::read_to_string(path).unwrap().replace('*', "SAMPLE")
        });
        // Hermes would take the prefix `_HERMES_FORCE_` away, and nobody could tell what the rest is.
        let names = names.concat();
        let names = names.lines().flat_map(|line| line.split('\t').next()).filter(|name| !name.starts_with('_'));
        let dotenv: String = names.map(|name| format!("{name}={name}-{CANARY}\n")).collect();
        sandbox.write(sandbox.profile("builder").join(".env"), dotenv);
        // Without it, hermes-exec would say what `claude` does not get.
        let policy = r#"{"programs": {"claude": {"inherit_credentials": []}}}"#;
        sandbox.write(sandbox.profile("builder").join("hermes-exec.json"), policy);
        sandbox.mkdir(sandbox.home());
        home::log_in(sandbox);

        sandbox.link(binary(), "bin/hermes-exec");
        sandbox.link(installed("uv/bin/uv"), "tools/uv");
        sandbox.link(installed("npm/node_modules/.bin/claude"), "tools/claude");
        for program in RECORDED {
            let at = format!("bin/{program}");
            // Not by the path of this directory, in which hermes-exec is named, as it is in a shim.
            let next = [("tools", "${0%/*}/../tools"), ("/usr/bin", "/usr/bin")];
            let Some((_, next)) = next.iter().find(|(dir, _)| sandbox.path(dir).join(program).exists()) else {
                continue;
            };
            let record = "records=${0%/*}/../records\n[ -d $records ] && /usr/bin/env -0 >>$records/${0##*/}.$$";
            sandbox.script(at, format!("#!/bin/sh\n{record}\nexec {next}/{program} \"$@\"\n"));
        }
        sandbox.mkdir("tmp");
        Self { agent }
    }

    /// Every file of Hermes' venv by its bytes, and every entry by its kind, mode, owner and link text.
    fn venv(&self) -> String {
        let script = "cd \"$1\" && find . -type f -exec sha256sum {} + -o -printf '%p %y %l\\n' >\"$2\" \
            && find . -printf '%p %m %U:%G\\n' >>\"$2\" && LC_ALL=C sort -o \"$2\" \"$2\"";
        let list = self.agent.sandbox.path("listing");
        let args = [self.agent.venv.to_str().unwrap(), list.to_str().unwrap()];
        let command = [&[system("sh"), "-c", script, "sh"], &args[..]].concat();
        direct(&self.agent.sandbox, &command).run().ok();
        fs::read_to_string(list).unwrap()
    }

    /// Whether Hermes could be started again.
    fn can_start(&self) -> bool {
        let python = self.agent.venv.join("bin/python3");
        let import = [python.to_str().unwrap(), "-B", "-c", "import hermes_cli.main, tools.environments.local"];
        python.exists() && direct(&self.agent.sandbox, &import).env("PATH", SYSTEM).run().code() == 0
    }

    /// The whole session in a new project, with this in the place of `{} `, and with a start file that holds this besides.
    #[track_caller]
    fn session(&self, wrapper: &str, recipe: &str) -> Vec<Done> {
        let (sandbox, venv) = (&self.agent.sandbox, &self.agent.venv);
        for dir in ["work", "records", "real/.local/lib/hermes-shims"].map(|rel| sandbox.path(rel)) {
            let _ = fs::remove_dir_all(dir);
        }
        let _ = fs::remove_file(sandbox.path("real/.profile"));
        sandbox.write("work/README.md", "A project.\n");
        self.agent.project();
        self.agent.wheel();
        let [activate, programs] = [venv.join("bin/activate"), sandbox.path("bin")];
        let start = format!(
            // What the recipe writes for login shells, in this one.
            ". {}\nexport PATH={}:$PATH\n{recipe}\n[ ! -e {SHIMS} ] || . {SHIMS}",
            activate.display(),
            programs.display()
        );
        sandbox.write("real/.bashrc", start);
        let typed: Vec<_> = steps().iter().map(|step| step.command.replace("{} ", wrapper)).collect();
        let typed = sandbox.write("commands.json", serde_json::to_vec(&typed).unwrap());
        let [answers, records, project] = ["answers.json", "records", "work"].map(|rel| sandbox.path(rel));
        let args = [&typed, &answers, &records, &project].map(|path| path.to_str().unwrap());
        let python = venv.join("bin/python3");
        let command = [&[python.to_str().unwrap(), "-c", SESSION], &args[..]].concat();
        let run = self.agent.without(&command).env("HERMES_HOME", sandbox.profile("builder"));
        let run = home::quiet(run).env("TMPDIR", sandbox.path("tmp")).env("UV_PROJECT_ENVIRONMENT", venv);
        let outcome = run.no_env("ANTHROPIC_API_KEY").env("LANG", "C.UTF-8").env("PIP_NO_CACHE_DIR", "1").run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        serde_json::from_slice(&fs::read(answers).unwrap()).unwrap()
    }

    /// What was recorded.
    fn records(&self) -> Vec<Record> {
        let files = fs::read_dir(self.agent.sandbox.path("records")).unwrap().map(|entry| entry.unwrap().path());
        let record = |path: &Path| {
            let block = fs::read_to_string(path).unwrap();
            let pairs = block.split('\0').filter_map(|entry| entry.split_once('='));
            let environment = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            Record { program: path.file_stem().unwrap().to_string_lossy().into_owned(), environment }
        };
        files.map(|path| record(&path)).collect()
    }
}

impl Record {
    /// The names of Hermes' variables that have come through.
    fn leaks(&self) -> Vec<&str> {
        self.environment.iter().filter(|(_, value)| value.contains(CANARY)).map(|(name, _)| name.as_str()).collect()
    }
}

/// NousResearch/hermes-agent#23473 and #29015 in one session: the venv, and what the profile's home and environment hold.
#[test]
fn an_agent_at_work() {
    let machine = Machine::new();
    let before = machine.venv();
    let done = machine.session("hermes-exec -p builder -- ", &recipes::block("PATH shims"));
    let sandbox = &machine.agent.sandbox;
    let home = sandbox.home().display().to_string();
    let steps = steps();
    for (Step { command, output, status }, done) in steps.iter().zip(&done) {
        let output = output.join("\n").replace('@', &sandbox.path("work").display().to_string()).replace('~', &home);
        assert_eq!((done.output.trim_end(), done.returncode), (output.as_str(), *status), "{command}");
    }
    assert_eq!(done.len(), steps.len());
    let records = machine.records();
    for record in &records {
        let Record { program, environment } = record;
        assert_eq!(environment["HOME"], home, "{program}");
        assert!(!environment.contains_key("VIRTUAL_ENV"), "{program}");
        assert_eq!(record.leaks(), [""; 0], "{program}");
    }
    let seen: BTreeSet<_> = records.iter().map(|record| record.program.as_str()).collect();
    assert_eq!(seen, BTreeSet::from(RECORDED));
    assert_eq!(machine.venv(), before, "Hermes' venv");
    assert!(machine.can_start());
    // Nor has a value got into a file of the project or of the home.
    for dir in ["work", "tmp", "real/.hermes/profiles/builder/home"].map(|rel| sandbox.path(rel)) {
        let holding: Vec<_> = listing(&dir).into_iter().filter(|(_, what)| what.contains(CANARY)).collect();
        assert!(holding.is_empty(), "{holding:?}");
    }

    let done = machine.session("", "");
    let records = machine.records();
    for record in &records {
        let leaks = record.leaks();
        assert!(leaks.len() > 300 && leaks.contains(&"CLAUDE_CODE_OAUTH_TOKEN"), "{}: {leaks:?}", record.program);
        assert_eq!(Path::new(&record.environment["HOME"]), sandbox.real(), "{}", record.program);
    }
    assert!(records.len() > 30, "{}", records.len());
    assert!(!machine.can_start(), "without the wrapper `uv sync` leaves nothing of Hermes: {done:?}");
}
