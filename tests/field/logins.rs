//! Tools with a login, a key or a secret: by a variable, by a file in HOME, by an agent on a socket. All of them are made up,
//! and no server is asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{BINARY, Outcome, Run, Sandbox};
use crate::{direct, redirected, sharing, system, wrapped};

const GITHUB_TOKEN: &str = "ghp_made-up";
const NOTICE: &str = "hermes-exec: notice: gh runs without GITHUB_TOKEN; to grant: --inherit-credentials=github\n";

/// What gh would use.
fn auth_token() -> [&'static str; 3] {
    [system("gh"), "auth", "token"]
}

/// With a token in the environment of the agent, and no way to the network.
fn with_token(run: Run) -> Run {
    without_network(run).env("GITHUB_TOKEN", GITHUB_TOKEN)
}

fn without_network(run: Run) -> Run {
    let run =
        run.env("HTTPS_PROXY", "http://127.0.0.1:1").env("GIT_TERMINAL_PROMPT", "0").env("GIT_CONFIG_NOSYSTEM", "1");
    run.env("GH_NO_UPDATE_NOTIFIER", "1").env("GH_PROMPT_DISABLED", "1")
}

fn granted(sandbox: &Sandbox, command: &[&str]) -> Run {
    sandbox.hx([&["--inherit-credentials=github", "--"], command].concat())
}

/// Fails, without a word on stdout and with these words on stderr.
#[track_caller]
fn fails(outcome: &Outcome, words: &[&str]) {
    assert!(outcome.code() != 0 && outcome.out().is_empty(), "{outcome:?}");
    for word in words {
        assert!(outcome.stderr.contains(word), "{word:?} is missing: {outcome:?}");
    }
}

/// The token that Hermes works on GitHub with (C10): gh uses any that it sees, and says what is missing otherwise. So do we.
#[test]
fn gh_has_no_token_unless_it_is_granted() {
    let sandbox = Sandbox::new();
    let token = format!("{GITHUB_TOKEN}\n");
    assert_eq!(with_token(direct(&sandbox, &auth_token())).run().ok().out(), token, "without the wrapper");

    fails(&with_token(wrapped(&sandbox, &auth_token())).run(), &["no oauth token", NOTICE]);
    let status = with_token(wrapped(&sandbox, &[system("gh"), "auth", "status"])).run();
    fails(&status, &["not logged into any GitHub hosts", NOTICE]);
    assert_eq!(with_token(granted(&sandbox, &auth_token())).run().ok().out(), token);
}

/// The other name for the same token (C10): an empty one would be taken for a token, and a script could not tell.
#[test]
fn a_token_that_is_removed_is_not_an_empty_one() {
    let sandbox = Sandbox::new();
    let script = ["/bin/sh", "-uc", "GH_TOKEN=\"$GITHUB_TOKEN\" gh auth token"];
    let token = format!("{GITHUB_TOKEN}\n");
    assert_eq!(with_token(direct(&sandbox, &script)).run().ok().out(), token, "without the wrapper");

    fails(&with_token(wrapped(&sandbox, &script)).run(), &["GITHUB_TOKEN: "]);
    assert_eq!(with_token(granted(&sandbox, &script)).run().ok().out(), token);
}

/// Whoever has set up gh for it pushes with that token (C10).
#[test]
fn git_gets_no_token_from_gh_unless_it_is_granted() {
    let sandbox = Sandbox::new();
    let fill = "printf 'protocol=https\\nhost=github.com\\n\\n' | \"$@\" git credential fill";
    sandbox.write("real/.gitconfig", "[credential]\n\thelper = !/usr/bin/gh auth git-credential\n");
    let start =
        |wrapper: &[&str]| with_token(direct(&sandbox, &[&["/bin/sh", "-c", fill, "sh"], wrapper].concat())).run();
    let password = format!("password={GITHUB_TOKEN}\n");
    assert!(start(&["/usr/bin/env"]).ok().out().ends_with(&password), "without the wrapper");

    fails(&start(&[BINARY, "--"]), &["could not read Username"]);
    assert!(start(&[BINARY, "--inherit-credentials=github", "--"]).ok().out().ends_with(&password));
}

/// NousResearch/hermes-agent#46152 (C23): gh stores no login while it sees a token.
#[test]
fn gh_accepts_a_login_of_the_users_own() {
    let sandbox = Sandbox::new();
    let script = "echo made-up | exec \"$@\" gh auth login --with-token";
    let start =
        |wrapper: &[&str]| with_token(direct(&sandbox, &[&["/bin/sh", "-c", script, "sh"], wrapper].concat())).run();
    fails(&start(&["/usr/bin/env"]), &["first clear the value from the environment"]);
    // It goes on to ask the server.
    fails(&start(&[BINARY, "--"]), &["error validating token", "127.0.0.1:1"]);
}

