//! `--explain --json` and a real run agree: over made-up environments, options and set-ups, the block that the command
//! really gets is the one that the plan announces. Every name is announced, kept and removed names are so in every copy,
//! set names stand once and in their place, the order is kept, and nothing else is there.

use std::collections::{HashMap, HashSet};

use hermes_exec::text::escaped;
use serde_json::Value;

use crate::support::dice::Dice;
use crate::support::{Run, Sandbox};

/// So many environments, ten to a set-up.
const ROUNDS: u64 = 300;

/// Names that some rule knows, names that only look like it, and names that no shell can set.
const NAMES: [&[u8]; 52] = [
    b"ANTHROPIC_API_KEY", b"anthropic_api_key", b"OPENAI_BASE_URL", b"GH_TOKEN", b"TELEGRAM_BOT_TOKEN",
    b"CLAUDE_CODE_OAUTH_TOKEN", b"AWS_ACCESS_KEY_ID", b"AWS_BEARER_TOKEN_X", b"_HERMES_FORCE_X",
    b"APPTAINERENV_GH_TOKEN", b"SINGULARITYENV_VIRTUAL_ENV", b"VIRTUAL_ENV", b"VIRTUAL_ENV_PROMPT", b"CONDA_PREFIX",
    b"CONDA_PREFIX_1", b"CONDA_DEFAULT_ENV", b"UV_PROJECT_ENVIRONMENT", b"UV_PYTHON", b"UV_CACHE_DIR", b"PYTHONHOME",
    b"PYTHONPATH", b"POETRY_ACTIVE", b"DIRENV_DIFF", b"XDG_CONFIG_HOME", b"XDG_CACHE_HOME", b"XDG_RUNTIME_DIR",
    b"PATH", b"HOME", b"HERMES_REAL_HOME", b"HERMES_KANBAN_X", b"HERMES_EXEC_GUARD", b"TERMINAL_X",
    b"CLAUDE_CONFIG_DIR", b"RUSTUP_HOME", b"NVM_DIR", b"DISPLAY", b"XAUTHORITY", b"LANG", b"LC_ALL", b"EDITOR",
    b"KEYMAP", b"MY_TOKEN", b"MY_SETTING", b"PASSED", b"PASSED_TOKEN", b"BASH_FUNC_f%%", b"with space",
    b"gr\xc3\xb6\xc3\x9fe", b"no\xffutf8", b"esc\x1b[31m", b"two\nlines", b"A",
];

/// Values: `@` stands for the sandbox, whose paths are the interesting ones.
const VALUES: [&[u8]; 20] = [
    b"",
    b" \t",
    b"x",
    b"a=b=c",
    b"sk-ant-0123456789abcdef",
    b"hf_01234567890123456789012345678901xX",
    b"\xff\xfe",
    b"line\nline",
    b"@/real",
    b"@/real/.config",
    b"@/real/.hermes/profiles/builder/home",
    b"@/real/.hermes/profiles/builder/home/.config",
    b"@/agent/venv",
    b"@/agent/venv/bin:/usr/bin::/bin",
    b"/usr/bin:@/real/.hermes/hermes-agent/venv/bin:/bin:@/agent/venv/bin:relative",
    b"@/agent/venv/lib/python3.11/site-packages",
    b"/mine:@/real/.hermes/hermes-agent:@/agent/venv/lib",
    b"@/real/.hermes/hermes-agent/venv",
    b"@/shop/.venv",
    b"/no/where",
];

/// Options, each a list of words.
const OPTIONS: [&[&str]; 27] = [
    &["-p", "builder"],
    &["-p", "builder"],
    &["-p", "builder"],
    &["-p", "other"],
    &["--home", "profile"],
    &["--home", "real"],
    &["--keep", "*TOKEN*"],
    &["--keep", "VIRTUAL_ENV"],
    &["--keep", "PATH"],
    &["--keep", "CONDA_*"],
    &["--keep", "XDG_*"],
    &["--keep", "*"],
    &["--unset", "MY_*"],
    &["--unset", "PATH"],
    &["--unset", "HOME"],
    &["--unset", "A"],
    &["--set", "A=given"],
    &["--set", "NEW="],
    &["--set", "HOME=/x"],
    &["--set", "PATH=/usr/bin"],
    &["--set", "PYTHONPATH=@/agent/venv"],
    &["--minimal"],
    &["--inherit-credentials"],
    &["--inherit-credentials=github,anthropic"],
    &["--share", ".config"],
    &["--no-share", "all"],
    &["--no-policy"],
];

