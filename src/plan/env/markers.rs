//! The activation markers that tools leave in the environment of everything they start, as one table, and the variables
//! that select where installers work. A family is kept or removed as a whole: with only `CONDA_DEFAULT_ENV` removed, poetry
//! installs into the environment that it ignored before.
#![forbid(unsafe_code)]

use crate::plan::pattern::{self, FirstBytes, may_match, with_first_bytes};

#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    pub name: &'static str,
    pub members: &'static [&'static str],
    pub reason: &'static str,
}

/// The group, in reports, of variables that are removed because they are Hermes' own.
pub const HERMES: &str = "hermes";

/// Markers whose value is the directory of an environment.
pub const ENVIRONMENTS: [&[u8]; 3] = [b"VIRTUAL_ENV", b"CONDA_PREFIX", b"UV_PROJECT_ENVIRONMENT"];

/// Variables that select an interpreter, a project, or where installers write, each by a path.
const SELECTORS: [&str; 18] = [
    "UV_PYTHON", "UV_PROJECT", "UV_WORKING_DIR", "UV_WORKING_DIRECTORY", "UV_PYTHON_INSTALL_DIR", "UV_PYTHON_BIN_DIR",
    "UV_TOOL_DIR", "UV_TOOL_BIN_DIR", "PIP_PYTHON", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIPX_HOME",
    "PIPX_BIN_DIR", "PYTHONUSERBASE", "npm_config_prefix", "PREFIX", "PNPM_HOME",
];

/// pip and npm ignore the case of an option's name (pip's configuration, "Environment Variables"; npm's config).
pub fn is_selector(name: &[u8]) -> bool {
    let is = |known: &[u8]| {
        let of_any_case = name.starts_with(b"PIP_") || known == b"npm_config_prefix";
        name == known || of_any_case && name.eq_ignore_ascii_case(known)
    };
    may_match(&FIRST_OF_SELECTORS, name) && SELECTORS.iter().any(|known| is(known.as_bytes()))
}

/// Does this marker hold a previous value or a prompt? Neither says which environment is active.
pub fn is_saved(name: &[u8]) -> bool {
    name.starts_with(b"_OLD_VIRTUAL_") || name.ends_with(b"_PROMPT")
}

/// Does Hermes' launcher set this (hermes-agent, `.hermes/bin`)?
pub fn is_of_launcher(name: &[u8]) -> bool {
    [&b"__HERMES_ACTIVATED"[..], b"__HERMES_TEST_PYTHON"].contains(&name)
}

/// The name inside `__CONDA_SHLVL_0_NAME`.
pub fn covered_name(name: &[u8]) -> Option<&[u8]> {
    let rest = name.strip_prefix(b"__CONDA_SHLVL_")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest[digits..].strip_prefix(b"_").filter(|covered| digits > 0 && !covered.is_empty())
}

pub const FAMILIES: [Family; 12] = [
    Family {
        name: "python-venv",
        members: &[
            "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "PYENV_VIRTUAL_ENV", "PYENV_ACTIVATE_SHELL", "_OLD_VIRTUAL_PATH",
            "_OLD_VIRTUAL_PYTHONHOME", "_OLD_VIRTUAL_PROMPT", "_OLD_VIRTUAL_PS1",
        ],
        reason: "marks an active Python venv, which installers would change",
    },
    Family {
        name: "uv",
        members: &["UV_PROJECT_ENVIRONMENT", "UV", "UV_RUN_RECURSION_DEPTH", "UV_INTERNAL__PARENT_INTERPRETER"],
        reason: "left by uv: a nested uv would use the outer environment",
    },
    Family { name: "poetry", members: &["POETRY_ACTIVE"], reason: "marks an active poetry shell" },
    Family {
        name: "pipenv",
        members: &["PIPENV_ACTIVE", "PIPENV_PROJECT_DIR"],
        reason: "marks an active pipenv shell",
    },
    Family { name: "hatch", members: &["HATCH_ENV_ACTIVE", "HATCH_UV"], reason: "marks an active hatch environment" },
    Family {
        name: "pdm",
        members: &["PDM_IN_VENV", "PDM_PROJECT_ROOT", "PDM_RUN_CWD"],
        reason: "left by pdm: a nested pdm would use the outer project",
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
            "CONDA_STACKED_*", "CONDA_ENV_SHLVL_*", "__CONDA_SHLVL_*", "_CE_CONDA", "_CE_M",
        ],
        reason: "marks an active conda environment, which installers would change",
    },
    Family {
        name: "python-home",
        members: &["PYTHONHOME"],
        reason: "makes every Python look for its library in one place, and fail without it",
    },
    Family {
        name: "python-launcher",
        members: &["__PYVENV_LAUNCHER__"],
        reason: "makes Python use another program as its interpreter",
    },
    Family {
        name: "direnv",
        members: &["DIRENV_DIFF", "DIRENV_DIR", "DIRENV_FILE", "DIRENV_WATCHES"],
        reason: "holds earlier values of the environment, including secrets",
    },
    Family {
        name: "mise",
        members: &["__MISE_DIFF", "__MISE_SESSION", "__MISE_ORIG_PATH"],
        reason: "holds earlier values of the environment, including secrets",
    },
];

static FIRST_BYTES: FirstBytes = first_bytes();
static FIRST_OF_SELECTORS: FirstBytes = with_first_bytes([false; 256], &SELECTORS);

const fn first_bytes() -> FirstBytes {
    let (mut set, mut at) = ([false; 256], 0);
    while at < FAMILIES.len() {
        set = with_first_bytes(set, FAMILIES[at].members);
        at += 1;
    }
    set
}

impl Family {
    /// Do its members embed earlier values, including secrets? Such a family is removed wherever it points.
    pub fn holds_values(&self) -> bool {
        ["direnv", "mise"].contains(&self.name)
    }

    pub fn of(name: &[u8]) -> Option<&'static Self> {
        Self::number_of(name).map(|at| &FAMILIES[at])
    }

    /// The place in [`FAMILIES`] of a name's family.
    pub fn number_of(name: &[u8]) -> Option<usize> {
        may_match(&FIRST_BYTES, name).then(|| FAMILIES.iter().position(|family| family.has(name))).flatten()
    }

    pub fn has(&self, name: &[u8]) -> bool {
        self.members.iter().any(|member| pattern::matches(member.as_bytes(), name))
    }

    /// Does a user's pattern match a member's name, or a member the pattern?
    pub fn matches_pattern(&self, wanted: &[u8]) -> bool {
        self.members.iter().any(|member| pattern::matches(wanted, member.as_bytes())) || self.has(wanted)
    }
}
