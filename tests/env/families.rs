//! Marker families, Hermes' own venv, and its pip. What happens to the environment is in the transcripts
//! `families`, `own-venv` and `pip`; here stands each marker alone.

use crate::support::Sandbox;

/// Every family with its members; a pattern's `*` is replaced by some text.
const FAMILIES: &[(&str, &str)] = &[
    (
        "python-venv",
        "VIRTUAL_ENV VIRTUAL_ENV_PROMPT PYENV_VIRTUAL_ENV PYENV_ACTIVATE_SHELL _OLD_VIRTUAL_PATH \
         _OLD_VIRTUAL_PYTHONHOME _OLD_VIRTUAL_PROMPT _OLD_VIRTUAL_PS1",
    ),
    ("uv", "UV_PROJECT_ENVIRONMENT UV UV_RUN_RECURSION_DEPTH UV_INTERNAL__PARENT_INTERPRETER"),
    ("poetry", "POETRY_ACTIVE"),
    ("pipenv", "PIPENV_ACTIVE PIPENV_PROJECT_DIR"),
    ("hatch", "HATCH_ENV_ACTIVE HATCH_UV"),
    ("pdm", "PDM_IN_VENV PDM_PROJECT_ROOT PDM_RUN_CWD"),
    ("pixi", "PIXI_EXE PIXI_IN_SHELL PIXI_PROMPT PIXI_SHELL_ACTIVATION_DONE PIXI_PROJECT_NAME PIXI_ENVIRONMENT_NAME"),
    (
        "conda",
        "CONDA_PREFIX CONDA_PREFIX_1 CONDA_DEFAULT_ENV CONDA_SHLVL CONDA_PROMPT_MODIFIER CONDA_STACKED_1 \
         CONDA_ENV_SHLVL_1_X __CONDA_SHLVL_0_X _CE_CONDA _CE_M",
    ),
    ("python-home", "PYTHONHOME"),
    ("python-launcher", "__PYVENV_LAUNCHER__"),
    ("direnv", "DIRENV_DIFF DIRENV_DIR DIRENV_FILE DIRENV_WATCHES"),
    ("mise", "__MISE_DIFF __MISE_SESSION __MISE_ORIG_PATH"),
];

/// The names that are left of `block` under the given options, HOME aside.
fn left(sandbox: &Sandbox, options: &[&str], block: &[String]) -> Vec<String> {
    let home = [format!("HOME={}", sandbox.real().display())];
    let args = options.iter().chain(&["--", "/usr/bin/env", "-0"]);
    let outcome = sandbox.hx(args).raw_block(home.iter().chain(block)).run().ok();
    outcome.block().into_iter().skip(1).map(|(name, _)| name).collect()
}

#[test]
fn every_member_goes_alone() {
    let sandbox = Sandbox::new();
    for member in FAMILIES.iter().flat_map(|(_, members)| members.split_whitespace()) {
        for value in ["/x", ""] {
            let left = left(&sandbox, &[], &[format!("{member}={value}")]);
            assert!(left.is_empty(), "{member}={value} is left");
        }
    }
}

#[test]
fn keep_of_any_member_keeps_its_family_and_no_other() {
    let sandbox = Sandbox::new();
    let all: Vec<_> = FAMILIES.iter().flat_map(|(_, members)| members.split_whitespace()).collect();
    let block: Vec<_> = all.iter().map(|name| format!("{name}=/x")).collect();
    for (family, members) in FAMILIES {
        let members: Vec<_> = members.split_whitespace().collect();
        for member in &members {
            assert_eq!(left(&sandbox, &["--keep", member], &block), members, "{family} by {member}");
        }
    }
}
