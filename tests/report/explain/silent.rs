//! No value shows, whatever is asked: every name of the catalogue, of the marker families and of the user's own holds a
//! planted secret, and every report is read for it.

use crate::support::{CANARY, Run, SELECTING, Sandbox};

/// Reports of every kind, and runs that fail.
const ASKED: [&[&str]; 16] = [
    &["-n", "true"],
    &["-n", "-v", "true"],
    &["-n", "--json", "true"],
    &["-n", "--minimal", "-v", "true"],
    &["-n", "--json", "--inherit-credentials", "--keep", "*", "true"],
    &["-n", "--only", "ANTHROPIC_API_KEY", "--only", "MY_TOKEN", "--only", "PLAIN", "true"],
    &["--doctor"],
    &["--doctor", "--json"],
    &["--doctor", "--inherit-credentials", "--keep", "*"],
    &["-v", "true"],
    &["-v", "--minimal", "true"],
    &["-n", "no-such-command"],
    &["no-such-command"],
    &["-p", "nobody", "-n", "--json", "true"],
    &["-p", "nobody", "--doctor"],
    &["--home", "real", "--doctor"],
];

/// Every name with a secret as its value. Those that select profile and HOME hold what they must.
fn planted(sandbox: &Sandbox, args: &[&str]) -> Run {
    let table = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/catalogue.tsv")).unwrap();
    let names = table.lines().map(|line| line.split('\t').next().unwrap().replace('*', "Sample"));
    let own = ["MY_TOKEN", "PLAIN", "BASH_ENV", "ENV", "CONDA_PREFIX", "UV_PYTHON", "PYTHONPATH", "XDG_CONFIG_HOME"];
    let names =
        names.chain(own.map(str::to_owned)).filter(|name| name != "PATH" && !SELECTING.contains(&name.as_str()));
    let block: Vec<_> = names.map(|name| format!("{name}=sk-ant-{CANARY}-{name}")).collect();
    let rest = [format!("HOME={}", sandbox.real().display()), "PATH=/usr/bin:/bin".into()];
    sandbox.hx(args).raw_block(block.into_iter().chain(rest).chain([format!("no assignment {CANARY}")]))
}

#[test]
fn no_value_of_any_variable() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.hermes/.env", format!("MY_TOKEN={CANARY}\nexport OTHER_SECRET='{CANARY}'\n"));
    let profile = "real/.hermes/profiles/builder";
    sandbox.write(format!("{profile}/config.yaml"), format!("key: {CANARY}\nproviders: [{{key_env: {CANARY}-x}}]\n"));
    let policy = format!(r#"{{"set": {{"SET_BY_FILE": "{CANARY}"}}, "keep": ["PLAIN"]}}"#);
    sandbox.write(format!("{profile}/hermes-exec.json"), policy);
    let given = format!("GIVEN={CANARY}");
    for args in ASKED {
        let args = [&["-p", "builder", "--set", &given], args].concat();
        // `Run::run` reads both outputs for the secret.
        let outcome = planted(&sandbox, &args).run();
        assert!(
            !outcome.out().is_empty() || !outcome.stderr.is_empty() || args.contains(&"-v"),
            "{args:?}: {outcome:?}"
        );
    }
}

#[test]
fn no_value_in_an_error_of_a_file() {
    let sandbox = Sandbox::with_builder();
    let profile = "real/.hermes/profiles/builder";
    for (file, text) in [
        ("hermes-exec.json", format!(r#"{{"set": {{"A": ["{CANARY}"]}}}}"#)),
        ("hermes-exec.json", format!(r#"{{"home": "{CANARY}"}}"#)),
        ("hermes-exec.json", format!(r#"{{"keep": "{CANARY}"}}"#)),
        ("hermes-exec.json", format!(r#"{{"set": {{"A": "{CANARY}"}}"#)),
        ("config.yaml", format!("env_passthrough: [{CANARY}\n: - {CANARY}\n")),
    ] {
        let path = sandbox.write(format!("{profile}/{file}"), text);
        for args in [&["-n", "true"][..], &["-n", "--json", "true"], &["--doctor"], &["--doctor", "--json"], &["true"]]
        {
            let outcome = planted(&sandbox, &[&["-p", "builder"], args].concat()).run();
            assert!((outcome.out() + &outcome.stderr).contains(file), "{args:?}: {outcome:?}");
        }
        std::fs::remove_file(path).unwrap();
    }
}

/// The reader of outputs finds a secret that is there.
#[test]
#[should_panic(expected = "the planted secret is on stdout")]
fn a_secret_that_shows_is_seen() {
    Sandbox::new().hx(["printenv", "PLAIN"]).env("PLAIN", CANARY).run();
}
