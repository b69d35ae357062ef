//! Files that the kernel takes for no program, and interpreters that are not there.

use std::os::unix::fs::PermissionsExt;

use super::{Case, GOOD};

/// X10: `execve` gives ENOEXEC, and `execvp` lets `/bin/sh` run it.
#[test]
fn a_script_without_interpreter_line() {
    let case = Case::new().path(&["bin"]);
    for place in ["work/ns", "bin/ns"] {
        case.sandbox.script(place, "echo $0 $1 $#\n");
    }
    assert_eq!(case.runs(&["./ns", "q"]), "./ns q 1\n");
    case.runs(&["ns", "q", ""]);
    case.runs(&["ns"]);
}

#[test]
fn an_empty_file() {
    let case = Case::new().path(&["bin"]);
    case.sandbox.script("bin/tool", "");
    case.runs(&["tool"]);
    case.runs(&["../bin/tool"]);
}

/// `/bin/sh` is given a name that it could take for options, as by `execvp`.
#[test]
fn a_script_without_interpreter_line_whose_name_starts_with_a_dash() {
    let case = Case::new().raw_path(Some(""));
    case.sandbox.script("work/-n", "echo ran\n");
    let (ours, env) = case.both(&["-n"]);
    assert_eq!((ours.code(), ours.out()), (env.code(), env.out()));
}

/// `/bin/sh` refuses it, in its own words.
#[test]
fn bytes_that_are_no_program() {
    let case = Case::new().path(&["bin"]);
    for (name, content) in
        [("nul", &b"\0\x01\x02\0"[..]), ("elf", b"\x7fELF\x02\x01\x01\0"), ("text", b"exit 7\n"), ("hash", b"#")]
    {
        case.sandbox.script(format!("bin/{name}"), content);
        for word in [name.to_owned(), format!("../bin/{name}")] {
            let (ours, env) = case.both(&[&word]);
            assert_eq!((ours.code(), ours.out(), &ours.stderr), (env.code(), env.out(), &env.stderr), "{word}");
        }
    }
}

#[test]
fn an_interpreter_that_is_not_there_is_named() {
    let case = Case::new().path(&["bin"]);
    for (line, name) in [
        ("#!/no/such/interpreter -x", "'/no/such/interpreter'"),
        ("#! \t/no/such/spaced\t-x", "'/no/such/spaced'"),
        ("#!gone", "'gone'"),
        ("#!/bin/sh\r", "'/bin/sh\\r'"),
        ("#!/no/such/last-line-without-end", "'/no/such/last-line-without-end'"),
    ] {
        case.sandbox.script("bin/tool", format!("{line}\necho no\n"));
        case.fails(127, &["tool"], &[name, "bin/tool"]);
        case.fails(127, &["../bin/tool"], &[name, "../bin/tool"]);
    }
    case.sandbox.script("bin/tool", "#!/no/such/only-line");
    case.fails(127, &["../bin/tool"], &["'/no/such/only-line'"]);
}

/// X09.
#[test]
fn an_interpreter_that_is_not_there_before_a_good_command() {
    let case = Case::new().path(&["broken", "good"]);
    case.sandbox.script("broken/tool", "#!/no/such/interpreter\n");
    case.sandbox.script("good/tool", GOOD);
    assert!(case.runs(&["tool", "a"]).ends_with("good/tool a\n"));
}

#[test]
fn an_interpreter_that_is_not_there_beside_a_file_that_is_not_executable() {
    for places in [["broken", "plain"], ["plain", "broken"]] {
        let case = Case::new().path(&places);
        case.sandbox.script("broken/tool", "#!/no/such/interpreter\n");
        case.sandbox.write("plain/tool", GOOD);
        case.fails(126, &["tool"], &["tool"]);
    }
}

#[test]
fn an_interpreter_that_cannot_be_executed() {
    let case = Case::new().path(&["bin", "good"]);
    let plain = case.sandbox.write("plain", "").display().to_string();
    for interpreter in [plain.as_str(), "/etc", "/dev/null"] {
        case.sandbox.script("bin/tool", format!("#!{interpreter}\n"));
        case.fails(126, &["../bin/tool"], &["../bin/tool"]);
        case.fails(126, &["tool"], &["bin/tool"]);
    }
    case.sandbox.script("good/tool", GOOD);
    case.runs(&["tool"]);
}

#[test]
fn an_interpreter_that_is_a_script() {
    let case = Case::new().path(&["bin"]);
    let inner = case.sandbox.script("inner", "#!/bin/sh\necho inner \"$@\"\n").display().to_string();
    case.sandbox.script("bin/tool", format!("#!{inner} one argument\n"));
    case.runs(&["tool", "a"]);
    case.sandbox.script("inner", "#!/no/such/inner\n");
    case.fails(127, &["tool"], &["bin/tool"]);
    case.fails(127, &["../bin/tool"], &["../bin/tool"]);
    let itself = case.sandbox.path("bin/tool").display().to_string();
    case.sandbox.script("bin/tool", format!("#!{itself}\n"));
    case.fails(126, &["../bin/tool"], &["../bin/tool"]);
    case.fails(126, &["tool"], &["bin/tool"]);
}

/// The kernel looks for it from the directory of the process, which `-C` has changed by then.
#[test]
fn a_relative_interpreter_after_chdir() {
    let case = Case::new().chdir("there").path(&["bin"]);
    case.sandbox.script("bin/tool", "#!own/interpreter\n");
    case.sandbox.script("work/own/interpreter", "#!/bin/sh\necho work\n");
    case.fails(127, &["tool"], &["'own/interpreter'"]);
    case.fails(127, &["../bin/tool"], &["'own/interpreter'"]);
    case.sandbox.script("there/own/interpreter", "#!/bin/sh\necho there\n");
    assert_eq!(case.runs(&["tool"]), "there\n");
}

/// A dynamic program whose loader (PT_INTERP) is another file's name.
#[test]
fn a_loader_that_is_not_there() {
    let case = Case::new().path(&["bin", "good"]);
    let mut program = std::fs::read("/bin/true").unwrap();
    let at = program.windows(5).position(|window| window == b"/lib/" || window == b"/lib6").unwrap();
    program[at + 1] = b'X';
    case.sandbox.script("bin/tool", &program);
    case.fails(127, &["tool"], &["bin/tool"]);
    case.fails(127, &["../bin/tool"], &["../bin/tool"]);
    case.sandbox.script("good/tool", GOOD);
    case.runs(&["tool"]);
}

#[test]
fn every_pair_of_candidates_ends_as_with_env() {
    let kinds = ["plain", "directory", "interpreter", "noexec-interpreter", "text", "good", "dangling", "gone"];
    let case = Case::new();
    case.sandbox.write("plain/tool", GOOD);
    case.sandbox.mkdir("directory/tool");
    case.sandbox.script("interpreter/tool", "#!/no/such/interpreter\n");
    case.sandbox.script("noexec-interpreter/tool", "#!/etc/passwd\n");
    case.sandbox.script("text/tool", "echo text\n");
    case.sandbox.script("good/tool", GOOD);
    case.sandbox.link("nowhere", "dangling/tool");
    assert_eq!(case.sandbox.path("good/tool").metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let mut case = case;
    for first in kinds {
        for second in kinds {
            case = case.path(&[first, second]);
            let (ours, env) = case.both(&["tool"]);
            assert_eq!((ours.code(), ours.out()), (env.code(), env.out()), "{first}, {second}: {ours:?} {env:?}");
        }
    }
}
