//! An attacker with time: strace holds a start whenever it has made something.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{BINARY, Sandbox};
use crate::{direct, system};

/// Whoever owns the profile can exchange what root has just made for a file of root's before root gives it away.
#[test]
fn root_gives_away_nothing_but_what_it_made() {
    assert!(nix::unistd::geteuid().is_root(), "this test gives files to another user: run it as root");
    for (share, made) in [("directory/file", "directory"), ("file", "file")] {
        let sandbox = Sandbox::with_builder();
        sandbox.write(Path::new("real").join(share), "");
        let home = sandbox.mkdir(sandbox.home());
        sandbox.chown_all(10000);
        let treasure = sandbox.write(home.join("treasure"), "of root");
        fs::set_permissions(&treasure, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(treasure.metadata().unwrap().uid(), 0);

        let (at, over) = (home.join(made), AtomicBool::new(false));
        std::thread::scope(|scope| {
            // By its owner, with nothing but the right to rename entries of the home.
            let owner = scope.spawn(|| {
                while at.symlink_metadata().is_err() {
                    if over.load(Ordering::Relaxed) {
                        return false;
                    }
                }
                fs::rename(&at, home.join("aside")).unwrap();
                fs::rename(&treasure, &at).unwrap();
                true
            });
            let hold = "inject=mkdirat,symlinkat:delay_exit=500000";
            let strace = [system("strace"), "-o", "/dev/null", "-e", hold, "--", BINARY];
            let options = ["-p", "builder", "--no-share", "all", "--share", share, "--", system("true")];
            let outcome = direct(&sandbox, &[&strace[..], &options].concat()).env("HERMES_HOME", sandbox.root()).run();
            over.store(true, Ordering::Relaxed);
            assert_eq!(outcome.code(), 0, "{outcome:?}");
            assert!(owner.join().unwrap(), "{made} was made");
        });
        let meta = at.symlink_metadata().unwrap();
        assert_eq!((meta.is_file(), meta.uid()), (true, 0), "{made}: given away");
    }
}
