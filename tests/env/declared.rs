//! Rules 5 and 8: rubbish in a `.env` and a `config.yaml`. What may stand in their place is in the page `declared-linux`; what they
//! declare, and whose count, in the transcript `declared`.

use crate::support::{CANARY, Outcome, Run, Sandbox};
use std::fs;

const BUILDER: &str = "real/.hermes/profiles/builder";

/// Names that no rule speaks against, most of them with a secret word.
const NAMES: [&str; 12] = [
    "ACME_KEY", "ACME_TOKEN", "BETA_KEY", "BETA_TOKEN", "GAMMA_KEY", "GAMMA_TOKEN", "DELTA_KEY", "DELTA_TOKEN", "ACME",
    "BETA", "GAMMA", "DELTA",
];

/// A start of `env -0` as the profile `builder`, with all of [`NAMES`].
fn as_builder(sandbox: &Sandbox) -> Run {
    let run = sandbox.builder(["/usr/bin/env", "-0"]).secret_may_show();
    NAMES.iter().fold(run, |run, name| run.env(name, CANARY))
}

#[test]
fn a_name_in_env_needs_a_secret_word() {
    let sandbox = Sandbox::with_builder();
    let words =
        "KEY KEYS APIKEY TOKEN TOKENS SECRET SECRETS PASSWORD PASSWD PASSPHRASE PASS CREDENTIAL CREDENTIALS CREDS
        AUTH PAT COOKIE JWT DSN APITOKEN ACCESSTOKEN AUTHTOKEN AUTHKEY PRIVATEKEY PGPASSWORD SSHPASS WEBHOOK";
    let forms = |forms: &[&str]| -> Vec<String> {
        let all = words.split_whitespace().flat_map(|word| forms.iter().map(move |form| form.replace("WORD", word)));
        all.collect()
    };
    let lower = forms(&["q_WORD_q"]).into_iter().map(|name| name.to_ascii_lowercase());
    let secret = forms(&["WORD", "Q_WORD", "WORD_Q", "Q__WORD_2", "MYSQL_PWD", "q_r_pwd", "_PWD"]);
    let secret: Vec<_> = secret.into_iter().chain(lower).collect();
    // Some of these are words of their own: KEY and KEYS, PASS and PASSWD.
    let plain = forms(&[
        "QWORD", "WORDQ", "Q_WORD2", "Q-WORD", "PWD", "OLDPWD", "PWD_Q", "Q_PWD_2", "QPWD", "KEYMAP",
        "TOKENIZERS_PARALLELISM", "SSH_ASKPASS", "AUTHOR", "PATH_2", "MONKEY",
    ]);
    let all: Vec<&String> = secret.iter().chain(&plain).collect();
    sandbox.write(format!("{BUILDER}/.env"), all.iter().map(|name| format!("{name}=1\n")).collect::<String>());
    let outcome = all.iter().fold(as_builder(&sandbox), |run, name| run.env(name, "/")).run().ok();
    for (names, stay) in [(secret, false), (plain, true)] {
        let wrong: Vec<_> = names.iter().filter(|name| outcome.var(name).is_some() != stay).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

/// The memory and the processor time of a run are limited, and the time that it may wait. What it needs in truth is far
/// less: the limits only have to be there.
const LIMITS: &str = "ulimit -v 400000; ulimit -t 30; set -- timeout 120 \"$@\"";

/// A run within [`LIMITS`], with credentials of rules 4 and 8 in the block. It succeeds, opens nothing, and says no more than
/// `warnings` warnings, each of which names `path`.
#[track_caller]
fn survives(sandbox: &Sandbox, path: &str, warnings: usize) -> Outcome {
    let path = sandbox.path(path).display().to_string();
    let outcome = as_builder(sandbox).env("OPENAI_API_KEY", CANARY).after_sh(LIMITS).run();
    assert_eq!((outcome.code(), outcome.stderr.lines().count()), (0, warnings), "{}", outcome.stderr);
    let named = |line: &str| line.starts_with("hermes-exec: warning: ") && line.contains(&path);
    assert!(outcome.stderr.lines().all(named), "{}", outcome.stderr);
    assert!(outcome.stderr.len() < 1000, "{}", outcome.stderr);
    assert_eq!((outcome.var("OPENAI_API_KEY"), outcome.var("ANTHROPIC_API_KEY")), (None, None));
    outcome
}

#[test]
fn rubbish_in_env() {
    let megabyte = |text: &[u8]| text.repeat((1 << 20) / text.len());
    for text in [
        megabyte(b"\0"),
        megabyte(b"\xff"),
        megabyte(b"="),
        megabyte(b"'"),
        megabyte(b"A_KEY=\""),
        megabyte(b"A_KEY=\"\n"),
        megabyte(b"A_KEY='\n"),
        megabyte(b"A=\"'\nB='\"\n"),
        megabyte(b"A=\"\\\n"),
        megabyte(b"export "),
        megabyte(b"A_KEY"),
        megabyte(b"\r"),
        megabyte(b"#"),
        megabyte(b"A_KEY=1\n"),
        fs::read(crate::support::BINARY).unwrap().into_iter().take(1 << 20).collect(),
        (0..100_000).flat_map(|at| format!("N{at}_KEY=1\n").into_bytes()).take(1 << 20).collect(),
    ] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(format!("{BUILDER}/.env"), [b"ACME_KEY=1\n", &text[..text.len() - 20], b"\n"].concat());
        let outcome = survives(&sandbox, &format!("{BUILDER}/.env"), 0);
        assert_eq!(outcome.var("ACME_KEY"), None, "{:?}", text[..20].escape_ascii().to_string());
    }
}

/// In front of each stands a word that matters, or the file would not be parsed.
#[ignore = "long: tests/run plays it"]
#[test]
fn rubbish_in_config() {
    let megabyte = |text: &str| format!("# key_env\n{}", text.repeat(((1 << 20) - 20) / text.len()));
    let numbered =
        |make: fn(usize) -> String, count| format!("# key_env\n{}", (0..count).map(make).collect::<String>());
    for (text, warnings) in [
        (megabyte("["), 1),
        (megabyte("{"), 1),
        (megabyte("{a: "), 1),
        (megabyte("[a, "), 1),
        (format!("key_env: {}{}\n", "[".repeat(1 << 19), "]".repeat((1 << 19) - 20)), 1),
        (megabyte("- "), 1),
        (megabyte("? "), 1),
        (megabyte(": "), 1),
        (megabyte("- ? "), 1),
        (megabyte("&a "), 1),
        (megabyte("!a "), 1),
        (megabyte("!"), 1),
        (megabyte("x"), 0),
        (megabyte("a: b\n"), 0),
        (megabyte("---\n"), 0),
        (megabyte("\n"), 0),
        (megabyte("\t"), 0),
        (megabyte("#"), 0),
        (megabyte("\0"), 1),
        (format!("key_env: \"{}", "x".repeat(1 << 19)), 1),
        (format!("key_env: '{}\n", "\n".repeat(1 << 19)), 1),
        (format!("key_env: |\n{}", "  x\n".repeat(250_000)), 0),
        (format!("key_env: [{}]\n", "a,".repeat(1 << 19).split_off(40)), 0),
        (format!("{}: key_env\n", "k".repeat(1 << 19)), 1),
        (format!("? {}\n: key_env\n", "k".repeat(1 << 19)), 0),
        (numbered(|at| format!("{}a:\n", " ".repeat(at)), 1400), 0),
        (numbered(|at| format!("{}- a:\n", "  ".repeat(at)), 1000), 0),
        (numbered(|at| format!("k{at}: &a{at} [*a{}]\n", at.saturating_sub(1)), 30_000), 0),
        // A billion laughs, and cycles.
        (
            "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned()
                + &('b'..='z')
                    .map(|c| format!("{c}: &{c} [{}]\n", vec![format!("*{}", (c as u8 - 1) as char); 10].join(", ")))
                    .collect::<String>()
                + "terminal: {env_passthrough: *z}\nkey_env: *z\n",
            0,
        ),
    ] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(format!("{BUILDER}/.env"), "DELTA_KEY=1\n");
        println!("{:?}… of {} bytes", text.chars().take(40).collect::<String>(), text.len());
        assert!(text.len() <= 1 << 20);
        sandbox.write(format!("{BUILDER}/config.yaml"), &text);
        let outcome = survives(&sandbox, &format!("{BUILDER}/config.yaml"), warnings);
        assert_eq!(outcome.var("DELTA_KEY"), None, "opened");
    }
}

