//! What a command can plant at the places that the next start reads: links to secrets, files of another user, things that are
//! no files. Nothing of it is shown, followed or obeyed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use nix::sys::stat::{Mode, SFlag, mknod};

use crate::support::{CANARY, Outcome, Sandbox};

const ACTIVE: &str = "real/.hermes/active_profile";
const POLICIES: [&str; 2] = ["real/.hermes/profiles/builder/hermes-exec.json", "real/.hermes/hermes-exec.json"];

/// Every request that reads the profile, each with what it exits with when there can be no run.
const REQUESTS: [(&[&str], i32); 7] = [
    (&["true"], 125),
    (&["-v", "true"], 125),
    (&["--explain", "true"], 125),
    (&["--explain", "--json", "true"], 125),
    (&["--doctor"], 1),
    (&["--doctor", "--json"], 1),
    (&["--unlink"], 125),
];

/// All that was written, which [`crate::support::Run::run`] has searched for the planted secret.
fn written(outcome: &Outcome) -> String {
    format!("{}{}", outcome.out(), outcome.stderr)
}

#[test]
fn w50_the_text_of_active_profile_is_never_shown() {
    for text in
        [format!("OPENAI_API_KEY=sk-proj-{CANARY}\n"), format!("{CANARY} {}", "x".repeat(200)), format!("-{CANARY}")]
    {
        let sandbox = Sandbox::with_builder();
        let path = sandbox.write(ACTIVE, text);
        for (args, code) in REQUESTS {
            let outcome = sandbox.hx(args).run();
            assert_eq!(outcome.code(), code, "{args:?}: {outcome:?}");
            let written = written(&outcome);
            assert!(written.contains(path.to_str().unwrap()), "the file is named: {args:?}: {outcome:?}");
            assert!(written.contains("up to 63"), "what a name may be is said: {args:?}: {outcome:?}");
        }
        // Where another source decides, the doctor still looks at it.
        let outcome = sandbox.hx(["--doctor", "-p", "builder"]).run();
        assert!(written(&outcome).contains(path.to_str().unwrap()), "{outcome:?}");
    }
}

