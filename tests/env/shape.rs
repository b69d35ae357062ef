//! Rule 9: a provider's key under a name that nobody listed, by its shape, and everything else that it leaves alone. Single
//! values are in the transcript `keys`; here stands what holds for every prefix.

use crate::support::Sandbox;

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
}