const POLICIES: [&str; 4] = [
    "{}",
    r#"{"keep": ["MY_SETTING", "UV_*"], "set": {"FROM_FILE": "x", "A": "file"}, "unset": ["EDITOR"]}"#,
    r#"{"inherit_credentials": ["github"], "minimal": true}"#,
    r#"{"programs": {"env": {"inherit_credentials": ["openai"], "keep": ["DIRENV_*"]}}, "home": "profile"}"#,
];

/// A machine on which Hermes is installed, with profiles, venvs, and files that declare names.
fn machine(dice: &mut Dice) -> Sandbox {
    let sandbox = Sandbox::with_builder();
    sandbox.profile("other");
    for rel in ["real/.rustup", "real/.nvm", "real/.claude", "real/.config", "work/.venv"] {
        sandbox.mkdir(rel);
    }
    sandbox.write("real/.Xauthority", "");
    sandbox.hermes_venv("agent/venv");
    if dice.rarely(2) {
        sandbox.hermes_venv("real/.hermes/hermes-agent/venv");
    }
    for dir in ["real/.hermes", "real/.hermes/profiles/builder"] {
        sandbox.write(format!("{dir}/.env"), "MY_TOKEN=x\nexport PASSED_TOKEN=x\nLANG=x\n");
        sandbox.write(format!("{dir}/config.yaml"), "terminal: {env_passthrough: [PASSED, PASSED_TOKEN, GH_TOKEN]}\n");
    }
    if dice.rarely(2) {
        sandbox.write("real/.hermes/hermes-exec.json", dice.one_of(&POLICIES));
    }
    sandbox
}

/// One start: options and block.
fn start(sandbox: &Sandbox, dice: &mut Dice) -> (Vec<String>, Vec<Vec<u8>>) {
    let here = sandbox.dir.to_str().unwrap();
    let placed = |value: &[u8]| -> Vec<u8> {
        let pieces: Vec<_> = value.split(|&byte| byte == b'@').collect();
        pieces.join(here.as_bytes())
    };
    let mut block = Vec::new();
    for _ in 0..dice.roll(40) {
        let entry = match dice.roll(12) {
            0 => b"no assignment".to_vec(),
            1 => b"=without a name".to_vec(),
            _ => [*dice.one_of(&NAMES), b"=", &placed(VALUES[dice.roll(VALUES.len())])].concat(),
        };
        block.push(entry);
    }
    // Mostly as on a machine that works; what is above may have said otherwise already.
    if !dice.rarely(8) {
        block.insert(dice.roll(block.len() + 1), format!("HOME={here}/real").into_bytes());
    }
    if !dice.rarely(4) {
        block.push(b"PATH=/usr/bin:/bin".to_vec());
    }
    if dice.rarely(3) {
        block.push(format!("HERMES_HOME={here}/real/.hermes{}", dice.one_of(&["", "/profiles/builder"])).into_bytes());
    }
    if dice.rarely(4) {
        block.push(b"HERMES_PROFILE=other".to_vec());
    }
    let mut options = Vec::new();
    for _ in 0..dice.roll(6) {
        options.extend(dice.one_of(&OPTIONS).iter().map(|word| word.replace('@', here)));
    }
    (options, block)
}

fn name_of(entry: &[u8]) -> Option<&[u8]> {
    entry.iter().position(|&byte| byte == b'=').filter(|&at| at > 0).map(|at| &entry[..at])
}

/// What the plan says about each name, by the name as it is shown.
struct Announced(Vec<(String, String)>);

impl Announced {
    fn of(document: &Value) -> Self {
        let text = |variable: &Value, key: &str| variable[key].as_str().unwrap().to_owned();
        let all = document["variables"].as_array().unwrap().iter();
        Self(all.map(|variable| (text(variable, "name"), text(variable, "action"))).collect())
    }

