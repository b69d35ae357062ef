//! What the checks are about, and the pieces that their cures are made of.
#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::cli::Options;
use crate::plan::Draft;
use crate::plan::home::SAY_HOME;
use crate::plan::profile;
use crate::plan::reach::claude::{Login, stored};
use crate::plan::remedy::{Remedy, has_program};
use crate::text::{shell_quoted, shell_quoted_path};
use crate::world::Input;
use crate::world::place::Place;

pub(super) struct Case<'a> {
    pub plan: &'a Draft,
    /// The plan of a run of `claude` with the same options.
    pub claude: &'a Draft,
    pub options: &'a Options,
    pub input: &'a Input<'a>,
    /// The root, also where no profile could be selected in it.
    pub root: Option<Place>,
    /// hermes-exec, as the shell that asks can call it.
    pub own_command: String,
    /// This call again, without what is asked: what a cure starts with that runs us.
    pub rerun_command: String,
}

impl<'a> Case<'a> {
    pub fn new(plan: &'a Draft, claude: &'a Draft, options: &'a Options, input: &'a Input<'a>) -> Self {
        let root = match &plan.selection {
            Some(selection) => selection.root.clone(),
            None => profile::root(options, input).map(|root| Place::new(&root, input.world)),
        };
        let own_command = own_command(input);
        let rerun_command = rerun_command(&own_command, options);
        Self { plan, claude, options, input, root, own_command, rerun_command }
    }

    /// A run that does nothing but what every run does before the command.
    pub fn any_run(&self) -> String {
        format!("{} -- true", self.rerun_command)
    }

    /// Sets HOME to what is known to be the user's own.
    pub fn export_home(&self, known: Option<&Path>) -> Remedy {
        let account = || self.input.world.home_of(self.input.uid);
        let home = known.map(Path::to_owned).or_else(account);
        home.map_or_else(
            || Remedy::hint(SAY_HOME),
            |home| Remedy::cure(format!("export HOME={}", shell_quoted_path(&home))),
        )
    }

    /// Is there a login in this state directory of Claude Code's?
    pub fn has_login(&self, dir: &Path) -> bool {
        matches!(stored(dir, self.input.world), Login::Stored | Login::Unread)
    }

    pub fn owner(&self, path: &Path) -> Option<u32> {
        self.input.world.lstat(path).ok().map(|stat| stat.uid)
    }
}

/// By its name where PATH has it.
fn own_command(input: &Input<'_>) -> String {
    const NAME: &str = "hermes-exec";
    match input.world.own_program().filter(|_| !has_program(NAME, input)) {
        Some(program) => shell_quoted_path(&program),
        None => NAME.to_owned(),
    }
}

/// Our own call with the options that choose profile, HOME, links and policy.
pub(super) fn rerun_command(own_command: &str, options: &Options) -> String {
    let mut words = vec![own_command.to_owned()];
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
