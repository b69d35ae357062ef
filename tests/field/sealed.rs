//! Tools that work in a seal as they do without one, at both levels. Each of them writes and reads back, renames or
//! links from one directory to another, starts others, or listens.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::home::{ADD_SERVER, STATUS, log_in, quiet};
use crate::support::{Outcome, Sandbox};
use crate::{existing, has_tiny, installed, system, wheel};

const LEVELS: [&str; 3] = ["--seal=off", "--seal=on", "--seal=files"];

/// A machine with secrets beside the profile `builder`.
fn machine() -> Sandbox {
    let sandbox = Sandbox::away_from_tmp();
    for dir in ["real/.hermes", "real/.hermes/profiles/builder", "real/.hermes/profiles/other"] {
        for name in [".env", "auth.json", "state.db"] {
            sandbox.write(Path::new(dir).join(name), "secret");
        }
        sandbox.write(Path::new(dir).join("config.yaml"), "model: x\n");
    }
    sandbox
}

/// The command in a seal of this level; it has to succeed.
#[track_caller]
fn sealed(sandbox: &Sandbox, level: &str, command: &[&str]) -> Outcome {
    let run = sandbox.hx([&["-p", "builder", level, "--"], command].concat());
    let outcome = quiet(run).env("TERM", "dumb").env("UV_OFFLINE", "1").run();
    assert_eq!(outcome.code(), 0, "{level} {command:?}: {outcome:?}");
    outcome
}

/// That the seal of the test is one: the command could not read this otherwise.
#[test]
fn the_levels_are_what_they_say() {
    for (level, count) in LEVELS.into_iter().zip([3, 3, 0]) {
        let sandbox = machine();
        let script = "cat \"$HERMES_HOME/.env\" \"$HERMES_REAL_HOME/.hermes/auth.json\" ../real/.hermes/profiles/other/state.db; :";
        let outcome = sealed(&sandbox, level, &[system("sh"), "-c", script]);
        assert_eq!(outcome.out().matches("secret").count(), count, "{level}: {outcome:?}");
    }
}

/// uv links packages from its cache, which is in the isolated home, into the project.
#[test]
fn uv_sync() {
    for level in LEVELS {
        let sandbox = machine();
        let wheel = wheel(&sandbox);
        sandbox.write(
            "work/pyproject.toml",
            format!(
                "[project]\nname = \"project\"\nversion = \"1.0\"\nrequires-python = \">=3.8\"\ndependencies = [\"tiny\"]\n\
                 [tool.uv]\npackage = false\n[tool.uv.sources]\ntiny = {{ path = \"{wheel}\" }}\n"
            ),
        );
        let uv = installed("uv/bin/uv");
        let outcome = sealed(&sandbox, level, &[uv, "sync", "--python", system("python3")]);
        assert!(!outcome.stderr.contains("Failed to hardlink"), "{level}: {outcome:?}");
        assert!(has_tiny(&sandbox.path("work/.venv")), "{level}: {outcome:?}");
        sealed(&sandbox, level, &[uv, "sync", "--python", system("python3")]);
        let run = sealed(&sandbox, level, &[uv, "run", "python3", "-c", "import tiny; print(tiny.__file__)"]);
        assert!(run.out().ends_with("/site-packages/tiny.py\n"), "{level}: {run:?}");
    }
}

/// git links the objects of a repository on the same file system.
#[test]
fn git_clone_of_a_local_repository() {
    for level in LEVELS {
        let sandbox = machine();
        let repository = sandbox.mkdir("real/repository");
        let git = existing("/usr/bin/git".into());
        let run = |args: &[&str]| {
            let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"];
            let status = Command::new(git).args(identity).args(args).current_dir(&repository).output().unwrap();
            assert!(status.status.success(), "{status:?}");
        };
        sandbox.write("real/repository/file", "text");
        run(&["init", "-q"]);
        run(&["add", "file"]);
        run(&["commit", "-q", "-m", "one"]);

        sealed(&sandbox, level, &[git, "clone", "-q", repository.to_str().unwrap(), "clone"]);
        assert_eq!(fs::read_to_string(sandbox.path("work/clone/file")).unwrap(), "text");
        let script = "cd clone && echo more >>file && git commit -q -a -m two && git gc -q && git push -q origin HEAD:other && git log --oneline";
        let commands =
            format!("git config --global user.name x; git config --global user.email x@example.org; {script}");
        let log = sealed(&sandbox, level, &[system("sh"), "-c", &commands]);
        assert_eq!(log.out().lines().count(), 2, "{level}: {log:?}");
    }
}

