//! The home itself, on an engine that answers wrongly.

use crate::support::{Sandbox, binary};
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
