//! Documents of every form that `--json` can print: what `tests/report/json` reads, and what `tests/field` holds against the
//! schemas in `tests/data`.

use std::os::unix::fs::MetadataExt;

use serde_json::Value;

use crate::support::{Run, Sandbox, bytes};

/// A document, and the start that printed it.
pub struct Document {
    pub title: &'static str,
    /// The file in `tests/data` that describes it.
    pub schema: &'static str,
    pub text: String,
}

impl Document {
    fn of(schema: &'static str, title: &'static str, run: Run) -> Self {
        let outcome = run.option("--json").run();
        let text = String::from_utf8(outcome.stdout.clone()).expect("JSON is UTF-8");
        assert!(!text.is_empty(), "{title}: {outcome:?}");
        Self { title, schema, text }
    }

    pub fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{}: {error}: {}", self.title, self.text))
    }
}

/// A profile with a link in each state.
fn linked() -> (Sandbox, Vec<&'static str>) {
    let sandbox = Sandbox::with_builder();
    let home = "real/.hermes/profiles/builder/home";
    for rel in [".claude", ".left", ".create", ".replace"] {
        sandbox.mkdir(format!("real/{rel}"));
    }
    sandbox.link(sandbox.real().join(".claude"), format!("{home}/.claude"));
    sandbox.write(format!("{home}/.left"), "");
    sandbox.link(sandbox.real().join("gone"), format!("{home}/.replace"));
    sandbox.link("loop", "real/.skipped");
    sandbox.link(".skipped", "real/loop");
    (sandbox, vec!["-p", "builder", "--share", ".left,.create,.replace,.hermes,.skipped,.missing"])
}

/// An environment with something for every rule, for `-p builder`.
fn ruled(sandbox: &Sandbox, options: &[&str]) -> Run {
    let profile = "real/.hermes/profiles/builder";
    sandbox.write(format!("{profile}/.env"), "DECLARED_TOKEN=x\n");
    sandbox.write(format!("{profile}/config.yaml"), "terminal:\n  env_passthrough: [PASSED]\n");
    let venv = sandbox.hermes_venv("agent/venv").display().to_string();
    let run = sandbox.hx([
        &["-p", "builder", "--minimal", "--set", "GIVEN=x", "--unset", "GONE", "--keep", "STAYS"],
        options,
    ]
    .concat());
    let variables = [
        ("GIVEN", "x"),
        ("GONE", "x"),
        ("STAYS", "x"),
        ("GH_TOKEN", "x"),
        ("PASSED", "x"),
        ("VIRTUAL_ENV", &venv),
        ("DECLARED_TOKEN", "x"),
        ("SHAPED", "sk-ant-0123456789abcdef"),
        ("OTHER", "x"),
        ("EDITOR", "x"),
    ];
    let run = variables.iter().fold(run, |run, (name, value)| run.env(name, value));
    run.env("XDG_CACHE_HOME", sandbox.real())
        .env("PATH", format!("{venv}/bin:/usr/bin:/bin"))
        .env("PYTHONPATH", format!("{venv}/lib:/mine"))
}

