//! The home itself, on an engine that answers wrongly.

use crate::support::{Run, Sandbox, binary};
use crate::{direct, system};

/// moby#41704, official-images#16829: faccessat2(2) is answered with EPERM. What mkdir(2) and execve(2) say decides.
#[test]
fn w31_an_engine_that_knows_no_faccessat2() {
    let sandbox = Sandbox::with_builder();
    // Not for everybody, so that it would be asked.
    let tool = sandbox.script("bin/tool", "#!/bin/sh\necho \"$HOME\"\n");
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let ours = binary().display().to_string();
    let start = |options: &[&str], command: &str| {
        let strace = [system("strace"), "-f", "-o", "/dev/null", "-e", "inject=faccessat2:error=EPERM", "--", &ours];
        let run = direct(&sandbox, &[&strace[..], options, &["-p", "builder", "--", command]].concat());
        run.env("PATH", format!("{}:/usr/bin:/bin", sandbox.path("bin").display())).run().ok().out()
    };
    let home = format!("{}\n", sandbox.home().display());
    assert_eq!(start(&[], "tool"), home, "the home is made");
    assert_eq!(start(&[], "tool"), home, "the home is there");
    assert_eq!(start(&[], tool.to_str().unwrap()), home);
    assert!(!start(&["-n"], "tool").contains("not writable"));
}

/// A file system that forbids it is seen by execve(2) alone, and the search goes on; `--explain` asks.
#[test]
fn w31_a_program_on_a_file_system_without_programs_is_passed_over() {
    assert!(nix::unistd::geteuid().is_root(), "this test mounts: run it as root");
    let sandbox = Sandbox::with_builder();
    let (first, second) = (sandbox.mkdir("first"), sandbox.path("second"));
    sandbox.script("second/tool", "#!/bin/sh\necho second\n");
    let dir = first.display();
    let mount = format!("mount -t tmpfs -o noexec none {dir}; cp {}/tool {dir}/", second.display());
    let start = |path: &str, options: &[&str]| {
        let run = sandbox.hx([options, &["-p", "builder", "--", "tool"]].concat());
        run.env("PATH", path).mounted(&mount).run()
    };
    let both = format!("{dir}:{}:/usr/bin:/bin", second.display());
    assert_eq!(start(&both, &[]).ok().out(), "second\n");
    assert!(start(&both, &["-n"]).ok().out().contains(&format!("tool -> {}/tool", second.display())));
    for options in [&[][..], &["-n"]] {
        assert_eq!(start(&format!("{dir}:/usr/bin:/bin"), options).code(), 126, "{options:?}");
    }
}

/// hermes-agent#93760, claude-code#45122, #18631: what the doctor can see of what is documented as a limit.
#[test]
fn w37_caches_and_claudes_sandbox_are_named_by_the_doctor() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    let doctor = || sandbox.hx(["-p", "builder", "--doctor"]).run().ok().out();
    let said = doctor();
    assert!(!said.contains("claude-sandbox") && !said.contains("cache:"), "{said}");
    sandbox.write("real/.claude/settings.json", r#"{"sandbox": {"enabled": true}}"#);
    sandbox.mkdir(sandbox.home().join(".cache/pip"));
    let said = doctor();
    assert!(said.contains("ok       claude-sandbox: ") && said.contains("ok       cache: "), "{said}");
}

/// Limits that are documented: Java asks the password database, and Python looks for the user's packages in HOME.
#[test]
fn w37_java_and_pip_are_as_the_limits_say() {
    let sandbox = Sandbox::with_builder();
    let home_of_java = |run: Run| {
        let outcome = run.run();
        let line = outcome.stderr.lines().find_map(|line| line.trim().strip_prefix("user.home = "));
        line.unwrap_or_else(|| panic!("{outcome:?}")).to_owned()
    };
    let java = [system("java"), "-XshowSettings:properties", "-version"];
    assert_eq!(home_of_java(sandbox.builder(java)), home_of_java(direct(&sandbox, &java).env("HOME", "/nowhere")));

    let place = direct(&sandbox, &[system("python3"), "-m", "site", "--user-site"]).run().out();
    sandbox.write(std::path::Path::new(place.trim()).join("tiny.py"), "");
    let tool = sandbox.script("real/.local/bin/tool", "#!/usr/bin/python3\nimport tiny\n").display().to_string();
    direct(&sandbox, &[&tool]).run().ok();
    assert!(sandbox.builder([&tool]).run().stderr.contains("No module named 'tiny'"));
}
