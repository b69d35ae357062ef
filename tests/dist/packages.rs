//! What `tests/run` has packed: the .deb, the tarball and the crate, each put in place as a user would, away from the system.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{BINARY, Sandbox};
use crate::{SYSTEM, existing, system};

/// A path of this repository.
fn repository(rel: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(rel)
}

/// The one file in a directory below `target` whose name ends so.
#[track_caller]
fn packed(dir: &str, end: &str) -> PathBuf {
    let entries = fs::read_dir(repository("target").join(dir)).into_iter().flatten().map(|entry| entry.unwrap().path());
    let found: Vec<_> = entries.filter(|path| path.to_str().unwrap().ends_with(end)).collect();
    let [path] = found.as_slice() else { panic!("one file *{end} in target/{dir}, which tests/run makes: {found:?}") };
    path.clone()
}

/// Runs a command to its end and expects success.
#[track_caller]
fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What was packed: what all the tests start.
fn release() -> PathBuf {
    BINARY.into()
}

/// The bytes of a file, of a compressed one what it was before.
fn contents(file: &Path) -> Vec<u8> {
    if file.extension().is_some_and(|extension| extension == "gz") {
        return run(Command::new(system("gzip")).arg("-dc").arg(file)).stdout;
    }
    fs::read(file).unwrap()
}

/// Files below a directory, relative to it.
fn files(dir: &Path) -> BTreeSet<String> {
    let all = crate::listing(dir).into_keys().filter(|path| !path.is_dir());
    all.map(|path| path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned()).collect()
}

/// Compares what was put below a prefix with what it was made from, and runs it where there is nothing else at all: it
/// needs no library and no loader.
#[track_caller]
fn assert_installed(root: &Path, prefix: &str, expected: &[(&str, PathBuf, u32)]) {
    for (place, source, mode) in expected {
        let file = root.join(prefix).join(place);
        assert!(contents(&file) == fs::read(source).unwrap(), "{place} is not what {} is", source.display());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, *mode, "{place}");
    }
    let program = format!("/{prefix}/bin/hermes-exec");
    let inside = run(Command::new(existing("/usr/sbin/chroot".into())).arg(root).arg(program).arg("--version"));
    let outside = run(Command::new(release()).arg("--version"));
    assert_eq!(out(&inside), out(&outside));
}