/// What a run may have, in kilobytes of addresses: 50 MB and its own program.
const SMALL: &str = "ulimit -v 72000; ulimit -t 30; set -- timeout 120 \"$@\"";

#[ignore = "long: tests/run plays it"]
#[test]
fn files_at_their_limit_need_little_memory() {
    let megabyte = |text: &str| text.repeat(((1 << 20) - 60) / text.len());
    let numbered = |make: fn(usize) -> String| {
        let mut text = (0..).map(make).scan(0, |sum, line| {
            *sum += line.len();
            (*sum < (1 << 20) - 60).then_some(line)
        });
        text.by_ref().collect::<String>()
    };
    for (file, text, warnings) in [
        ("config.yaml", format!("# key_env\n[{}]\n", megabyte("[],")), 1),
        ("config.yaml", format!("# key_env\n[{}]\n", megabyte("{a: b},")), 1),
        ("config.yaml", format!("# key_env\n- &a a\n- [{}]\n", megabyte("*a,")), 1),
        ("config.yaml", format!("key_env: [{}]\n", megabyte("{a: b},")), 0),
        ("config.yaml", format!("# key_env\n{}", numbered(|at| format!("k{at}: 'v'\n"))), 0),
        ("config.yaml", format!("# key_env\n{}", numbered(|at| format!("- &a{at} [b]\n"))), 0),
        ("config.yaml", format!("terminal: {{env_passthrough: [{}]}}\n", numbered(|at| format!("{at:x},"))), 0),
        ("config.yaml", format!("secrets:\n env:\n{}", numbered(|at| format!("  {at:x}:\n"))), 0),
        (".env", numbered(|at| format!("{at:x}=\\\n")), 0),
    ] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(format!("{BUILDER}/{file}"), &text);
        let outcome = as_builder(&sandbox).after_sh(SMALL).run();
        let seen = (outcome.code(), outcome.stderr.lines().count());
        assert_eq!(seen, (0, warnings), "{:?}… {}", text.chars().take(40).collect::<String>(), outcome.stderr);
    }
}

#[test]
fn bytes_that_are_no_text_in_config() {
    let path = format!("{BUILDER}/config.yaml");
    for (text, warnings) in [
        (b"terminal: {env_passthrough: [DELTA_KEY]}\n# \xff\n".to_vec(), 1),
        (b"\xff\xfek\0e\0y\0_\0e\0n\0v\0".to_vec(), 0),
        (fs::read("/usr/bin/env").unwrap().into_iter().take((1 << 20) - 20).collect(), 0),
        ([b"key_env\n".to_vec(), fs::read(crate::support::BINARY).unwrap()[..1 << 19].to_vec()].concat(), 1),
        (b"no word that matters, and no YAML: [\xff".to_vec(), 0),
    ] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(format!("{BUILDER}/.env"), "DELTA_KEY=1\n");
        sandbox.write(&path, &text);
        let outcome = survives(&sandbox, &path, warnings);
        assert_eq!(outcome.var("DELTA_KEY"), None);
    }
}
