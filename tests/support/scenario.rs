//! The start whose cost is measured, in any size: a named profile with its home and the four links, a `.env`, a
//! `config.yaml`, and a block in which four variables are to go.

use super::{CANARY, Sandbox};

/// How large the start is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Entries of the environment block.
    pub variables: usize,
    /// Lines of the profile's `.env`, each a name with a secret word.
    pub dotenv: usize,
    /// Lines of the profile's `config.yaml`.
    pub config: usize,
    /// Whether `config.yaml` has one of the words for which it is parsed.
    pub parsed: bool,
}

impl Default for Size {
    /// A usual one.
    fn default() -> Self {
        Self { variables: 60, dotenv: 30, config: 400, parsed: false }
    }
}

/// The variables of the block that hermes-exec takes out: two by the catalogue, a marker, and one that the `.env` declares.
pub const GOING: [&str; 4] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "VIRTUAL_ENV", "SERVICE_0_TOKEN"];

/// A machine for such a start.
pub struct Scenario {
    /// The files: the profile is `builder`.
    pub sandbox: Sandbox,
    /// The environment block.
    pub block: Vec<Vec<u8>>,
}

impl Scenario {
    /// Makes the files and the block.
    pub fn new(size: Size) -> Self {
        let sandbox = Sandbox::with_builder();
        sandbox.mkdir("real/.claude");
        sandbox.mkdir("real/Library/Keychains");
        sandbox.write("real/.claude.json", "{}");
        sandbox.write("real/Library/Preferences/com.apple.security.plist", "");
        for place in [".claude", ".claude.json", "Library/Keychains", "Library/Preferences/com.apple.security.plist"] {
            sandbox.link(sandbox.real().join(place), sandbox.home().join(place));
        }
        let names: String = (0..size.dotenv).map(|n| format!("SERVICE_{n}_TOKEN=the value of {n}\n")).collect();
        sandbox.write(sandbox.profile("builder").join(".env"), names);
        let setting = |n| match n {
            0 if size.parsed => "terminal: {env_passthrough: [PASSED]}\n".to_owned(),
            n if n % 10 == 0 => format!("section_{n}:\n"),
            n => format!("  setting_{n}: the value of {n}\n"),
        };
        let settings: String = (0..size.config).map(setting).collect();
        sandbox.write(sandbox.profile("builder").join("config.yaml"), settings);
        let block = block(&sandbox, size.variables);
        Self { sandbox, block }
    }
}

/// A PATH of twelve elements, of which the last two have the system's programs.
fn path(sandbox: &Sandbox) -> String {
    let empty = (0..10).map(|n| sandbox.mkdir(format!("tools/{n}/bin")).display().to_string());
    empty.chain(["/usr/bin".into(), "/bin".into()]).collect::<Vec<_>>().join(":")
}

fn block(sandbox: &Sandbox, size: usize) -> Vec<Vec<u8>> {
    let mut block = vec![
        format!("HOME={}", sandbox.real().display()),
        format!("PATH={}", path(sandbox)),
        format!("PWD={}", sandbox.path("work").display()),
        "USER=somebody".to_owned(),
        "LANG=C.UTF-8".to_owned(),
        "TERM=xterm-256color".to_owned(),
        format!("ANTHROPIC_API_KEY=sk-ant-{CANARY}"),
        format!("OPENAI_API_KEY=sk-proj-{CANARY}"),
        "VIRTUAL_ENV=/nowhere/venv".to_owned(),
        format!("SERVICE_0_TOKEN={CANARY}"),
    ];
    block.extend((block.len()..size).map(|n| format!("OTHER_{n}=the value of {n}")));
    block.into_iter().map(String::into_bytes).collect()
}
