//! Rules 5 and 8: what may stand in the place of a `.env` and a `config.yaml`. What they declare, and whose count, is in the
//! transcript `declared`.

use crate::support::{CANARY, Outcome, Run, Sandbox};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const ROOT: &str = "real/.hermes";
const BUILDER: &str = "real/.hermes/profiles/builder";

/// Names that no rule speaks against, most of them with a secret word.
const NAMES: [&str; 12] = [
    "ACME_KEY", "ACME_TOKEN", "BETA_KEY", "BETA_TOKEN", "GAMMA_KEY", "GAMMA_TOKEN", "DELTA_KEY", "DELTA_TOKEN", "ACME",
    "BETA", "GAMMA", "DELTA",
];

/// A start of `env -0` with all of [`NAMES`].
fn start(sandbox: &Sandbox, options: &[&str]) -> Run {
    let run = sandbox.hx([options, &["--", "/usr/bin/env", "-0"]].concat()).secret_may_show();
    NAMES.iter().fold(run, |run, name| run.env(name, CANARY))
}

fn as_builder(sandbox: &Sandbox) -> Run {
    start(sandbox, &["-p", "builder"])
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

fn limited(sandbox: &Sandbox, uid: Option<u32>, options: &[&str]) -> Run {
    let run = start(sandbox, &[&["-p", "builder"], options].concat()).env("OPENAI_API_KEY", CANARY);
    match uid {
        Some(uid) => run.program(sandbox.copied_binary()).uid(uid),
        None => run,
    }
    .after_sh(LIMITS)
}

/// A run within [`LIMITS`], with credentials of rules 4 and 8 in the block. It succeeds, opens nothing, and says no more than
/// `warnings` warnings, each of which names `path`.
#[track_caller]
fn survives(sandbox: &Sandbox, uid: Option<u32>, path: &str, warnings: usize) -> Outcome {
    let path = sandbox.path(path).display().to_string();
    let outcome = limited(sandbox, uid, &[]).run();
    assert_eq!((outcome.code(), outcome.stderr.lines().count()), (0, warnings), "{}", outcome.stderr);
    let named = |line: &str| line.starts_with("hermes-exec: warning: ") && line.contains(&path);
    assert!(outcome.stderr.lines().all(named), "{}", outcome.stderr);
    assert!(outcome.stderr.len() < 1000, "{}", outcome.stderr);
    assert_eq!((outcome.var("OPENAI_API_KEY"), outcome.var("ANTHROPIC_API_KEY")), (None, None));
    outcome
}

/// As [`survives`], also with `-q` and `-n`.
#[track_caller]
fn survives_in_every_mode(sandbox: &Sandbox, uid: Option<u32>, path: &str, warnings: usize) -> Outcome {
    let outcome = survives(sandbox, uid, path, warnings);
    let quiet = limited(sandbox, uid, &["-q"]).run().ok();
    assert_eq!(quiet.stdout, outcome.stdout, "-q changes nothing but the words");
    let explained = limited(sandbox, uid, &["-n"]).run().ok();
    assert_eq!(explained.out().contains("Warnings"), warnings > 0, "{explained:?}");
    outcome
}

/// Puts something in the place of each of the two files, in the profile and in the root.
#[track_caller]
fn in_each_place(put: impl Fn(&Sandbox, &str), uid: Option<u32>) {
    for file in [".env", "config.yaml"] {
        for dir in [BUILDER, ROOT] {
            let sandbox = Sandbox::with_builder();
            let path = format!("{dir}/{file}");
            put(&sandbox, &path);
            if let Some(uid) = uid {
                sandbox.copied_binary();
                sandbox.chown_all(uid);
            }
            survives_in_every_mode(&sandbox, uid, &path, 1);
        }
    }
}

#[test]
fn a_directory_in_the_place_of_a_file() {
    in_each_place(|sandbox, path| drop(sandbox.mkdir(path)), None);
}

#[test]
fn a_named_pipe_in_the_place_of_a_file() {
    let mode = nix::sys::stat::Mode::from_bits_truncate(0o600);
    in_each_place(|sandbox, path| nix::unistd::mkfifo(&sandbox.path(path), mode).unwrap(), None);
}

#[test]
fn a_device_in_the_place_of_a_file() {
    in_each_place(|sandbox, path| drop(sandbox.link("/dev/zero", path)), None);
    in_each_place(|sandbox, path| drop(sandbox.link("/dev/tty", path)), None);
}

#[test]
fn a_socket_in_the_place_of_a_file() {
    let put = |sandbox: &Sandbox, path: &str| drop(std::os::unix::net::UnixListener::bind(sandbox.path(path)).unwrap());
    in_each_place(put, None);
}

#[test]
fn a_file_that_may_not_be_read() {
    let put = |sandbox: &Sandbox, path: &str| {
        let file = sandbox.write(path, "ACME_KEY=1\n");
        fs::set_permissions(file, fs::Permissions::from_mode(0o000)).unwrap();
    };
    in_each_place(put, Some(54321));
}

#[test]
fn an_env_of_10_mb_is_read_up_to_1_mb() {
    let sandbox = Sandbox::with_builder();
    let line = "# a remark of 64 bytes, so that a round number fills a megabyte\n";
    assert_eq!(line.len(), 64);
    let first = format!("ACME_KEY=1\n{}BETA_KEY=1\n", line.repeat((1 << 14) - 1));
    let text = format!("{first}GAMMA_KEY=1\n{}DELTA_KEY=1\n", line.repeat(9 << 14));
    assert!(first.len() < 1 << 20 && text.len() > 9 << 20);
    sandbox.write(format!("{BUILDER}/.env"), text);
    let outcome = survives(&sandbox, None, &format!("{BUILDER}/.env"), 1);
    assert!(outcome.stderr.contains("1 MiB"), "{outcome:?}");
    let found = ["ACME_KEY", "BETA_KEY", "DELTA_KEY"].map(|name| outcome.var(name).is_some());
    assert_eq!(found, [false, false, true]);
}

#[test]
fn a_config_of_10_mb_is_read_as_empty() {
    let sandbox = Sandbox::with_builder();
    let text = format!("key_env: ACME\nterminal: {{env_passthrough: [BETA_KEY]}}\n{}", "# remark\n".repeat(1 << 20));
    sandbox.write(format!("{BUILDER}/config.yaml"), text);
    sandbox.write(format!("{BUILDER}/.env"), "BETA_KEY=1\n");
    let outcome = survives_in_every_mode(&sandbox, None, &format!("{BUILDER}/config.yaml"), 1);
    assert!(outcome.stderr.contains("1 MiB"), "{outcome:?}");
    assert_eq!((outcome.var("ACME").is_some(), outcome.var("BETA_KEY")), (true, None), "nothing is opened");
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
        let outcome = survives(&sandbox, None, &format!("{BUILDER}/.env"), 0);
        assert_eq!(outcome.var("ACME_KEY"), None, "{:?}", text[..20].escape_ascii().to_string());
    }
}

/// In front of each stands a word that matters, or the file would not be parsed.
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
        let outcome = survives(&sandbox, None, &format!("{BUILDER}/config.yaml"), warnings);
        assert_eq!(outcome.var("DELTA_KEY"), None, "opened");
    }
}

/// What a run may have, in kilobytes of addresses: 50 MB and its own program.
const SMALL: &str = "ulimit -v 72000; ulimit -t 30; set -- timeout 120 \"$@\"";

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
        let outcome = start(&sandbox, &["-p", "builder"]).after_sh(SMALL).run();
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
        let outcome = survives(&sandbox, None, &path, warnings);
        assert_eq!(outcome.var("DELTA_KEY"), None);
    }
}

#[test]
fn both_files_wrong_are_two_warnings_each_told_once() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir(format!("{BUILDER}/.env"));
    sandbox.write(format!("{BUILDER}/config.yaml"), "key_env: [\n");
    survives(&sandbox, None, BUILDER, 2);
    // The same directory by way of three names is read once.
    let run = as_builder(&sandbox).env("HERMES_HOME", sandbox.path(BUILDER)).run();
    assert_eq!(run.stderr.lines().count(), 2, "{run:?}");
}
