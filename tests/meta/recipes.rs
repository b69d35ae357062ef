//! The README, done as it says: its transcripts are typed and what comes of them compared, its recipes are put in place and
//! used. Its questions have tests of their own, in `readme.rs`, which need no foreign tool. The machine is that of a
//! user who is logged in to Claude Code, with Hermes in `~/.hermes`, and the environment is that of Hermes' gateway.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::model::Model;
use crate::support::picture::{self, Terminal};
use crate::support::{BINARY, Outcome, Run, Sandbox, spawn};
use crate::{Agent, SYSTEM, agent, existing, home, installed, system};

const QUESTIONS: &str = "Questions";
/// The first block is a grant, the second claude as yourself.
pub const KEYS: &str = "Keys for `claude`";
const SERVICES: &str = "systemd and cron";

/// A fenced block.
struct Block {
    heading: String,
    language: String,
    text: String,
}

fn repository(rel: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(rel)
}

fn blocks() -> Vec<Block> {
    let readme = fs::read_to_string(repository("README.md")).unwrap();
    let (mut blocks, mut heading, mut open) = (Vec::new(), String::new(), None::<Block>);
    for line in readme.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text += &format!("{line}\n"),
            (None, Some(language)) => {
                let (heading, language) = (heading.clone(), language.to_owned());
                open = Some(Block { heading, language, text: String::new() });
            }
            (None, None) if line.starts_with('#') => line.trim_start_matches(['#', ' ']).clone_into(&mut heading),
            (None, None) => assert!(!line.starts_with("    "), "a block without a fence: {line}"),
        }
    }
    blocks
}

/// The blocks below a heading.
pub fn blocks_of(heading: &str) -> Vec<String> {
    blocks().into_iter().filter(|block| block.heading == heading).map(|block| block.text).collect()
}

/// The only block below a heading.
#[track_caller]
pub fn block(heading: &str) -> String {
    let [block] = &blocks_of(heading)[..] else { panic!("not one block below {heading:?}") };
    block.clone()
}

/// All blocks; each has a test in this file, or in `agent.rs`.
#[test]
fn no_block_is_left_out() {
    let all: Vec<_> = blocks().into_iter().map(|block| (block.heading, block.language)).collect();
    let all: Vec<_> = all.iter().map(|(heading, language)| (heading.as_str(), language.as_str())).collect();
    assert_eq!(
        all,
        [
            ("hermes-exec", "sh"),
            ("Install", "sh"),
            ("Install", "sh"),
            ("Install", "sh"),
            ("First steps", "sh"),
            ("Shell aliases", "sh"),
            ("PATH shims", "sh"),
            ("A skill for Hermes", "sh"),
            ("A kanban worker", "sh"),
            (KEYS, "sh"),
            (KEYS, "sh"),
            ("A policy file for a profile", "sh"),
            (SERVICES, "ini"),
            (SERVICES, "crontab"),
            ("An MCP server", "yaml"),
            ("A container", "dockerfile"),
            (QUESTIONS, "console"),
            (QUESTIONS, "console"),
            (QUESTIONS, "console"),
            (QUESTIONS, "console"),
        ]
    );
}

