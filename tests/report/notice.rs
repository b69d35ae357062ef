//! The notice: once, on stderr, for a program whose own credentials were removed, with the option that grants them.

use crate::support::{CANARY, Outcome, Run, Sandbox};

/// The programs of the notice, the groups that they sign in with, and a credential of each of those. The programs that take
/// any provider have no group here.
const PROGRAMS: [(&str, &[(&str, &str)]); 21] = [
    ("claude", &[("anthropic", "ANTHROPIC_AUTH_TOKEN"), ("claude-code", "CLAUDE_CODE_OAUTH_TOKEN")]),
    ("codex", &[("openai", "OPENAI_API_KEY")]),
    ("gemini", &[("google", "GEMINI_API_KEY")]),
    ("gh", &[("github", "GH_TOKEN")]),
    ("hub", &[("github", "GITHUB_TOKEN")]),
    ("copilot", &[("github", "COPILOT_GITHUB_TOKEN")]),
    ("hf", &[("huggingface", "HF_TOKEN")]),
    ("huggingface-cli", &[("huggingface", "HF_TOKEN")]),
    ("grok", &[("xai", "XAI_API_KEY")]),
    ("qwen", &[("alibaba", "DASHSCOPE_API_KEY")]),
    ("kimi", &[("moonshot", "KIMI_API_KEY")]),
    ("vibe", &[("mistral", "MISTRAL_API_KEY")]),
    ("op", &[("secret-manager", "OP_SERVICE_ACCOUNT_TOKEN")]),
    ("bws", &[("secret-manager", "BWS_ACCESS_TOKEN")]),
    ("modal", &[("infrastructure", "MODAL_TOKEN_SECRET")]),
    ("vercel", &[("infrastructure", "VERCEL_TOKEN")]),
    ("opencode", &[]),
    ("goose", &[]),
    ("aider", &[]),
    ("llm", &[]),
    ("crush", &[]),
];

/// A tree in which every program is there and prints its environment.
fn with_programs() -> Sandbox {
    let sandbox = Sandbox::with_builder();
    for (program, _) in PROGRAMS {
        sandbox.link("/usr/bin/env", format!("bin/{program}"));
    }
    sandbox
}

/// A start of a program with these variables, and without the harness' own credential.
fn start(sandbox: &Sandbox, options: &[&str], program: &str, variables: &[&str]) -> Run {
    let run = sandbox.hx([options, &["--", program]].concat()).no_env("ANTHROPIC_API_KEY").secret_may_show();
    let run = run.env("PATH", sandbox.path("bin"));
    variables.iter().fold(run, |run, name| run.env(name, CANARY))
}

/// The one line of the notice.
#[track_caller]
fn notice(outcome: &Outcome) -> String {
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let lines: Vec<_> = outcome.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{outcome:?}");
    assert!(lines[0].starts_with("hermes-exec: "), "{outcome:?}");
    lines[0].to_owned()
}

/// The option that the notice says to type.
fn option(notice: &str) -> String {
    let word = notice.split_whitespace().find(|word| word.starts_with("--inherit-credentials"));
    word.unwrap_or_else(|| panic!("{notice:?} names no option")).to_owned()
}

#[test]
fn it_names_what_was_removed_and_the_option_that_grants_it() {
    let sandbox = with_programs();
    for (program, owned) in PROGRAMS {
        let any = [("anthropic", "ANTHROPIC_AUTH_TOKEN"), ("xai", "XAI_API_KEY")];
        for (group, name) in if owned.is_empty() { &any[..] } else { owned } {
            let outcome = start(&sandbox, &[], program, &[name]).run();
            let line = notice(&outcome);
            assert!(line.contains(program) && line.contains(name), "{line}");
            let granted = option(&line);
            match owned {
                [] => assert_eq!(granted, "--inherit-credentials", "{program}"),
                _ => assert_eq!(granted, format!("--inherit-credentials={group}"), "{program}"),
            }
            assert_eq!(outcome.block().iter().filter(|(known, _)| known == name).count(), 0, "{program}");
            // What it says to type grants it, and silences it.
            let outcome = start(&sandbox, &[&granted], program, &[name]).run().ok();
            assert!(outcome.out().contains(&format!("{name}={CANARY}")), "{program}");
        }
    }
}

#[test]
fn several_are_named_in_one_line_and_by_the_groups_that_were_removed() {
    let sandbox = with_programs();
    let names = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY"];
    let line = notice(&start(&sandbox, &[], "claude", &names).run());
    assert!(names[..3].iter().all(|name| line.contains(name)), "{line}");
    assert!(!line.contains("OPENAI"), "of another program: {line}");
    assert_eq!(option(&line), "--inherit-credentials=anthropic,claude-code");
    let line = notice(&start(&sandbox, &["--inherit-credentials=claude-code"], "claude", &names).run());
    assert!(!line.contains("OAUTH"), "{line}");
    assert_eq!(option(&line), "--inherit-credentials=anthropic", "the rest");
}

/// Keys of tools are removed as well, but a program that looks for a provider has no use for them.
#[test]
fn a_program_for_any_provider_is_told_of_providers_alone() {
    let sandbox = with_programs();
    let of_tools = ["TAVILY_API_KEY", "FIRECRAWL_API_KEY", "GH_TOKEN", "TELEGRAM_BOT_TOKEN"];
    for program in ["opencode", "goose", "aider", "llm", "crush"] {
        let outcome = start(&sandbox, &[], program, &of_tools).run().ok();
        assert!(outcome.block().iter().all(|(name, _)| !of_tools.contains(&name.as_str())), "{program}: {outcome:?}");
        let line = notice(&start(&sandbox, &[], program, &[&of_tools[..], &["XAI_API_KEY"]].concat()).run());
        assert!(line.contains("XAI_API_KEY") && !of_tools.iter().any(|name| line.contains(name)), "{line}");
    }
}

