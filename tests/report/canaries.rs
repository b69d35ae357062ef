//! No value appears in any output. Secrets stand in every file that is read, in the environment and on the command
//! line; every mode is run on them, as it should be and with something wrong. The harness looks for the secret.

use crate::support::{CANARY, Outcome, Run, Sandbox};

const BUILDER: &str = "real/.hermes/profiles/builder";

/// A tree with the secret in every file: as a value, in remarks, in lines that mean nothing.
fn planted() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    let env = format!(
        "# {CANARY}\nACME_KEY={CANARY}\nexport OPENAI_API_KEY='{CANARY}'\nBETA_TOKEN=\"{CANARY}\n{CANARY}=1\n\"\n{CANARY}\n\
         GAMMA_SECRET: {CANARY}\nACME_KEY={CANARY} # {CANARY}\nTERMINAL_X={CANARY}\n= {CANARY}\n"
    );
    let config = format!(
        "# {CANARY}\nmodel: {{api_key: {CANARY}, key_env: DELTA_KEY}}\nterminal:\n  env_passthrough: [PASSED_KEY]\n\
         secrets:\n  onepassword:\n    env: {{EPSILON: 'op://{CANARY}'}}\n  bitwarden: {{access_token_env: ZETA}}\n\
         notes: |\n  {CANARY}\n"
    );
    for dir in [BUILDER, "real/.hermes"] {
        sandbox.write(format!("{dir}/.env"), &env);
        sandbox.write(format!("{dir}/config.yaml"), &config);
    }
    sandbox.write(format!("{BUILDER}/hermes-exec.json"), policy("[\"github\"]"));
    sandbox.write("real/.hermes/active_profile", "builder\n");
    sandbox.write("real/.claude/.credentials.json", CANARY);
    sandbox.write("real/.claude.json", CANARY);
    sandbox.script("bin/tool", format!("#!/bin/sh\n# hermes-exec {CANARY}\ntrue {CANARY}\n"));
    sandbox.script("bin/plain", format!("# hermes-exec {CANARY}\ntrue {CANARY}\n"));
    sandbox.script("bin/orphan", format!("#!/no/such/interpreter -x\n# {CANARY}\n"));
    sandbox.script("bin/gh", "#!/bin/sh\n");
    sandbox.write("bin/unreadable", CANARY);
    sandbox
}

fn policy(groups: &str) -> String {
    format!(
        "{{\"set\": {{\"SET\": \"{CANARY}\", \"OPENAI_API_KEY\": \"{CANARY}\"}}, \"inherit_credentials\": {groups},\
          \"keep\": [\"KEPT_KEY\"], \"unset\": [\"UNSET\"], \"share\": [\"claude\"]}}"
    )
}

/// A run among secrets: in names of every rule, also as a whole entry's text.
fn start(sandbox: &Sandbox, args: &[&str]) -> Run {
    let names = [
        "ACME_KEY", "BETA_TOKEN", "GAMMA_SECRET", "DELTA_KEY", "EPSILON", "ZETA", "PASSED_KEY", "KEPT_KEY", "UNSET",
        "SET", "OPENAI_API_KEY", "GITHUB_TOKEN", "VIRTUAL_ENV", "UV", "CONDA_PREFIX", "DIRENV_DIFF", "XDG_CONFIG_HOME",
        "PYTHONPATH", "_HERMES_FORCE_X", "APPTAINERENV_ACME_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "HTTP_PROXY", "LC_ALL",
        "HERMES_EXEC_GUARD", "HERMES_EXEC_VERBOSE", "TERMINAL_HOME_MODE", "PLAIN", "RUSTUP_HOME",
    ];
    let run = sandbox.hx(args).env("PATH", format!("{}:/usr/bin:/bin", sandbox.path("bin").display()));
    let run = names.iter().fold(run, |run, name| run.env(name, CANARY));
    run.env("XDG_DATA_HOME", sandbox.path(format!("real/{CANARY}"))).env("SHAPED", format!("gsk_{CANARY}"))
}

/// Every mode, for a command that prints nothing itself.
fn modes<'a>(options: &[&'a str]) -> Vec<Vec<&'a str>> {
    let commands: [&[&str]; 9] = [
        &["true"],
        &["tool"],
        &["plain"],
        &["gh", "auth"],
        &["claude"],
        &["no-such-command"],
        &["unreadable"],
        &["orphan"],
        &["true", CANARY],
    ];
    let mut all = Vec::new();
    for mode in [&[][..], &["-v"], &["-q"], &["-n"], &["-n", "-v"], &["-n", "--json"], &["-n", "--json", "-v"]] {
        for command in commands {
            all.push([options, mode, &["--"], command].concat());
        }
    }
    all.push([options, &["--unlink"]].concat());
    all.push([options, &["-n"]].concat());
    for text in [&["--catalogue"][..], &["--catalogue", "--json"], &["-h"], &["--help"], &["-V"]] {
        all.push([options, text].concat());
    }
    all
}

#[test]
fn no_mode_prints_a_secret() {
    let sandbox = planted();
    for options in [
        &[][..],
        &["-p", "builder"],
        &["-p", "default"],
        &["--home", "real"],
        &["--minimal"],
        &["--inherit-credentials"],
        &["--keep", "*"],
        &["--no-policy", "--unset", "*"],
        &["--set", "ACME_KEY=canary-5up3r-s3cr3t", "--set", "NEW=canary-5up3r-s3cr3t"],
        &["--argv0", CANARY],
    ] {
        for args in modes(options) {
            let outcome = start(&sandbox, &args).run();
            assert!(matches!(outcome.code(), 0 | 126 | 127), "{args:?}: {outcome:?}");
        }
    }
}