/// The user's machine.
struct Machine {
    agent: Agent,
    project: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let agent = Agent::installed_by_hermes();
        let sandbox = &agent.sandbox;
        sandbox.profile("builder");
        sandbox.mkdir(sandbox.home());
        home::log_in(sandbox);
        sandbox.write("real/.gitconfig", "[user]\n\tname = Somebody\n");
        sandbox.link(BINARY, "bin/hermes-exec");
        sandbox.link(installed("uv/bin/uv"), "bin/uv");
        sandbox.link(installed("npm/node_modules/.bin/claude"), "bin/claude");
        // Where the user's own installers put them, for those who have another PATH; and where root has put hermes-exec.
        for tool in ["uv", "claude"] {
            sandbox.link(sandbox.path("bin").join(tool), format!("real/.local/bin/{tool}"));
        }
        sandbox.link(BINARY, "usr-local-bin/hermes-exec");
        agent.project();
        let project = sandbox.path("real/project");
        fs::rename(sandbox.path("work"), &project).unwrap();
        sandbox.mkdir("work");
        Self { agent, project }
    }

    fn sandbox(&self) -> &Sandbox {
        &self.agent.sandbox
    }

    /// Puts a program in the place of a real one: it prints its environment.
    fn prints_its_environment(&self, name: &str) {
        self.program(name, "exec env -0");
    }

    /// Puts a program in the place of a real one: it tells how it was called, where, and with which key.
    fn tells(&self, name: &str) {
        self.program(
            name,
            r#"printf '%s' "${0##*/}"; printf ' [%s]' "$@"; echo " in $HOME, key ${ANTHROPIC_API_KEY-none}""#,
        );
    }

    fn program(&self, name: &str, script: &str) {
        let _ = fs::remove_file(self.sandbox().path("bin").join(name));
        self.sandbox().script(format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    }

    /// A shell with a script, in the project, in the environment of the gateway. The secrets of the sandbox are there.
    fn shell(&self, script: &str) -> Run {
        let venv = self.agent.venv.join("bin");
        let path = format!("{}:{}:{SYSTEM}", venv.display(), self.sandbox().path("bin").display());
        let run = self.agent.without(&[system("bash"), "-c", script]).env("PATH", path).dir(&self.project);
        run.env("UV_PROJECT_ENVIRONMENT", &self.agent.venv).env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    }

    /// Where hermes-exec is in `/usr/local/bin`.
    fn installed_for_all(&self, run: Run) -> Run {
        run.mounted(&format!("/bin/mount --bind '{}' /usr/local/bin", self.sandbox().path("usr-local-bin").display()))
    }

    /// The terminal of Hermes itself, for an agent of the profile `builder` in the project.
    fn agents(&self, script: &str) -> Run {
        let run = agent::terminal(self.sandbox(), &self.project, script).env("UV_OFFLINE", "1");
        let run = run.env("UV_CACHE_DIR", self.sandbox().path("uv-cache"));
        self.installed_for_all(run.env("UV_PROJECT_ENVIRONMENT", &self.agent.venv))
    }

    /// What the agent sees, with the paths that the README has.
    #[track_caller]
    fn agent_sees(&self, run: Run) -> String {
        agent::said(&run.run()).replace(&*self.sandbox().real().to_string_lossy(), "/home/you")
    }

    /// A start with this text of `NAME=VALUE` and nothing else, as a service or cron has it.
    fn bare(&self, shell: &str, script: &str, env: &[(&str, &str)]) -> Run {
        let run =
            self.sandbox().hx(["-c", script]).program(shell).dir(self.sandbox().real()).no_env("ANTHROPIC_API_KEY");
        let run = run.env("LOGNAME", "you").env("USER", "you").env("UV_OFFLINE", "1");
        self.installed_for_all(env.iter().fold(run, |run, (name, value)| run.env(name, value)))
    }

    /// What a shell prints, with the paths that the README has.
    #[track_caller]
    fn shell_prints(&self, script: &str) -> String {
        self.shown(&self.shell(script).run())
    }

    #[track_caller]
    fn shown(&self, outcome: &Outcome) -> String {
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{outcome:?}");
        outcome.out().replace(&*self.sandbox().real().to_string_lossy(), "/home/you")
    }

    /// uv has made the project's own venv, and Hermes' is what it was.
    #[track_caller]
    fn uv_made_the_venv_of_the_project(&self) {
        assert!(self.project.join(".venv/bin/python").exists(), "uv has made no .venv");
        assert!(self.agent.is_intact(), "Hermes' venv was changed");
    }
}

const HOME: &str = "/home/you/.hermes/profiles/builder/home";

