//! Random starts for proptest: blocks of names that some rule has a word on and of others near them, options that speak of
//! those names, and files that declare them. Each comes as a text for [`Case::read`](super::case::Case::read).

use std::collections::BTreeMap;
use std::fmt;

use hermes_exec::plan::catalogue;
use hermes_exec::plan::env::markers::FAMILIES;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

type Bytes = Vec<u8>;

/// Names that decide over profile, HOME and PATH.
const DECIDING: [&str; 17] = [
    "HOME", "PATH", "PYTHONPATH", "HERMES_HOME", "HERMES_PROFILE", "HERMES_REAL_HOME", "HERMES_EXEC_HOME_MODE",
    "HERMES_DATA_DIR_SUFFIX", "HERMES_SUPERVISED_CHILD", "TERMINAL_HOME_MODE", "VIRTUAL_ENV", "UV_PYTHON",
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "DISPLAY", "XAUTHORITY", "RUSTUP_HOME",
];

/// Credentials of the groups that the options and files here grant.
const CREDENTIALS: [&str; 8] = [
    "OPENAI_API_KEY", "openai_api_key", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "TELEGRAM_BOT_TOKEN",
    "SUDO_PASSWORD", "_HERMES_FORCE_OPENAI_API_KEY",
];

/// Names that are credentials where a file declares them.
const DECLARED: [&str; 4] = ["ACME_TOKEN", "Acme_Key", "acme_pat", "APPTAINERENV_ACME_TOKEN"];

/// Core names, and names that only look like a credential's.
const OTHERS: [&str; 15] = [
    "HERMES_EXEC_QUIET", "HERMES_KANBAN_TASK", "HERMES_MY_TOKEN", "CLAUDE_CONFIG_DIR", "NVM_DIR", "XDG_RUNTIME_DIR",
    "SUDO_USER", "LC_ALL", "TERM", "HTTPS_PROXY", "AWS_PROFILE", "KEYMAP", "TOKENIZERS_PARALLELISM", "PATHS", "ACME",
];

const VALUES: [&str; 36] = [
    "",
    " \t",
    "1",
    "0",
    "builder",
    "writer",
    " Builder ",
    "default",
    "nobody",
    "profile",
    "isolated",
    "real",
    "auto",
    ":0",
    "u",
    "-suffix",
    "s3cr3t",
    "sk-ant-api03-s3cr3t-0123456789",
    "gsk_s3cr3ts3cr3ts3cr3t",
    "hf_s3cr3tABCDEF0123456789ABCDEF0123456789",
    "xai-grok-2-vision-1212",
    "/home/u",
    "/home/u/",
    "/home/u/.config",
    "/home/u/.hermes",
    "/home/u/.hermes/profiles/builder",
    "/home/u/.hermes/profiles/writer",
    "/home/u/.hermes/profiles/writer/home",
    "/home/u/.hermes/profiles/builder/home/.config",
    "/home/u/.hermes/hermes-agent/venv",
    "/opt/other/venv",
    "/project/.venv",
    "~/.hermes",
    "~/.hermes/profiles/writer",
    "/root",
    "relative",
];

/// Values that suit the names which would mostly be in the way of a plan with any other.
fn fitting(name: &[u8]) -> Option<&'static [&'static str]> {
    Some(match name {
        b"HOME" => &VALUES[21..28],
        b"HERMES_HOME" => &["/home/u/.hermes", "/home/u/.hermes/profiles/writer", "~/.hermes", "/home/u/.hermes/", ""],
        b"HERMES_PROFILE" => &["builder", "writer", "default", " Builder ", ""],
        b"HERMES_REAL_HOME" | b"RUSTUP_HOME" => &["/home/u", "/home/u/.rustup", "/root"],
        b"XDG_CONFIG_HOME" | b"XDG_CACHE_HOME" => &VALUES[21..28],
        b"HERMES_EXEC_HOME_MODE" | b"TERMINAL_HOME_MODE" => &["profile", "real", "auto", " REAL", ""],
        b"VIRTUAL_ENV" => &["/home/u/.hermes/hermes-agent/venv", "/opt/other/venv", "/project/.venv"],
        _ => return None,
    })
}

const ELEMENTS: [&str; 10] = [
    "/home/u/.hermes/hermes-agent/venv/bin",
    "/home/u/.hermes/hermes-agent/./venv//bin",
    "/home/u/.hermes/hermes-agent",
    "/opt/other/venv/bin",
    "/opt/hermes/lib",
    "/project/.venv/bin",
    "/usr/bin",
    "",
    ".",
    "bin",
];

