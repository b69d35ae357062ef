//! Hermes' own venv and runtime, in every place where an installer leaves them today, entered through the environment that
//! Hermes' own terminal builds: its markers are gone and its `bin` stands first on PATH. What an agent types there must not
//! reach it; beside each stands the control, a venv of the user's without `hermes`, which is left alone.

/// The tests of one row of the table of layouts, under its name: the same pages for each.
macro_rules! row {
    ($name:ident) => {
        mod $name {
            use crate::support::pages::play_with;

            const ROW: &str = concat!("row=", stringify!($name), "\n");

            #[test]
            fn w01_what_installs_elsewhere_leaves_it_alone() {
                play_with(file!(), "installs", ROW);
            }

            #[test]
            fn w01_what_a_command_sees_of_it() {
                play_with(file!(), "sight", ROW);
            }
        }
    };
}

crate::pages! { image markers pips runtime scripts selectors }

row!(git_checkout);
row!(curl_installer);
row!(root_install);
row!(container);
row!(uv_tool);
row!(pipx);
row!(by_hand);
