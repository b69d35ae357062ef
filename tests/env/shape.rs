//! Rule 9: a provider's key under a name that nobody listed, by its shape, and everything else that it leaves alone.

use crate::support::explained::Explained;
use crate::support::{CANARY, Sandbox};

/// Whether a value is taken out, under a name that no other rule has a word on.
fn is_key(sandbox: &Sandbox, values: &[String]) -> Vec<bool> {
    let names: Vec<String> = (0..values.len()).map(|at| format!("ACME_{at}")).collect();
    let block: Vec<String> = names.iter().zip(values).map(|(name, value)| format!("{name}={value}")).collect();
    let outcome = sandbox.hx(["--", "/usr/bin/env", "-0"]).raw_block(&block).secret_may_show().run().ok();
    let stays = outcome.block();
    names.iter().map(|name| !stays.iter().any(|(known, _)| known == name)).collect()
}

/// Fails with the list of the values that are judged otherwise than `expected`.
#[track_caller]
fn all_are(expected: bool, values: &[String]) {
    let sandbox = Sandbox::new();
    let judged = is_key(&sandbox, values);
    let wrong: Vec<_> = values.iter().zip(judged).filter(|(_, judged)| *judged != expected).collect();
    assert!(wrong.is_empty(), "expected {expected}: {wrong:#?}");
}

/// Digits and letters in both cases, as in a real key.
fn body(length: usize) -> String {
    "3xAmPlE0nLyN0tAr3alK3y".chars().cycle().take(length).collect()
}

const CERTAIN: [&str; 9] =
    ["sk-ant-", "sk-proj-", "sk-or-v1-", "sk-svcacct-", "sk-admin-", "csk-", "tgp_v1_", "tvly-", "lsv2_"];
const LIKELY: [&str; 4] = ["xai-", "pplx-", "nvapi-", "r8_"];

#[test]
fn keys_as_the_providers_give_them_out() {
    all_are(
        true,
        &[
            format!("sk-ant-api03-{}-{}AA", body(86), body(6)),
            format!("sk-ant-oat01-{}", body(90)),
            format!("sk-ant-admin01-{}", body(90)),
            format!("sk-proj-{}T3BlbkFJ{}", body(74), body(74)),
            format!("sk-svcacct-{}", body(150)),
            format!("sk-or-v1-{}", "0123456789abcdef".repeat(4)),
            format!("gsk_{}", body(52)),
            format!("xai-{}", body(80)),
            format!("pplx-{}", body(48)),
            format!("nvapi-{}", body(64)),
            format!("nvapi-{}_{}-{}", body(20), body(20), body(20)),
            format!("r8_{}", body(37)),
            format!("hf_{}", body(34)),
            format!("hf_{}", "aBcDeFgHiJkLmNoPq".repeat(2)),
            format!("fw_{}", body(22)),
            format!("csk-{}", "0123456789abcdefghijklmn".repeat(2)),
            format!("tgp_v1_{}", body(43)),
            format!("tvly-dev-{}", body(32)),
            format!("lsv2_pt_{}_{}", "0123456789abcdef".repeat(2), "0123456789"),
            format!("sk-admin-{}", body(60)),
            format!("sk-{}T3BlbkFJ{}", body(20), body(20)),
            format!("sk-{}", "0123456789abcdef".repeat(2)),
            format!("ABSK{}+/{}==", body(60), body(60)),
        ],
    );
}

#[test]
fn the_length_decides_at_its_edge() {
    for prefix in CERTAIN {
        all_are(true, &[format!("{prefix}{}", body(20 - prefix.len())), format!("{prefix}{}", "a".repeat(200))]);
        all_are(false, &[format!("{prefix}{}", body(19 - prefix.len())), prefix.to_owned()]);
    }
    for prefix in LIKELY {
        all_are(true, &[format!("{prefix}{}", body(32 - prefix.len()))]);
        all_are(false, &[format!("{prefix}{}", body(31 - prefix.len())), prefix.to_owned()]);
    }
}