/// The command, and what is told of it, say nothing else than that something is wrong.
#[test]
fn no_error_prints_a_secret() {
    let sandbox = planted();
    let wrong_with = |options: &[&str], variable: &str, value: &str| {
        for mode in [&[][..], &["-v"], &["-q"], &["-n"], &["-n", "--json"]] {
            let outcome = start(&sandbox, &[options, mode, &["--", "true"]].concat()).env(variable, value).run();
            assert_eq!(outcome.code(), 125, "{options:?}, {variable}: {outcome:?}");
        }
    };
    let wrong = |options: &[&str]| wrong_with(options, "PLAIN", CANARY);
    for option in ["--home=", "--inherit-credentials=", "--share=/", "--explain=", "--no-such-option="] {
        wrong(&[&format!("{option}{CANARY}")]);
    }
    wrong(&["--set", CANARY]);
    wrong(&["-C", "/dev/null", "--set", &format!("X={CANARY}")]);
    wrong(&["-p", "nobody"]);
    for text in ["[\"antropic\"]", "[1]", "null", "[\"github\"] 1", "[\"github\""] {
        sandbox.write(format!("{BUILDER}/hermes-exec.json"), policy(text));
        wrong(&["-p", "builder"]);
    }
    sandbox.write(format!("{BUILDER}/hermes-exec.json"), "{}");
    wrong_with(&[], "HERMES_EXEC_HOME_MODE", CANARY);
    wrong_with(&[], "HERMES_HOME", "relative");
}

/// The largest variable is named, not shown.
#[test]
fn an_environment_that_is_too_large_prints_no_secret() {
    let sandbox = planted();
    let text = format!("{{\"set\": {{\"X\": \"{}\"}}}}", CANARY.repeat(140_000 / CANARY.len()));
    sandbox.write(format!("{BUILDER}/hermes-exec.json"), text);
    for mode in [&[][..], &["-v"]] {
        let outcome = start(&sandbox, &[mode, &["--", "true"]].concat()).run();
        assert_eq!(outcome.code(), 126, "{outcome:?}");
        assert!(outcome.stderr.contains(" X"), "{outcome:?}");
    }
}

/// Files that cannot be read as what they should be.
#[test]
fn no_warning_prints_a_secret() {
    let warned = |put: &dyn Fn(&Sandbox)| {
        let sandbox = planted();
        put(&sandbox);
        for mode in [&[][..], &["-v"], &["-q"], &["-n"], &["-n", "--json"]] {
            let Outcome { status, .. } = start(&sandbox, &[mode, &["--", "true"]].concat()).run();
            assert_eq!(status.code(), Some(0));
        }
    };
    let config = format!("{BUILDER}/config.yaml");
    for text in [
        format!("key_env: [{CANARY}\n"),
        format!("key_env: {CANARY}: {CANARY}: x\n"),
        format!("key_env: *{CANARY}\n"),
        format!("key_env: !{CANARY} !{CANARY} x\n"),
        format!("key_env: \"{CANARY}\\q\"\n"),
        format!("%{CANARY} key_env\n---\n"),
        format!("key_env: {{{CANARY}\n\t{CANARY}"),
        format!("{CANARY}{}\nkey_env: x\n", "x".repeat(1 << 20)),
    ] {
        warned(&|sandbox| drop(sandbox.write(&config, &text)));
    }
    warned(&|sandbox| drop(sandbox.write(&config, [CANARY.as_bytes(), b" key_env \xff"].concat())));
    let large = format!("{CANARY}\n").repeat((1 << 20) / CANARY.len());
    warned(&|sandbox| drop(sandbox.write(format!("{BUILDER}/.env"), &large)));
    warned(&|sandbox| drop(sandbox.write("real/.hermes/active_profile", &large)));
}

/// The name of a profile is printed, also one that is none, but not a whole file that was taken for one.
#[test]
fn an_active_profile_that_is_none_is_not_printed_whole() {
    let sandbox = planted();
    for text in [format!("{}\n{CANARY}\n", "x".repeat(80)), format!("builder\n{}{CANARY}", "# remark\n".repeat(1000))] {
        sandbox.write("real/.hermes/active_profile", text);
        let outcome = start(&sandbox, &["true"]).run().fails(125, &["active_profile"]);
        assert!(outcome.stderr.len() < 500, "{outcome:?}");
    }
}

/// A panic would print where it happened, and may print what it happened on.
#[test]
fn bytes_that_are_no_text_are_no_panic() {
    let sandbox = planted();
    let raw = crate::support::bytes;
    let block: Vec<Vec<u8>> = vec![
        [b"OPENAI_API_KEY=\xff", CANARY.as_bytes()].concat(),
        [b"\xff\xfe=", CANARY.as_bytes()].concat(),
        [b"=", CANARY.as_bytes()].concat(),
        CANARY.as_bytes().to_vec(),
        [b"HOME=", sandbox.real().as_os_str().as_encoded_bytes()].concat(),
        b"PATH=/usr/bin:/bin".to_vec(),
    ];
    for mode in ["-v", "-n", "-q"] {
        let args = [raw(b"-p"), raw(b"builder"), raw(mode.as_bytes()), raw(b"--keep"), raw(b"\xff*"), raw(b"true")];
        let outcome = sandbox.hx(args).raw_block(&block).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        assert!(!outcome.stderr.contains("panic"), "{outcome:?}");
    }
}
