//! Toolchains that are found by HOME, by PATH or by variables of their own: Rust's by rustup, and Node's.

use std::path::Path;

use crate::support::{BINARY, Run, Sandbox};
use crate::{SYSTEM, direct, existing, installed, redirected, system};

/// A user whose Rust is rustup's, with the toolchain of this test twice, as `one` and `two`.
struct Rust(Sandbox);

impl Rust {
    fn new() -> Self {
        let rust = Self(Sandbox::with_builder());
        let cargo = existing(env!("CARGO").into());
        let toolchain = Path::new(cargo).ancestors().nth(2).unwrap().to_str().unwrap();
        for tool in ["rustup", "cargo", "rustc"] {
            rust.0.link(installed("rustup/bin/rustup"), format!("real/.cargo/bin/{tool}"));
        }
        for name in ["one", "two"] {
            rust.on_path(direct(&rust.0, &[&rust.tool("rustup"), "-q", "toolchain", "link", name, toolchain]))
                .run()
                .ok();
        }
        rust.on_path(direct(&rust.0, &[&rust.tool("rustup"), "-q", "default", "one"])).run().ok();
        rust
    }

    fn tool(&self, name: &str) -> String {
        self.0.real().join(".cargo/bin").join(name).display().to_string()
    }

    fn on_path(&self, run: Run) -> Run {
        run.env("PATH", format!("{}:{SYSTEM}", self.0.real().join(".cargo/bin").display()))
    }
}

/// rust-lang/rustup#948, rnestler/reboot-arch-btw#53 (H09): under another HOME there is no toolchain.
#[test]
fn cargo_of_rustup_has_its_toolchain_under_another_home() {
    let rust = Rust::new();
    let version = [&rust.tool("cargo"), "--version"];
    let outcome = rust.on_path(redirected(&rust.0, &version)).run();
    assert_eq!(outcome.code(), 1, "without the wrapper: {outcome:?}");
    assert!(outcome.stderr.contains("no default is configured"), "without the wrapper: {outcome:?}");

    let expected = direct(&rust.0, &[env!("CARGO"), "--version"]).run().ok().out();
    assert_eq!(rust.on_path(rust.0.builder(version)).run().ok().out(), expected);
    // cargo starts rustc by way of rustup again.
    rust.0.write("work/Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"1.0.0\"\nedition = \"2021\"\n");
    rust.0.write("work/src/main.rs", "fn main() { println!(\"built\"); }\n");
    let outcome = rust.on_path(rust.0.builder(["cargo", "run", "--quiet", "--offline"])).run().ok();
    assert_eq!(outcome.out(), "built\n");
    // What cargo saves, such as a login for a registry, is the profile's own.
    assert!(rust.0.home().join(".cargo").is_dir() && !rust.0.real().join(".cargo/.package-cache").exists());
}

/// rust-lang/cargo#12292, rust-lang/rustup#3031 (V26): cargo tells what it starts which toolchain it is. That stays so through
/// us, and so does a toolchain that comes first on PATH.
#[test]
fn a_nested_cargo_has_the_toolchain_of_the_outer_one() {
    let rust = Rust::new();
    let active = |wrapper: &str| {
        let text = format!("#!/bin/sh\nexec {wrapper} rustup show active-toolchain\n");
        rust.0.script("real/.cargo/bin/cargo-nested", text);
        let outcome = rust.on_path(direct(&rust.0, &[&rust.tool("cargo"), "+two", "nested"])).run().ok();
        outcome.out().split(' ').next().unwrap().to_owned()
    };
    assert_eq!(active(""), "two", "without the wrapper");
    assert_eq!(active(&format!("{BINARY} -p builder --unset RUSTUP_TOOLCHAIN --")), "one", "with the variable removed");
    assert_eq!(active(&format!("{BINARY} -p builder --")), "two");

    let bin = Path::new(env!("CARGO")).parent().unwrap().display();
    let path = format!("{bin}:{}:{SYSTEM}", rust.0.real().join(".cargo/bin").display());
    let which = ["sh", "-c", "command -v cargo"];
    assert_eq!(rust.0.builder(which).env("PATH", path).run().ok().out(), format!("{}\n", env!("CARGO")));
}

/// Without the network, should there be one.
fn offline(run: Run) -> Run {
    let run = run.env("npm_config_offline", "true").env("npm_config_update_notifier", "false");
    run.env("npm_config_audit", "false").env("npm_config_fund", "false")
}

