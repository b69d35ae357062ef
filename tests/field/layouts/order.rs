//! PATH: what is Hermes' own stands last, in its order, and everything else stays in its order. A start in a start changes
//! nothing.

use std::path::Path;

use super::gateway;
use super::place::{Layout, Row};
use crate::support::binary;

impl Layout {
    /// PATH as Hermes hands it on.
    pub fn path(&self) -> String {
        gateway::environment(self).remove("PATH").unwrap()
    }

    /// Whether an element of PATH is Hermes' own.
    pub fn is_own(&self, element: &str) -> bool {
        let element = Path::new(element);
        let places = ["installs", "tools", "node", "node_modules", "hermes-agent"].map(|rel| self.root.join(rel));
        let fixed = ["/opt/hermes", "/usr/local/lib/hermes-agent"].map(Path::new);
        let mut places = places.iter().map(|place| &**place).chain(fixed);
        element == self.venv.join("bin") || places.any(|place| element.starts_with(place))
    }

    /// PATH with the `bin` of a venv of the user's behind what is Hermes' own.
    pub fn path_with(&self, users: &Path) -> String {
        let users = users.join("bin").display().to_string();
        let given = self.path();
        let (own, others): (Vec<_>, Vec<_>) = given.split(':').partition(|element| self.is_own(element));
        [own, vec![&users], others].concat().join(":")
    }

    /// PATH as on a machine on which nobody but Hermes has a program of one of these names.
    pub fn path_without_others(&self, tools: &[&str]) -> String {
        let has_one = |element: &str| tools.iter().any(|tool| Path::new(element).join(tool).exists());
        let given = self.path();
        let left = given.split(':').filter(|element| self.is_own(element) || !has_one(element));
        left.collect::<Vec<_>>().join(":")
    }

    /// What becomes of a PATH: the rest, and then what is Hermes' own.
    pub fn expected(&self, given: &str) -> String {
        let (own, others): (Vec<_>, Vec<_>) = given.split(':').partition(|element| self.is_own(element));
        assert!(own.contains(&self.venv.join("bin").to_str().unwrap()), "{given}");
        [others, own].concat().join(":")
    }
}

/// The user's own venv keeps its place, and `hermes` is found still, and runs.
pub fn own_places_stand_last(layout: &Layout, users: &Path) {
    let behind = layout.path_with(users);
    let before = format!("{}/bin:{behind}", users.display());
    for given in [layout.path(), behind, before] {
        let outcome = layout.with(&["/usr/bin/env", "-0"]).env("PATH", &given).run().ok();
        assert_eq!(outcome.var("PATH"), Some(layout.expected(&given)), "of {given}");
    }
    let found = layout.with(&["/bin/sh", "-c", "command -v hermes"]).run().ok().out();
    let place = Path::new(found.trim_end()).parent().unwrap();
    let link = layout.sandbox.real().join(".local/bin");
    assert!(
        layout.is_own(place.to_str().unwrap()) || (place == link && matches!(layout.row(), Row::UvTool | Row::Pipx)),
        "{found}"
    );
    let outcome = layout.with(&["hermes", "--version"]).run();
    assert!(outcome.code() == 0 && outcome.out().starts_with("Hermes Agent v"), "{outcome:?}");
}

/// What is moved is known by what the command sees, not by a marker that the first start takes away.
pub fn nested_starts_change_nothing(layout: &Layout, users: &Path) {
    let binary = binary();
    let nested = [binary.to_str().unwrap(), "-p", "builder", "--", "/usr/bin/env", "-0"];
    let modules = format!("{}:{}", layout.packages().display(), layout.sandbox.mkdir("modules").display());
    for path in [layout.path(), layout.path_with(users)] {
        let [one, two] = [&nested[4..], &nested[..]].map(|command| {
            let run = layout.with(command).env("PATH", &path).env("PYTHONPATH", &modules);
            run.env("VIRTUAL_ENV", &layout.venv).run().ok().entries()
        });
        assert!(!one.is_empty());
        assert_eq!(one, two);
    }
}