/// `--explain`.
pub fn explained() -> Vec<Document> {
    let mut all = Vec::new();
    let mut add = |title: &'static str, run: Run| all.push(Document::of("explain.schema.json", title, run));
    add("no Hermes", Sandbox::without_hermes().hx(["-n", "true"]));
    add("no Hermes, no HOME", Sandbox::without_hermes().hx(["-n", "true"]).no_env("HOME"));
    add("no command", Sandbox::new().hx(["-n"]));
    let builder = Sandbox::with_builder();
    builder.profile("other");
    let start = |options: &[&str]| builder.hx([&["-n", "-p", "builder"], options].concat());
    add("a fresh profile", start(&["true"]));
    let run = builder.hx(["-n", "true"]).env("HERMES_HOME", builder.profile("builder"));
    add("a warning", run.env("HERMES_PROFILE", "other"));
    add("a note on shells", start(&["bash", "-l"]).env("BASH_ENV", "/x"));
    for (name, value) in [("HERMES_EXEC_HOME_MODE", "real"), ("TERMINAL_HOME_MODE", "profile")] {
        add(name, start(&["true"]).env(name, value));
    }
    let grants = ["--inherit-credentials=openai", "--keep", "GH_TOKEN", "--share", ".ssh", "true"];
    add("grants", start(&grants).env("GH_TOKEN", "x"));
    add("every grant", start(&["--inherit-credentials", "true"]));
    let policy = r#"{"home": "real", "keep": ["GH_*"], "inherit_credentials": ["xai"], "share": [".aws"]}"#;
    let policy = builder.write("policy.json", policy).display().to_string();
    add("grants of a file", start(&["--policy", &policy, "true"]).env("GH_TOKEN", "x"));
    add("rules", ruled(&builder, &["-n", "true"]));
    let odd = bytes(b"x\x1b\xff\n");
    add("odd bytes", builder.hx([bytes(b"-n"), bytes(b"-a"), odd, odd]).env(odd, "x"));
    builder.write("real/.hermes/profiles/builder/.env", "A=x\n");
    add("a seal", start(&["--seal=files", "true"]));
    let (sandbox, options) = linked();
    add("links", sandbox.hx([&["-n"], &options[..], &["true"]].concat()));
    let skipped = sandbox.hx([&["-n"], &options[..], &["true"]].concat()).env("CLAUDE_CONFIG_DIR", "/x");
    add("a skipped item", skipped);

    let path = builder.path("bin").display().to_string();
    let meta = builder.script("bin/tool", "#!/bin/sh\nexec hermes-exec -- tool\n").metadata().unwrap();
    add("a shim", start(&["tool"]).env("PATH", &path));
    let calls = vec![format!("1:{}:{}", meta.dev(), meta.ino()); 16].join(",");
    add("a shim loop", start(&["tool"]).env("PATH", &path).env("HERMES_EXEC_GUARD", calls));
    add("no such command", start(&["no-such-command"]));
    add("no file to run", start(&["/etc/passwd"]));
    add("no such profile", builder.hx(["-n", "-p", "nobody", "true"]));
    add("no such group", start(&["--inherit-credentials=nobody", "true"]));
    add("no such directory", start(&["-C", "/no/where", "true"]));
    all
}

/// `--doctor`.
pub fn doctors() -> Vec<Document> {
    let mut all = Vec::new();
    let mut add = |title: &'static str, run: Run| all.push(Document::of("doctor.schema.json", title, run));
    add("no Hermes", Sandbox::without_hermes().hx(["--doctor"]));
    add("no such profile", Sandbox::new().hx(["--doctor", "-p", "nobody"]));
    let (sandbox, options) = linked();
    add("links", sandbox.hx([&["--doctor"], &options[..]].concat()));
    let builder = Sandbox::with_builder();
    builder.write("real/.hermes/active_profile", "gone\n");
    let run = ruled(&builder, &["--doctor"]).env("BASH_ENV", builder.real().join("x")).env("NODE_OPTIONS", "x");
    add("much to say", run.env("KUBECONFIG", builder.real().join("x")).env("CLAUDE_CODE_OAUTH_TOKEN", "x"));
    all
}

/// `--doctor --all`.
pub fn doctors_of_all() -> Vec<Document> {
    let mut all = Vec::new();
    let mut add = |title: &'static str, run: Run| all.push(Document::of("doctors.schema.json", title, run));
    add("all, no Hermes", Sandbox::without_hermes().hx(["--doctor", "--all"]));
    add("all, a relative root", Sandbox::new().hx(["--doctor", "--all", "--hermes-home", "x"]));
    let (sandbox, options) = linked();
    sandbox.link("/no/where", "real/.hermes/profiles/dangling");
    add("all, links", sandbox.hx([&["--doctor", "--all"], &options[2..]].concat()));
    all
}

/// `--catalogue`.
pub fn catalogue() -> Document {
    Document::of("catalogue.schema.json", "the catalogue", Sandbox::new().hx(["--catalogue"]))
}
