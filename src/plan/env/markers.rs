//! The activation markers that tools leave in the environment of everything they start, as one table. A family goes or
//! stays as a whole: with `CONDA_DEFAULT_ENV` removed alone, poetry installs into the environment that it ignored before.
#![forbid(unsafe_code)]

use crate::plan::pattern::{self, FirstBytes, may_match, with_first_byte};

#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    pub name: &'static str,
    pub members: &'static [&'static str],
    pub reason: &'static str,
}

/// Selects uv's interpreter; a marker only where it points into Hermes' own venv, otherwise the user's choice.
pub const UV_PYTHON: &[u8] = b"UV_PYTHON";

pub const FAMILIES: [Family; 12] = [
    Family {
        name: "python-venv",
        members: &[
            "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "PYENV_VIRTUAL_ENV", "_OLD_VIRTUAL_PATH", "_OLD_VIRTUAL_PYTHONHOME",
            "_OLD_VIRTUAL_PROMPT",
        ],
        reason: "marks an active Python venv: installers would change that one",
    },
    Family {
        name: "uv",
        members: &[
            "UV_PROJECT_ENVIRONMENT", "UV", "UV_RUN_RECURSION_DEPTH", "UV_INTERNAL__PARENT_INTERPRETER", "UV_PYTHON",
        ],
        reason: "left by uv: a nested uv would work on the outer environment",
    },
    Family { name: "poetry", members: &["POETRY_ACTIVE"], reason: "marks an active poetry shell" },
    Family { name: "pipenv", members: &["PIPENV_ACTIVE"], reason: "marks an active pipenv shell" },
    Family { name: "hatch", members: &["HATCH_ENV_ACTIVE"], reason: "marks an active hatch environment" },
    Family {
        name: "pdm",
        members: &["PDM_IN_VENV", "PDM_PROJECT_ROOT", "PDM_RUN_CWD"],
        reason: "left by pdm: a nested pdm would work on the outer project",
    },
    Family {
        name: "pixi",
        members: &[
            "PIXI_EXE", "PIXI_IN_SHELL", "PIXI_PROMPT", "PIXI_SHELL_ACTIVATION_DONE", "PIXI_PROJECT_*",
            "PIXI_ENVIRONMENT_*",
        ],
        reason: "marks an active pixi environment",
    },
    Family {
        name: "conda",
        members: &[
            "CONDA_PREFIX", "CONDA_PREFIX_*", "CONDA_DEFAULT_ENV", "CONDA_SHLVL", "CONDA_PROMPT_MODIFIER",
            "CONDA_STACKED_*", "CONDA_ENV_SHLVL_*", "_CE_CONDA", "_CE_M",
        ],
        reason: "marks an active conda environment: installers would change that one",
    },
    Family {
        name: "python-home",
        members: &["PYTHONHOME"],
        reason: "makes every Python look for its library in one place, and die where it is missing",
    },
    Family {
        name: "python-launcher",
        members: &["__PYVENV_LAUNCHER__"],
        reason: "makes Python take another program for its own interpreter",
    },
    Family {
        name: "direnv",
        members: &["DIRENV_DIFF", "DIRENV_DIR", "DIRENV_FILE", "DIRENV_WATCHES"],
        reason: "holds earlier values of the environment, secrets included",
    },
    Family {
        name: "mise",
        members: &["__MISE_DIFF", "__MISE_SESSION", "__MISE_ORIG_PATH"],
        reason: "holds earlier values of the environment, secrets included",
    },
];

static FIRST_BYTES: FirstBytes = first_bytes();

const fn first_bytes() -> FirstBytes {
    let (mut set, mut at) = ([false; 256], 0);
    while at < FAMILIES.len() {
        let (members, mut member) = (FAMILIES[at].members, 0);
        while member < members.len() {
            set = with_first_byte(set, members[member].as_bytes()[0]);
            member += 1;
        }
        at += 1;
    }
    set
}

impl Family {
    pub fn of(name: &[u8]) -> Option<&'static Self> {
        if !may_match(&FIRST_BYTES, name) {
            return None;
        }
        FAMILIES.iter().find(|family| family.has(name))
    }

    fn has(&self, name: &[u8]) -> bool {
        self.members.iter().any(|member| pattern::matches(member.as_bytes(), name))
    }

    /// Does a user's pattern name a member? It does when it matches a member's name, or is one.
    pub fn matches_pattern(&self, wanted: &[u8]) -> bool {
        let fixed = self.members.iter().filter(|member| member.as_bytes() != UV_PYTHON);
        fixed.map(|member| member.as_bytes()).any(|member| pattern::matches(wanted, member))
            || (wanted != UV_PYTHON && self.has(wanted))
    }
}
