//! `--shims`: the scripts that it writes, what it leaves alone, and that they start the tool.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{Outcome, Sandbox, binary};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn written(sandbox: &Sandbox, words: &[&str]) -> Outcome {
    sandbox.hx(words).after_sh("umask 077").run()
}

#[test]
fn a_shim_has_two_lines_with_the_options_of_the_command_line() {
    let sandbox = Sandbox::with_builder();
    sandbox.script("tools/mytool", "#!/bin/sh\nprintf '%s|' \"$HOME\" \"${GH_TOKEN-gone}\" \"$@\"\n");
    let dir = sandbox.path("it's/shims");
    let words =
        ["-p", "builder", "--keep", "A'B*", "--markers", "own", "--shims", dir.to_str().unwrap(), "mytool", "uv"];
    let outcome = written(&sandbox, &words).ok();
    let shim = fs::read_to_string(dir.join("mytool")).unwrap();
    let own = binary().canonicalize().unwrap().display().to_string();
    let options = r"'--profile=builder' '--keep=A'\''B*' '--markers=own'";
    assert_eq!(shim, format!("#!/bin/sh\nexec '{own}' {options} -- 'mytool' \"$@\"\n"));
    assert_eq!((mode(&dir), mode(&dir.join("mytool")), mode(&dir.join(".path.sh"))), (0o755, 0o755, 0o644));

    let quoted = dir.display().to_string().replace('\'', r"'\''");
    let lines = outcome.out();
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!(lines[0], format!("export PATH='{quoted}':\"$PATH\""));
    let file = dir.join(".path.sh").display().to_string();
    assert_eq!(lines[1], format!("shell_init_files: [\"~/.profile\", \"~/.bashrc\", \"{file}\"]"));

    // The shim wins over its tool, once, and starts it.
    let script = format!(". '{0}/.path.sh'; . '{0}/.path.sh'; echo \"$PATH\"; mytool 'one two'", quoted);
    let path = format!("{}:/usr/bin:/bin", sandbox.path("tools").display());
    let run = sandbox.hx(["-c", &script]).program("/bin/sh").env("PATH", &path).env("GH_TOKEN", "x");
    let out = run.run().ok().out();
    assert_eq!(out, format!("{}:{path}\n{}|gone|one two|", dir.display(), sandbox.home().display()));
}

#[test]
fn what_is_no_shim_for_the_tool_is_left_and_then_nothing_is_written() {
    let sandbox = Sandbox::with_builder();
    let dir = sandbox.mkdir("shims");
    let to = dir.to_str().unwrap();
    for foreign in ["#!/bin/sh\nexec other\n", "", "#!/bin/sh\nexec '/x' -- 'pip' \"$@\"\n"] {
        sandbox.write("shims/uv", foreign);
        written(&sandbox, &["--shims", to, "gh", "uv"]).fails(125, &["shims/uv", "nothing is written"]);
        assert_eq!(fs::read_to_string(dir.join("uv")).unwrap(), foreign);
        assert!(!dir.join("gh").exists() && !dir.join(".path.sh").exists());
    }
    fs::remove_file(dir.join("uv")).unwrap();
    sandbox.link("/usr/bin/env", "shims/uv");
    written(&sandbox, &["--shims", to, "uv"]).fails(125, &["shims/uv"]);
    assert!(dir.join("uv").is_symlink());
}

#[test]
fn an_older_one_is_brought_up_to_date_and_an_equal_one_is_not_written() {
    let sandbox = Sandbox::with_builder();
    let dir = sandbox.mkdir("shims");
    let to = dir.to_str().unwrap();
    sandbox.write("shims/uv", "#!/bin/sh\nexec '/old/hermes-exec' '--profile=x' -- 'uv' \"$@\"\n");
    written(&sandbox, &["--shims", to, "uv"]).ok();
    assert!(!fs::read_to_string(dir.join("uv")).unwrap().contains("/old/"));
    let before = sandbox.listing();
    written(&sandbox, &["--shims", to, "uv"]).ok();
    assert_eq!(sandbox.listing(), before);
    fs::set_permissions(dir.join("uv"), fs::Permissions::from_mode(0o600)).unwrap();
    written(&sandbox, &["--shims", to, "uv"]).ok();
    assert_eq!(sandbox.listing(), before, "it has its mode again");
}

#[test]
fn bad_words_and_options_that_could_not_run_are_refused() {
    let sandbox = Sandbox::with_builder();
    for (words, told) in [
        (&["--shims", "d", "a/b"][..], "not a tool name"),
        (&["--shims", "d", ""], "not a tool name"),
        (&["--shims", "d", "--", "-x"], "not a tool name"),
        (&["--shims", "a:b", "uv"], "colon"),
        (&["--shims", "d", "--set", "A=canary", "uv"], "--set"),
        (&["--shims", "d", "-a", "x", "uv"], "--argv0"),
        (&["--shims", "d", "-p", "nobody", "uv"], "nobody"),
        (&["--shims", "d", "--inherit-credentials=nobody", "uv"], "--inherit-credentials"),
        (&["--shims", "d"], "--shims"),
    ] {
        written(&sandbox, words).fails(125, &[told]);
        assert!(!sandbox.path("work/d").exists(), "{words:?}");
    }
}

/// CPython finds its venv by `argv[0]` on PATH, and would find the shim.
#[test]
fn behind_a_shim_the_zeroth_argument_is_the_path_of_the_program() {
    let sandbox = Sandbox::with_builder();
    sandbox.link("/bin/sh", "tools/mysh");
    let dir = sandbox.path("shims");
    written(&sandbox, &["--shims", dir.to_str().unwrap(), "mysh"]).ok();
    let path = format!("{}:{}:/usr/bin:/bin", dir.display(), sandbox.path("tools").display());
    let run = |program: &Path| {
        let run = sandbox.hx(["-c", "echo $0"]).program(program).env("PATH", &path);
        run.run().ok().out()
    };
    assert_eq!(run(&dir.join("mysh")), format!("{}\n", sandbox.path("tools/mysh").display()));
}

#[test]
fn the_file_that_sets_path_is_written_over_no_other() {
    let sandbox = Sandbox::with_builder();
    for make in [&(|path: &Path| fs::write(path, "precious").unwrap()) as &dyn Fn(&Path), &|path| {
        nix::unistd::mkfifo(path, nix::sys::stat::Mode::from_bits_truncate(0o644)).unwrap();
    }] {
        let dir = sandbox.mkdir("other");
        make(&dir.join(".path.sh"));
        let before = sandbox.listing();
        written(&sandbox, &["--shims", dir.to_str().unwrap(), "uv"]).fails(125, &[".path.sh", "nothing is written"]);
        assert_eq!(sandbox.listing(), before);
        fs::remove_file(dir.join(".path.sh")).unwrap();
    }
}
