//! Hermes' own venv and runtime, in every place where an installer leaves them today, entered through the environment that
//! Hermes' own terminal builds: its markers are gone and its `bin` stands first on PATH. What an agent types there must not
//! reach it; beside each stands the control, a venv of the user's without `hermes`, which is left alone.

mod gateway;
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
            use super::{gateway, installs, order, sight};

            #[test]
            fn hermes_starts_commands_from_it_without_a_marker() {
                gateway::is_what_hermes_leaves($row);
            }

            #[test]
            fn w01_pip_install() {
                installs::pip_install($row);
            }

            #[test]
            fn w01_uv_pip_install() {
                installs::uv_pip_install($row);
            }

            #[test]
            fn w01_uv_pip_sync() {
                installs::uv_pip_sync($row);
            }

            #[test]
            fn w01_python_m_pip_install() {
                installs::python_m_pip_install($row);
            }

            #[test]
            fn w01_python3_is_not_its() {
                sight::first_python($row);
            }

            #[test]
            fn w01_path() {
                order::own_places_stand_last($row);
            }

            #[test]
            fn w01_pythonpath() {
                sight::modules($row);
            }

            #[test]
            fn w01_doctor() {
                sight::doctor($row);
            }

            #[test]
            fn w01_nested_start() {
                order::nested_start($row);
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
