//! What the checks are about, and the pieces that their cures are made of.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::cli::Options;
use crate::plan::Draft;
use crate::plan::home::HOME_PLACEHOLDER;
use crate::plan::profile;
use crate::text::{shell_quoted, shell_quoted_path};
use crate::world::Input;
use crate::world::place::Place;

pub(super) struct Case<'a> {
    pub plan: &'a Draft,
    /// The plan of a run of `claude` with the same options.
    pub claude: &'a Draft,
    pub input: &'a Input<'a>,
    /// The root, also where no profile could be selected in it.
    pub root: Option<Place>,
    /// This call again, without what is asked: what a cure starts with that runs us.
    pub rerun_command: String,
}

impl<'a> Case<'a> {
    pub fn new(plan: &'a Draft, claude: &'a Draft, options: &Options, input: &'a Input<'a>) -> Self {
        let root = match &plan.selection {
            Some(selection) => selection.root.clone(),
            None => profile::root(options, input).map(|root| Place::new(&root, input.world)),
        };
        Self { plan, claude, input, root, rerun_command: rerun_command(options) }
    }

    pub fn own_home(&self) -> String {
        let home = self.input.world.home_of(self.input.uid);
        home.map_or_else(|| HOME_PLACEHOLDER.to_owned(), |home| shell_quoted_path(&home))
    }

    /// What to put before a command that only root, or this owner, may run.
    pub fn sudo(&self, owner: Option<u32>) -> &'static str {
        if self.input.uid == 0 || owner == Some(self.input.uid) { "" } else { "sudo " }
    }

    pub fn owner(&self, path: &Path) -> Option<u32> {
        self.input.world.lstat(path).ok().map(|stat| stat.uid)
    }
}

/// Our own call with the options that choose profile, HOME, links and policy.
fn rerun_command(options: &Options) -> String {
    let mut words = vec!["hermes-exec".to_owned()];
    let mut add = |option: &str, value: &OsStr| words.extend([option.to_owned(), shell_quoted(value.as_bytes())]);
    let [profile, hermes_home, policy] =
        [&options.profile, &options.hermes_home, &options.policy].map(|value| value.as_deref());
    profile.into_iter().for_each(|name| add("-p", name));
    hermes_home.into_iter().for_each(|dir| add("--hermes-home", dir));
    options.home.into_iter().for_each(|mode| add("--home", OsStr::new(mode.as_str())));
    options.shares.iter().for_each(|(adds, item)| add(if *adds { "--share" } else { "--no-share" }, item));
    policy.into_iter().for_each(|file| add("--policy", file));
    words.extend(options.no_policy.then(|| "--no-policy".to_owned()));
    words.join(" ")
}
