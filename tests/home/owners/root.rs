//! W53: root in the profile of another user, as after `docker exec`, does not go where that user leads it. What it creates
//! there is in `root-linux.txt`.

use super::{GROUP, HOME, USER, dir_of_user, of_user};
use crate::support::listing;
use std::fs;
use std::os::unix::fs::lchown;

/// Where the owner of the profiles has planted a link, root does not go. Its own links are its business.
#[test]
fn w53_root_follows_no_link_of_another_user() {
    for part in ["real/.hermes/profiles", "real/.hermes/profiles/builder", HOME] {
        for options in
            [&["-p", "builder", "true"][..], &["-p", "builder", "--unlink"], &["-p", "builder", "-n", "true"]]
        {
            let sandbox = of_user();
            dir_of_user(&sandbox, HOME);
            let (at, aside) = (sandbox.path(part), sandbox.path("aside"));
            fs::rename(&at, &aside).unwrap();
            sandbox.link(&aside, &at);
            let run = || {
                let run = sandbox.hx(options).env("HOME", sandbox.path("login"));
                run.env("HERMES_HOME", sandbox.root()).run()
            };
            sandbox.mkdir("login");
            assert_eq!(run().code(), 0, "{part} {options:?}: a link of root's");
            lchown(&at, Some(USER), Some(GROUP)).unwrap();
            let before = listing(&aside);
            let outcome = run();
            assert_eq!(outcome.code(), 125, "{part} {options:?}: {outcome:?}");
            assert!(outcome.stderr.contains(&format!("rm {}", at.display())), "{outcome:?}");
            assert_eq!(listing(&aside), before, "{part} {options:?}");
        }
    }
}
