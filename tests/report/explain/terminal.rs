//! On a terminal the reports fit its width, and have colour, unless somebody said otherwise.

use crate::support::{Run, Sandbox, without_numbers};

/// Inspections with much to say: long names, long paths, findings, notes.
fn inspections(sandbox: &Sandbox) -> Vec<Run> {
    sandbox.mkdir("real/.claude");
    sandbox.mkdir("real/.hermes/profiles/builder/home/.claude");
    let long = "A_VARIABLE_WITH_A_NAME_THAT_IS_AS_LONG_AS_A_WHOLE_LINE_OF_THE_TERMINAL_IS_X";
    let longer = format!("MY_{}_TOKEN", "LONG_".repeat(12));
    sandbox.write("real/.hermes/.env", format!("{longer}=x\n"));
    let start = |options: &[&str]| {
        let run = sandbox.hx([&["-p", "builder"], options].concat()).env("TERM", "xterm").env("BASH_ENV", "/x");
        let run = run.env("VIRTUAL_ENV", sandbox.hermes_venv("agent/venv")).env(long, "x").env(&longer, "x");
        run.env("PATH", format!("{}:/usr/bin:/bin", sandbox.path("agent/venv/bin").display())).env("GH_TOKEN", "x")
    };
    [&["-n", "-v", "bash", "-l"][..], &["-n", "--unset", "A_*", "bash", "-l"], &["--doctor"]].map(start).into()
}

/// What a line is not broken at: a single word behind its title, or what is to be pasted.
fn is_whole(line: &str) -> bool {
    let (_, text) = line.split_at(if line.starts_with("    ") { 0 } else { 13 });
    text.trim_start().starts_with("cure: ") || !text.trim_start().contains(' ')
}

#[test]
fn lines_fit_in_80_columns() {
    let sandbox = Sandbox::with_builder();
    for run in inspections(&sandbox) {
        let (_, screen) = run.env("NO_COLOR", "1").on_terminal();
        let too_long = screen.lines().find(|line| line.chars().count() > 80 && !is_whole(line));
        assert_eq!(too_long, None, "{screen}");
        assert!(!screen.contains(" \n"), "no space at the end of a line: {screen}");
        assert!(screen.lines().count() > 20, "{screen}");
    }
}

