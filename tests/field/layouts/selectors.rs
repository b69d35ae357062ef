//! Variables that aim a tool of the user's at Hermes' venv, or at its keys. Only what leads there goes, wherever the command
//! starts.

use std::path::Path;

use super::place::{Layout, Row};
use crate::support::{CANARY, Run};
use crate::{Agent, direct, has_tiny, installed, site_packages, system, wheel};

/// pypa/pip PR#11320, pypa/pipx PR#1770 (W05): by one variable the user's pip installs into Hermes' venv.
#[test]
fn w05_pip_python_does_not_aim_the_users_pip_at_hermes() {
    let layout = Layout::new(Row::ByHand);
    let users = layout.users_venv();
    wheel(&layout.sandbox);
    let before = layout.bytes();
    let pip = users.join("bin/pip").display().to_string();
    let install = [&*pip, "install", "./tiny-1.0-py3-none-any.whl"];
    let aimed = |run: Run| run.env("PIP_PYTHON", layout.venv.join("bin/python")).run();
    let outcome = aimed(layout.with(&install));
    layout.assert_untouched(&before);
    assert!(has_tiny(&users), "{outcome:?}");

    let outcome = aimed(layout.without(&install));
    assert!(has_tiny(&layout.venv), "without the wrapper: {outcome:?}");
}

/// The same reports (W05): the other variables of pip, and what says where else packages go.
#[test]
fn w05_selectors_that_lead_into_hermes_venv_go() {
    let agent = Agent::new();
    let users = agent.sandbox.path("users-venv");
    let make = [system("python3"), "-m", "venv", "--without-pip", users.to_str().unwrap()];
    direct(&agent.sandbox, &make).run().ok();
    let packages = |venv: &Path| site_packages(venv).display().to_string();
    let value = |name: &str, venv: &Path| match name {
        "PIP_PYTHON" | "UV_PYTHON" => venv.join("bin/python").display().to_string(),
        "PIP_TARGET" => packages(venv),
        _ => venv.display().to_string(),
    };
    for name in
        ["PIP_PYTHON", "PIP_TARGET", "PIP_PREFIX", "PYTHONUSERBASE", "UV_PYTHON", "UV_PROJECT", "UV_WORKING_DIR"]
    {
        let seen = |value: &str| {
            agent.with(&["/usr/bin/env", "-0"]).no_env("VIRTUAL_ENV").env(name, value).run().ok().var(name)
        };
        let own = value(name, &agent.venv);
        assert_eq!(seen(&own), None, "{name}={own}");
        let users = value(name, &users);
        assert_eq!(seen(&users), Some(users.clone()), "{name}: the user's own");
    }
}

/// W05: a relative value counts from where the command starts, and a word is a path only if there is something.
#[test]
fn w05_relative_selectors_count_from_where_the_command_starts() {
    let agent = Agent::new();
    let above = agent.venv.parent().unwrap().to_str().unwrap();
    let name = agent.venv.file_name().unwrap().to_str().unwrap();
    let dotted = format!("./{name}");
    let seen = |options: &[&str], value: &str| {
        let run = agent.with_options(options, &["/usr/bin/env", "-0"]).no_env("VIRTUAL_ENV");
        run.env("PIP_PREFIX", value).run().ok().var("PIP_PREFIX")
    };
    for value in [&*dotted, name] {
        assert_eq!(seen(&["-C", above], value), None, "{value}");
        assert_eq!(seen(&[], value).as_deref(), Some(value), "from the project");
    }
}

/// What a command of `uv run` in the gateway's working directory sees of a variable of the user's; nothing when it sees
/// Hermes' key.
fn uv_run(layout: &Layout, through_us: bool, env_file: &str) -> Option<Option<String>> {
    let command = [installed("uv/bin/uv"), "run", "--no-project", "/usr/bin/env", "-0"];
    let run = if through_us { layout.with(&command) } else { layout.without(&command) };
    let outcome = run.env("UV_ENV_FILE", env_file).dir(&layout.root).secret_may_show().run();
    assert_eq!(outcome.code(), 0, "{outcome:?}");
    let block = outcome.block();
    let value = |name: &str| block.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let key = value("OPENAI_API_KEY").is_some_and(|value| value.contains(CANARY));
    (!key).then(|| value("SHOP_COLOUR"))
}

/// RunestoneInteractive/rs PR#1279, inveniosoftware/invenio-cli#413 (W06): `uv run` reads Hermes' `.env`, by a name that
/// means it in the gateway's working directory.
#[test]
fn w06_uv_does_not_read_hermes_env_file() {
    let layout = Layout::new(Row::GitCheckout);
    layout.sandbox.write(layout.root.join(".env"), format!("OPENAI_API_KEY={CANARY}\n"));
    layout.sandbox.write(layout.root.join("profiles/builder/.env"), format!("OPENAI_API_KEY={CANARY}\n"));
    let users = layout.sandbox.write("work/shop.env", "SHOP_COLOUR=blue\n").display().to_string();
    let absolute = layout.root.join(".env").display().to_string();
    let of_profile = layout.root.join("profiles/builder/.env").display().to_string();
    let blue = Some("blue".to_owned());
    for own in [".env", "./.env", &absolute, &of_profile] {
        assert_eq!(uv_run(&layout, false, own), None, "without the wrapper: {own}");
        assert_eq!(uv_run(&layout, true, own), Some(None), "{own}");
        assert_eq!(uv_run(&layout, true, &format!("{own} {users}")), Some(blue.clone()), "{own}: the user's own stays");
        assert_eq!(uv_run(&layout, true, &format!("{users} {own}")), Some(blue.clone()), "{own}: the user's own stays");
    }
    assert_eq!(uv_run(&layout, true, &users), Some(blue), "the user's own");
}