#[test]
fn white_space_makes_it_a_sentence() {
    for prefix in CERTAIN.into_iter().chain(["gsk_"]) {
        for space in [" ", "\t", "\n", "\r"] {
            all_are(false, &[format!("{prefix}{space}{}", body(60)), format!("{prefix}{}{space}x", body(60))]);
        }
    }
}

/// Tokens of Hugging Face are 34 letters, and seldom hold a digit.
#[test]
fn w57_tokens_of_hugging_face_need_no_digit() {
    let letters = |length: usize| "aBcDeFgHiJkLmNoPqRsTuVwXyZ".chars().cycle().take(length).collect::<String>();
    all_are(true, &[format!("hf_{}", letters(34)), format!("'hf_{}'\n", letters(34))]);
    all_are(false, &[format!("hf_{}", letters(33)), format!("hf_{}", letters(35))]);
}

/// As a file with a line break at its end, a quoted line of a `.env` or a request's header gives them.
#[test]
fn w57_what_stands_around_a_key_does_not_hide_it() {
    let key = format!("sk-ant-{}", body(60));
    let around = [" ", "\t", "\n", "\r\n"].map(|space| format!("{space}{key}{space}"));
    let quoted = [
        format!("\"{key}\""),
        format!("'{key}'\n"),
        format!("' {key} '"),
        format!("Bearer {key}"),
        format!(" \"Bearer  {key}\" "),
        format!("Bearer hf_{}\n", body(34)),
        format!("\"sk-{}\"", "0123456789abcdef".repeat(2)),
    ];
    all_are(true, &[&around[..], &quoted].concat());
    all_are(
        false,
        &[
            format!("\"{key}'"),
            format!("\"\"{key}\"\""),
            format!("\"{key}"),
            format!("`{key}`"),
            format!("Bearer{key}"),
            format!("Basic {key}"),
            format!("token {key}"),
        ],
    );
}

/// Prefixes that other words begin with, too, want the exact form behind them.
#[test]
fn some_shapes_are_exact() {
    let hex = "0123456789abcdef".repeat(2);
    all_are(
        true,
        &[
            "gsk_abcdefghijklmnopqrstuvwxyzA".into(),
            "gsk_abcdefghijklmnopqrstuvwxyz1".into(),
            format!("sk-{}", hex.to_ascii_uppercase()),
            "sk-T3BlbkFJ".into(),
            format!("ABSK{}", body(28)),
            format!("fw_{}", body(60)),
        ],
    );
    all_are(
        false,
        &[
            "gsk_gl_renderer_debug_shaders".into(),
            format!("gsk_{}", body(15)),
            format!("sk-{hex}0"),
            format!("sk-{}", &hex[1..]),
            format!("sk-{}g", &hex[1..]),
            "sk-T3BlbkFj".into(),
            "T3BlbkFJ".into(),
            format!("ABSK{}", body(27)),
            format!("ABSK{}", "abcdefgh".repeat(8)),
            format!("ABSK-{}", body(60)),
            format!("hf_{}", body(33)),
            format!("hf_{}", body(35)),
            format!("hf_{}", body(34).to_ascii_lowercase()),
            format!("hf_{}", body(34).to_ascii_uppercase()),
            format!("hf_{}-", body(33)),
            "hf_Meta-Llama-3-70B-Instruct-Q4_K_M".into(),
            format!("fw_{}", body(21)),
            format!("fw_{}", body(22).to_ascii_lowercase()),
            format!("fw_{}", body(22).to_ascii_uppercase()),
            format!("fw_{}", "aBcDeFgHiJk".repeat(2)),
            format!("fw_{}-", body(30)),
        ],
    );
}