#[test]
fn first_steps() {
    let machine = Machine::new();
    machine.tells("claude");
    let text = block("First steps");
    let lines: Vec<_> = text.lines().collect();
    let before = machine.sandbox().listing();
    for line in &lines[..2] {
        assert_eq!(machine.shell(line).run().code(), 0, "{line}");
    }
    assert!(machine.sandbox().listing() == before, "the first two change nothing");
    // uv speaks of what it does on stderr.
    let script = format!("exec 2>/dev/null\n{}", lines[2..].join("\n"));
    let told = machine.shell(&script).no_env("ANTHROPIC_API_KEY").run();
    assert_eq!(machine.shown(&told), format!("claude [-p] [fix the failing test] in {HOME}, key none\n"));
    machine.uv_made_the_venv_of_the_project();
}

/// The first of the two commands: what it does, on one screen.
#[test]
fn the_demonstration_fits_on_a_screen() {
    let commands = block("hermes-exec");
    let [first, second] = commands.lines().collect::<Vec<_>>()[..] else { panic!("two commands: {commands}") };
    assert!(existing(repository(second)).ends_with("tests/run"));
    let shown = Command::new(existing(repository(first))).env("HERMES_EXEC_BINARY", BINARY).output().unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.status.success() && shown.stderr.is_empty(), "{text}");
    let too_long: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
    // A shell's prompt stands below it.
    assert!(text.lines().count() < 24 && too_long.is_empty(), "{too_long:?} in\n{text}");
    let (before, after) = text.split_once("$ hermes-exec ").expect("two commands");
    assert!(before.contains("GITHUB_TOKEN=made-up") && before.contains("VIRTUAL_ENV=/tmp/"), "{text}");
    let told = ["removed GITHUB_TOKEN", "removed VIRTUAL_ENV", ".claude -> ", "HOME=/tmp/", "no key, no token"];
    assert!(told.iter().all(|word| after.contains(word)), "{text}");
}

/// What a user types without hermes-exec, and with it: a picture of the README. Each line begins on a new machine.
const WITHOUT: [&[&str]; 3] = [
    &["uv -q sync", "ls ~/.hermes/hermes-agent/venv/bin/hermes"],
    &["env | grep -E 'TOKEN|KEY'"],
    &["HOME=$(mktemp -d) claude auth status --text"],
];
const WITH: [&[&str]; 3] = [
    &["hermes-exec -- uv -q sync", "ls -d .venv ~/.hermes/hermes-agent/venv/bin/hermes"],
    &[
        "hermes-exec -- env | grep -E 'TOKEN|KEY'",
        "hermes-exec --inherit-credentials=github -- env | grep -E 'TOKEN|KEY'",
    ],
    &["hermes-exec -p builder -- claude auth status --text", "hermes-exec -p builder -- sh -c 'readlink ~/.claude'"],
];

/// The commands and what comes of them.
fn transcript(sessions: &[&[&str]]) -> String {
    let session = |commands: &&[&str]| {
        let machine = Machine::new();
        let typed = commands.iter().map(|line| format!("printf '%s\\n' '$ {}'\n{line}\n", line.replace('\'', r"'\''")));
        let shell = machine.shell(&format!("exec 2>&1\n{}true", typed.collect::<String>())).no_env("ANTHROPIC_API_KEY");
        let is_of_claude = commands.iter().any(|line| line.contains("claude auth"));
        let keys = [("ANTHROPIC_API_KEY", "sk-ant-made-up"), ("GITHUB_TOKEN", "ghp_made-up")];
        let keys = keys.iter().filter(|_| !is_of_claude);
        machine.shown(&keys.fold(shell, |shell, (name, value)| shell.env(name, value)).run())
    };
    sessions.iter().map(session).collect()
}

