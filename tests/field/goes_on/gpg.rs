//! GnuPG: an agent for each home, whichever comes first. The directory in which it makes its sockets is made for the test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{Run, Sandbox, binary};
use crate::{direct, redirected, system};

/// Makes a key and signs with it, in the home that is HOME.
const SIGN: &str = "gpg --batch -q --passphrase '' --quick-generate-key $1@example.org ed25519 sign never && \
                    gpg --batch -q --passphrase '' --pinentry-mode loopback -u $1@example.org -o $1.sig -s /dev/null";

/// The number of private keys in a home.
fn keys(home: &Path) -> usize {
    fs::read_dir(home.join(".gnupg/private-keys-v1.d")).map_or(0, Iterator::count)
}

/// Both homes make a key and sign, in this order, with a runtime directory; then the agents are ended. Says whether all went well.
fn sign(sandbox: &Sandbox, steps: &[(&str, Vec<&str>)]) -> bool {
    let mut script = String::from("ok=0\n");
    for (name, start) in steps {
        script += &format!("{} sh -c '{}' sh {name} || ok=1\n", start.join(" "), SIGN.replace('\'', r"'\''"));
    }
    let home = sandbox.home().display().to_string();
    script +=
        &format!("gpgconf --kill all; HOME={home} gpgconf --kill all; GNUPGHOME={home}/./.gnupg gpgconf --kill all\n");
    script += "exit $ok\n";
    let run: Run = direct(sandbox, &[system("sh"), "-c", &script]);
    run.mounted("mount -t tmpfs none /run; mkdir -p -m 700 /run/user/0").run().code() == 0
}

/// prezto#1159, antidot#63: of two homes one is signed for by the agent of the other.
#[test]
fn w24_each_home_has_an_agent_of_its_own() {
    assert!(nix::unistd::geteuid().is_root(), "this test mounts: run it as root");
    let ours = binary().display().to_string();
    for (is_real_first, has) in [(true, "none"), (true, "builder"), (false, "real"), (false, "builder")] {
        let sandbox = Sandbox::with_builder();
        for dir in [("real", sandbox.real()), ("builder", sandbox.home())].iter().filter(|dir| dir.0 == has) {
            let dir = sandbox.mkdir(dir.1.join(".gnupg"));
            fs::set_permissions(dir, PermissionsExt::from_mode(0o700)).unwrap();
        }
        let (real, profile) = (("real", vec![]), ("profile", vec![ours.as_str(), "-p", "builder", "--"]));
        let steps = if is_real_first { [real, profile] } else { [profile, real] };
        assert!(sign(&sandbox, &steps), "{is_real_first} {has}");
        let all = [keys(&sandbox.real()), keys(&sandbox.home())];
        assert_eq!(all, [1, 1], "the real home first: {is_real_first}; which has a directory: {has}");
    }
    let sandbox = Sandbox::with_builder();
    let home = format!("HOME={}", sandbox.mkdir(sandbox.home()).display());
    sign(&sandbox, &[("real", vec![]), ("profile", vec!["env", &home])]);
    assert_ne!([keys(&sandbox.real()), keys(&sandbox.home())], [1, 1], "without the wrapper");
}

/// The keys of a profile are its own, within a start for another one, too, and the user's are reached where HOME is the user's.
#[test]
fn w24_a_start_within_a_start_has_the_keys_of_its_own_home() {
    let sandbox = Sandbox::with_builder();
    let ours = binary().display().to_string();
    sandbox.profile("other");
    let [builder, other] = ["builder", "other"].map(|name| sandbox.profile(name).join("home"));
    for home in [&builder, &other] {
        sandbox.mkdir(home.join(".gnupg"));
    }
    let see = ["--", "sh", "-c", "echo \"${GNUPGHOME-none}\""];
    let within = |options: &[&str]| {
        let run = sandbox.builder([&[ours.as_str()], options, &see].concat());
        run.run().ok().out().trim().to_owned()
    };
    let own = |home: &Path| format!("{}/./.gnupg", home.display());
    assert_eq!(within(&["-p", "builder"]), own(&builder));
    assert_eq!(within(&["-p", "other"]), own(&other));
    assert_eq!(within(&["--home", "real"]), "none");
    fs::remove_dir_all(other.join(".gnupg")).unwrap();
    assert_eq!(within(&["-p", "other"]), "none");
    sandbox.mkdir("real/.gnupg");
    assert_eq!(within(&["-p", "other"]), own(&other), "the directory that gpg will make");
    assert_eq!(within(&["-p", "other", "--share", ".gnupg"]), "none", "the user's own keys, and their agent");
    let list = [system("gpgconf"), "--list-dirs", "homedir"];
    assert_eq!(sandbox.builder(list).env("GNUPGHOME", "/mine").run().ok().out(), "/mine\n");
    assert_eq!(redirected(&sandbox, &list).run().ok().out(), format!("{}\n", builder.join(".gnupg").display()));
}