#[test]
fn it_is_said_by_the_base_name_of_the_command_word_alone() {
    let sandbox = with_programs();
    let path = sandbox.path("bin/gh").display().to_string();
    for program in ["gh", &path, "../bin/gh", "./../bin//gh"] {
        let line = notice(&start(&sandbox, &[], program, &["GH_TOKEN"]).run());
        assert!(line.contains("GH_TOKEN"), "{line}");
    }
    sandbox.link("/usr/bin/env", "bin/gh2");
    sandbox.link("/usr/bin/env", "bin/GH");
    for words in [
        &["gh2"][..],
        &["GH"],
        &["/usr/bin/env", "/usr/bin/true"],
        &["/bin/echo", "gh"],
        &["/bin/sh", "-c", "gh >/dev/null"],
    ] {
        let run = sandbox.hx([&["--"], words].concat()).env("GH_TOKEN", CANARY).env("PATH", sandbox.path("bin"));
        run.run().ok();
    }
}

#[test]
fn nothing_removed_nothing_said() {
    let sandbox = with_programs();
    for (program, owned) in PROGRAMS {
        start(&sandbox, &[], program, &[]).run().ok();
        // Credentials of others, and names that rules other than the catalogue's remove.
        let others =
            if owned.is_empty() { ["GH_TOKEN", "BWS_ACCESS_TOKEN"] } else { ["FAL_KEY", "TELEGRAM_BOT_TOKEN"] };
        start(&sandbox, &[], program, &others).run().ok();
    }
    sandbox.write("real/.hermes/.env", "ACME_KEY=1\n");
    start(&sandbox, &[], "claude", &["ACME_KEY", "VIRTUAL_ENV"]).run().ok();
}

/// The user's own word is no loss to be told of.
#[test]
fn what_the_user_removes_keeps_or_sets_is_not_named() {
    let sandbox = with_programs();
    for options in [&["--unset", "GH_TOKEN"][..], &["--keep", "GH_TOKEN"], &["--set", "GH_TOKEN=x"]] {
        start(&sandbox, options, "gh", &["GH_TOKEN"]).run().ok();
    }
}

#[test]
fn quiet_silences_it() {
    let sandbox = with_programs();
    for option in ["-q", "--quiet"] {
        start(&sandbox, &[option], "gh", &["GH_TOKEN"]).run().ok();
    }
    start(&sandbox, &[], "gh", &["GH_TOKEN"]).env("HERMES_EXEC_QUIET", "1").run().ok();
    for value in ["0", "false", "no", "off", ""] {
        notice(&start(&sandbox, &[], "gh", &["GH_TOKEN"]).env("HERMES_EXEC_QUIET", value).run());
    }
    let outcome = start(&sandbox, &["-v"], "gh", &["GH_TOKEN"]).run();
    assert!(outcome.stderr.contains("--inherit-credentials=github"), "-v adds to it: {outcome:?}");
}

#[test]
fn once_it_is_decided_for_the_program_it_is_silent() {
    let sandbox = with_programs();
    let said = |policy: &str| {
        sandbox.write("real/.hermes/hermes-exec.json", policy);
        let outcome = start(&sandbox, &[], "gh", &["GH_TOKEN"]).run();
        assert_eq!(outcome.code(), 0, "{outcome:?}");
        !outcome.stderr.is_empty()
    };
    assert!(!said(r#"{"programs": {"gh": {"inherit_credentials": []}}}"#), "an empty list says no");
    assert!(!said(r#"{"programs": {"gh": {"inherit_credentials": ["openai"]}}}"#), "decided, if for another group");
    assert!(!said(r#"{"programs": {"gh": {"inherit_credentials": ["github"]}}}"#));
    assert!(!said(r#"{"inherit_credentials": ["github"]}"#), "granted");
    assert!(said(r#"{"programs": {"gh": {}}}"#));
    assert!(said(r#"{"programs": {"gh": {"keep": [], "share": []}}}"#));
    assert!(said(r#"{"programs": {"hub": {"inherit_credentials": []}}}"#), "of another program");
    assert!(said(r#"{"inherit_credentials": []}"#), "the general list decides for no program");
    assert!(said(r#"{"inherit_credentials": ["openai"]}"#));
}

/// A run that does not take place loses no credentials.
#[test]
fn it_is_said_by_a_run_alone() {
    let sandbox = with_programs();
    let outcome = start(&sandbox, &["-n"], "gh", &["GH_TOKEN"]).run();
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    start(&sandbox, &["-n", "--json"], "gh", &["GH_TOKEN"]).run().ok();
    std::fs::remove_file(sandbox.path("bin/gh")).unwrap();
    start(&sandbox, &[], "gh", &["GH_TOKEN"]).run().fails(127, &["gh"]);
}

/// hermes-agent's reports of empty tokens: removed is absent, so that `${GH_TOKEN:-…}` and `gh` see none.
#[test]
fn c10_a_removed_token_is_absent_and_not_empty() {
    let sandbox = with_programs();
    let script = "if [ \"${GITHUB_TOKEN+set}\" ]; then echo set; else echo absent; fi";
    let run = sandbox.hx(["--", "/bin/sh", "-c", script]).env("GITHUB_TOKEN", CANARY);
    assert_eq!(run.run().ok().out(), "absent\n");
}