#[test]
fn w55_a_policy_file_that_is_a_link_is_refused() {
    for place in POLICIES {
        for target in ["work/planted.json", "nowhere.json"] {
            let sandbox = Sandbox::with_builder();
            sandbox.write("work/planted.json", r#"{"inherit_credentials": ["anthropic"]}"#);
            let path = sandbox.link(sandbox.path(target), place);
            for args in [&["true"][..], &["--explain", "true"], &["--unlink"]] {
                let outcome = sandbox.hx([&["-p", "builder"], args].concat()).run();
                assert_eq!(outcome.code(), 125, "{outcome:?}");
                assert!(outcome.stderr.contains("is a symlink"), "{outcome:?}");
                assert!(outcome.stderr.contains(&format!("rm {}", path.display())), "the cure: {outcome:?}");
            }
            sandbox.hx(["--no-policy", "-p", "builder", "true"]).run().ok();
        }
    }
}

#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn w51_root_does_not_obey_the_owner_of_a_profile() {
    const OWNER: u32 = 10000;
    for place in POLICIES {
        let sandbox = Sandbox::with_builder();
        let path = sandbox.write(place, r#"{"set": {"PLANTED": "/planted.so"}}"#);
        sandbox.chown_all(OWNER);
        let start = || sandbox.hx(["-p", "builder", "--home", "real", "--", "/usr/bin/env", "-0"]).run();
        start().fails(125, &[path.to_str().unwrap(), "owned by another user"]);
        // Nor one that the owner's group can write.
        chown(&path, Some(0), Some(OWNER)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
        start().fails(125, &[path.to_str().unwrap(), "writable by another group"]);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(start().ok().var("PLANTED").as_deref(), Some("/planted.so"));
    }
}

/// Device 5:0 is the controlling terminal, whose opening is an error where there is none, and 1:3 is `/dev/null`.
#[cfg_attr(not(target_os = "linux"), ignore = "Linux: root, and its entries for users")]
#[test]
fn w50_what_is_no_file_is_never_opened() {
    let device = |path: &Path, kind, number| mknod(path, kind, Mode::from_bits_truncate(0o644), number).unwrap();
    type Make<'a> = &'a dyn Fn(&Path);
    let kinds: [(&str, Make<'_>); 4] = [
        ("FIFO", &|path| device(path, SFlag::S_IFIFO, 0)),
        ("device", &|path| device(path, SFlag::S_IFCHR, nix::libc::makedev(5, 0))),
        ("socket", &|path| device(path, SFlag::S_IFSOCK, 0)),
        ("directory", &|path| fs::create_dir(path).unwrap()),
    ];
    for (kind, make) in kinds {
        let sandbox = Sandbox::with_builder();
        let files = [ACTIVE, "real/.hermes/.env", "real/.hermes/.op.env", "real/.hermes/config.yaml"];
        files.iter().for_each(|file| make(&sandbox.path(file)));
        let outcome = sandbox.hx(["true"]).run();
        assert_eq!(outcome.code(), 0, "{kind}: {outcome:?}");
        for file in files {
            let warned = format!("{}: not a regular file; treated as empty", sandbox.path(file).display());
            assert!(outcome.stderr.contains(&warned), "{kind}: {outcome:?}");
        }
        let policy = sandbox.path(POLICIES[1]);
        make(&policy);
        sandbox.hx(["true"]).run();
        sandbox.hx(["-q", "true"]).run().fails(125, &[policy.to_str().unwrap(), "not a regular file"]);
    }
}

/// Every file that a start or the doctor reads. A command can put a link at any of them, to a file that only root reads.
#[test]
fn w50_a_link_to_secrets_at_any_place_shows_nothing() {
    let files = [
        ".hermes/active_profile",
        ".hermes/hermes-exec.json",
        ".hermes/.env",
        ".hermes/.op.env",
        ".hermes/config.yaml",
        ".hermes/profiles/builder/hermes-exec.json",
        ".hermes/profiles/builder/.env",
        ".hermes/profiles/builder/.op.env",
        ".hermes/profiles/builder/config.yaml",
        ".hermes/hermes-agent/.env",
        ".hermes/hermes-agent/venv/bin/hermes",
        ".hermes/hermes-agent/venv/pyvenv.cfg",
        ".hermes/hermes-agent/venv/bin/python",
        ".claude/.credentials.json",
        ".claude/settings.json",
        ".claude.json",
        "managed/.env",
        "Library/Preferences/com.apple.security.plist",
        ".local/bin/tool",
    ];
    // What a file that ends so is read for; any file may hold anything.
    let texts = [
        ("", format!("{CANARY}\n")),
        (".env", format!("A={CANARY}\n")),
        (".yaml", format!("a: [{CANARY}\nkey_env: {CANARY}\n")),
        (".yaml", format!("secrets: {{env: {{{CANARY}: {CANARY}}}}}\n")),
        (".json", format!("{{\"{CANARY}\": \"{CANARY}\", \"set\": {{\"{CANARY}\": 1}}}}")),
        (".cfg", format!("home = /{CANARY}\nversion = {CANARY}\n")),
        (
            ".json",
            format!(
                "{{\"hooks\": {{\"Stop\": [\"TOKEN={CANARY} ~/.hermes/x ~/{CANARY}\"]}}, \"apiKeyHelper\": \"{CANARY}\"}}"
            ),
        ),
    ];
    for (end, text) in texts {
        for file in files.iter().filter(|file| file.ends_with(end)) {
            let sandbox = Sandbox::with_builder();
            let secrets = sandbox.write("secrets", &text);
            fs::set_permissions(&secrets, fs::Permissions::from_mode(0o755)).unwrap();
            let path = sandbox.path("real").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(&secrets, &path).unwrap();
            let dir = sandbox.path("real/.local/bin");
            let tools = format!("{}:/usr/bin:/bin", dir.display());
            let shims = ["--shims", dir.to_str().unwrap(), "tool"];
            let runs = REQUESTS.iter().map(|(args, _)| *args).chain([&shims[..]]);
            for args in runs.flat_map(|args| [args.to_vec(), [&["-p", "builder"], args].concat()]) {
                let run = sandbox.hx(&args).env("PATH", &tools).env("HERMES_MANAGED_DIR", sandbox.path("real/managed"));
                let outcome = run.run();
                assert!(matches!(outcome.code(), 0 | 1 | 125), "{file}: {args:?}: {outcome:?}");
            }
        }
    }
}
