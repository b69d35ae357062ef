//! Starts within starts. Others, and environments that somebody else's session left behind, are in the pages `nesting` and
//! `nesting-linux`.

use crate::support::{Run, Sandbox, listing};

/// Three profiles, and a real home with a login and more.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    ["builder", "writer", "reader"].iter().for_each(|name| drop(sandbox.profile(name)));
    sandbox.write("real/.claude/.credentials.json", "{}");
    sandbox.write("real/.claude.json", "{}");
    sandbox.write("real/.config/gh/hosts.yml", "");
    sandbox.mkdir("real/.rustup");
    sandbox
}

/// One start within the other, the outermost first, around `env -0`.
fn nested(sandbox: &Sandbox, levels: &[&[&str]]) -> Run {
    let binary = sandbox.copied_binary();
    let mut words: Vec<&str> = levels[0].to_vec();
    words.push("--");
    for level in &levels[1..] {
        words.push(binary.to_str().unwrap());
        words.extend(*level);
        words.push("--");
    }
    words.extend(["env", "-0"]);
    sandbox.hx(words)
}

#[test]
fn three_levels_of_one_profile_hand_on_the_same_block_byte_for_byte() {
    for options in [
        &["-p", "builder"][..],
        &["-p", "builder", "--share", ".config/gh"],
        &["-p", "builder", "--home", "real"],
        &["--home", "profile"],
        &["-p", "default"],
        &["--home", "auto"],
    ] {
        for variable in [None, Some("profiles/writer"), Some("")] {
            let sandbox = sandbox();
            let start = |levels: &[&[&str]]| {
                let run = nested(&sandbox, levels);
                let run = variable.into_iter().fold(run, |run, rel| run.env("HERMES_HOME", sandbox.root().join(rel)));
                run.env("HERMES_PROFILE", " ").env("DISPLAY", ":0").env("XDG_CONFIG_HOME", sandbox.path("real/.config"))
            };
            let once = start(&[options]).run().ok();
            let before = listing(&sandbox.real());
            let thrice = start(&[options, options, options]).run().ok();
            assert_eq!(thrice.entries(), once.entries(), "{options:?} {variable:?}");
            assert_eq!(listing(&sandbox.real()), before, "{options:?} {variable:?}: there is nothing left to do");
        }
    }
}
