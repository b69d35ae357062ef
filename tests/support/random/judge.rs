//! The rules about variables a second time, read off their numbered list one after the other, with a glob of their own. What
//! the program decides is held against it, name by name.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hermes_exec::cli::{Assignment, Options};
use hermes_exec::environ::Environ;
use hermes_exec::plan::Draft;
use hermes_exec::plan::catalogue;
use hermes_exec::plan::diagnostic::Origin;
use hermes_exec::plan::env::core::is_core;
use hermes_exec::plan::env::decision::{Change, Decision, Rule};
use hermes_exec::plan::env::declared::Declared;
use hermes_exec::plan::env::markers::Family;
use hermes_exec::plan::env::pointers::{POINTERS, is_pointer};
use hermes_exec::plan::env::secrets::is_provider_key;
use hermes_exec::plan::files::policy::PolicyFile;
use hermes_exec::plan::files::trust;
use hermes_exec::plan::profile::OPTION;
use hermes_exec::world::World;

use super::case::Case;

/// Variables that go by themselves where they lead to Hermes, or to the environment of a marker that goes.
const LEADING: [&[u8]; 14] = [
    b"UV_PYTHON", b"UV_PROJECT", b"UV_WORKING_DIR", b"UV_WORKING_DIRECTORY", b"UV_ENV_FILE", b"PIP_PYTHON",
    b"PIP_TARGET", b"PIP_PREFIX", b"PYTHONUSERBASE", b"PYENV_VERSION", b"NODE_PATH", b"npm_config_prefix",
    b"__HERMES_ACTIVATED", b"__HERMES_TEST_PYTHON",
];

const DIRECTORIES: [&[u8]; 4] = [b"XDG_CONFIG_HOME", b"XDG_CACHE_HOME", b"XDG_DATA_HOME", b"XDG_STATE_HOME"];

/// What one who wrote rules wrote.
#[derive(Default)]
struct Layer {
    set: Vec<(Vec<u8>, Vec<u8>)>,
    unset: Vec<Vec<u8>>,
    keep: Vec<Vec<u8>>,
}

struct Judge<'a> {
    environ: &'a Environ,
    plan: &'a Draft,
    layers: Vec<Layer>,
    minimal: bool,
    every: bool,
    groups: Vec<Vec<u8>>,
    declared: Declared,
}

/// Each outcome is the one of the first rule that matches. The plan is one without an error.
pub fn judge(case: &Case, options: &Options, plan: &Draft) {
    let input = case.input();
    let selection = plan.selection.as_ref().unwrap();
    let file = trust::load(options, selection, &input).unwrap().unwrap_or_default();
    let program = options.command.first().and_then(|word| Path::new(word).file_name()).unwrap_or_default();
    let entry = file.program(program.as_encoded_bytes());
    let bytes = |list: &[String]| list.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
    let raw = |list: &[OsString]| list.iter().map(|text| text.as_encoded_bytes().to_vec()).collect();
    let of_options = Layer {
        set: options.sets.iter().map(|set| assigned(set, case)).collect(),
        unset: raw(&options.unset),
        keep: raw(&options.keep),
    };
    let values = |set: &[(String, String)]| {
        set.iter().map(|(name, value)| (name.clone().into(), value.clone().into())).collect::<Vec<_>>()
    };
    let of_program = entry.map_or_else(Layer::default, |entry| Layer {
        set: values(&entry.set),
        unset: bytes(&entry.unset),
        keep: bytes(&entry.keep),
    });
    let of_file = Layer { set: values(&file.set), unset: bytes(&file.unset), keep: bytes(&file.keep) };
    let given = options.grants.clone().unwrap_or_default();
    let mut groups: Vec<Vec<u8>> = raw(&given.groups);
    groups.extend(granted_by(&file, entry.and_then(|entry| entry.inherit_credentials.as_ref())));
    let judge = Judge {
        environ: &case.environ,
        plan,
        layers: vec![of_options, of_program, of_file],
        minimal: options.minimal || file.minimal,
        every: given.every,
        groups,
        declared: Declared::gather(selection, &input, &mut Vec::new()).expect("it opens nothing real"),
    };
    plan.env.decisions.iter().for_each(|outcome| judge.one(outcome));
    judge.families();
    judge.owed(case, options);
}

fn granted_by(file: &PolicyFile, own: Option<&Vec<&'static str>>) -> impl Iterator<Item = Vec<u8>> {
    own.unwrap_or(&file.inherit_credentials).clone().into_iter().map(|group| group.as_bytes().to_vec())
}

/// What an option sets a name to.
fn assigned(set: &Assignment, case: &Case) -> (Vec<u8>, Vec<u8>) {
    match set {
        Assignment::Value(word) => pair(word.as_encoded_bytes()),
        Assignment::From(word) => {
            let (name, file) = pair(word.as_encoded_bytes());
            let mut value = case.world.stream(Path::new(OsStr::from_bytes(&file)), usize::MAX).unwrap();
            if value.last() == Some(&b'\n') {
                value.pop();
            }
            (name, value)
        }
    }
}