/// Folding breaks lines and changes nothing else.
#[test]
fn the_same_words_as_without_a_terminal() {
    let sandbox = Sandbox::with_builder();
    for run in inspections(&sandbox) {
        let run = run.env("TERM", "dumb");
        let plain = run.clone().run().out();
        let (_, screen) = run.on_terminal();
        let words = |text: &str| without_numbers(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(words(&screen), words(&plain));
        assert!(screen.lines().count() > plain.lines().count(), "{screen}");
    }
}

/// Without a terminal each fact is one line, for `grep`.
#[test]
fn one_line_a_fact_without_a_terminal() {
    let sandbox = Sandbox::with_builder();
    let mut all = inspections(&sandbox);
    let doctor = all.pop().unwrap().run().out();
    for line in doctor
        .lines()
        .filter(|line| !["         cure: ", "         hint: "].iter().any(|title| line.starts_with(title)))
    {
        let known = ["ok ", "note ", "warning ", "problem "].iter().any(|level| line.starts_with(level));
        assert!(known || line.contains(" problem"), "{line:?}: {doctor}");
    }
    let explained = all.pop().unwrap().run().out();
    let [reason] = explained.lines().filter(|line| line.contains("VIRTUAL_ENV ")).collect::<Vec<_>>()[..] else {
        panic!("{explained}")
    };
    assert!(reason.len() > 80 && reason.ends_with("which installers would change"), "{reason}");
}

#[test]
fn colour_on_a_terminal_that_wants_it() {
    let sandbox = Sandbox::with_builder();
    for run in inspections(&sandbox) {
        assert!(!run.clone().run().out().contains('\x1b'), "no terminal");
        let screen = run.clone().on_terminal().1;
        assert!(screen.contains("\x1b[1m") || screen.contains("\x1b[33mwarning"), "a terminal: {screen}");
        assert!(run.clone().env("NO_COLOR", "").on_terminal().1.contains('\x1b'), "an empty NO_COLOR says nothing");
        for value in ["1", "0", "x"] {
            assert!(!run.clone().env("NO_COLOR", value).on_terminal().1.contains('\x1b'), "NO_COLOR={value}");
        }
        assert!(!run.clone().env("TERM", "dumb").on_terminal().1.contains('\x1b'), "a terminal without colour");
    }
}

/// With and without a terminal, whoever has the last word.
#[test]
fn colour_by_the_usual_variables() {
    let sandbox = Sandbox::with_builder();
    for run in inspections(&sandbox) {
        let has_colour = |settings: &[(&str, &str)]| {
            let run = settings.iter().fold(run.clone(), |run, (name, value)| run.env(name, value));
            (run.clone().on_terminal().1.contains('\x1b'), run.run().out().contains('\x1b'))
        };
        for (settings, wanted) in [
            (&[][..], (true, false)),
            (&[("FORCE_COLOR", "1")], (true, true)),
            (&[("FORCE_COLOR", "0")], (true, false)),
            (&[("CLICOLOR_FORCE", "1")], (true, true)),
            (&[("CLICOLOR_FORCE", "0")], (true, false)),
            (&[("CLICOLOR", "0")], (false, false)),
            (&[("CLICOLOR", "1")], (true, false)),
            (&[("CLICOLOR", "0"), ("FORCE_COLOR", "1"), ("TERM", "dumb")], (true, true)),
            (&[("NO_COLOR", "1"), ("FORCE_COLOR", "1"), ("CLICOLOR_FORCE", "1")], (false, false)),
        ] {
            assert_eq!(has_colour(settings), wanted, "{settings:?}");
        }
    }
}

#[test]
fn each_level_has_its_colour() {
    let sandbox = Sandbox::with_builder();
    let run = inspections(&sandbox).pop().unwrap().env("FORCE_COLOR", "1").env("ELECTRON_RUN_AS_NODE", "1");
    let text = run.clone().run().out() + &run.env("HERMES_HOME", "x").run().out();
    for level in ["\x1b[32mok       ", "\x1b[36mnote     ", "\x1b[33mwarning  ", "\x1b[31mproblem  "] {
        assert!(text.contains(&format!("{level}\x1b[0m")), "{level:?}: {text}");
    }
    assert!(text.lines().any(|line| line.len() > 120), "colours fold nothing");
}

/// From 60 to 120 columns; where the terminal does not say, as COLUMNS has it.
#[test]
fn lines_are_as_long_as_the_terminal_is_wide() {
    let sandbox = Sandbox::with_builder();
    for run in inspections(&sandbox) {
        let run = run.env("NO_COLOR", "1");
        let longest = |run: &Run, columns: u16| {
            let (_, screen) = run.clone().on_terminal_of(columns);
            screen.lines().filter(|line| !is_whole(line)).map(|line| line.chars().count()).max().unwrap()
        };
        let by_width = [40, 60, 70, 100, 120, 300].map(|columns| longest(&run, columns));
        for (found, most) in by_width.into_iter().zip([60, 60, 70, 100, 120, 120]) {
            assert!(found <= most && found + 20 > most, "{found} of {most}");
        }
        assert_eq!(longest(&run.clone().env("COLUMNS", "100"), 0), by_width[3]);
        assert_eq!(longest(&run.clone().env("COLUMNS", "wide"), 0), longest(&run, 80));
        assert_eq!(longest(&run.clone().env("COLUMNS", "100"), 70), by_width[2], "the terminal knows");
    }
}

/// `--json` and `--only` are for programs and for one glance: no colour, no folding.
#[test]
fn json_and_only_are_the_same_everywhere() {
    let sandbox = Sandbox::with_builder();
    for options in [&["-n", "--json"][..], &["--doctor", "--json"], &["-n", "--only", "GH_TOKEN"], &["--catalogue"]] {
        let run = sandbox.hx(options).env("TERM", "xterm").env("GH_TOKEN", "x");
        let screen = run.clone().on_terminal().1;
        assert_eq!(without_numbers(&screen), without_numbers(&run.run().out()), "{options:?}");
    }
}

/// On a terminal one line after the findings names the doctor's call.
#[test]
fn the_doctor_is_named_on_a_terminal() {
    let sandbox = Sandbox::with_builder();
    sandbox.mkdir("real/.claude");
    sandbox.mkdir("real/.hermes/profiles/builder/home/.claude");
    let (_, screen) = sandbox.hx(["-p", "builder", "true"]).after_sh("exec 2>&1").on_terminal();
    assert_eq!(screen.matches("hermes-exec --doctor -p builder").count(), 1, "{screen}");
}