#[test]
fn the_likely_ones_need_a_digit_and_an_upper_case_letter_behind_the_prefix() {
    for prefix in LIKELY {
        let lower = "abcdefghij".repeat(6);
        all_are(
            true,
            &[format!("{prefix}A1{lower}"), format!("{prefix}{lower}-_1A"), format!("{prefix}{}", body(200))],
        );
        all_are(
            false,
            &[
                format!("{prefix}{lower}"),
                format!("{prefix}1{lower}"),
                format!("{prefix}A{lower}"),
                format!("{prefix}A1{lower}/x"),
                format!("{prefix}A1{lower}.x"),
                format!("{prefix}A1{lower}:x"),
                format!("{prefix}A1{lower} x"),
                format!("{prefix}A1{lower}ü"),
                format!("{prefix}{}", lower.to_ascii_uppercase()),
            ],
        );
    }
}

#[test]
fn a_prefix_stands_at_the_start_and_in_its_case() {
    for prefix in CERTAIN.into_iter().chain(LIKELY) {
        let key = format!("{prefix}{}", body(60));
        all_are(
            false,
            &[
                format!("x{key}"),
                format!("https://user:{key}@host/"),
                format!("{}{}", prefix.to_ascii_uppercase(), body(60)),
                body(60),
            ],
        );
    }
    // Other services' keys, which are none of Hermes' business.
    all_are(
        false,
        &[
            format!("sk-{}", body(48)),
            format!("sk_live_{}", body(24)),
            format!("sk_test_{}", body(24)),
            format!("sk-lf-{}", body(36)),
            format!("ghp_{}", body(36)),
            format!("glpat-{}", body(20)),
            format!("AKIA{}", body(16)),
            format!("AIza{}", body(35)),
            format!("npm_{}", body(36)),
            format!("pypi-{}", body(100)),
            format!("xoxb-{}", body(50)),
            format!("hf-{}", body(34)),
        ],
    );
}

#[test]
fn any_name_but_a_core_name() {
    let sandbox = Sandbox::new();
    let key = format!("sk-ant-api03-{CANARY}");
    let gone =
        ["x", "KEYMAP", "MODEL", "AWS_PROFILE", "HERMES_MY_TOKEN", "GITLAB_TOKEN", "APPTAINERENV_X", "BASH_FUNC_x%%"];
    let stays =
        ["EDITOR", "TERM", "LC_X", "XDG_X", "HTTP_PROXY", "TERMINAL_X", "HERMES_SESSION_X", "HERMES_EXEC_X", "PWD"];
    let names = gone.iter().chain(&stays);
    let run = names.clone().fold(sandbox.hx(["/usr/bin/env", "-0"]), |run, name| run.env(name, &key));
    let outcome = run.secret_may_show().run().ok();
    for name in names {
        assert_eq!(outcome.var(name).is_some(), stays.contains(name), "{name}");
    }
}

#[test]
fn one_copy_with_a_key_is_enough() {
    let sandbox = Sandbox::new();
    let key = format!("ACME=gsk_{}", body(52));
    for block in [["ACME=1", &key], [&key, "ACME=1"]] {
        let outcome = sandbox.hx(["/usr/bin/env", "-0"]).raw_block(block).run().ok();
        assert_eq!(outcome.var("ACME"), None, "{block:?}");
    }
}

#[test]
fn values_need_not_be_text() {
    let sandbox = Sandbox::new();
    let block: [&[u8]; 3] = [
        b"A=sk-ant-\xff\xfe\x01 is no key ",
        b"B=sk-ant-\xff\xfe\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10",
        b"C=\xff",
    ];
    let outcome = sandbox.hx(["/usr/bin/env", "-0"]).raw_block(block).run().ok();
    assert_eq!(outcome.entries()[0], block[0]);
    assert!(outcome.entries().contains(&block[2].to_vec()));
}

#[test]
fn keep_and_unset_have_the_last_word() {
    let sandbox = Sandbox::new();
    let key = format!("gsk_{CANARY}-{}", body(30));
    let run = sandbox.hx(["--keep", "ACME", "/usr/bin/env", "-0"]).env("ACME", &key).env("OTHER", &key);
    let outcome = run.secret_may_show().run().ok();
    assert_eq!((outcome.var("ACME"), outcome.var("OTHER")), (Some(key), None));
}