fn pair(word: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let at = word.iter().position(|&byte| byte == b'=').unwrap();
    (word[..at].to_vec(), word[at + 1..].to_vec())
}

/// A glob, in the plainest way: which parts of the text can the pattern up to here take?
pub fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let mut ends = vec![false; text.len() + 1];
    ends[0] = true;
    for &byte in pattern {
        if byte == b'*' {
            let first = ends.iter().position(|&end| end).unwrap_or(text.len() + 1);
            ends.iter_mut().skip(first).for_each(|end| *end = true);
        } else {
            for at in (0..=text.len()).rev() {
                ends[at] = at > 0 && ends[at - 1] && (byte == b'?' || byte == text[at - 1]);
            }
        }
    }
    ends[text.len()]
}

/// The name inside a container.
fn inner(name: &[u8]) -> &[u8] {
    let rest = name.strip_prefix(b"APPTAINERENV_").or_else(|| name.strip_prefix(b"SINGULARITYENV_"));
    rest.map_or(name, inner)
}

impl Judge<'_> {
    /// Rules 1 to 3.
    fn user(&self, name: &[u8]) -> Option<(Rule, Option<&[u8]>)> {
        let any = |patterns: &[Vec<u8>]| patterns.iter().any(|pattern| fits(pattern, name));
        for layer in &self.layers {
            if let Some((_, value)) = layer.set.iter().rfind(|(known, _)| known == name) {
                return Some((Rule::Set, Some(value)));
            }
            if any(&layer.unset) && name != b"HOME" {
                return Some((Rule::Unset, None));
            }
            if any(&layer.keep) {
                return Some((Rule::Keep, None));
            }
        }
        None
    }

    fn one(&self, outcome: &Decision) {
        let Decision { name, change, rule, group, .. } = outcome;
        let action = change.as_str();
        let child: Vec<_> = self.plan.env.child.copies(name).collect();
        let inherited: Vec<_> = self.environ.copies(name).collect();
        match self.user(name) {
            // What stops a loop of scripts is nobody's to unset.
            _ if name == b"HERMES_EXEC_GUARD" && *rule == Rule::Computed => self.computed(outcome),
            Some((Rule::Set, value)) => {
                assert_eq!((*rule, action), (Rule::Set, "set"), "{outcome:?}");
                assert_eq!(child, [value.unwrap()], "{outcome:?}");
            }
            Some((Rule::Unset, _)) => assert_eq!((*rule, action), (Rule::Unset, "removed"), "{outcome:?}"),
            _ if *rule == Rule::Computed => self.computed(outcome),
            Some(_) => {
                assert_eq!((*rule, action), (Rule::Keep, "kept"), "{outcome:?}");
                assert_eq!(child, inherited, "{outcome:?}");
            }
            None => {
                let (wanted, stays) = self.built_in(outcome, &inherited);
                let is_edited = action == "edited" && (name == b"PATH" || name == b"PYTHONPATH");
                // A PYTHONPATH of which nothing is left goes by rule 6.
                let is_emptied = name == b"PYTHONPATH" && (*rule, action) == (Rule::Marker, "removed");
                let agrees = match stays {
                    true => *rule == wanted && (action == "kept" || is_edited) || is_emptied,
                    false => (*rule, action) == (wanted, "removed"),
                };
                assert!(agrees, "{outcome:?}, but {wanted:?} comes first, stays: {stays}");
            }
        }
        if let (Some(row), false) = (catalogue::find(inner(name)), *rule == Rule::Computed) {
            assert_eq!(*group, Some(row.group), "{outcome:?}");
        }
    }

    /// Rule 0: what may be set, and that nothing but these is.
    fn computed(&self, outcome: &Decision) {
        let home = self.plan.home.as_ref().unwrap();
        let redirected = home.redirect.is_some();
        let value = self.plan.env.child.get(&outcome.name);
        match outcome.name.as_slice() {
            b"HOME" => assert_eq!(value, home.to.as_ref().map(|to| to.as_os_str().as_encoded_bytes())),
            b"HERMES_HOME" | b"HERMES_PROFILE" => assert!(value.is_some()),
            b"HERMES_REAL_HOME" => assert!(redirected),
            b"HERMES_EXEC_GUARD" => {
                let program = self.plan.command.as_ref().and_then(|command| command.program.as_ref().ok());
                assert!(program.is_some_and(|program| program.guard.is_some()));
            }
            b"GNUPGHOME" => assert!(redirected || value.is_none(), "{outcome:?}"),
            name => assert!(redirected && is_pointer(name), "{outcome:?}"),
        }
    }

    /// Rule 0: what has to be set, unless rule 1 or 2 has a word on it.
    fn owed(&self, case: &Case, options: &Options) {
        let selection = self.plan.selection.as_ref().unwrap();
        let home = self.plan.home.as_ref().unwrap();
        let is_free = |name: &[u8]| !matches!(self.user(name), Some((Rule::Set | Rule::Unset, _)));
        let owes = |name: &str, value: &Path| {
            let child = self.plan.env.child.copies(name.as_bytes());
            assert!(
                !is_free(name.as_bytes()) || child.eq([value.as_os_str().as_encoded_bytes()]),
                "{name} is not {value:?}"
            );
        };
        home.to.iter().for_each(|to| owes("HOME", to));
        let redirected = home.redirect.is_some();
        if let Some(profile) = &selection.profile {
            if redirected || profile.source != Origin::Default || options.hermes_home.is_some() {
                owes("HERMES_HOME", &profile.dir);
            }
            if profile.source == OPTION {
                owes("HERMES_PROFILE", Path::new(&profile.name));
            }
        }
        let Some(real) = selection.real.path().filter(|_| redirected) else { return };
        owes("HERMES_REAL_HOME", real);
        for (name, place) in POINTERS {
            let place = real.join(place);
            let needs: &[u8] = if name.starts_with("MISE_") { b"MISE_DATA_DIR" } else { b"DISPLAY" };
            let is_free = !["XAUTHORITY", "MISE_STATE_DIR", "MISE_GLOBAL_CONFIG_FILE"].contains(&name);
            // With an XDG directory of its own a tool looks there.
            let is_elsewhere = DIRECTORIES.iter().any(|xdg| self.plan.env.child.given(xdg).is_some());
            let is_useful = (is_free || self.plan.env.child.given(needs).is_some()) && !is_elsewhere;
            let was_given = self.environ.given(name.as_bytes()).is_some();
            if is_useful && !was_given && case.world.stat(&place).is_ok() {
                owes(name, &place);
            }
        }
    }

    /// Rules 4 to 11: the first that matches, and whether the variable stays.
    fn built_in(&self, outcome: &Decision, values: &[&[u8]]) -> (Rule, bool) {
        let name = outcome.name.as_slice();
        if let Some(row) = catalogue::find(inner(name)) {
            let is_named = self.groups.iter().any(|group| group == row.group.as_bytes());
            let granted = is_named || self.every && !catalogue::BY_NAME_ONLY.contains(&row.group);
            return (Rule::Catalogue, granted && !inner(name).to_ascii_uppercase().starts_with(b"_HERMES_FORCE_"));
        }
        if self.declared.passthrough.contains(name) {
            return (Rule::Passthrough, true);
        }
        if self.in_family(outcome).is_some() {
            let stays = matches!(outcome.rule, Rule::Keep | Rule::Passthrough);
            return (if stays { outcome.rule } else { Rule::Marker }, stays);
        }
        // Where these lead is not asked a second time.
        if outcome.rule == Rule::Marker && Family::of(inner(name)).is_none() {
            assert!(LEADING.iter().any(|known| inner(name).eq_ignore_ascii_case(known)), "{outcome:?}");
            return (Rule::Marker, false);
        }
        if outcome.rule == Rule::Redirect {
            let redirected = self.plan.home.as_ref().unwrap().redirect.is_some();
            assert!(redirected && DIRECTORIES.contains(&name), "{outcome:?}");
            return (Rule::Redirect, false);
        }
        if self.declared.is_credential(inner(name), values.iter().copied()) {
            return (Rule::Declared, false);
        }
        if !is_core(name) && values.iter().any(|value| is_provider_key(value)) {
            return (Rule::Shape, false);
        }
        if self.minimal && !is_core(name) && !is_pointer(name) {
            return (Rule::Minimal, false);
        }
        (Rule::Kept, true)
    }

    /// The family by which an outcome is decided, if it comes to that rule. Whether one that has nothing to do with Hermes goes is
    /// not asked again.
    fn in_family(&self, outcome: &Decision) -> Option<&'static Family> {
        let name = outcome.name.as_slice();
        let comes_to_it = !matches!(outcome.rule, Rule::Computed | Rule::Set | Rule::Unset)
            && self.user(name).is_none()
            && catalogue::find(inner(name)).is_none()
            && !self.declared.passthrough.contains(name);
        let family = Family::of(inner(name)).filter(|_| comes_to_it)?;
        (outcome.group == Some(family.name)).then_some(family)
    }

    /// A family stays or goes as a whole, and stays where a member is kept or passed through.
    fn families(&self) {
        let mut fates: HashMap<&str, bool> = HashMap::new();
        for outcome in &self.plan.env.decisions {
            let Some(family) = self.in_family(outcome) else { continue };
            let stays = outcome.change != Change::Remove;
            assert_eq!(*fates.entry(family.name).or_insert(stays), stays, "{outcome:?} is apart from its family");
        }
        for outcome in &self.plan.env.decisions {
            let spared = matches!(outcome.rule, Rule::Keep | Rule::Passthrough);
            if let Some(family) = Family::of(inner(&outcome.name)).filter(|_| spared) {
                assert_ne!(fates.get(family.name), Some(&false), "{outcome:?}, but its family goes");
            }
        }
    }
}
