//! Hermes' own places by their paths. What becomes of the variables that name them is in the transcript `hermes-places`.

use std::path::{Path, PathBuf};

use hermes_exec::plan::env::hermes_places::HermesPlaces;
use hermes_exec::world::place::{Place, is_below};

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
