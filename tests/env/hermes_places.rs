//! What is Hermes' own is known by what is there, however a path is written; and what only looks like it is left alone.

use std::path::{Path, PathBuf};

use hermes_exec::plan::env::hermes_places::HermesPlaces;
use hermes_exec::world::place::{Place, is_below};

use crate::support::Sandbox;

/// A sandbox with Hermes' venv in the usual place.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.hermes_venv(VENV);
    sandbox
}

const VENV: &str = "real/.hermes/hermes-agent/venv";

/// The value with which a command gets a variable.
fn seen(sandbox: &Sandbox, options: &[&str], block: &[(&str, &str)], name: &str) -> Option<String> {
    let home = format!("HOME={}", sandbox.real().display());
    let block = block.iter().map(|(name, value)| format!("{name}={value}"));
    let args = options.iter().chain(&["--", "/usr/bin/env", "-0"]);
    let outcome = sandbox.hx(args).raw_block([home].into_iter().chain(block)).run().ok();
    outcome.block().into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// pip and npm take their options in any case, and expand `~`.
#[test]
fn selectors_as_their_tools_read_them() {
    let sandbox = sandbox();
    let venv = sandbox.path(VENV).display().to_string();
    let node = sandbox.real().join(".hermes/node").display().to_string();
    for name in ["PIP_PYTHON", "PIP_Python", "PIP_target", "PIP_root", "UV_TOOL_BIN_DIR", "PIPX_BIN_DIR"] {
        assert_eq!(seen(&sandbox, &[], &[(name, &venv)], name), None, "{name}");
        assert_eq!(seen(&sandbox, &[], &[(name, "/work/x")], name).as_deref(), Some("/work/x"), "{name}");
    }
    for name in ["PREFIX", "npm_config_prefix", "NPM_Config_Prefix"] {
        for value in [node.as_str(), "~/.hermes/node"] {
            assert_eq!(seen(&sandbox, &[], &[(name, value)], name), None, "{name}={value}");
        }
        assert!(seen(&sandbox, &[], &[(name, "~/.npm")], name).is_some(), "{name}");
    }
}

/// A relative path counts from where the command starts, whether or not it is there; a word only if it is.
#[test]
fn relative_selectors() {
    let sandbox = sandbox();
    let (bin, root) = (sandbox.path(VENV).join("bin"), sandbox.real().join(".hermes"));
    for (dir, value, is_own) in [
        (&bin, "../new", true),
        (&bin, "../../../../../new", false),
        (&root, "hermes-agent/venv/new", true),
        (&bin, "3.12", false),
        (&bin, "pip", true),
    ] {
        let from_there = format!("--chdir={}", dir.display());
        let with_option = seen(&sandbox, &[&from_there], &[("UV_PYTHON", value)], "UV_PYTHON");
        assert_eq!(with_option.is_none(), is_own, "{value} by --chdir");
        let home = format!("HOME={}", sandbox.real().display());
        let block = [home, format!("UV_PYTHON={value}")];
        let run = sandbox.hx(["--", "/usr/bin/env", "-0"]).raw_block(block).dir(dir).run().ok();
        assert_eq!(!run.block().iter().any(|(name, _)| name == "UV_PYTHON"), is_own, "{value} from there");
    }
}

/// pyenv's shims come first on PATH, and lead to the version that this names.
#[test]
fn a_pyenv_version_that_is_hermes_own() {
    let sandbox = Sandbox::new();
    sandbox.hermes_venv("pyenv/versions/3.11.2/envs/hermes");
    sandbox.hermes_venv("real/.pyenv/versions/hermes");
    let pyenv = sandbox.path("pyenv").display().to_string();
    for version in ["3.11.2/envs/hermes", "3.12:3.11.2/envs/hermes"] {
        let block = [("PYENV_ROOT", pyenv.as_str()), ("PYENV_VERSION", version)];
        assert_eq!(seen(&sandbox, &[], &block, "PYENV_VERSION"), None, "{version}");
    }
    assert_eq!(seen(&sandbox, &[], &[("PYENV_VERSION", "hermes")], "PYENV_VERSION"), None);
    for version in ["3.11.2", "system", ""] {
        let block = [("PYENV_ROOT", pyenv.as_str()), ("PYENV_VERSION", version)];
        assert!(seen(&sandbox, &[], &block, "PYENV_VERSION").is_some(), "{version}");
    }
}

/// An agent may have written that file: it names variables one by one, and no pattern opens a family.
#[test]
fn passthrough_takes_names_and_no_patterns() {
    let sandbox = sandbox();
    let venv = sandbox.path(VENV).display().to_string();
    let markers = [("VIRTUAL_ENV", venv.as_str()), ("CONDA_PREFIX", "/x"), ("PYTHONHOME", "/x"), ("PIP_TARGET", &venv)];
    for pattern in ["*", "P*", "VIRTUAL*", "CONDA_PREFI?"] {
        sandbox.write("real/.hermes/config.yaml", format!("terminal:\n  env_passthrough: ['{pattern}']\n"));
        for (name, _) in markers {
            assert_eq!(seen(&sandbox, &[], &markers, name), None, "{name} by {pattern}");
        }
    }
    sandbox.write("real/.hermes/config.yaml", "terminal: {env_passthrough: [VIRTUAL_ENV_PROMPT, CONDA_PREFIX_1]}\n");
    assert_eq!(seen(&sandbox, &[], &markers, "VIRTUAL_ENV"), Some(venv.clone()));
    assert!(seen(&sandbox, &[], &markers, "CONDA_PREFIX").is_some());
}

/// uv parts this list at any white space, and takes a backslash for an escape.
#[test]
fn uv_env_files() {
    let sandbox = sandbox();
    let root = sandbox.real().join(".hermes").display().to_string();
    sandbox.write("real/.hermes/.env", "X=1\n");
    let escaped = root.replace("hermes", "h\\ermes");
    for separator in [" ", "\t", "\n"] {
        let list = format!("a.env{separator}{root}/.env{separator}{escaped}/.env{separator}b\\ c.env");
        let left = seen(&sandbox, &[], &[("UV_ENV_FILE", &list)], "UV_ENV_FILE");
        assert_eq!(left.as_deref(), Some("a.env b\\ c.env"), "{list:?}");
    }
    let managed = sandbox.path("managed").display().to_string();
    let block = [("HERMES_MANAGED_DIR", managed.as_str()), ("UV_ENV_FILE", &format!("{managed}/.env"))];
    assert_eq!(seen(&sandbox, &[], &block, "UV_ENV_FILE"), None);
}

/// conda's environments lie in its base, where Hermes may be; a project's venv, in a home that is one.
#[test]
fn the_nearest_environment_decides() {
    let sandbox = Sandbox::new();
    sandbox.hermes_venv("conda");
    sandbox.script("conda/envs/mine/bin/pip", "#!/bin/sh\necho mine\n");
    sandbox.write("conda/envs/mine/conda-meta/history", "");
    let [base, mine] = ["conda", "conda/envs/mine"].map(|rel| sandbox.path(rel).display().to_string());
    let path = format!("{mine}/bin:{base}/bin:/usr/bin:/bin");
    let block = [("CONDA_PREFIX", mine.as_str()), ("PATH", &path)];
    assert_eq!(seen(&sandbox, &["--markers=own"], &block, "CONDA_PREFIX"), Some(mine));
    assert_eq!(sandbox.hx(["--", "pip"]).env("PATH", &path).run().ok().out(), "mine\n");
    let block = [("CONDA_PREFIX", base.as_str()), ("PATH", &path)];
    assert_eq!(seen(&sandbox, &["--markers=own"], &block, "CONDA_PREFIX"), None);
}

/// What fish exports of the PATH before, and a prompt, do not say which environment is active.
#[test]
fn an_activated_venv_above_hermes() {
    let sandbox = sandbox();
    let venv = sandbox.path(VENV).display().to_string();
    let before = format!("{venv}/bin:/usr/bin");
    let block = [("VIRTUAL_ENV", "/my"), ("VIRTUAL_ENV_PROMPT", "venv"), ("_OLD_VIRTUAL_PATH", before.as_str())];
    let there = format!("--chdir={}", sandbox.path(VENV).parent().unwrap().display());
    let options = ["--markers=own", there.as_str()];
    assert_eq!(seen(&sandbox, &options, &block, "VIRTUAL_ENV").as_deref(), Some("/my"));
    // `deactivate` puts this one back.
    assert_eq!(seen(&sandbox, &options, &block, "_OLD_VIRTUAL_PATH"), Some(format!("/usr/bin:{venv}/bin")));
}

/// bash expands `~` in an element of PATH when it looks for a command.
#[test]
fn a_tilde_on_path() {
    let left = seen(&sandbox(), &[], &[("PATH", "~/.hermes/hermes-agent/venv/bin:/usr/bin")], "PATH");
    assert_eq!(left.as_deref(), Some("/usr/bin:~/.hermes/hermes-agent/venv/bin"));
}

/// A directory of that name is no program.
#[test]
fn a_directory_hermes() {
    let sandbox = Sandbox::new();
    sandbox.write("mine/pyvenv.cfg", "");
    sandbox.write("mine/bin/hermes/README", "");
    let path = format!("{}/bin:/usr/bin", sandbox.path("mine").display());
    assert_eq!(seen(&sandbox, &[], &[("PATH", &path)], "PATH"), Some(path));
}

/// What conda saved of a selector is decided as that one; of what the user keeps, it is kept.
#[test]
fn what_conda_saves() {
    let sandbox = sandbox();
    let venv = sandbox.path(VENV).display().to_string();
    let block = [("CONDA_PREFIX", "/c"), ("__CONDA_SHLVL_0_PIP_TARGET", &venv), ("__CONDA_SHLVL_0_GH_TOKEN", "x")];
    let options = ["--keep=CONDA_PREFIX"];
    assert_eq!(seen(&sandbox, &options, &block, "__CONDA_SHLVL_0_PIP_TARGET"), None);
    assert_eq!(seen(&sandbox, &options, &block, "__CONDA_SHLVL_0_GH_TOKEN"), None);
    let options = ["--keep=CONDA_PREFIX", "--keep=GH_TOKEN"];
    assert!(seen(&sandbox, &options, &block, "__CONDA_SHLVL_0_GH_TOKEN").is_some());
}

/// The kernel hands on one word behind the interpreter, which may be the command.
#[test]
fn a_first_line_that_names_its_command() {
    let sandbox = Sandbox::new();
    let script = sandbox.script("script", format!("#!{} /bin/sh\necho hi\n", sandbox.copied_binary().display()));
    assert_eq!(sandbox.hx([script.to_str().unwrap()]).run().ok().out(), "hi\n");
    let script = sandbox.script("option", format!("#!{} -v\necho hi\n", sandbox.copied_binary().display()));
    sandbox.hx([script.to_str().unwrap()]).run().fails(125, &["without a command in an endless loop"]);
}

/// A look at the bytes says the same of two paths as their components do.
#[test]
fn below_by_bytes() {
    let mut paths = vec![String::new()];
    for length in 0..4 {
        let longest: Vec<_> = paths.iter().filter(|path| path.len() == length).cloned().collect();
        paths.extend(longest.iter().flat_map(|path| ["/", ".", "a", "b"].map(|piece| format!("{path}{piece}"))));
    }
    assert_eq!(paths.len(), 341);
    for (path, dir) in paths.iter().flat_map(|path| paths.iter().map(move |dir| (Path::new(path), Path::new(dir)))) {
        assert_eq!(is_below(path, dir), path.starts_with(dir), "{path:?} below {dir:?}");
    }
}

/// Every spelling of a path is in the place in which its components are; in the outer one where it is in two.
#[test]
fn places_known_by_their_paths() {
    for [spelled, canonical] in [["/r/s", "/r/s"], ["/r/s", "/c"], ["/r/s/tools/c", "/r/s"], ["/r/s", "/opt/hermes"]] {
        let root = Place { spelled: spelled.into(), canonical: canonical.into() };
        let below =
            |root: &str| ["hermes-agent", "installs", "tools", "node", "node_modules"].map(|n| format!("{root}/{n}"));
        let wide = ["/opt/hermes", "/usr/local/lib/hermes-agent"].map(str::to_owned);
        let mut all: Vec<PathBuf> =
            [&wide[..], &below(spelled), &below(canonical)].concat().iter().map(PathBuf::from).collect();
        all.sort();
        let places = HermesPlaces::new(Some(&root), None, None);
        for dir in
            ["/r/s", "/r/./s/", "//r//s", "/c", "/r/s/tools/c", "/opt/hermes", "/opt", "/usr/local/lib", "r/s", "/"]
        {
            for rest in [
                "", "/", "/tools", "//tools/x", "/./node", "/nodes", "/hermes-agent/venv", "/hermes", "/../tools", "/x",
            ] {
                let path = PathBuf::from(format!("{dir}{rest}"));
                let expected = all.iter().find(|place| path.starts_with(place));
                assert_eq!(places.named(&path).as_ref(), expected, "{path:?}, root {root:?}");
            }
        }
    }
}
