//! Hermes' own venv and runtime, in every place where an installer leaves them today, entered through the environment that
//! Hermes' own terminal builds: its markers are gone and its `bin` stands first on PATH. What an agent types there must not
//! reach it; beside each stands the control, a venv of the user's without `hermes`, which is left alone.

/// A test for each row of the table of layouts, under its name: the same page for each.
macro_rules! rows {
    ($($name:ident)*) => {
        $(
            mod $name {
                #[test]
                fn w01_its_venv_is_left_alone() {
                    crate::support::pages::play_with(file!(), "each", concat!("row=", stringify!($name), "\n"));
                }
            }
        )*
    };
}

crate::pages! { image markers pips runtime scripts selectors }
rows! { git_checkout curl_installer root_install container uv_tool pipx by_hand }
