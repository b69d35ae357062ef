//! The programs known to log in with credentials of the catalogue, whether or not those are granted.
#![forbid(unsafe_code)]

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Login {
    Groups(&'static [&'static str]),
    /// Those of whichever provider the user has configured.
    EveryProvider,
}

/// By base name.
const LOGINS: [(&str, Login); 21] = [
    ("aider", Login::EveryProvider),
    ("bws", Login::Groups(&["secret-manager"])),
    ("claude", Login::Groups(&["anthropic", "claude-code"])),
    ("codex", Login::Groups(&["openai"])),
    ("copilot", Login::Groups(&["github"])),
    ("crush", Login::EveryProvider),
    ("gemini", Login::Groups(&["google"])),
    ("gh", Login::Groups(&["github"])),
    ("goose", Login::EveryProvider),
    ("grok", Login::Groups(&["xai"])),
    ("hf", Login::Groups(&["huggingface"])),
    ("hub", Login::Groups(&["github"])),
    ("huggingface-cli", Login::Groups(&["huggingface"])),
    ("kimi", Login::Groups(&["moonshot"])),
    ("llm", Login::EveryProvider),
    ("modal", Login::Groups(&["infrastructure"])),
    ("op", Login::Groups(&["secret-manager"])),
    ("opencode", Login::EveryProvider),
    ("qwen", Login::Groups(&["alibaba"])),
    ("vercel", Login::Groups(&["infrastructure"])),
    ("vibe", Login::Groups(&["mistral"])),
];

/// The credentials that a program, given by its base name, would log in with; `None` for most programs.
pub(super) fn login(program: &[u8]) -> Option<Login> {
    LOGINS.iter().find(|(name, _)| name.as_bytes() == program).map(|&(_, login)| login)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::catalogue::{BY_NAME_ONLY, groups};

    #[test]
    fn every_group_that_is_named_exists() {
        let groups_of = |login| match login {
            Login::Groups(groups) => groups,
            Login::EveryProvider => &[],
        };
        let known = groups();
        for group in LOGINS.iter().flat_map(|&(_, login)| groups_of(login)).chain(&BY_NAME_ONLY) {
            assert!(known.contains(group), "{group}");
        }
    }
}
