//! What `-h` and `--help` print. What is said of a word that was mistyped is in `mistyped.txt`.

use clap::CommandFactory;
use hermes_exec::cli::Options;

use crate::support::Sandbox;

/// The options of clap that a text does not name, and the values that it does not.
fn left_out(text: &str) -> Vec<String> {
    let words: Vec<_> = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
    let mut command = Options::command();
    command.build();
    let mut all = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_positional()) {
        all.extend(arg.get_long().map(|name| format!("--{name}")));
        all.extend(arg.get_visible_aliases().unwrap_or_default().iter().map(|name| format!("--{name}")));
        all.extend(arg.get_short().map(|letter| format!("-{letter}")));
        if arg.get_action().takes_values() {
            all.extend(arg.get_possible_values().iter().map(|value| value.get_name().to_owned()));
        }
    }
    all.retain(|name| !words.contains(&name.as_str()));
    all
}

#[test]
fn the_short_help_is_one_screen_and_names_every_option() {
    let brief = Sandbox::new().hx(["-h"]).run().ok().out();
    // The last line of the screen is for the next prompt.
    assert!(brief.lines().count() <= 23, "{brief}");
    assert!(brief.lines().all(|line| line.chars().count() <= 80), "{brief}");
    assert_eq!(left_out(&brief), [""; 0], "{brief}");
}

#[test]
fn the_long_help_is_in_groups_with_examples_that_run() {
    let sandbox = Sandbox::with_builder();
    let help = sandbox.hx(["--help"]).run().ok().out();
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    assert_eq!(left_out(&help), [""; 0], "{help}");
    // Which of the two is asked for is not mistaken for words of the command or of another option.
    for (words, is_long) in [(&["-qh"][..], false), (&["-p", "x", "--help"], true), (&["-h", "--help"], false)] {
        assert_eq!(sandbox.hx(words).run().ok().out() == help, is_long, "{words:?}");
    }
    let headings = ["Profile and HOME", "Environment", "Sharing", "Sealing", "Inspecting", "Other", "Examples"];
    let places: Vec<_> = headings.iter().map(|heading| help.find(&format!("\n{heading}:\n")).expect(heading)).collect();
    assert!(places.is_sorted(), "{places:?}");
    for tool in ["uv", "claude", "gh"] {
        sandbox.script(format!("bin/{tool}"), format!("#!/bin/sh\necho \"{tool} $*\"\n"));
    }
    sandbox.link(crate::support::binary(), "bin/hermes-exec");
    let login = r#"{"claudeAiOauth": {"accessToken": "x", "refreshToken": "x", "expiresAt": 1}}"#;
    sandbox.write("real/.claude/.credentials.json", login);
    let examples: Vec<_> = help.lines().filter_map(|line| line.strip_prefix("  hermes-exec ")).collect();
    assert_eq!(examples.len(), 3, "{help}");
    for example in examples {
        let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
        let run = sandbox
            .hx(["-c", &format!("hermes-exec {example}")])
            .program("/bin/sh")
            .env("PATH", path)
            .no_env("ANTHROPIC_API_KEY");
        let outcome = run.run().ok();
        let word = example.rsplit_once("-- ").unwrap().1.split(' ').next().unwrap();
        assert!(outcome.out().contains(word), "{example}: {outcome:?}");
    }
}
