//! `--seal=files`: the secret files by every way, and everything that is no secret.

use std::fs;

use super::{all_read, full, lines, peek, script_run, secrets, shell, text};
use crate::support::Sandbox;

/// Does a script for every secret, which is `$s`, and gives the lines that it printed.
fn for_each_secret(sandbox: &Sandbox, options: &[&str], script: &str) -> Vec<String> {
    let list: Vec<_> = secrets(sandbox).iter().map(|path| format!("'{}'", path.display())).collect();
    lines(sandbox, options, &format!("for s in {}; do {script}; done 2>/dev/null", list.join(" ")))
}

/// Ways to a secret file, which is `$s`.
const WAYS: [(&str, &str); 14] = [
    ("by path", r#"cat "$s""#),
    ("to a shell that redirects", r#"read line <"$s" && echo "$line""#),
    ("for reading and writing", r#"exec 3<>"$s" && cat <&3"#),
    ("by a relative path", r#"(cd "${s%/*}" && cat "./${s##*/}" ); :"#),
    ("by a path with two dots", r#"cat "${s%/*}/logs/../${s##*/}""#),
    ("through a new symlink", r#"ln -s "$s" "$HOME/link"; cat "$HOME/link"; rm "$HOME/link""#),
    (
        "through a new symlink to its directory",
        r#"ln -s "${s%/*}" "$HOME/link"; cat "$HOME/link/${s##*/}"; rm "$HOME/link""#,
    ),
    ("through /proc/self/root", r#"cat "/proc/self/root$s""#),
    ("through a working directory", r#"(cd "${s%/*}" && cat "/proc/self/cwd/${s##*/}"); :"#),
    ("through a new hard link", r#"ln "$s" "$HOME/hard"; cat "$HOME/hard"; rm "$HOME/hard""#),
    ("after a rename in place", r#"mv "$s" "$s.old"; cat "$s.old"; mv "$s.old" "$s""#),
    (
        "after a rename to a directory that may be read",
        r#"mv "$s" "$HOME/moved"; cat "$HOME/moved"; mv "$HOME/moved" "$s""#,
    ),
    (
        "after a rename of the directory above",
        r#"d="${s%/*}"; mv "$d" "$d.old"; cat "$d.old/${s##*/}"; mv "$d.old" "$d""#,
    ),
    (
        "after a rename of the real home",
        r#"r="$HERMES_REAL_HOME"; mv "$r" "$r.old"; cat "$r.old${s#"$r"}"; mv "$r.old" "$r""#,
    ),
];

#[test]
fn no_way_leads_to_a_secret_file() {
    for (way, script) in WAYS {
        let sandbox = full();
        for options in [&[][..], &["--seal"]] {
            assert_eq!(for_each_secret(&sandbox, options, script), all_read(&sandbox), "{options:?}: {way}");
        }
        assert_eq!(for_each_secret(&sandbox, &["--seal=files"], script), [""; 0], "{way}");
    }
}

#[test]
fn through_the_root_of_a_process_outside() {
    let read = |options: &[&str]| {
        let sandbox = full();
        let script = "cat \"/proc/$OUTSIDE/root$HERMES_HOME/.env\"; kill \"$OUTSIDE\"";
        let outside = "sleep 60 >/dev/null 2>&1 & export OUTSIDE=$!";
        script_run(&sandbox, options, script).after_sh(outside).run().out().lines().count()
    };
    assert_eq!((read(&[]), read(&["--seal"]), read(&["--seal=files"])), (1, 0, 0));
}

/// The kernel refuses what would make the secrets readable (landlock(7), "File reparenting").
#[test]
fn after_a_rename_into_a_directory_that_may_be_read() {
    for (options, expected) in [(&[][..], "done"), (&["--seal"], "done"), (&["--seal=files"], "EXDEV")] {
        let sandbox = full();
        let (peek, work) = (peek(&sandbox), sandbox.path("work"));
        let script = "\"$1\" rename \"$HERMES_REAL_HOME/.hermes\" \"$2/moved\"; cat \"$2/moved/.env\"";
        let args = [options, &["-p", "builder", "--", "sh", "-c", script, "sh", text(&peek), text(&work)]].concat();
        let outcome = super::start(&sandbox, &args).run();
        assert_eq!(outcome.out().lines().next(), Some(expected), "{outcome:?}");
        assert_eq!(outcome.out().contains("secret of"), expected == "done", "{outcome:?}");
    }
}

#[test]
fn in_exchange_for_what_may_be_read() {
    let files = (".env", "config.yaml", "config.yaml");
    let directories = ("profiles", "skills", "skills/other/.env");
    let far = ("profiles/other", "../projects/one", "../projects/one/.env");
    for ((secret, open, path), refused) in [(files, Some("EACCES")), (directories, None), (far, Some("EXDEV"))] {
        for level in ["--seal=off", "--seal=on", "--seal=files"] {
            let sandbox = full();
            let peek = peek(&sandbox);
            let script = "cd \"$HERMES_REAL_HOME/.hermes\"; \"$1\" exchange \"$2\" \"$3\"; cat \"$4\"";
            let call = ["-p", "builder", level, "--", "sh", "-c", script, "sh", text(&peek), secret, open, path];
            let outcome = super::start(&sandbox, &call).run();
            let is_open = level != "--seal=files";
            let expected = refused.filter(|_| !is_open).unwrap_or("done");
            assert_eq!(outcome.out().lines().next(), Some(expected), "{level} {secret}: {outcome:?}");
            assert_eq!(outcome.out().contains("secret of"), is_open, "{level} {secret}: {outcome:?}");
        }
    }
}

/// A descriptor of a directory is no way in; one of a secret file itself is, and is named.
#[test]
fn through_descriptors_that_were_open_before() {
    let sandbox = full();
    let open = "exec 8<../real/.hermes 9<../real/.hermes/.env";
    let read = |options: &[&str], script: &str| script_run(&sandbox, options, script).after_sh(open).run().out();
    let directory = "cat /proc/self/fd/8/.env /dev/fd/8/profiles/builder/auth.json";
    assert_eq!(read(&[], directory).lines().count(), 2);
    assert_eq!(read(&["--seal=files"], directory), "");
    assert_eq!(read(&["--seal=files"], "cat /proc/self/fd/9"), "", "a descriptor cannot be opened anew");
    assert_eq!(read(&["--seal=files"], "cat <&9"), format!("secret of {}/.env\n", sandbox.root().display()));

    let explain = super::start(&sandbox, &["-n", "--seal=files", "true"]).after_sh(open).run().ok();
    let named = format!("descriptor 9 stays open: {}/.env", sandbox.root().display());
    assert!(explain.out().contains(&named), "{explain:?}");
}

#[test]
fn only_reading_is_refused() {
    let sandbox = full();
    let script = "for s in \"$HERMES_REAL_HOME/.hermes/.env\" \"$HERMES_HOME/state.db\"; do
        echo more >>\"$s\" && stat -c %s \"$s\" && touch \"$s\" && truncate -s 4 \"$s\" && ls \"$s\" && rm \"$s\" || exit 9
        done";
    assert_eq!(shell(&sandbox, &["--seal=files"], script).ok().out().lines().count(), 4);
}

/// The files that cannot be read in a seal are the secret ones, and no other.
#[test]
fn every_other_file_can_be_read() {
    let sandbox = full();
    let unread = format!(
        "find '{}' -type f -exec sh -c 'cat \"$1\" >/dev/null 2>&1 || printf \"%s\\n\" \"$1\"' sh {{}} ';'",
        sandbox.dir.display()
    );
    for level in ["--seal=off", "--seal=on"] {
        assert_eq!(lines(&sandbox, &[level], &unread), [""; 0], "{level}");
    }
    let mut expected: Vec<_> = secrets(&sandbox).iter().map(|path| text(path).to_owned()).collect();
    expected.sort();
    assert_eq!(lines(&sandbox, &["--seal=files"], &unread), expected);
}

/// What commands do elsewhere than beside secret files: as ever.
const USUAL: &str = r#"
set -e
for dir in "$HOME" "$HOME/new" . ./new "$HERMES_REAL_HOME/projects" "$HERMES_REAL_HOME/projects/one" "$HERMES_HOME/skills"; do
    mkdir -p "$dir"
    echo text >"$dir/file"; cat "$dir/file"
    mv "$dir/file" "$dir/renamed"; cat "$dir/renamed"
    mkdir "$dir/sub"; mv "$dir/renamed" "$dir/sub/"; cat "$dir/sub/renamed"
    ln "$dir/sub/renamed" "$dir/hard"; cat "$dir/hard"
    ln -s sub/renamed "$dir/soft"; cat "$dir/soft"
    echo more >>"$dir/hard"; cat "$dir/sub/renamed"
    mkfifo "$dir/fifo"; (echo through >"$dir/fifo" &); cat "$dir/fifo"
    printf '#!/bin/sh\necho started\n' >"$dir/script"; chmod 755 "$dir/script"; "$dir/script"
    rm "$dir/hard" "$dir/soft" "$dir/fifo"
    mv "$dir/sub" "$dir/other"; rm -r "$dir/other"
done
mv "$HERMES_REAL_HOME/projects/one" ./one; cat ./one/main.c
mv ./one "$HERMES_REAL_HOME/projects/one"; cat "$HERMES_REAL_HOME/projects/one/main.c"
cp "$HERMES_REAL_HOME/.gitconfig" "$HOME/"; cat "$HOME/.gitconfig"
echo x >>"$HERMES_REAL_HOME/.gitconfig"; tail -1 "$HERMES_REAL_HOME/.gitconfig"
"$HERMES_REAL_HOME/tool"; "$HERMES_REAL_HOME/bin/tool"
ls -a "$HERMES_REAL_HOME/.hermes" "$HERMES_REAL_HOME" / /tmp >/dev/null
head -c 4 /dev/urandom | wc -c; cat </dev/null; cat /proc/self/comm; head -1 /etc/passwd
echo piped | cat /dev/stdin; cat <<END
here
END
id -u; ps >/dev/null 2>&1 || true
"#;

#[test]
fn everything_else_works_as_before() {
    let expected = shell(&full(), &[], USUAL).ok().out();
    assert_eq!(expected.matches("started\n").count(), 7, "{expected}");
    for level in ["--seal=on", "--seal=files"] {
        assert_eq!(shell(&full(), &[level], USUAL).ok().out(), expected, "{level}");
    }
}

/// The price.
#[test]
fn no_file_can_be_made_directly_beside_secret_files() {
    let script = "for dir in \"$HERMES_REAL_HOME\" \"$HERMES_REAL_HOME/.hermes\" \"$HERMES_HOME\"; do
        echo text >\"$dir/new\" && cat \"$dir/new\"; mkdir \"$dir/new dir\"; echo text >\"$dir/new dir/x\" && cat \"$dir/new dir/x\"
        echo text >moved; mv moved \"$dir/moved\" && cat \"$dir/moved\"; ln main.c \"$dir/hard\" && cat \"$dir/hard\"
        done 2>/dev/null";
    let sandbox = full();
    assert_eq!(lines(&sandbox, &["--seal"], script).len(), 12);
    let sandbox = full();
    let files = |sandbox: &Sandbox| sandbox.listing().into_iter().filter(|(_, what)| what.contains(" file ")).count();
    sandbox.copied_binary();
    let before = files(&sandbox);
    assert_eq!(lines(&sandbox, &["--seal=files"], script), [""; 0]);
    assert_eq!(files(&sandbox), before + 1, "nothing but the file that could not be moved");
    assert_eq!(fs::read_to_string(sandbox.path("work/moved")).unwrap(), "text\n");
}

/// A program that saves by a new file in the place of the old one finds out at once, while the old one is there still.
#[test]
fn a_file_beside_secret_files_keeps_its_content() {
    let save = "cd \"$HERMES_REAL_HOME\"
        { echo changed >.gitconfig.new && mv .gitconfig.new .gitconfig; } 2>/dev/null || echo changed in place >.gitconfig
        cat .gitconfig; sed -i s/changed/edited/ .gitconfig 2>/dev/null; cat .gitconfig";
    assert_eq!(shell(&full(), &["--seal"], save).ok().out(), "changed\nedited\n");
    assert_eq!(shell(&full(), &["--seal=files"], save).ok().out(), "changed in place\nchanged in place\n");
}

/// The home is made before the seal, and belongs to it.
#[test]
fn a_home_that_is_new_can_be_used() {
    let sandbox = full();
    fs::remove_dir_all(sandbox.home()).unwrap();
    let script = "echo text >\"$HOME/file\" && cat \"$HOME/file\" && mkdir \"$HOME/a\" && echo b >\"$HOME/a/b\" && cat \"$HOME/a/b\"";
    assert_eq!(shell(&sandbox, &["--seal=files"], script).ok().out(), "text\nb\n");
}

/// A secret file that comes into being while the command runs is one, too.
#[test]
fn secret_files_that_are_made_later() {
    let sandbox = full();
    fs::remove_file(sandbox.path("real/.hermes/profiles/other/.env")).unwrap();
    let go = "echo ready >ready; until [ -e go ]; do sleep 0.01; done; cat \"$HERMES_HOME/../other/.env\"";
    let outcome = std::thread::scope(|scope| {
        let run = scope.spawn(|| shell(&sandbox, &["--seal=files"], go));
        while !sandbox.path("work/ready").exists() && !run.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        sandbox.write("real/.hermes/profiles/other/.env", "new secret");
        sandbox.write("work/go", "");
        run.join().unwrap()
    });
    assert_eq!((outcome.code(), outcome.out().as_str()), (1, ""), "{outcome:?}");
}
