//! `--doctor`. Each check has a scene in which it fires, with its cure pasted into a shell where that is possible, and one in which
//! it is quiet. A sound setup has no warning and no problem: users hate false alarms.

mod all;
mod form;

crate::pages! { all claude environment form home links profile shims sound venv }
#[cfg(target_os = "linux")]
crate::pages! { all_linux environment_linux form_linux home_linux links_linux profile_linux sound_linux }

/// The same for another user, to whom everything belongs, and who has no sudo.
#[cfg(target_os = "linux")]
mod another_user_linux {
    macro_rules! pages {
        ($($name:ident)*) => {
            $(
                #[test]
                fn $name() {
                    crate::support::pages::play_with(file!(), stringify!($name), "who=54323\n");
                }
            )*
        };
    }

    pages! { profile home links claude environment shims }
}
