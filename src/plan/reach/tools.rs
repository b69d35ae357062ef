//! Programs that look for their configuration in HOME, and the variables that replace it.
#![forbid(unsafe_code)]

use std::path::Path;

use super::Reach;
use crate::plan::diagnostic::Diagnostic;
use crate::plan::home::items::Item;

struct Tool {
    name: &'static str,
    /// Any of these is its configuration.
    files: &'static [&'static str],
    /// The item to share.
    item: &'static str,
    /// With any of these it finds a configuration or login elsewhere.
    variables: &'static [&'static str],
}

const TOOLS: [Tool; 6] = [
    Tool {
        name: "aws",
        files: &[".aws/config", ".aws/credentials"],
        item: ".aws",
        variables: &[
            "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        ],
    },
    Tool {
        name: "codex",
        files: &[".codex/auth.json", ".codex/config.toml"],
        item: ".codex",
        variables: &["CODEX_HOME", "OPENAI_API_KEY", "CODEX_API_KEY"],
    },
    Tool {
        name: "docker",
        files: &[".docker/config.json"],
        item: ".docker",
        variables: &["DOCKER_CONFIG", "DOCKER_AUTH_CONFIG"],
    },
    Tool {
        name: "gcloud",
        files: &[".config/gcloud/configurations", ".config/gcloud/credentials.db"],
        item: ".config/gcloud",
        variables: &["CLOUDSDK_CONFIG", "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE"],
    },
    Tool {
        name: "gh",
        files: &[".config/gh/hosts.yml"],
        item: ".config/gh",
        variables: &["GH_CONFIG_DIR", "GH_TOKEN", "GITHUB_TOKEN", "XDG_CONFIG_HOME"],
    },
    Tool { name: "kubectl", files: &[".kube/config"], item: ".kube", variables: &["KUBECONFIG"] },
];

const GIT: Tool = Tool {
    name: "git",
    files: &[".gitconfig", ".config/git/config"],
    item: ".gitconfig",
    variables: &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "XDG_CONFIG_HOME"],
};

/// The notice that a program's configuration is in the real home but not in this one. `declined`: `--no-share` names this
/// item.
pub fn notice(program: &[u8], declined: impl Fn(&Item) -> bool, reach: &Reach<'_>) -> Option<String> {
    let tool = TOOLS.iter().find(|tool| tool.name.as_bytes() == program)?;
    let is_missed = tool.is_missed(reach)? && !declined(&Item::Path(tool.item.into()));
    is_missed.then(|| {
        format!("{} finds no configuration here, but the real home has one: {}", tool.name, tool.advice(reach))
    })
}

/// Without the user's settings git has no name for a commit, and agents make one up.
pub fn identity(reach: &Reach<'_>) -> Option<Diagnostic> {
    const NAMES: [&str; 4] = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    let is_named = NAMES.iter().all(|name| reach.is_given(&[name]));
    let is_missed = GIT.is_missed(reach)? && !is_named;
    is_missed.then(|| {
        let message = format!(
            "git does not find the real home's settings here, and has an identity only if the repository sets one; to share \
             them: --share {}",
            git_item(reach)
        );
        Diagnostic::note("git-identity", message)
    })
}

/// Where the user keeps git's settings.
fn git_item(reach: &Reach<'_>) -> &'static str {
    let is_there = |file: &&&str| reach.is_there(&reach.there(Path::new(file)));
    match GIT.files.iter().find(is_there) {
        Some(&".config/git/config") => ".config/git",
        _ => GIT.item,
    }
}

impl Tool {
    /// Does the real home have its configuration, but not this home? `None` if a variable says where it is.
    fn is_missed(&self, reach: &Reach<'_>) -> Option<bool> {
        let is_in = |place: &dyn Fn(&Path) -> std::path::PathBuf| {
            self.files.iter().any(|file| reach.is_there(&place(Path::new(file))))
        };
        (!reach.is_given(self.variables)).then(|| is_in(&|file| reach.there(file)) && !is_in(&|file| reach.here(file)))
    }

    /// The option that shares it, or where to look if that is given already.
    fn advice(&self, reach: &Reach<'_>) -> String {
        match reach.items.contains(&Item::Path(self.item.into())) {
            true => "see hermes-exec --doctor".to_owned(),
            false => format!("--share {}", self.item),
        }
    }
}
