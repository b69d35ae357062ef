//! The completions, in the real shells at a terminal: a line is typed up to a TAB, and the line that comes of it is
//! compared. The shells read no start files of the user; what they need is one file of ours that is sourced.

use std::cell::RefCell;
use std::path::Path;

use crate::support::pty::Pty;
use crate::support::start::{Child, Start};
use crate::support::{BINARY, Sandbox};
use crate::{SYSTEM, system};

/// A shell at a terminal.
struct Shell<'a> {
    pty: &'a Pty,
    _child: Child<'a, 'a>,
    wrong: RefCell<Vec<String>>,
}

/// Which shell, how it gets its completions, and what it is told besides. `^G` prints the line that stands in its editor,
/// and empties it.
struct Kind {
    name: &'static str,
    args: &'static [&'static str],
    load: &'static str,
    setup: &'static str,
}

const BASH: Kind = Kind {
    name: "bash",
    args: &["--noprofile", "--norc", "-i"],
    load: ". completions/hermes-exec.bash",
    setup: r#"dump() { printf 'line<%s>end\n' "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0; }
bind -x '"\C-g": dump'
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
PS1=READY"#,
};

const BASH_COMPLETION: Kind =
    Kind { load: ". /usr/share/bash-completion/bash_completion; . completions/hermes-exec.bash", ..BASH };

/// In zsh the file is a function in a directory of its own, as packages install it.
const ZSH: Kind = Kind {
    name: "zsh",
    args: &["-f", "-i"],
    load: "fpath=($PWD/completions $fpath); autoload -U compinit; compinit -D -u",
    setup: r#"dump() { zle -I; print -r -- "line<$BUFFER>end"; BUFFER= }
zle -N dump
bindkey '^G' dump
unsetopt beep
PS1=READY"#,
};

/// The same file, sourced.
const ZSH_SOURCED: Kind = Kind { load: "autoload -U compinit; compinit -D -u; . completions/_hermes-exec", ..ZSH };

const FISH: Kind = Kind {
    name: "fish",
    args: &["-i"],
    load: ". completions/hermes-exec.fish",
    setup: r#"function fish_prompt; echo READY; end
function fish_greeting; end
function dump; echo "line<"(commandline)">end"; commandline ''; end
bind \cg dump"#,
};

/// A machine with two profiles, a deleted one, and a few things in the real home.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["builder", "worker", "gone", "Upper"] {
        sandbox.profile(name);
    }
    sandbox.write("real/.hermes/profiles/.deleted/gone", "");
    sandbox.write("real/.hermes/profiles/file", "");
    sandbox.mkdir("other/profiles/elsewhere");
    sandbox.write("real/.config/gh/hosts.yml", "");
    sandbox.write("real/.gitconfig", "");
    sandbox.write("work/policy.json", "{}");
    sandbox.mkdir("work/directory");
    sandbox.link(BINARY, "bin/hermes-exec");
    sandbox.script("bin/frobnicate", "#!/bin/sh\n");
    sandbox.link(Path::new(env!("CARGO_MANIFEST_DIR")).join("completions"), "work/completions");
    sandbox
}

/// Runs `test` in a shell.
fn in_shell(kind: &Kind, sandbox: &Sandbox, extra: &str, test: impl FnOnce(&Shell<'_>)) {
    let pty = Pty::new();
    pty.resize(50, 250);
    sandbox.write("setup", format!("{}\n{}\n{extra}\n", kind.load, kind.setup));
    let start = Start::new(sandbox.path("work")).block([
        format!("HOME={}", sandbox.real().display()),
        format!("PATH={}:{SYSTEM}", sandbox.path("bin").display()),
        "TERM=xterm".into(),
        "LANG=C.UTF-8".into(),
        format!("XDG_CONFIG_HOME={}", sandbox.path("empty").display()),
        format!("XDG_DATA_HOME={}", sandbox.path("empty").display()),
        "UNIQUE_NAME=x".into(),
    ]);
    let start = pty.leads(start);
    let argv = std::iter::once(kind.name).chain(kind.args.iter().copied());
    let child = start.spawn(Path::new(system(kind.name)), argv).unwrap();
    let shell = Shell { pty: &pty, _child: child, wrong: RefCell::default() };
    shell.pty.types(&format!(". {}\n", sandbox.path("setup").display()));
    shell.pty.shows("READY");
    test(&shell);
    let wrong = shell.wrong.take();
    assert!(wrong.is_empty(), "{}, told {}:\n{}", kind.name, kind.load, wrong.join("\n"));
}

impl Shell<'_> {
    /// The line that comes of typing this. A TAB completes.
    fn line(&self, typed: &str) -> String {
        self.pty.types(typed);
        self.pty.types("\x07");
        let screen = self.pty.shows(">end");
        let (_, line) = screen.rsplit_once("line<").unwrap_or_else(|| panic!("{typed:?}: {screen:?}"));
        line.strip_suffix(">end").unwrap().to_owned()
    }

    /// Takes down what is wrong, to report it all.
    fn completes(&self, typed: &str, expected: &str) {
        let line = self.line(&format!("{typed}\t"));
        if line != expected {
            self.wrong.borrow_mut().push(format!("{typed}<TAB> gives {line:?}, not {expected:?}"));
        }
    }
}