#[test]
fn the_picture_of_before_and_after() {
    let (without, with) = (transcript(&WITHOUT), transcript(&WITH));
    for (text, words) in [
        (&without, ["No such file", "KEY=sk-ant", "Not logged in"]),
        (&with, ["\n.venv\n", "env | grep -E 'TOKEN|KEY'\n$ ", "Claude Max"]),
    ] {
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    let before = Terminal { title: "without hermes-exec", colour: "#ff6b68", transcript: &without };
    let after = Terminal { title: "with hermes-exec", colour: "#5fd38d", transcript: &with };
    picture::is_drawn("before-and-after.svg", &picture::terminals(&[before, after]));
}

#[test]
fn installation() {
    let texts = blocks_of("Install");
    // The third is run by tests/dist/packages.rs.
    let [from_clone, packages, _] = texts.as_slice() else { panic!("three blocks") };
    // The commands that tests/run runs, for tests/dist/packages.rs to look at what they make.
    let run = fs::read_to_string(repository("tests/run")).unwrap();
    for line in from_clone.lines().chain(packages.lines()) {
        let command = line.split('#').next().unwrap().trim();
        let words = command.split_whitespace().filter(|word| *word != "--quiet");
        let in_run = |line: &str| words.clone().all(|word| line.split_whitespace().any(|other| other == word));
        assert!(run.lines().any(in_run), "tests/run does not do this: {command}");
    }
}

/// The doctor's cure that the README speaks of.
#[test]
fn claude_that_ran_in_the_home_before() {
    let machine = Machine::new();
    machine.shell(&format!("HOME={} claude auth status --text", machine.sandbox().home().display())).run();
    let status = "hermes-exec -q -p builder -- claude auth status --text";
    assert_eq!(machine.shell(status).run().code(), 1);
    let doctor = machine.shell("hermes-exec --doctor -p builder").run().out();
    let cure = doctor.lines().find_map(|line| line.trim().strip_prefix("cure: ")).expect("a cure");
    machine.shell(cure).run();
    assert_eq!(machine.shell(status).run().out(), "Login method: Claude Max account\n");
}

#[test]
fn shell_aliases() {
    let machine = Machine::new();
    let script = format!("shopt -s expand_aliases\n{}\nuv -q sync\nclaude auth status --text", block("Shell aliases"));
    let told = machine.shell(&script).no_env("ANTHROPIC_API_KEY").run();
    assert_eq!(machine.shown(&told), "Login method: Claude Max account\n");
    machine.uv_made_the_venv_of_the_project();
}

#[test]
fn path_shims() {
    let machine = Machine::new();
    let sandbox = machine.sandbox();
    machine.program("poetry", "echo \"poetry $1 ${VIRTUAL_ENV-none}\"");
    // The system's profile sets PATH anew for a login shell.
    sandbox.write("real/.profile", format!("export PATH={}:$PATH\n", sandbox.path("bin").display()));
    let dir = "/home/you/.local/lib/hermes-shims";
    let told = machine.shell_prints(&block("PATH shims"));
    let init_files = format!("shell_init_files: [\"~/.profile\", \"~/.bashrc\", \"{dir}/.path.sh\"]");
    assert_eq!(told, format!("export PATH='{dir}':\"$PATH\"\n{init_files}\n"));

    // For scripts that know nothing of the shims, and one that goes through hermes-exec itself.
    let uses = "sh -c 'uv -q sync && poetry one' && hermes-exec -- poetry two";
    let script = format!("bash -l -c \"{uses}\"");
    assert_eq!(machine.shell_prints(&script), "poetry one none\npoetry two none\n");
    machine.uv_made_the_venv_of_the_project();

    // For an agent, whose HOME is the profile's, by Hermes' own choice of files and by the list.
    let config = sandbox.profile("builder").join("config.yaml");
    for text in ["{}", &format!("terminal:\n  {}\n", init_files.replace("/home/you", sandbox.real().to_str().unwrap()))]
    {
        sandbox.write(&config, text);
        fs::remove_dir_all(machine.project.join(".venv")).unwrap();
        let script = "echo $HOME; command -v uv; uv -q sync; hermes-exec --doctor --json";
        let told = machine.agent_sees(machine.agents(script));
        let (shell, doctor) = told.split_once('{').unwrap();
        assert_eq!(shell, format!("{HOME}\n{dir}/uv\n"));
        machine.uv_made_the_venv_of_the_project();
        let doctor: serde_json::Value = serde_json::from_str(&format!("{{{doctor}")).unwrap();
        let of_shims = doctor["checks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["id"].as_str().unwrap().starts_with("shims"));
        let levels: Vec<_> = of_shims.map(|check| check["level"].as_str().unwrap()).collect();
        assert_eq!(levels, ["ok", "ok"], "{doctor}");
    }
}

#[test]
fn a_kanban_worker() {
    let machine = Machine::new();
    machine.tells("claude");
    let script = machine.sandbox().script("usr-local-bin/kanban-worker", block("A kanban worker"));
    assert!(script.exists());
    let agents =
        machine.agents("cd / && kanban-worker").env("HERMES_PROFILE", "builder").env("HERMES_KANBAN_TASK", "7");
    let told = machine.agent_sees(agents.env("HERMES_KANBAN_WORKSPACE", &machine.project));
    assert_eq!(told, format!("claude [-p] [Do card 7 of the board.] in {HOME}, key none\n"));
    machine.uv_made_the_venv_of_the_project();
}

/// The same by Hermes itself: its board, its dispatcher, and its agent, whose model does what the card says.
#[test]
fn a_kanban_worker_of_hermes() {
    let machine = Machine::new();
    let sandbox = machine.sandbox();
    machine.tells("claude");
    sandbox.script("usr-local-bin/kanban-worker", block("A kanban worker"));
    machine.program("hermes", &format!("exec {} -m hermes_cli.main \"$@\"", installed("hermes-agent/bin/python")));
    let calls = [
        json!({"name": "terminal", "input": {"command": "kanban-worker"}}),
        json!({"name": "kanban_complete", "input": {"summary": "It is done."}}),
    ];
    let model = Model::new(sandbox, &calls);
    let url = model.url();
    let config = format!("model: {{provider: custom, default: made-up, base_url: '{url}/v1', api_key: made-up}}\n");
    sandbox.write(sandbox.profile("builder").join("config.yaml"), config);

    let readme = fs::read_to_string(repository("README.md")).unwrap();
    let create = readme.lines().find(|line| line.starts_with("`hermes kanban create")).expect("the card");
    let script = format!("{}\nhermes kanban dispatch", create.trim_matches('`'));
    let script = script.replace("/home/you", sandbox.real().to_str().unwrap());
    let path = format!("{}:{SYSTEM}", sandbox.path("bin").display());
    machine.bare(system("sh"), &script, &[("PATH", &path), ("HERMES_HOME", sandbox.root().to_str().unwrap())]).run();

    let is_done = || model.asked().iter().any(|asked| asked["results"].as_array().is_some_and(|all| all.len() == 2));
    for _ in 0..600 {
        if is_done() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let asked = model.asked();
    let results = asked.iter().rev().find_map(|asked| asked["results"].as_array().filter(|all| all.len() == 2));
    let results = results.unwrap_or_else(|| panic!("the card is not done: {asked:?}"));
    let told: serde_json::Value = serde_json::from_str(results[0].as_str().unwrap()).unwrap();
    let said = told["output"].as_str().unwrap().replace(&*sandbox.real().to_string_lossy(), "/home/you");
    assert!(said.starts_with("claude [-p] [Do card t_") && said.ends_with(&format!("] in {HOME}, key none")), "{told}");
    assert!(results[1].as_str().unwrap().contains("\"ok\": true"), "{results:?}");
    machine.uv_made_the_venv_of_the_project();
}

/// With the real claude in `claude.rs`.
#[test]
fn claude_as_yourself() {
    let machine = Machine::new();
    let tell = r#"echo "claude $* in $HOME, key ${ANTHROPIC_API_KEY-none}"; exec $CLAUDE_CODE_SHELL_PREFIX 'echo "a command in $HOME, key ${ANTHROPIC_API_KEY-none}"'"#;
    machine.program("claude", tell);
    let shell = machine.shell(&blocks_of(KEYS)[1]).env("ANTHROPIC_API_KEY", "made-up");
    let told = machine.shown(&machine.installed_for_all(shell).run());
    let expected = format!("claude -p fix the failing test in /home/you, key made-up\na command in {HOME}, key none\n");
    assert_eq!(told, expected);
}

#[test]
fn claude_with_a_grant() {
    let machine = Machine::new();
    machine.prints_its_environment("claude");
    let shell = machine.shell(&blocks_of(KEYS)[0]).env("CLAUDE_CODE_OAUTH_TOKEN", "made-up");
    let outcome = shell.run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    assert_eq!(outcome.var("CLAUDE_CODE_OAUTH_TOKEN").as_deref(), Some("made-up"));
    assert_eq!(outcome.var("ANTHROPIC_API_KEY"), None);
    assert_eq!(outcome.var("HOME").map(Into::into), Some(machine.sandbox().home()));
}

#[test]
fn a_policy_file() {
    let machine = Machine::new();
    machine.shell_prints(&block("A policy file for a profile"));
    for (program, granted) in [("claude", "CLAUDE_CODE_OAUTH_TOKEN"), ("gh", "GITHUB_TOKEN"), ("other", "none")] {
        machine.prints_its_environment(program);
        let shell = machine.shell(&format!("hermes-exec -p builder -- {program}"));
        let outcome = shell.env("CLAUDE_CODE_OAUTH_TOKEN", "made-up").env("GITHUB_TOKEN", "made-up").run().ok();
        for name in ["CLAUDE_CODE_OAUTH_TOKEN", "GITHUB_TOKEN", "ANTHROPIC_API_KEY"] {
            assert_eq!(outcome.var(name).is_some(), name == granted, "{program} and {name}");
        }
    }
    let link = fs::read_link(machine.sandbox().home().join(".gitconfig")).unwrap();
    assert_eq!(link, machine.sandbox().real().join(".gitconfig"));
}

#[test]
fn a_systemd_unit() {
    let machine = Machine::new();
    let sandbox = machine.sandbox();
    sandbox.write("real/.hermes/.env", "ANTHROPIC_API_KEY=sk-ant-made-up\n");
    let real = sandbox.real().display().to_string();
    let text = blocks_of(SERVICES)[0].clone();
    let unit = sandbox.write("nightly.service", text.replace("/usr/local/bin/hermes-exec", BINARY));
    let mut verify = Command::new(system("systemd-analyze"));
    let verify = verify.args(["--user", "verify"]).arg(unit).env("XDG_RUNTIME_DIR", &sandbox.dir);
    let verify = spawn(verify.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output().unwrap();
    assert!(verify.status.success() && verify.stderr.is_empty(), "{verify:?}");

    let text = text.replace("%h", &real);
    let of = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("{key}="))).unwrap();
    assert!(Path::new(of("EnvironmentFile")).exists());
    machine.program("uv", r#"echo "uv $* in $PWD, key ${ANTHROPIC_API_KEY-none}""#);
    // As systemd would: with the environment of the unit and no other.
    let (name, path) = of("Environment").split_once('=').unwrap();
    let script =
        format!("set -a; . {}; set +a; cd {}; exec {}", of("EnvironmentFile"), of("WorkingDirectory"), of("ExecStart"));
    let told = machine.bare(system("sh"), &script, &[(name, path)]).run();
    assert_eq!(machine.shown(&told), "uv -q sync in /home/you/project, key none\n");
}

/// The environment that Hermes gives an MCP server: a few variables of its own, and none of HERMES_HOME and the like.
const FOR_MCP: &str = "
import json, sys
from tools import mcp_tool
json.dump(mcp_tool._build_safe_env(None), sys.stdout)
";

#[test]
fn an_mcp_server() {
    let machine = Machine::new();
    machine.program("npx", r#"echo "npx $* in $HOME with $PATH""#);
    let text = block("An MCP server");
    let of = |key: &str| text.lines().find_map(|line| line.trim().strip_prefix(&format!("{key}: "))).unwrap();
    let args: Vec<String> = serde_json::from_str(of("args")).unwrap();
    let (venv, bin) = (machine.agent.venv.join("bin"), machine.sandbox().path("bin"));
    let [venv, bin] = [venv, bin].map(|path| path.display().to_string());
    let path = format!("{venv}:{bin}:{SYSTEM}");
    let outcome = agent::hermes(machine.sandbox(), &[FOR_MCP]).env("PATH", &path).env("LANG", "C.UTF-8").run();
    let given: BTreeMap<String, String> = serde_json::from_slice(&outcome.stdout).unwrap();
    assert!(given["PATH"].ends_with(&path) && !given.contains_key("HERMES_HOME"), "Hermes has changed: {given:?}");
    let run = machine.sandbox().hx(args).program(of("command")).no_env("ANTHROPIC_API_KEY");
    let run = given.iter().fold(run, |run, (name, value)| run.env(name, value));
    let told = machine.shown(&machine.installed_for_all(run).run());
    let venv = "/home/you/.hermes/hermes-agent/venv/bin";
    let called = "npx -y @modelcontextprotocol/server-filesystem /srv/files";
    assert_eq!(told, format!("{called} in {HOME} with {bin}:{SYSTEM}:{venv}\n"));
}

/// In a root directory with nothing but what the recipe puts there, and a volume.
#[test]
fn a_container() {
    let sandbox = Sandbox::new();
    let image = sandbox.mkdir("image");
    sandbox.mkdir("image/opt/data");
    let (mut variables, mut entry) = (Vec::new(), Vec::new());
    for line in block("A container").lines() {
        match line.split_once(' ').unwrap() {
            ("COPY", files) => {
                let (from, to) = files.split_once(' ').unwrap();
                assert_eq!(from, "hermes-exec");
                sandbox.copied(format!("image{to}"), Path::new(BINARY));
            }
            ("ENV", variable) => variables.push(variable.to_owned()),
            ("ENTRYPOINT", words) => entry = serde_json::from_str::<Vec<String>>(words).unwrap(),
            other => panic!("{other:?}"),
        }
    }
    // What a command gets, asked from the only program there is.
    let words = [entry[0].as_str(), "--explain", "--json", "--"];
    let mut chroot = Command::new(existing("/usr/sbin/chroot".into()));
    chroot.arg(image).args(&entry).args(words).env_clear().env("HOME", "/").env("ANTHROPIC_API_KEY", "sk-ant-made-up");
    chroot.envs(variables.iter().map(|variable| variable.split_once('=').unwrap()));
    let output = spawn(chroot.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["profile"]["dir"], "/opt/data");
    let variables = told["variables"].as_array().unwrap().iter();
    let names: BTreeSet<_> = variables.map(|variable| variable["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["HERMES_HOME", "HOME"].into());
}

#[test]
fn cron() {
    let machine = Machine::new();
    machine.tells("claude");
    let text = blocks_of(SERVICES)[1].clone();
    let (path, line) = text.trim().split_once('\n').unwrap();
    assert!(!line.contains('%'), "cron takes it for the end of the command");
    let mut rest = line;
    for _ in 0..5 {
        let (field, after) = rest.split_once(' ').unwrap();
        assert!(field == "*" || field.parse::<u8>().is_ok(), "{field}");
        rest = after.trim_start();
    }
    // As cron starts it: from the home directory, with little more than a PATH.
    let real = machine.sandbox().real().display().to_string();
    let path = path.strip_prefix("PATH=").unwrap().replace("/home/you", &real);
    assert!(!path.contains(['~', '$']), "cron takes it as it is");
    machine.bare(system("sh"), rest, &[("PATH", &path), ("SHELL", "/bin/sh")]).run().ok();
    let log = fs::read_to_string(machine.sandbox().path("real/nightly.log")).unwrap();
    let expected = format!("claude [-p] [update the dependencies] in {HOME}, key none\n");
    assert_eq!(log.replace(&*machine.sandbox().real().to_string_lossy(), "/home/you"), expected);
}
