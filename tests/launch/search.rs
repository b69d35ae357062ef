//! Finding and starting the command. Exit statuses are in `status.rs`, shims in `shims.rs`.

use crate::support::{BINARY, Sandbox};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Scripts `tool` that print their place, in directories of this sandbox.
fn with_tools(places: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for place in places {
        sandbox.script(format!("{place}/tool"), format!("#!/bin/sh\necho {place}\n"));
    }
    sandbox
}

/// PATH from directories of the sandbox.
pub fn path(sandbox: &Sandbox, places: &[&str]) -> String {
    let places: Vec<_> = places.iter().map(|place| sandbox.path(place).display().to_string()).collect();
    places.join(":")
}

#[test]
fn the_command_runs_in_place_as_the_same_process() {
    let sandbox = Sandbox::with_builder();
    let script = "echo $$; exec \"$0\" -p builder -- sh -c 'echo $$'";
    let outcome = sandbox.hx(["-c", script, BINARY]).program("/bin/sh").run().ok();
    let pids: Vec<_> = outcome.out().lines().map(str::to_owned).collect();
    assert_eq!(pids.len(), 2);
    assert_eq!(pids[0], pids[1]);
}

#[test]
fn argv0_is_the_word_typed() {
    let sandbox = Sandbox::new();
    sandbox.link("/bin/sh", "bin/shell");
    let shell = sandbox.path("bin/shell").display().to_string();
    for word in ["shell", shell.as_str(), "../bin/shell"] {
        let run = sandbox.hx([word, "-c", "echo $0"]).env("PATH", path(&sandbox, &["bin"]));
        assert_eq!(run.run().ok().out(), format!("{word}\n"));
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: /proc")]
#[test]
fn argv0_can_be_given() {
    let sandbox = Sandbox::new();
    for (name, expected) in [("another", "another\n"), ("-sh", "-sh\n"), ("", "\n"), ("a b\u{e9}", "a b\u{e9}\n")] {
        let outcome =
            sandbox.hx([&format!("--argv0={name}"), "sh", "-c", "tr '\\0' '\\n' </proc/$$/cmdline | head -n1"]);
        assert_eq!(outcome.run().ok().out(), expected);
    }
}

#[test]
fn the_first_executable_file_on_path_is_taken() {
    let sandbox = with_tools(&["one", "two"]);
    sandbox.mkdir("empty");
    let found = |places: &[&str]| sandbox.hx(["tool"]).env("PATH", path(&sandbox, places)).run().ok().out();
    assert_eq!(found(&["one", "two"]), "one\n");
    assert_eq!(found(&["two", "one"]), "two\n");
    assert_eq!(found(&["empty", "gone", "two"]), "two\n");
}

#[test]
fn a_candidate_that_cannot_be_executed_is_passed_over() {
    let sandbox = with_tools(&["good"]);
    sandbox.mkdir("directory/tool");
    sandbox.write("plain/tool", "#!/bin/sh\necho plain\n");
    sandbox.script("interpreter/tool", "#!/no/such/interpreter\n");
    sandbox.link("gone", "dangling/tool");
    sandbox.link("tool", "loop/tool");
    sandbox.write("file", "");
    let places = ["directory", "plain", "interpreter", "dangling", "loop", "file", "good"];
    for place in places {
        let outcome = sandbox.hx(["tool"]).env("PATH", path(&sandbox, &[place, "good"])).run().ok();
        assert_eq!(outcome.out(), "good\n", "{place}");
    }
    assert_eq!(sandbox.hx(["tool"]).env("PATH", path(&sandbox, &places)).run().ok().out(), "good\n");
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn a_directory_that_may_not_be_read_is_no_file() {
    let sandbox = with_tools(&["closed", "good"]);
    sandbox.mkdir("empty");
    sandbox.chown_all(54321);
    fs::set_permissions(sandbox.path("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let start = |places: &[&str]| {
        let run = sandbox.hx(["tool"]).env("PATH", path(&sandbox, places));
        run.program(sandbox.copied_binary()).uid(54321).run()
    };
    start(&["closed"]).fails(127, &["tool"]);
    start(&["closed", "empty"]).fails(127, &["tool"]);
    assert_eq!(start(&["closed", "good"]).ok().out(), "good\n");
}

#[test]
fn a_name_with_a_slash_is_not_searched() {
    let sandbox = with_tools(&["bin", "bin/inner", "work/inner"]);
    let run = |word: &str| sandbox.hx([word]).env("PATH", path(&sandbox, &["bin"])).run();
    assert_eq!(run("inner/tool").ok().out(), "work/inner\n");
    run("./tool").fails(127, &["./tool"]);
    assert_eq!(run(sandbox.path("bin/tool").to_str().unwrap()).ok().out(), "bin\n");
}

#[test]
fn without_path_it_is_bin_and_usr_bin() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.hx(["echo", "ran"]).no_env("PATH").run().ok().out(), "ran\n");
    assert_eq!(sandbox.hx(["--unset", "PATH", "echo", "ran"]).run().ok().out(), "ran\n");
    sandbox.script("work/tool", "#!/bin/sh\necho here\n");
    sandbox.hx(["tool"]).no_env("PATH").run().fails(127, &["tool"]);
}

#[test]
fn an_empty_element_is_the_current_directory() {
    let sandbox = with_tools(&["work"]);
    for path in [":/usr/sbin", "/usr/sbin:", "/usr/sbin::/sbin"] {
        assert_eq!(sandbox.hx(["tool"]).env("PATH", path).run().ok().out(), "work\n", "{path:?}");
    }
    sandbox.hx(["tool"]).env("PATH", "/usr/sbin").run().fails(127, &["tool"]);
}

#[test]
fn the_search_uses_the_path_that_set_gives() {
    let sandbox = with_tools(&["one", "two"]);
    let option = format!("--set=PATH={}", path(&sandbox, &["two"]));
    assert_eq!(sandbox.hx([&option, "tool"]).env("PATH", path(&sandbox, &["one"])).run().ok().out(), "two\n");
}

#[test]
fn a_script_without_interpreter_line_is_run_by_sh() {
    let sandbox = Sandbox::new();
    sandbox.script("work/ns", "echo $0 $1\n");
    sandbox.script("bin/ns", "echo $0 $1\n");
    assert_eq!(sandbox.hx(["./ns", "q"]).run().ok().out(), "./ns q\n");
    let outcome = sandbox.hx(["ns", "q"]).env("PATH", path(&sandbox, &["bin"])).run().ok();
    assert_eq!(outcome.out(), format!("{} q\n", sandbox.path("bin/ns").display()));
}

#[test]
fn an_empty_script_is_run_by_sh_too() {
    let sandbox = Sandbox::new();
    sandbox.script("work/empty", "");
    sandbox.hx(["./empty"]).run().ok();
}

#[test]
fn chdir_goes_first_and_relative_things_count_from_there() {
    let sandbox = with_tools(&["there", "there/bin", "work", "work/bin"]);
    let there = sandbox.path("there").display().to_string();
    for option in [&["-C", "../there"][..], &["--chdir", &there]] {
        let at = |word: &str, path: &str| {
            let args = [option, &[word]].concat();
            sandbox.hx(args).env("PATH", path).run().ok().out()
        };
        assert_eq!(at("./tool", "/usr/bin"), "there\n");
        assert_eq!(at("bin/tool", "/usr/bin"), "there/bin\n");
        assert_eq!(at("tool", "bin:/usr/bin"), "there/bin\n");
        assert_eq!(at("tool", ":/usr/bin"), "there\n");
        assert_eq!(at("pwd", "/usr/bin:/bin"), format!("{there}\n"));
    }
}

#[test]
fn chdir_does_not_set_pwd() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.hx(["-C", "/", "printenv", "PWD"]).env("PWD", "/elsewhere").run().ok();
    assert_eq!(outcome.out(), "/elsewhere\n");
}

#[test]
fn a_deleted_working_directory_is_no_obstacle() {
    let sandbox = Sandbox::with_builder();
    let prelude = "mkdir gone && cd gone && rmdir ../gone";
    let outcome = sandbox.builder(["/bin/echo", "ok"]).after_sh(prelude).run().ok();
    assert_eq!(outcome.out(), "ok\n");
}

/// PATH of cron and of services has no directory of the user's own, where `uv` and `claude` install themselves.
#[test]
fn w35_a_command_that_is_not_on_path_but_where_users_install_is_named_by_the_hint() {
    let sandbox = Sandbox::with_builder();
    for dir in [".local/bin", ".cargo/bin"] {
        let tool = sandbox.script(format!("real/{dir}/mytool"), "#!/bin/sh\necho ran\n");
        let path = tool.display().to_string();
        sandbox.builder(["mytool"]).run().fails(127, &["'mytool' was not found on PATH", "hint: it is", &path]);
        sandbox.builder([&path]).run().ok();
        std::fs::remove_file(tool).unwrap();
    }
    sandbox.write("real/.local/bin/mytool", "not executable");
    let outcome = sandbox.builder(["mytool"]).run().fails(127, &["'mytool' was not found on PATH"]);
    outcome.assert().stderr(predicates::str::contains("hint:").count(0));
}