#[test]
fn npm_install_of_a_local_package() {
    for level in LEVELS {
        let sandbox = machine();
        sandbox.write(
            "work/package/package.json",
            r#"{"name": "tiny", "version": "1.0.0", "main": "index.js", "bin": "tiny.js"}"#,
        );
        sandbox.write("work/package/index.js", "module.exports = 'tiny'\n");
        sandbox.script("work/package/tiny.js", "#!/usr/bin/env node\nconsole.log('started ' + require('.'))\n");
        sandbox.write("work/project/package.json", r#"{"name": "project", "version": "1.0.0"}"#);
        let npm = existing("/usr/bin/npm".into());
        let options = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
        sealed(&sandbox, level, &[&[npm, "pack", "./package"], &options[..]].concat());
        let install = [&[npm, "install", "--prefix", "project", "./tiny-1.0.0.tgz"], &options[..]].concat();
        sealed(&sandbox, level, &install);
        let outcome = sealed(&sandbox, level, &["project/node_modules/.bin/tiny"]);
        assert_eq!(outcome.out(), "started tiny\n", "{level}");
    }
}

/// The compiler and the linker, started by cargo, with a home of cargo's in the isolated one.
#[test]
fn cargo_build_of_a_tiny_crate() {
    let cargo = existing(env!("CARGO").into());
    let bin = Path::new(cargo).parent().unwrap();
    for level in LEVELS {
        let sandbox = machine();
        sandbox.write("work/Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"1.0.0\"\nedition = \"2021\"\n");
        sandbox.write("work/build.rs", "fn main() { println!(\"cargo:rustc-env=BUILT=by a script\"); }\n");
        sandbox.write("work/src/main.rs", "fn main() { println!(\"built {}\", env!(\"BUILT\")); }\n");
        let path = format!("PATH={}:/usr/bin:/bin", bin.display());
        sealed(&sandbox, level, &[system("env"), &path, cargo, "build", "--offline", "--quiet"]);
        // A second build finds what the first one has written.
        let outcome = sealed(&sandbox, level, &[system("env"), &path, cargo, "run", "--offline"]);
        assert_eq!(outcome.out(), "built by a script\n", "{level}");
        assert!(!outcome.stderr.contains("Compiling"), "{level}: {outcome:?}");
    }
}

/// Claude Code saves `.claude.json`, in the real home, several times in a run, and reads it before each: what was in it stays.
#[test]
fn claude_auth_status() {
    for level in LEVELS {
        let sandbox = machine();
        log_in(&sandbox);
        let claude = [installed("npm/node_modules/.bin/claude")];
        for _ in 0..2 {
            let outcome = sealed(&sandbox, level, &[&claude[..], &STATUS].concat());
            assert_eq!(outcome.out(), "Login method: Claude Max account\n", "{level}");
        }
        sealed(&sandbox, level, &[&claude[..], &ADD_SERVER].concat());
        let settings = fs::read_to_string(sandbox.real().join(".claude.json")).unwrap();
        let kept = settings.contains("\"numStartups\": 1") && settings.contains("machineID");
        assert!(kept && settings.contains("\"added\""), "{level}: {settings}");
    }
}

/// A server and its client, a pseudo-terminal and a shell in it. The server has a socket of its own: one that runs outside
/// would start the session outside of the seal.
#[test]
fn a_tmux_session() {
    for level in LEVELS {
        let sandbox = machine();
        let tmux = |args: &[&str]| {
            sealed(&sandbox, level, &[&[system("tmux"), "-S", "socket", "-f", "/dev/null"], args].concat())
        };
        tmux(&["new-session", "-d", "-s", "one", "-x", "80", "-y", "24", "sh"]);
        tmux(&[
            "send-keys",
            "-t",
            "one",
            "cat \"$HERMES_HOME/.env\"; tty >tty; echo text >file; mv file done",
            "Enter",
        ]);
        let start = std::time::Instant::now();
        while !sandbox.path("work/done").exists() {
            assert!(start.elapsed().as_secs() < 120, "{}", tmux(&["capture-pane", "-p", "-t", "one"]).out());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let screen = tmux(&["capture-pane", "-p", "-t", "one"]).out();
        assert_eq!(screen.contains("denied"), level == "--seal=files", "{level}: {screen}");
        assert!(fs::read_to_string(sandbox.path("work/tty")).unwrap().starts_with("/dev/pts/"));
        tmux(&["kill-server"]);
    }
}

/// A server that stays behind its shell is reached from inside and from outside.
#[test]
fn a_background_server_on_loopback() {
    const SERVER: &str = "import http.server, os\n\
        server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n\
        open('port.new', 'w').write(str(server.server_port))\n\
        os.rename('port.new', 'port')\n\
        server.serve_forever()\n";
    const CLIENT: &str = "import sys, urllib.request as r\nsys.stdout.write(r.urlopen('http://127.0.0.1:' + sys.argv[1] + '/page').read().decode())";
    for level in LEVELS {
        let sandbox = machine();
        sandbox.write("work/page", "a page\n");
        let script = format!(
            "python3 -c \"{SERVER}\" >log 2>&1 & echo $! >pid; until [ -e port ]; do sleep 0.05; done; python3 -c \"{CLIENT}\" \"$(cat port)\""
        );
        assert_eq!(sealed(&sandbox, level, &[system("sh"), "-c", &script]).out(), "a page\n", "{level}");

        let port: u16 = fs::read_to_string(sandbox.path("work/port")).unwrap().parse().unwrap();
        let mut page = String::new();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(b"GET /page HTTP/1.0\r\n\r\n").unwrap();
        stream.read_to_string(&mut page).unwrap();
        assert!(page.ends_with("a page\n"), "{level}: {page}");
        // Another sealed command may not, from Linux 6.12 on.
        let pid: i32 = fs::read_to_string(sandbox.path("work/pid")).unwrap().trim().parse().unwrap();
        kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
    }
}