#[test]
fn bash_without_bash_completion() {
    // Git's own completion is there when the user sources it.
    completes_all(&BASH, ". /usr/share/bash-completion/completions/git");
}

/// Specifications of other kinds than git's.
#[test]
fn bash_with_words_of_the_user() {
    // bash-completion passes the settings of a specification on only when that names a function.
    let extra = "complete -W 'alphabet beta' frobnicate\n_f() { COMPREPLY=(\"$1-$2-$3-$COMP_CWORD\"); }\ncomplete -o nospace -F _f told";
    for kind in [&BASH, &BASH_COMPLETION] {
        in_shell(kind, &machine(), extra, |shell| {
            for [before] in rows() {
                for (typed, line) in [
                    ("frobnicate x alph", "frobnicate x alphabet "),
                    ("told x cur", "told x told-cur-x-2"),
                    ("/usr/bin/told cur", "/usr/bin/told /usr/bin/told-cur-/usr/bin/told-1"),
                ] {
                    shell.completes(&format!("hermes-exec {before}{typed}"), &format!("hermes-exec {before}{line}"));
                }
            }
        });
    }
}

#[test]
fn bash_with_bash_completion() {
    completes_all(&BASH_COMPLETION, "");
}

#[test]
fn zsh_by_a_directory_of_functions() {
    completes_all(&ZSH, "");
}

#[test]
fn zsh_by_a_sourced_file() {
    completes_all(&ZSH_SOURCED, "");
}

#[test]
fn fish() {
    completes_all(&FISH, "");
}

fn completes_all(kind: &Kind, extra: &str) {
    in_shell(kind, &machine(), extra, |shell| {
        options_and_their_values(shell, kind.name);
        the_command_as_if_it_stood_alone(shell);
    });
}

/// The texts of each row of `data/completions.txt`: one, of what may be before a command, or two, what is typed and what comes
/// of it.
fn rows<const N: usize>() -> Vec<[&'static str; N]> {
    let rows = include_str!("../data/completions.txt").lines().filter(|line| line.starts_with('`'));
    let rows: Vec<_> =
        rows.filter_map(|row| row.split('`').skip(1).step_by(2).collect::<Vec<_>>().try_into().ok()).collect();
    assert!(rows.len() > 9, "{rows:?}");
    rows
}

fn options_and_their_values(shell: &Shell<'_>, name: &str) {
    for [typed, line] in rows() {
        // An option's name is followed by '=' in zsh, and by a blank elsewhere.
        let has_equals = name == "zsh" && typed == "--prof";
        let line = if has_equals { line.replace(' ', "=") } else { line.to_owned() };
        shell.completes(&format!("hermes-exec {typed}"), &format!("hermes-exec {line}"));
    }
}

/// `hermes-exec -p b -- git chec<TAB>` gives what `git chec<TAB>` gives.
fn the_command_as_if_it_stood_alone(shell: &Shell<'_>) {
    const LINES: [&str; 9] = [
        "frobni", "frobnicate pol", "frobnicate --flag direc", "frobnicate -- pol", "git checkou", "git log --onelin",
        "git -C direc", "git -C directory/ checkou", "git commit --cleanup=whites",
    ];
    for typed in LINES {
        let alone = shell.line(&format!("{typed}\t"));
        assert_ne!(alone, typed, "nothing is completed here");
        for [before] in rows() {
            shell.completes(&format!("hermes-exec {before}{typed}"), &format!("hermes-exec {before}{alone}"));
        }
    }
    // Behind the command nothing is an option of ours, unless the command is hermes-exec again.
    shell.completes("hermes-exec frobnicate --prof", "hermes-exec frobnicate --prof");
    let nested = shell.line("hermes-exec --prof\t");
    assert_ne!(nested, "hermes-exec --prof");
    shell.completes("hermes-exec -- hermes-exec --prof", &format!("hermes-exec -- {nested}"));
}