#[test]
fn names_of_models_stay() {
    // The catalogue of models that Hermes Agent 0.19 ships, where a name has one of the prefixes or comes near; and such as
    // people write them into variables.
    let models = [
        "xai-grok-2-vision-1212",
        "xai-grok-2-image-1212",
        "xai-grok-3-mini-fast-beta",
        "xai-grok-4-0709",
        "xai-grok-4-fast-non-reasoning-2025-09-19",
        "xai-grok-code-fast-1-0825-with-a-long-name-behind",
        "xai-oauth",
        "xai/grok-4-1-fast-reasoning",
        "grok-imagine-video-1.5-2026-05-30",
        "pplx-7b-online",
        "pplx-70b-chat-alpha-long-context-2024-01",
        "pplx-api/sonar-reasoning-pro",
        "hf_hub:timm/vit_base_patch16_224.augreg_in21k_ft_in1k",
        "hf_models/meta-llama/Llama-3.1-8B-Instruct",
        "hf_meta-llama-3-1-8b-instruct-q4_k_m-gguf",
        "hf_Meta-Llama-3-70B-Instruct-Q4_K_M",
        "hf_Qwen2.5-Coder-32B-Instruct-Q4_K_M.gguf",
        "r8_stability-ai-sdxl-39ed52f2a78e934b3ba6",
        "nvapi-nemotron-super-49b-v1-5-long-name",
        "nvidia/llama-3.1-nemotron-70b-instruct",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "anthropic.claude-haiku-4-5-20251001-v1:0",
        "gpt-5.1-codex-max-xhigh",
        "ft:gpt-4o-mini-2024-07-18:acme::A1B2C3D4",
        "google/gemini-3.1-flash-lite-preview",
        "sk-antarctica-weather-model-v2",
        "sk-project-x-finetune-2024",
        "fw_llama-v3p1-405b-instruct-Long-Context-2024",
        "gsk-llama-3-70b-8192-tool-use-preview",
    ];
    all_are(false, &models.map(str::to_owned));
}

/// One environment of `tests/data/environments.txt`.
struct Environment {
    title: String,
    /// Name, value, and the rule that removes it.
    variables: Vec<(String, String, Option<u64>)>,
}

fn environments() -> Vec<Environment> {
    let text = include_str!("../data/environments.txt");
    let sections = text.split("\n=== ").skip(1).map(|section| {
        let (title, lines) = section.split_once('\n').unwrap();
        let lines = lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let variables = lines.map(|line| {
            let (rule, entry) = match line.strip_prefix('-').and_then(|line| line.split_once(' ')) {
                Some((rule, entry)) => (Some(rule.parse().unwrap()), entry),
                None => (None, line),
            };
            let (name, value) = entry.split_once('=').unwrap_or_else(|| panic!("{line:?} is no assignment"));
            (name.to_owned(), value.replace("\\n", "\n"), rule)
        });
        Environment { title: title.to_owned(), variables: variables.collect() }
    });
    sections.collect()
}

/// No false positive among some hundred variables of developers' and CI's environments, whichever home it is.
#[test]
fn environments_of_developers_lose_nothing_but_what_they_should() {
    let environments = environments();
    assert!(environments.iter().map(|environment| environment.variables.len()).sum::<usize>() > 300);
    for Environment { title, variables } in environments {
        let sandbox = Sandbox::with_builder();
        for options in [&[][..], &["-p", "builder"]] {
            let given: Vec<_> = variables.iter().map(|(name, value, _)| (name.as_str(), value.as_str())).collect();
            let explained = Explained::new(&sandbox, options, &given);
            for (name, _, rule) in &variables {
                let expected = match rule {
                    Some(rule) => ("removed", *rule),
                    None => ("kept", 11),
                };
                assert_eq!(explained.variable(name), Some(expected), "{title}: {name}");
            }
            assert_eq!(explained.decided_by(9), [""; 0], "{title}");
        }
    }
}
