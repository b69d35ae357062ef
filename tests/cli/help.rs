//! That `-h` and `--help` name every option, in a screen's width. The rest of what they print is in `helps.txt`.

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
fn the_long_help_names_every_option() {
    let help = Sandbox::new().hx(["--help"]).run().ok().out();
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    assert_eq!(left_out(&help), [""; 0], "{help}");
}