/// Makes the working directory a project with the command `tiny` and a script that starts it by npx through `wrapper`.
fn project(sandbox: &Sandbox, wrapper: &str) {
    let scripts =
        format!(r#"{{"nested": "{wrapper} npx --no tiny nested", "event": "{wrapper} printenv npm_lifecycle_event"}}"#);
    let text = format!(r#"{{"name": "project", "version": "1.0.0", "scripts": {scripts}}}"#);
    sandbox.write("work/package.json", text);
    sandbox.write("work/node_modules/tiny/package.json", r#"{"name": "tiny", "version": "1.0.0", "bin": "tiny.js"}"#);
    let text = "#!/usr/bin/env node\nconsole.log('tiny, ' + process.argv[2])\n";
    let script = sandbox.script("work/node_modules/tiny/tiny.js", text);
    if !sandbox.path("work/node_modules/.bin/tiny").exists() {
        sandbox.link(script, "work/node_modules/.bin/tiny");
    }
}

/// modelcontextprotocol/python-sdk#185, firecrawl/cli#88 (C18, V25): npx needs PATH for node and for itself, also within a
/// script that npm has started.
#[test]
fn npx_of_a_local_package() {
    let sandbox = Sandbox::with_builder();
    project(&sandbox, &format!("{BINARY} --"));
    // On the command line, since `--minimal` takes settings away.
    let npx = ["npx", "--offline", "--no-update-notifier", "--no", "tiny", "typed"];
    let direct = direct(&sandbox, &[&[system("env")], &npx[..]].concat());
    for run in [direct, sandbox.builder(npx), sandbox.hx([&["-p", "builder", "--minimal", "--"], &npx[..]].concat())] {
        assert_eq!(run.run().ok().out(), "tiny, typed\n");
    }
    let nested = sandbox.builder(["npm", "run", "--silent", "nested"]);
    assert_eq!(offline(nested).run().ok().out(), "tiny, nested\n");
}

/// swarmclawai/swarmclaw#25, nvm-sh/nvm#2106 (V25): what npm sets for its scripts is kept, since they rely on it, and removed
/// on request, without the settings that are the user's.
#[test]
fn what_npm_tells_its_scripts_is_kept() {
    let sandbox = Sandbox::with_builder();
    let event = ["/usr/bin/npm", "run", "--silent", "event"];
    for (wrapper, expected) in [("", "event\n"), (&format!("{BINARY} -p builder --"), "event\n")] {
        project(&sandbox, wrapper);
        assert_eq!(offline(direct(&sandbox, &event)).run().ok().out(), expected, "{wrapper}");
    }
    project(&sandbox, &format!("{BINARY} --unset npm_lifecycle_* --"));
    assert_eq!(offline(direct(&sandbox, &event)).run().code(), 1);

    let prefix = sandbox.mkdir("prefix").display().to_string();
    let start = |options: &[&str], of: &str| {
        let command = [options, &["-p", "builder", "--", "npm", "config", "get", of]].concat();
        let run = offline(sandbox.hx(command)).env("npm_config_prefix", &prefix);
        let run =
            run.env("npm_config_registry", "https://registry.invalid/").env("NPM_CONFIG_USERCONFIG", "/somewhere");
        run.run().ok().out()
    };
    assert_eq!(start(&[], "prefix"), format!("{prefix}\n"));
    let unset = ["--unset", "npm_config_prefix", "--unset", "npm_lifecycle_*"];
    assert_ne!(start(&unset, "prefix"), format!("{prefix}\n"));
    assert_eq!(start(&unset, "registry"), "https://registry.invalid/\n");
    assert_eq!(start(&unset, "userconfig"), "/somewhere\n");
}

/// microsoft/vscode#305671, anthropics/claude-code#34836 (V28): switches of Node are the user's.
#[test]
fn what_node_is_told_by_variables_is_kept() {
    let sandbox = Sandbox::with_builder();
    let hook = sandbox.write("work/hook.js", "console.log('hooked')\n");
    let command = ["node", "-e", "console.log(process.env.ELECTRON_RUN_AS_NODE)"];
    let start = |options: &[&str]| {
        let run = sandbox.hx([options, &["-p", "builder", "--"], &command].concat()).env("ELECTRON_RUN_AS_NODE", "1");
        run.env("NODE_OPTIONS", format!("--require {}", hook.display())).run().ok().out()
    };
    assert_eq!(start(&[]), "hooked\n1\n");
    assert_eq!(start(&["--unset", "NODE_OPTIONS", "--unset", "ELECTRON_RUN_AS_NODE"]), "undefined\n");
}