/// NousResearch/hermes-agent#29529, #20740 (H06): the login is a file in the real home.
#[test]
fn the_login_of_gh_can_be_shared() {
    let sandbox = Sandbox::with_builder();
    let hosts = "github.com:\n    oauth_token: gho_made-up\n    user: somebody\n    git_protocol: https\n";
    sandbox.write("real/.config/gh/hosts.yml", hosts);
    let token = "gho_made-up\n";
    assert_eq!(without_network(direct(&sandbox, &auth_token())).run().ok().out(), token, "the user");
    fails(&without_network(redirected(&sandbox, &auth_token())).run(), &["no oauth token"]);
    fails(&without_network(sandbox.builder(auth_token())).run(), &["no oauth token"]);
    assert_eq!(without_network(sharing(&sandbox, ".config/gh", &auth_token())).run().ok().out(), token);

    // A variable that leads around the redirection would share it unasked. One for gh alone is the user's own word.
    let sandbox = Sandbox::with_builder();
    let directory = sandbox.write("real/.config/gh/hosts.yml", hosts).parent().unwrap().to_owned();
    let around = |run: Run| without_network(run).env("XDG_CONFIG_HOME", directory.parent().unwrap()).run();
    assert_eq!(around(redirected(&sandbox, &auth_token())).ok().out(), token, "without the wrapper");
    fails(&around(sandbox.builder(auth_token())), &["no oauth token"]);
    let run = without_network(sandbox.builder(auth_token())).env("GH_CONFIG_DIR", &directory);
    assert_eq!(run.run().ok().out(), token);
}

/// mcdonc/klangk#2158, paramiko/paramiko#66 (H07): a limit that is documented. ssh asks the password database for its home, so
/// that the real one stays in reach; other programs look in HOME, and find what is there.
#[test]
fn ssh_reads_the_real_home_and_other_programs_do_not() {
    assert!(nix::unistd::geteuid().is_root(), "this test mounts: run it as root");
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/.ssh/config", "Host host\n\tHostName of-the-user\n");
    let passwd = sandbox.write("etc/passwd", format!("root:x:0:0::{}:/bin/sh\n", sandbox.real().display()));
    let mount = format!("mount --bind {} /etc/passwd", passwd.display());
    let host = |run: Run| {
        let outcome = run.mounted(&mount).run().ok();
        outcome.out().lines().find_map(|line| line.strip_prefix("hostname ")).map(str::to_owned)
    };
    let ssh = [system("ssh"), "-T", "-G", "host"];
    assert_eq!(host(sandbox.builder(ssh)).as_deref(), Some("of-the-user"));
    let look = [system("sh"), "-c", "cat ~/.ssh/config"];
    assert_ne!(sandbox.builder(look).run().code(), 0, "no link is made");

    let own = "Host host\n\tHostName of-the-profile\n";
    sandbox.write(sandbox.home().join(".ssh/config"), own);
    for run in [redirected(&sandbox, &ssh), sandbox.builder(ssh)] {
        assert_eq!(host(run).as_deref(), Some("of-the-user"));
    }
    assert_eq!(sandbox.builder(look).run().ok().out(), own);
}

