//! Marker families, Hermes' own venv, and its pip. What happens to the environment is in the transcripts
//! `families` and `own-venv`; here stand each marker alone, and the command that is refused.

use super::transcript::play;
use crate::support::Sandbox;

#[test]
fn marker_families_go_whole() {
    play("families");
}

#[test]
fn the_own_venv_moves_to_the_end_of_path_and_leaves_pythonpath() {
    play("own-venv");
}

#[test]
fn what_leads_into_hermes_own_places_is_removed() {
    play("hermes-places");
}

#[test]
fn the_reports_of_the_field() {
    play("reports-markers");
}

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

#[test]
fn pip_of_the_own_venv_is_refused_and_says_where_it_would_have_installed() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    sandbox.script("hv/bin/pip3.14", "#!/bin/sh\necho own\n");
    let before = sandbox.listing();
    for command in ["pip", "pip3", "pip3.11", "pip3.14"] {
        sandbox
            .hx(["--", command, "install", "x"])
            .env("VIRTUAL_ENV", &venv)
            .env("PATH", format!("{}/bin:/usr/sbin", venv.display()))
            .run()
            .fails(126, &[venv.to_str().unwrap()]);
    }
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn pip_of_the_own_venv_is_refused_by_path_too() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    let words =
        [format!("{}/bin/pip", venv.display()), "./pip".into(), "../bin/pip3".into(), "../../hv//bin/pip".into()];
    for word in words {
        let run = sandbox.hx(["--", word.as_str(), "install", "x"]).dir(venv.join("bin"));
        run.env("VIRTUAL_ENV", &venv).run().fails(126, &[venv.to_str().unwrap()]);
    }
}

#[test]
fn pip_of_the_installation_is_refused_without_any_marker() {
    let sandbox = Sandbox::new();
    for name in ["venv", ".venv"] {
        let venv = sandbox.hermes_venv(format!("real/.hermes/hermes-agent/{name}"));
        let run = sandbox.hx(["pip", "install", "x"]).env("PATH", format!("{}/bin", venv.display()));
        run.run().fails(126, &[venv.to_str().unwrap()]);
    }
}

#[test]
fn a_link_to_the_pip_of_the_own_venv_is_refused() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    sandbox.link(venv.join("bin/pip"), "bin/pip");
    let run = sandbox.hx(["pip", "install", "x"]).env("PATH", sandbox.path("bin")).env("VIRTUAL_ENV", &venv);
    run.run().fails(126, &[venv.to_str().unwrap()]);
}

#[test]
fn another_pip_on_path_runs() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    sandbox.script("bin/pip", "#!/bin/sh\necho another pip\n");
    let path = format!("{}/bin:{}", venv.display(), sandbox.path("bin").display());
    let outcome = sandbox.hx(["pip"]).env("PATH", path).env("VIRTUAL_ENV", &venv).run().ok();
    assert_eq!(outcome.out(), "another pip\n");
}

#[test]
fn pip_of_another_venv_runs() {
    let sandbox = Sandbox::new();
    let pip = sandbox.script("mine/bin/pip", "#!/bin/sh\necho my pip\n");
    let venv = sandbox.path("mine");
    let run = sandbox.hx(["pip"]).env("PATH", format!("{}/bin", venv.display())).env("VIRTUAL_ENV", &venv);
    assert_eq!(run.run().ok().out(), "my pip\n");
    assert_eq!(sandbox.hx([pip]).env("VIRTUAL_ENV", &venv).run().ok().out(), "my pip\n");
}

#[test]
fn anything_else_in_the_own_venv_runs() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    for tool in ["pip-compile", "pip3x", "pipx", "pip2"] {
        sandbox.script(format!("hv/bin/{tool}"), format!("#!/bin/sh\necho own {tool}\n"));
    }
    for tool in ["hermes", "python", "python3", "pip-compile", "pip3x", "pipx", "pip2"] {
        let path = format!("{}/bin:/usr/sbin", venv.display());
        let outcome = sandbox.hx([tool]).env("PATH", path).env("VIRTUAL_ENV", &venv).run().ok();
        assert_eq!(outcome.out(), format!("own {tool}\n"));
    }
}

#[test]
fn keep_virtual_env_allows_its_pip() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    for pattern in ["VIRTUAL_ENV", "VIRTUAL*", "*"] {
        let run = sandbox.hx(["--keep", pattern, "pip"]).env("PATH", format!("{}/bin", venv.display()));
        let outcome = run.env("VIRTUAL_ENV", &venv).secret_may_show().run().ok();
        assert_eq!(outcome.out(), "own pip\n", "{pattern}");
    }
}

#[test]
fn keeping_path_or_another_marker_does_not_allow_its_pip() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    for pattern in ["PATH", "UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV_PROMPT"] {
        let run = sandbox.hx(["--keep", pattern, "pip"]).env("PATH", format!("{}/bin", venv.display()));
        run.env("VIRTUAL_ENV", &venv).run().fails(126, &[venv.to_str().unwrap()]);
    }
    let run = sandbox.hx(["--keep", "UV_PROJECT_ENVIRONMENT", "pip"]).env("PATH", format!("{}/bin", venv.display()));
    run.env("UV_PROJECT_ENVIRONMENT", &venv).run().fails(126, &[venv.to_str().unwrap()]);
}

#[test]
fn the_plan_says_that_pip_would_be_refused() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    let run = sandbox.hx(["-n", "pip", "install", "x"]).env("PATH", format!("{}/bin", venv.display()));
    let outcome = run.env("VIRTUAL_ENV", &venv).run();
    assert_eq!(outcome.code(), 126, "{outcome:?}");
}

#[test]
fn the_search_uses_the_path_that_the_command_will_get() {
    let sandbox = Sandbox::new();
    let venv = sandbox.hermes_venv("hv");
    sandbox.script("bin/python3", "#!/bin/sh\necho another python3\n");
    let path = format!("{}/bin:{}", venv.display(), sandbox.path("bin").display());
    let python = |run: crate::support::Run| run.env("PATH", &path).env("VIRTUAL_ENV", &venv).run().ok().out();
    assert_eq!(python(sandbox.hx(["python3"])), "another python3\n");
    assert_eq!(python(sandbox.hx(["--keep", "PATH", "python3"])), "own python3\n");
    assert_eq!(python(sandbox.hx(["hermes"])), "own hermes\n", "a tool that exists only there is still found");
}

#[test]
fn an_installation_under_opt_is_known_by_its_place() {
    // `/opt/hermes` need not exist for its entries to be recognised.
    let sandbox = Sandbox::new();
    let outcome = sandbox
        .hx(["/usr/bin/env", "-0"])
        .env("VIRTUAL_ENV", "/opt/hermes/.venv")
        .env("PYTHONPATH", "/opt/hermes/.venv/lib:/mine:/opt/hermes:/opt/hermesx")
        .run()
        .ok();
    assert_eq!(outcome.var("PYTHONPATH").as_deref(), Some("/mine:/opt/hermesx"));
    assert_eq!(outcome.var("VIRTUAL_ENV"), None);
}