    /// What is wrong with the block that the command got.
    fn differs(&self, before: &[Vec<u8>], after: &[Vec<u8>]) -> Option<String> {
        let actions: HashMap<_, _> = self.0.iter().map(|(name, action)| (name.as_str(), action.as_str())).collect();
        if actions.len() != self.0.len() {
            return Some("a name is announced twice".into());
        }
        // Walk the old block, and take from the new one what has to come next.
        let mut rest = after;
        let mut seen = HashSet::new();
        for entry in before {
            let Some(name) = name_of(entry) else {
                match rest.split_first() {
                    Some((first, others)) if first == entry => rest = others,
                    _ => return Some(format!("{:?} is not handed on", escaped(entry))),
                }
                continue;
            };
            let name = escaped(name);
            let is_first = seen.insert(name.clone());
            let next = rest.first();
            let is_copy = next.and_then(|next| name_of(next)).is_some_and(|next| escaped(next) == name);
            let wanted = match actions.get(name.as_str()) {
                None => return Some(format!("{name} is not announced")),
                Some(&"kept") => next == Some(entry),
                Some(&"removed") => continue,
                Some(&"set") if !is_first => continue,
                Some(&"set") => is_copy,
                // A PYTHONPATH of which nothing is left goes, copy by copy.
                Some(&"edited") if name == "PYTHONPATH" && !is_copy => continue,
                Some(_) => is_copy,
            };
            if !wanted {
                return Some(format!(
                    "{name}, {}: {:?} comes next",
                    actions[name.as_str()],
                    next.map(|next| escaped(next))
                ));
            }
            rest = &rest[1..];
        }
        // What is new comes last, in the order in which it is announced.
        let new = self.0.iter().filter(|(name, _)| !seen.contains(name));
        for (name, action) in new {
            if action != "set" {
                return Some(format!("{name} was not there and is {action}"));
            }
            match rest.split_first() {
                Some((first, others)) if name_of(first).is_some_and(|first| escaped(first) == *name) => rest = others,
                _ => return Some(format!("{name} is announced and not there")),
            }
        }
        rest.first().map(|first| format!("{:?} is not announced", escaped(first)))
    }

    /// The names in the order of the block, new ones last.
    fn is_in_order(&self, before: &[Vec<u8>]) -> bool {
        let mut seen = HashSet::new();
        let names: Vec<_> = before.iter().filter_map(|entry| name_of(entry)).map(escaped).collect();
        let firsts = names.into_iter().filter(|name| seen.insert(name.clone()));
        firsts.eq(self.0.iter().map(|(name, _)| name.clone()).take(seen_count(before)))
    }
}

fn seen_count(block: &[Vec<u8>]) -> usize {
    block.iter().filter_map(|entry| name_of(entry)).collect::<HashSet<_>>().len()
}