/// These files, and the documents that come with every package.
fn with_documents<const N: usize>(own: [(&'static str, PathBuf, u32); N]) -> Vec<(&'static str, PathBuf, u32)> {
    let documents = [
        ("share/doc/hermes-exec/README.md", "README.md"),
        ("share/doc/hermes-exec/man/before-and-after.svg", "man/before-and-after.svg"),
        ("share/doc/hermes-exec/man/speed.svg", "man/speed.svg"),
        ("share/doc/hermes-exec/man/hermes-exec.schema.json", "man/hermes-exec.schema.json"),
        ("share/doc/hermes-exec/man/hermes-exec.skill.md", "man/hermes-exec.skill.md"),
    ];
    let documents = documents.map(|(place, rel)| (place, repository(rel), 0o644));
    own.into_iter().chain(documents).collect()
}

#[test]
fn the_deb_is_installed_and_removed() {
    let sandbox = Sandbox::new();
    let deb = packed("debian", ".deb");
    let root = sandbox.mkdir("root");
    for dir in ["info", "updates"] {
        sandbox.mkdir(format!("root/var/lib/dpkg/{dir}"));
    }
    sandbox.write("root/var/lib/dpkg/status", "");
    let dpkg = |args: &[&str]| {
        let mut command = Command::new(system("dpkg"));
        // It looks for its helpers there, and finds them by their names only.
        command.env("PATH", format!("/usr/sbin:/sbin:{SYSTEM}")).args(["--log=/dev/null", "--root"]).arg(&root);
        run(command.args(args))
    };
    dpkg(&["--install", deb.to_str().unwrap()]);
    assert!(out(&dpkg(&["--status", "hermes-exec"])).contains("Status: install ok installed"));
    let page = |rel| repository(rel);
    let own = [
        ("bin/hermes-exec", release(), 0o755),
        ("share/man/man1/hermes-exec.1.gz", page("man/hermes-exec.1"), 0o644),
        ("share/bash-completion/completions/hermes-exec", page("completions/hermes-exec.bash"), 0o644),
        ("share/zsh/vendor-completions/_hermes-exec", page("completions/_hermes-exec"), 0o644),
        ("share/fish/vendor_completions.d/hermes-exec.fish", page("completions/hermes-exec.fish"), 0o644),
        ("share/doc/hermes-exec/changelog.Debian.gz", page("man/changelog"), 0o644),
    ];
    assert_installed(&root, "usr", &with_documents(own));
    assert!(root.join("usr/share/doc/hermes-exec/copyright").exists());
    assert_eq!(files(&root.join("usr")).len(), 12);

    dpkg(&["--purge", "hermes-exec"]);
    assert!(!root.join("usr/bin").exists());
}

#[test]
fn lintian_finds_nothing_in_the_deb() {
    // A static position-independent program looks like a library to it. `Depends` is empty since nothing is needed. The
    // package closes no report of Debian's.
    let accepted = "shared-library-lacks-prerequisites,empty-field,initial-upload-closes-no-bugs";
    let mut lintian = Command::new(system("lintian"));
    let options = ["--allow-root", "--pedantic", "--suppress-tags", accepted];
    let output = lintian.args(options).arg(packed("debian", ".deb")).output().unwrap();
    assert_eq!(out(&output), "", "{output:?}");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_tarball_goes_below_a_prefix() {
    let sandbox = Sandbox::new();
    let tarball = packed("dist", ".tar.gz");
    let checksum = packed("dist", ".tar.gz.sha256");
    run(Command::new(system("sha256sum"))
        .args(["--check", "--strict"])
        .arg(checksum)
        .current_dir(tarball.parent().unwrap()));
    let root = sandbox.mkdir("root");
    let prefix = sandbox.mkdir("root/usr/local");
    run(Command::new(system("tar")).arg("-xzf").arg(&tarball).args(["--strip-components=1", "-C"]).arg(&prefix));
    let page = |rel| repository(rel);
    let own = [
        ("bin/hermes-exec", release(), 0o755),
        ("share/man/man1/hermes-exec.1", page("man/hermes-exec.1"), 0o644),
        ("share/bash-completion/completions/hermes-exec", page("completions/hermes-exec.bash"), 0o644),
        ("share/zsh/site-functions/_hermes-exec", page("completions/_hermes-exec"), 0o644),
        ("share/fish/vendor_completions.d/hermes-exec.fish", page("completions/hermes-exec.fish"), 0o644),
        ("share/doc/hermes-exec/LICENSE", page("LICENSE"), 0o644),
    ];
    let expected = with_documents(own);
    assert_installed(&root, "usr/local", &expected);
    assert_eq!(files(&prefix), expected.iter().map(|(place, ..)| (*place).to_owned()).collect());
}

/// What `cargo install --path .` gives is the same small static program.
#[test]
fn cargo_install_gives_a_small_static_program() {
    let installed = existing(repository("target/tools/hermes-exec/bin/hermes-exec"));
    assert!(fs::read(installed).unwrap() == fs::read(release()).unwrap(), "tests/run installs it anew");
    assert!(fs::metadata(installed).unwrap().len() < 4 << 20);
}

/// A published crate holds all that its build needs, and is static where cargo sees no configuration of ours, by the command
/// that the README names.
#[test]
fn the_crate_is_built_away_from_the_repository() {
    let sandbox = Sandbox::new();
    let (crate_file, name) = (packed("package", ".crate"), format!("hermes-exec-{}", env!("CARGO_PKG_VERSION")));
    run(Command::new(system("tar")).arg("-xzf").arg(crate_file).arg("-C").arg(&sandbox.dir));
    let readme = fs::read_to_string(repository("README.md")).unwrap();
    let install = readme.lines().find(|line| line.starts_with("RUSTFLAGS=")).unwrap();
    assert!(install.contains(&name), "{install}");
    let (target, root) = (repository("target"), sandbox.mkdir("root/usr"));
    // The dependencies are there, built as this says, since the tests use them.
    let quick = format!("{install} --debug --target-dir '{}' --root '{}'", target.display(), root.display());
    run(Command::new(system("sh")).args(["-c", &quick]).current_dir(&sandbox.dir));
    assert_installed(&sandbox.path("root"), "usr", &[]);
}

/// mandoc knows which manual pages this machine has, which is no business of ours.
#[test]
fn mandoc_finds_nothing_in_the_man_page() {
    let mut mandoc = Command::new(system("mandoc"));
    let output = mandoc.args(["-T", "lint", "-W", "style"]).arg(repository("man/hermes-exec.1")).output().unwrap();
    let told = out(&output);
    let own: Vec<_> = told.lines().filter(|line| !line.contains("referenced manual not found")).collect();
    assert!(own.is_empty(), "{}", own.join("\n"));
    assert!(output.status.code() <= Some(1), "{output:?}");
}
