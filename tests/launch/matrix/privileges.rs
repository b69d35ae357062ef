//! What a user without privileges may not do.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Case, GOOD};

const NOBODY: u32 = 65534;

fn mode(case: &Case, rel: &str, bits: u32) {
    std::fs::set_permissions(case.sandbox.path(rel), std::fs::Permissions::from_mode(bits)).unwrap();
}

#[test]
fn a_program_for_others_only() {
    let case = Case::new().path(&["closed", "good"]).uid(NOBODY);
    case.sandbox.script("closed/tool", GOOD);
    mode(&case, "closed/tool", 0o700);
    case.fails(126, &["tool"], &["closed/tool", "Permission denied"]);
    case.fails(126, &["../closed/tool"], &["../closed/tool", "Permission denied"]);
    case.sandbox.script("good/tool", GOOD);
    case.runs(&["tool"]);
}

#[test]
fn a_program_that_may_be_executed_and_not_read() {
    let case = Case::new().path(&["bin"]).uid(NOBODY);
    case.sandbox.copied("bin/tool", Path::new("/bin/echo"));
    mode(&case, "bin/tool", 0o711);
    assert_eq!(case.runs(&["tool", "ran"]), "ran\n");
    assert_eq!(case.runs(&["../bin/tool", "ran"]), "ran\n");
}

/// The interpreter is started, and cannot read it.
#[test]
fn a_script_that_may_be_executed_and_not_read() {
    let case = Case::new().path(&["bin"]).uid(NOBODY);
    for text in [GOOD, "echo no interpreter line\n", "#!/no/such/interpreter\n"] {
        case.sandbox.script("bin/tool", text);
        mode(&case, "bin/tool", 0o711);
        for word in ["tool", "../bin/tool"] {
            let (ours, env) = case.both(&[word]);
            assert_eq!((ours.code(), ours.out()), (env.code(), env.out()), "{text} {word}: {ours:?} {env:?}");
        }
    }
}

#[test]
fn a_path_through_a_directory_that_cannot_be_searched() {
    let case = Case::new().uid(NOBODY);
    case.sandbox.script("closed/tool", GOOD);
    mode(&case, "closed", 0o700);
    case.fails(126, &["../closed/tool"], &["../closed/tool", "Permission denied"]);
    case.fails(126, &["../closed/gone"], &["../closed/gone", "Permission denied"]);
}

/// The one difference to `env`: a directory that cannot be searched is no file that cannot be executed.
#[test]
fn a_directory_on_path_that_cannot_be_searched_is_no_126() {
    let case = Case::new().path(&["closed", "good"]).uid(NOBODY);
    case.sandbox.script("closed/tool", GOOD);
    mode(&case, "closed", 0o700);
    let (ours, env) = case.both(&["tool"]);
    assert_eq!(env.code(), 126, "{env:?}");
    ours.fails(127, &["tool"]);
    case.sandbox.script("good/tool", GOOD);
    case.runs(&["tool"]);
}

#[test]
fn an_interpreter_behind_a_directory_that_cannot_be_searched() {
    let case = Case::new().path(&["bin"]).uid(NOBODY);
    let interpreter = case.sandbox.script("closed/interpreter", GOOD).display().to_string();
    mode(&case, "closed", 0o700);
    case.sandbox.script("bin/tool", format!("#!{interpreter}\n"));
    case.fails(126, &["../bin/tool"], &["../bin/tool"]);
    case.fails(126, &["tool"], &["bin/tool"]);
}

#[test]
fn everything_else_as_that_user() {
    let case = Case::new().path(&["bin"]).uid(NOBODY);
    case.sandbox.script("bin/tool", GOOD);
    case.runs(&["tool", "a"]);
    case.fails(127, &["no-such-tool"], &["no-such-tool"]);
    case.fails(126, &["/etc"], &["/etc"]);
}