/// What a command line may hold besides options on variables.
const OPTIONS: [&[&str]; 30] = [
    &["-p", "builder"],
    &["-p", "writer"],
    &["-p", "default"],
    &["--home", "profile"],
    &["--home", "real"],
    &["--home", "auto"],
    &["--minimal"],
    &["--minimal"],
    &["--inherit-credentials"],
    &["--inherit-credentials=github"],
    &["--inherit-credentials=openai,anthropic"],
    &["--inherit-credentials=messaging,hermes-internal"],
    &["--share", ".config/gh,.gitconfig"],
    &["--no-share", "all"],
    &["--no-policy"],
    &["--policy", "/home/u/.hermes/other.json"],
    &["-C", "/project"],
    &["-C", "/home/u/.hermes/hermes-agent/venv"],
    &["--seal=files"],
    &["--hermes-home", "/home/u/.hermes"],
    &["--hermes-home", "/home/u/.hermes/profiles/writer"],
    &["-n"],
    &["-v"],
    &["--keep", "*"],
    &["--keep", "*_KEY"],
    &["--keep", "VIRTUAL_ENV"],
    &["--unset", "*TOKEN"],
    &["--unset", "X*"],
    &["--set", "ACME=s3cr3t"],
    &["--set", "NVM_DIR="],
];

/// What the machine may have besides what [`Machine`](super::world::World) has.
const RECORDS: [&str; 16] = [
    "dhome",
    "dprofiles/builder/home",
    "lprofiles/builder/home\n/project/home",
    "lhome\n/home/u",
    "d/project/home",
    "factive_profile\nbuilder\n",
    "factive_profile\n",
    "d/home/u/.hermes-suffix/home",
    "l/home/u/.hermes-suffix\n/home/u/.hermes",
    "xhermes-agent",
    "x/home/u/.hermes",
    "xprofiles",
    "u",
    "dprofiles/builder/.env",
    "fconfig.yaml\nterminal: {env_passthrough: [",
    "d/opt/hermes/lib",
];

/// The text of a start, in a form that can be read when a test fails.
#[derive(Clone)]
pub struct Text(pub Bytes);

impl fmt::Debug for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\"", self.0.escape_ascii())
    }
}

/// Any bytes but NUL.
pub fn raw(length: usize) -> impl Strategy<Value = Bytes> {
    prop::collection::vec(1..=255_u8, 0..=length)
}

fn name() -> impl Strategy<Value = Bytes> {
    let rows: Vec<String> = catalogue::rows().map(|row| row.name.replace('*', "X")).collect();
    let members: Vec<&str> = FAMILIES.iter().flat_map(|family| family.members).copied().collect();
    let of_catalogue = select(rows.clone()).prop_map(String::into_bytes);
    let near = (select(rows), 0..7).prop_map(|(name, kind)| match kind {
        0 => format!("{name}S"),
        1 => format!("X{name}"),
        2 => name[..name.len() - 1].to_owned(),
        3 => name.to_ascii_lowercase(),
        4 => format!("_HERMES_FORCE_{name}"),
        5 => format!("APPTAINERENV_{name}"),
        _ => format!("SINGULARITYENV_APPTAINERENV_{name}"),
    });
    prop_oneof![
        2 => of_catalogue,
        3 => select(&CREDENTIALS[..]).prop_map(|name| name.as_bytes().to_vec()),
        2 => near.prop_map(String::into_bytes),
        3 => select(members).prop_map(|name| name.replace('*', "1").into_bytes()),
        5 => select(&DECIDING[..]).prop_map(|name| name.as_bytes().to_vec()),
        2 => select(&DECLARED[..]).prop_map(|name| name.as_bytes().to_vec()),
        3 => select(&OTHERS[..]).prop_map(|name| name.as_bytes().to_vec()),
        1 => raw(6).prop_map(|name| name.into_iter().filter(|byte| *byte != b'=').collect::<Bytes>()),
    ]
}

/// An entry of one of the names, or one that is no assignment.
fn entry(names: &[Bytes], (at, kind, value, elements, raw): (Index, u8, Index, Vec<&str>, Bytes)) -> Bytes {
    let name = at.get(names).as_slice();
    let value = match (kind, name, fitting(name)) {
        (0, ..) => return raw.into_iter().filter(|byte| *byte != b'=').collect(),
        (1, ..) => return [b"=", raw.as_slice()].concat(),
        (2, ..) => raw,
        (_, b"PATH" | b"PYTHONPATH", _) => elements.join(":").into_bytes(),
        (3..14, _, Some(fitting)) => value.get(fitting).as_bytes().to_vec(),
        _ => value.get(&VALUES).as_bytes().to_vec(),
    };
    [name, b"=", value.as_slice()].concat()
}