/// kirodotdev/KiroCrew#9131, omnigent-ai/omnigent#4377 (C13): commits that are signed by a key of the agent's on a socket.
#[test]
fn the_agent_of_ssh_is_reached() {
    let sandbox = Sandbox::with_builder();
    let key = sandbox.path("work/key").display().to_string();
    direct(&sandbox, &[system("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "made-up", "-f", &key]).run().ok();
    direct(&sandbox, &[system("git"), "init", "-q"]).run().ok();
    // From then on the agent alone has the key. It is ended by the variable that names its process.
    let script = "ssh-add -q key && rm key && \"$@\"; status=$?; \
                  \"$HX\" -- ssh-agent -k >killed || exit 99; exit $status";
    let start = |options: &[&str], command: &[&str]| {
        sandbox.copied("work/key", &sandbox.path("saved"));
        let agent = ["/usr/bin/ssh-agent", "/bin/sh", "-c", script, "sh", BINARY];
        let run = direct(&sandbox, &[&agent, options, &["-p", "builder", "--"], command].concat());
        run.env("HX", BINARY).env("TMPDIR", &sandbox.dir).run()
    };
    fs::rename(&key, sandbox.path("saved")).unwrap();
    let list = [system("ssh-add"), "-l"];
    let public = format!("user.signingkey={key}.pub");
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gpg.format=ssh", "-c", &public];
    let commit = [&[system("git")], &identity[..], &["commit", "-q", "-S", "--allow-empty", "-m", "one"]].concat();
    assert!(start(&[], &list).ok().out().contains(" made-up (ED25519)"));
    start(&[], &commit).ok();
    for command in [&list[..], &commit] {
        let outcome = start(&["--unset", "SSH_AUTH_SOCK"], command);
        assert!(!matches!(outcome.code(), 0 | 99), "with the variable removed: {outcome:?}");
    }
}

/// As a tool demands of the place of a secret.
fn only_for_the_user(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A user with a key of GnuPG's. The agent that GnuPG starts is ended with the test.
struct KeyRing(Sandbox);

impl KeyRing {
    fn new() -> Self {
        let ring = Self(Sandbox::with_builder());
        let directory = ring.0.mkdir("real/.gnupg");
        let make = ["--quick-generate-key", "somebody@example.org", "ed25519", "sign", "never"];
        only_for_the_user(&directory, 0o700);
        direct(&ring.0, &gpg(&make)).run().ok();
        ring
    }
}

impl Drop for KeyRing {
    fn drop(&mut self) {
        let home = self.0.real().join(".gnupg");
        let _ =
            Command::new("/usr/bin/gpgconf").arg("--homedir").arg(home).args(["--kill", "all"]).env_clear().status();
    }
}

fn gpg<'a>(command: &[&'a str]) -> Vec<&'a str> {
    let options = ["--batch", "--quiet", "--no-tty", "--pinentry-mode", "loopback", "--passphrase", ""];
    [&[system("gpg")], &options[..], command].concat()
}

/// GitGuardian/ggshield#1055 (H11) for commits that are signed by GnuPG: the keys are in the real home.
#[test]
fn the_keys_of_gpg_can_be_shared() {
    let ring = KeyRing::new();
    let sandbox = &ring.0;
    let list = gpg(&["--list-keys", "--with-colons"]);
    let has_key = |run: Run| {
        let outcome = run.run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        outcome.out().contains("somebody@example.org")
    };
    assert!(has_key(direct(sandbox, &list)), "the user");
    assert!(has_key(sharing(sandbox, ".gnupg", &list)));
    // By way of the link it is the same agent with the same key, and not a second one.
    sandbox.write("work/text", "text");
    sharing(sandbox, ".gnupg", &gpg(&["--detach-sign", "text"])).run().ok();
    assert!(sandbox.path("work/text.sig").exists());
    assert_eq!(direct(sandbox, &gpg(&["--verify", "text.sig", "text"])).run().code(), 0);

    fs::remove_file(sandbox.home().join(".gnupg")).unwrap();
    assert!(!has_key(redirected(sandbox, &list)));
    assert!(!has_key(sandbox.builder(&list)));
    let elsewhere = sandbox.builder(&list).env("GNUPGHOME", sandbox.real().join(".gnupg"));
    assert!(has_key(elsewhere), "the user's own word");
}

/// kirodotdev/KiroCrew#9131 (C13): on which terminal GnuPG asks for a passphrase.
#[test]
fn gpg_learns_on_which_terminal_to_ask() {
    let ring = KeyRing::new();
    let ask = [system("gpg-connect-agent"), "getinfo std_session_env", "/bye"];
    let start = |options: &[&str]| {
        let command = [options, &["-p", "builder", "--share", ".gnupg", "--"], &ask].concat();
        ring.0.hx(command).env("GPG_TTY", "/dev/pts/made-up").run().ok().out()
    };
    assert!(!start(&["--unset", "GPG_TTY"]).contains("made-up"));
    assert!(start(&[]).contains("GPG_TTY=/dev/pts/made-up"));
    assert!(start(&["--minimal"]).contains("GPG_TTY=/dev/pts/made-up"));
}

/// wntrblm/nox#868, okctl/okctl#937 (H17): files in the home that a tool looks for by itself.
#[test]
fn files_in_the_home_can_be_shared_one_by_one() {
    let files = [
        (
            ".netrc",
            "machine host login somebody password made-up\n",
            "python3 -c 'import netrc; print(netrc.netrc().hosts)'",
        ),
        (".npmrc", "registry=https://somebody.invalid/\n", "npm config get registry --offline"),
        (".config/git/config", "[user]\n\tname = somebody\n", "git config user.name"),
    ];
    for (file, text, command) in files {
        let sandbox = Sandbox::with_builder();
        only_for_the_user(&sandbox.write(Path::new("real").join(file), text), 0o600);
        let command = [system("sh"), "-c", command];
        let knows = |run: Run| run.env("NPM_CONFIG_UPDATE_NOTIFIER", "false").run().out().contains("somebody");
        assert!(knows(direct(&sandbox, &command)), "{file}: the user");
        assert!(!knows(redirected(&sandbox, &command)) && !knows(sandbox.builder(command)), "{file}");
        assert!(knows(sharing(&sandbox, file, &command)), "{file}");
    }
}
