//! Hermes' own venv and runtime, in every place where an installer leaves them today, entered through the environment that
//! Hermes' own terminal builds: its markers are gone and its `bin` stands first on PATH. What an agent types there must not
//! reach it; beside each stands the control, a venv of the user's without `hermes`, which is left alone.

mod gateway;
mod image;
mod installs;
mod markers;
mod order;
mod place;
mod runtime;
mod scripts;
mod selectors;
mod sight;

/// The tests of one row of the table of layouts, under its name.
macro_rules! row {
    ($name:ident, $row:ident) => {
        mod $name {
            use super::place::Row::$row;
            use super::{installs, sight};

            #[test]
            fn w01_what_installs_elsewhere_leaves_it_alone() {
                installs::all($row);
            }

            #[test]
            fn w01_what_a_command_sees_of_it() {
                sight::all($row);
            }
        }
    };
}

row!(git_checkout, GitCheckout);
row!(curl_installer, CurlInstaller);
row!(root_install, RootInstall);
row!(container, Container);
row!(uv_tool, UvTool);
row!(pipx, Pipx);
row!(by_hand, ByHand);
