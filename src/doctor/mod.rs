//! `--doctor`: what is sound in the set-up, what is not, and the command that mends it. Checks are data; nothing is mended
//! here, and no variable's value is told. A sound set-up gives no warning and no problem, so that a warning means something.
#![forbid(unsafe_code)]

mod claude;
mod environment;
mod home;
mod links;
mod seal;
mod venv;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Serialize;

use crate::cli::Options;
use crate::facts::Facts;
use crate::message::{Failure, pasted, shown_path};
use crate::plan::Plan;
use crate::profile::{self, Wanted};
use crate::real_home::Place;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Sound.
    Ok,
    /// Worth knowing.
    Note,
    /// Something will not work as expected.
    Warning,
    /// Something does not work.
    Problem,
}

impl Level {
    /// The level in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// A stable name.
    pub id: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What was found.
    pub message: String,
    /// A command line that mends it, to be pasted into a shell; none where there is nothing to mend.
    pub cure: Option<String>,
}

impl Check {
    fn ok(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, level: Level::Ok, message: message.into(), cure: None }
    }

    fn note(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, level: Level::Note, message: message.into(), cure: None }
    }

    fn warning(id: &'static str, message: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { id, level: Level::Warning, message: message.into(), cure: Some(cure.into()) }
    }

    fn problem(id: &'static str, message: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { id, level: Level::Problem, message: message.into(), cure: Some(cure.into()) }
    }

    fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}

/// What is examined.
struct Case<'a> {
    plan: &'a Plan,
    claude: &'a Plan,
    facts: &'a Facts<'a>,
    /// The root, also where no profile could be selected in it.
    root: Option<Place>,
    /// This call again, without what is asked: what a cure starts with that runs us.
    again: String,
}

/// All checks of the plan that these options led to. `claude` is the plan of a run of `claude` with the same options, whose
/// grants may differ.
pub fn examine(plan: &Plan, claude: &Plan, options: &Options, facts: &Facts<'_>) -> Vec<Check> {
    let wanted = Wanted { profile: options.profile.as_deref(), hermes_home: options.hermes_home.as_deref() };
    let root = match &plan.selection {
        Some(selection) => selection.root.clone(),
        None => profile::root(wanted, facts).map(|root| Place::new(&root, facts.files)),
    };
    let case = Case { plan, claude, facts, root, again: again(options) };
    let mut checks = vec![selection(plan, &case.again)];
    checks.extend(plan.warnings.iter().map(|text| warning(text)));
    checks.extend(home::checks(&case));
    checks.extend(links::checks(&case));
    checks.extend(environment::checks(&case));
    checks.extend(claude::checks(&case));
    checks.extend(venv::checks(&case));
    checks.extend(seal::checks(plan, facts));
    checks
}

/// Our own call with the options that choose profile, HOME, links and policy.
fn again(options: &Options) -> String {
    let mut words = vec!["hermes-exec".to_owned()];
    let mut add = |option: &str, value: &OsStr| words.extend([option.to_owned(), pasted(value.as_bytes())]);
    let [profile, hermes_home, policy] =
        [&options.profile, &options.hermes_home, &options.policy].map(|value| value.as_deref());
    profile.into_iter().for_each(|name| add("-p", name));
    hermes_home.into_iter().for_each(|dir| add("--hermes-home", dir));
    options.home.into_iter().for_each(|mode| add("--home", OsStr::new(mode.word())));
    options.shares.iter().for_each(|(adds, item)| add(if *adds { "--share" } else { "--no-share" }, item));
    policy.into_iter().for_each(|file| add("--policy", file));
    words.extend(options.no_policy.then(|| "--no-policy".to_owned()));
    words.join(" ")
}

/// Root, profile and home, or why there will be no run.
fn selection(plan: &Plan, again: &str) -> Check {
    if let Some(Failure { message, hint, cure, .. }) = &plan.error {
        let (message, cure) = match (cure, hint) {
            (Some(cure), Some(hint)) => (format!("{message} ({hint})"), cure.clone()),
            (cure, hint) => {
                let cure = cure.as_ref().or(hint.as_ref()).cloned();
                (message.clone(), cure.unwrap_or_else(|| format!("{again} --explain")))
            }
        };
        return Check::problem("profile", message, cure);
    }
    match plan.selection.as_ref().and_then(|selection| selection.profile.as_ref()) {
        Some(profile) => {
            let dir = shown_path(&profile.dir);
            Check::ok("profile", format!("{} (from {}), {dir}", profile.name, profile.source.words()))
        }
        None => Check::note("profile", "there is no Hermes here: the environment is sanitised, HOME stays"),
    }
}

/// What every run warns of: a file that cannot be read, two profiles, no home.
fn warning(text: &str) -> Check {
    let cure = match text.split(": ").next().filter(|path| path.starts_with('/')) {
        Some(path) => format!("\"${{EDITOR:-vi}}\" {}", pasted(path.as_bytes())),
        None if text.contains("HERMES_PROFILE") => "unset HERMES_PROFILE".into(),
        None => format!("export HOME={HOME_OF_YOURS}"),
    };
    Check::warning("run", text, cure)
}

/// Stands for a directory that only the user knows.
const HOME_OF_YOURS: &str = "/path/of/your/home";

/// The user's own home for a cure.
fn own_home(facts: &Facts<'_>) -> String {
    let home = facts.files.home_of(facts.uid);
    home.map_or_else(|| HOME_OF_YOURS.to_owned(), |home| pasted(home.as_os_str().as_bytes()))
}

/// What to put before a command that only root, or this owner, may run.
fn sudo(facts: &Facts<'_>, owner: Option<u32>) -> &'static str {
    if facts.uid == 0 || owner == Some(facts.uid) { "" } else { "sudo " }
}

/// The owner of a path.
fn owner(path: &Path, facts: &Facts<'_>) -> Option<u32> {
    facts.files.lstat(path).ok().map(|stat| stat.uid)
}
