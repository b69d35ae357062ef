//! git: its settings in the user's own XDG directory.

use crate::support::{Run, Sandbox};
use crate::{direct, sharing, system};

/// bbrowning/paude#237: what is shared is looked for where the user keeps it.
#[test]
fn w26_settings_in_the_users_own_xdg_directory_can_be_shared() {
    let sandbox = Sandbox::with_builder();
    sandbox.write("real/settings/git/config", "[user]\n\tname = somebody\n");
    let name = [system("git"), "config", "user.name"];
    let own = |run: Run| run.env("XDG_CONFIG_HOME", sandbox.real().join("settings"));
    assert_eq!(own(direct(&sandbox, &name)).run().ok().out(), "somebody\n", "the user");
    assert_eq!(own(sandbox.builder(name)).run().code(), 1, "not shared");
    assert_eq!(own(sharing(&sandbox, ".config/git", &name)).run().ok().out(), "somebody\n");
    // Where there is one in the usual place, it is that one.
    sandbox.write("real/.config/git/config", "[user]\n\tname = usual\n");
    std::fs::remove_file(sandbox.home().join(".config/git")).unwrap();
    assert_eq!(own(sharing(&sandbox, ".config/git", &name)).run().ok().out(), "usual\n");
}