/// Words about one of the names.
fn words(names: &[Bytes], (option, at, shape, value): (&str, Index, u8, Index)) -> Vec<Bytes> {
    let name = at.get(names);
    let word = match (option, shape) {
        ("--set", _) => [name, &b"="[..], value.get(&VALUES).as_bytes()].concat(),
        (_, 0) => [&name[..name.len() / 2], b"*"].concat(),
        (_, 1) => [b"*", &name[name.len() / 2..]].concat(),
        (_, 2) if !name.is_empty() => [b"?", &name[1..]].concat(),
        _ => name.clone(),
    };
    vec![option.as_bytes().to_vec(), word]
}

/// A file that speaks of some of the names.
fn file(names: &[Bytes], (kind, dir, some, flags): (u8, &str, Vec<Index>, u8)) -> Bytes {
    let some: Vec<&Bytes> = some.iter().map(|at| at.get(names)).collect();
    let some: Vec<String> = some.into_iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let (file, text) = match kind {
        0 => (".env", some.iter().map(|name| format!("export {name}='s3cr3t\n'\n")).collect()),
        1 => ("config.yaml", json!({"tools": {"env_passthrough": some}}).to_string()),
        2 => (
            "config.yaml",
            json!({"a": some.iter().map(|name| json!({"key_env": name})).collect::<Vec<_>>()}).to_string(),
        ),
        _ => ("hermes-exec.json", policy(&some, flags).to_string()),
    };
    // JSON may hold what a record may not: a NUL byte is written as an escape there.
    [b"f", dir.as_bytes(), file.as_bytes(), b"\n", text.replace('\0', "").as_bytes()].concat()
}

fn policy(some: &[String], flags: u8) -> Value {
    let (one, rest) = some.split_first().map_or((&[][..], &[][..]), |(_, rest)| some.split_at(some.len() - rest.len()));
    let set: BTreeMap<_, _> = one.iter().filter(|name| !name.is_empty()).map(|name| (name, "s3cr3t")).collect();
    let groups = if flags & 1 == 0 { json!([]) } else { json!(["github", "openai"]) };
    let program = if flags & 2 == 0 { json!({"keep": rest}) } else { json!({"inherit_credentials": ["anthropic"]}) };
    let mut policy = json!({"inherit_credentials": groups, "minimal": flags & 4 != 0, "programs": {"claude": program}});
    match flags >> 3 {
        0 => policy["set"] = json!(set),
        1 => policy["unset"] = json!(one),
        2 => policy["keep"] = json!(one),
        _ => policy["home"] = json!("profile"),
    }
    policy
}

/// A start, most of the time one that comes to a plan.
pub fn start() -> impl Strategy<Value = Text> {
    let index = any::<Index>;
    let elements = prop::collection::vec(select(&ELEMENTS[..]), 0..5);
    let entries = prop::collection::vec((index(), 0..16_u8, index(), elements, raw(12)), 0..32);
    let about = (select(&["--keep", "-u", "--set"][..]), index(), 0..8_u8, index());
    let abouts = prop::collection::vec(about, 0..3);
    let options = prop::collection::vec(select(&OPTIONS[..]), 0..4);
    let dirs = select(&["", "profiles/builder/", "profiles/writer/"][..]);
    let files = prop::collection::vec((0..4_u8, dirs, prop::collection::vec(index(), 0..8), 0..32_u8), 0..5);
    let records = prop::collection::vec(select(&RECORDS[..]), 0..3);
    let program = select(&["claude", "gh", "env", "/project/run"][..]);
    let of_names = (prop::collection::vec(name(), 1..16), entries, abouts, files);
    (of_names, options, records, program).prop_map(|((names, entries, abouts, files), options, more, program)| {
        let mut records: Vec<Bytes> = more.iter().map(|record| record.as_bytes().to_vec()).collect();
        records.extend(files.into_iter().map(|parts| file(&names, parts)));
        // Most blocks have one.
        records.extend((names.len() > 1).then(|| b"eHOME=/home/u".to_vec()));
        records.extend(entries.into_iter().map(|parts| [b"e", entry(&names, parts).as_slice()].concat()));
        let mut line: Vec<Bytes> = options.into_iter().flatten().map(|word| word.as_bytes().to_vec()).collect();
        line.extend(abouts.into_iter().flat_map(|parts| words(&names, parts)));
        line.extend([b"--".to_vec(), program.as_bytes().to_vec()]);
        records.extend(line.into_iter().map(|word| [b"a", word.as_slice()].concat()));
        Text(records.join(&0))
    })
}