/// What HOME is, and which elements of PATH stand at its end, is announced as well.
fn values_differ(document: &Value, before: &[Vec<u8>], after: &[Vec<u8>]) -> Option<String> {
    let value = |block: &[Vec<u8>], name: &str| {
        let prefix = format!("{name}=");
        block.iter().find_map(|entry| Some(escaped(entry.strip_prefix(prefix.as_bytes())?)))
    };
    let action = |name: &str| {
        let all = document["variables"].as_array().unwrap();
        all.iter()
            .find(|variable| variable["name"] == name)
            .map(|variable| (variable["action"].as_str().unwrap(), &variable["rule"]))
    };
    let home = &document["home"];
    if home["from"].as_str().map(str::to_owned) != value(before, "HOME") {
        return Some(format!("HOME was not {}", home["from"]));
    }
    if let (Some(to), Some((_, rule))) = (home["to"].as_str(), action("HOME"))
        && *rule == 0
        && value(after, "HOME").as_deref() != Some(to)
    {
        return Some(format!("HOME is not {to}"));
    }
    let moved: Vec<_> = document["path"]["moved"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let is_edited = action("PATH").is_some_and(|(action, _)| action == "edited");
    if is_edited == moved.is_empty() {
        return Some(format!("PATH is edited: {is_edited}, and moved are {moved:?}"));
    }
    // Of a PATH that stands once.
    if is_edited && before.iter().filter(|entry| entry.starts_with(b"PATH=")).count() == 1 {
        let elements = |block| value(block, "PATH").unwrap().split(':').map(str::to_owned).collect::<Vec<_>>();
        let (mut old, mut new) = (elements(before), elements(after));
        if !new.ends_with(&moved.iter().map(|&element| element.to_owned()).collect::<Vec<_>>()) {
            return Some(format!("{moved:?} do not end {new:?}"));
        }
        old.sort();
        new.sort();
        if old != new {
            return Some(format!("PATH had {old:?} and has {new:?}"));
        }
    }
    None
}

#[test]
fn the_plan_is_what_happens() {
    let mut started = 0;
    for number in 0..ROUNDS / 10 {
        let mut dice = Dice(number);
        let sandbox = machine(&mut dice);
        for turn in 0..10 {
            let (options, block) = start(&sandbox, &mut dice);
            let run = |more: &[&str]| -> Run {
                let args = options.iter().map(String::as_str).chain(more.iter().copied());
                sandbox.hx(args).raw_block(&block).secret_may_show()
            };
            let told = || {
                let block: Vec<_> = block.iter().map(|entry| escaped(entry)).collect();
                format!("set-up {number}, turn {turn}: {options:?} {block:#?}")
            };
            let explained = run(&["-n", "--json", "/usr/bin/env", "-0"]).run();
            let document: Value = serde_json::from_slice(&explained.stdout).expect("JSON");
            let outcome = run(&["-q", "/usr/bin/env", "-0"]).run();
            assert_eq!(explained.code(), outcome.code(), "{}: {}", told(), outcome.stderr);
            assert_eq!(document.get("error").is_some(), outcome.code() == 125, "{}", told());
            if outcome.code() != 0 {
                continue;
            }
            started += 1;
            let after = outcome.entries();
            let announced = Announced::of(&document);
            assert_eq!(announced.differs(&block, &after), None, "{}\n{document:#}", told());
            assert!(announced.is_in_order(&block), "{}\n{document:#}", told());
            assert_eq!(values_differ(&document, &block, &after), None, "{}\n{document:#}", told());
        }
    }
    assert!(started > ROUNDS * 3 / 4, "most of them start: {started} of {ROUNDS}");
}

/// The comparison sees what it looks for.
#[test]
fn differences_are_seen() {
    let announced = |pairs: &[(&str, &str)]| Announced(pairs.iter().map(|(n, a)| ((*n).into(), (*a).into())).collect());
    let block = |entries: &[&str]| entries.iter().map(|entry| entry.as_bytes().to_vec()).collect::<Vec<_>>();
    let before = block(&["A=1", "no", "B=1", "A=2", "C=1"]);
    let plan = announced(&[("A", "kept"), ("B", "removed"), ("C", "set"), ("N", "set")]);
    let good = block(&["A=1", "no", "A=2", "C=x", "N=x"]);
    assert_eq!(plan.differs(&before, &good), None);
    for bad in [
        &["A=1", "no", "B=1", "A=2", "C=x", "N=x"][..],
        &["A=1", "no", "C=x", "N=x"],
        &["A=2", "no", "A=1", "C=x", "N=x"],
        &["A=1", "A=2", "no", "C=x", "N=x"],
        &["A=1", "no", "A=2", "C=x"],
        &["A=1", "no", "A=2", "N=x", "C=x"],
        &["A=1", "no", "A=2", "C=x", "C=y", "N=x"],
        &["A=1", "no", "A=2", "C=x", "N=x", "M=x"],
        &["A=1", "A=2", "C=x", "N=x"],
        &["A=other", "no", "A=2", "C=x", "N=x"],
    ] {
        assert!(plan.differs(&before, &block(bad)).is_some(), "{bad:?}");
    }
    let silent = announced(&[("A", "kept"), ("B", "removed"), ("N", "set")]);
    assert!(silent.differs(&before, &good).is_some(), "C is not announced");
    assert!(!announced(&[("B", "kept"), ("A", "kept")]).is_in_order(&block(&["A=1", "B=1"])));
}
