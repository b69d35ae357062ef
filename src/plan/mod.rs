//! DECIDE: the plan of a run, complete before the first effect: which profile, which HOME and links, what happens to every
//! variable, and which program is started. A [`Draft`] may be incomplete, for reports; a run needs a [`Ready`] plan.
//! Nothing in this folder writes, and everything reads through [`World`](crate::world::World) only.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod command;
pub mod diagnostic;
pub mod env;
pub mod files;
pub mod grants;
pub mod home;
mod logins;
pub mod pattern;
pub mod profile;
pub mod reach;
pub mod remedy;
pub mod seal;
pub mod shell;
pub mod shims;

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::{HomeMode, Options, SealLevel};
use crate::environ::Environ;
use crate::error::Failure;
use crate::text::os_message;
use crate::world::place::Place;
use crate::world::settings::GUARD;
use crate::world::{Input, Kind, World};
use command::{Program, Search};
use diagnostic::{Diagnostic, Origin};
use env::computed::Computed;
use env::decision::{Change, Decision, Rule};
use env::declared::Declared;
use env::hermes_places::HermesPlaces;
use env::pointers::pointers;
use env::user::UserRules;
use env::{Ladder, Outcome, is_in_a_profile, leads_out};
use files::policy::PolicyFile;
use files::{trust, value};
use grants::Grant;
use home::items::{self, DEFAULT, Item};
use home::links::LinkContext;
use home::{Elsewhere, HomePlan, ModeChoice, Redirect};
use profile::Selection;
use profile::layout::{Profile, expand};
use reach::{Reach, claude, climb, settings, tools};
use seal::SealPlan;

/// A plan that may be incomplete: after a failure it holds what was decided before.
#[derive(Default)]
pub struct Draft {
    pub selection: Option<Selection>,
    pub home: Option<HomePlan>,
    pub env: Outcome,
    pub items: Vec<Item>,
    /// Says that the program's own credentials were removed, and how to grant them.
    pub notice: Option<String>,
    /// Says that the program's login or configuration is not in this home.
    pub missed: Option<String>,
    /// The user's XDG_CONFIG_HOME, if it was removed.
    pub config: Option<PathBuf>,
    /// Hermes' `.env` that programs find above the working directory.
    pub climbed: Option<PathBuf>,
    pub grants: Vec<Grant>,
    pub seal: Option<SealPlan>,
    pub command: Option<Command>,
    /// What the user must know about the run.
    pub warnings: Vec<Diagnostic>,
    /// What the user should fix in the setup.
    pub findings: Vec<Diagnostic>,
    /// Why a run would fail, except for the search for the program.
    pub error: Option<Failure>,
}

/// The command word and the result of the search for it.
pub struct Command {
    /// As typed, for reports.
    pub word: Vec<u8>,
    pub program: Result<Program, Failure>,
    search: Search,
}

pub struct Ready {
    /// None where there is no Hermes.
    pub profile: Option<Profile>,
    pub home: HomePlan,
    pub decisions: Vec<Decision>,
    pub child: Environ,
    pub program: Program,
    /// Continues after `program`.
    pub search: Search,
    pub seal: SealPlan,
    /// The draft's `notice` and `missed`.
    pub notices: Vec<String>,
    pub findings: Vec<Diagnostic>,
}

impl Draft {
    pub fn build(options: &Options, input: &Input<'_>) -> Self {
        let mut draft = Self::default();
        draft.error = draft.fill(options, input).err();
        draft
    }

    /// The plan as a run needs it. Errors: why there can be no run.
    pub fn ready(self) -> Result<Ready, Failure> {
        let Self { selection, home, env: Outcome { decisions, child, .. }, seal, command, findings, error, .. } = self;
        let profile = selection.and_then(|selection| selection.profile);
        let notices = self.notice.into_iter().chain(self.missed).collect();
        match (error, home, seal, command) {
            (Some(failure), ..) => Err(failure),
            (None, Some(home), Some(seal), Some(Command { program, search, .. })) => {
                Ok(Ready { profile, home, decisions, child, program: program?, search, seal, notices, findings })
            }
            _ => Err(Failure::new("no command given")),
        }
    }

    /// Why a run would fail, including the search for the program.
    pub fn failure(&self) -> Option<&Failure> {
        self.error.as_ref().or_else(|| self.command.as_ref()?.program.as_ref().err())
    }

    /// What programs find under another HOME. `None` if HOME is not redirected, or the real home is unknown.
    pub fn reach<'a>(&'a self, world: &'a dyn World) -> Option<Reach<'a>> {
        let home = self.home.as_ref()?;
        Some(Reach {
            real: self.selection.as_ref()?.real.place()?,
            home: &home.redirect.as_ref()?.home,
            links: &home.links,
            items: &self.items,
            config: self.config.as_deref(),
            child: &self.env.child,
            world,
        })
    }

    /// A finding about Hermes' `.env` above the working directory, if the command will be able to read it.
    pub fn climb(&self) -> Option<Diagnostic> {
        let is_closed = |seal: &SealPlan| seal.level == SealLevel::Files && seal.refusal.is_none();
        let file = self.climbed.as_deref().filter(|_| !self.seal.as_ref().is_some_and(is_closed));
        file.map(climb::finding)
    }

    fn fill(&mut self, options: &Options, input: &Input<'_>) -> Result<(), Failure> {
        let is_run = options.is_run();
        let of_options = |failure: Failure| failure.about("options");
        let of_policy = |failure: Failure| failure.about("policy");
        let mut user = self.user_rules(options, input).map_err(of_options)?;
        let selection = self.selection.insert(profile::select(options, input)?);
        self.warnings.append(&mut selection.warnings);
        let program =
            options.command.first().and_then(|word| Path::new(word).file_name()).unwrap_or_default().as_bytes();
        let file = trust::load(options, selection, input).map_err(of_policy)?;
        if let Some(file) = &file {
            let real = selection.real.path();
            let mut read = |name: &[u8], path: &Path| {
                let path = expand(path.as_os_str(), real).unwrap_or_default();
                value::read(name, &file.dir.join(path), is_run, input, &mut self.warnings)
            };
            user.add_file(file, program, options, &mut read).map_err(of_policy)?;
        }
        let declared = Declared::gather(selection, input, &mut self.warnings)?;
        let entry = file.as_ref().and_then(|file| file.program(program));
        let of_file = entry.and_then(|entry| entry.home).or(file.as_ref().and_then(|file| file.home));
        let choice = ModeChoice::make(options.home, of_file, declared.home_mode.as_deref(), input)?;
        let list = file.as_ref().and_then(|file| file.share.as_deref());
        let more = entry.map_or(&[][..], |entry| &entry.share);
        self.items = items::items(list, more.iter(), &options.shares).map_err(of_options)?;
        let home = self.home.insert(HomePlan::build(choice, selection, input)?);

        let chdir = options.chdir.as_ref().map(Path::new);
        let places = HermesPlaces::new(selection.root.as_ref(), selection.real.path(), chdir);
        let redirect = home.redirect.clone();
        let ladder = Ladder {
            user: &user,
            declared: &declared,
            computed: &Computed::new(selection, home, options, input),
            places: &places,
            undoes_redirect: &|path| leads_out(path, selection, redirect.as_ref(), input.world),
            world: input.world,
        };
        (self.env, self.config) = environment(&ladder, home, &self.items, selection, input);
        self.grants = grants::credentials(&user, &self.env.decisions);
        let of_file: Vec<_> = list.unwrap_or_default().iter().chain(more).collect();
        self.grants.extend(grants::shares(&self.items, &options.shares, &of_file));
        self.warnings.extend(home.warnings.iter().cloned());
        self.findings.extend(home.findings.iter().cloned());
        self.notice_removed(program, &user, chdir, input.world);
        check_chdir(chdir, input.world).map_err(of_options)?;
        self.seal(options, file.as_ref(), input)?;
        self.look_around(program, options, entry.is_some(), input);
        self.find_command(options, Some(places).filter(|_| !user.keeps_venv()), input);
        Ok(())
    }

    /// Prepares the notice about removed credentials, and finds the `.env` that may set them again.
    fn notice_removed(&mut self, program: &[u8], user: &UserRules, chdir: Option<&Path>, world: &dyn World) {
        let is_secret = |decision: &Decision| [Rule::Catalogue, Rule::Declared, Rule::Shape].contains(&decision.rule);
        let gone = self.env.decisions.iter().any(|decision| is_secret(decision) && decision.change == Change::Remove);
        let root = self.selection.as_ref().and_then(|selection| selection.root.as_ref()).filter(|_| gone);
        self.climbed = root.and_then(|root| climb::climbed(root, chdir, world));
        self.notice = grants::notice(program, user, &self.env.decisions, self.climbed.as_deref());
    }

    fn user_rules(&mut self, options: &Options, input: &Input<'_>) -> Result<UserRules, Failure> {
        let is_run = options.is_run();
        let mut read = |name: &[u8], file: &Path| value::read(name, file, is_run, input, &mut self.warnings);
        UserRules::from_options(options, &mut read)
    }

    fn seal(&mut self, options: &Options, file: Option<&PolicyFile>, input: &Input<'_>) -> Result<(), Failure> {
        let (Some(selection), Some(home)) = (&self.selection, &self.home) else { return Ok(()) };
        let new_home = home.redirect.as_ref().filter(|redirect| redirect.make).map(|redirect| redirect.home.as_path());
        let of_file = file.and_then(|file| file.seal);
        let seal = self.seal.insert(SealPlan::build(options.seal, of_file, selection, new_home, input));
        self.findings.extend(seal.findings(options.chdir.as_ref().map(Path::new), input.world));
        seal.refusal.clone().map_or(Ok(()), Err)
    }

    /// What the program finds or misses in this home. `is_decided`: the policy file has an entry for it.
    fn look_around(&mut self, program: &[u8], options: &Options, is_decided: bool, input: &Input<'_>) {
        let mut findings: Vec<_> = self.climb().into_iter().collect();
        if let Some(reach) = self.reach(input.world) {
            findings.extend(settings::of_program(program, &reach));
            findings.extend((program == b"git").then(|| tools::identity(&reach)).flatten());
            let declined = |item: &Item| items::is_declined(item, &options.shares);
            let profile = self.selection.as_ref().and_then(|selection| selection.profile.as_ref());
            let missed = match (program, profile) {
                _ if is_decided => None,
                (b"claude", Some(_)) if declined(&Item::Claude) => None,
                (b"claude", Some(profile)) => claude::notice(&options.command[1..], &profile.name, &reach),
                _ => tools::notice(program, declined, &reach),
            };
            self.missed = missed;
        }
        self.findings.extend(findings);
    }

    fn find_command(&mut self, options: &Options, places: Option<HermesPlaces>, input: &Input<'_>) {
        let Some(word) = options.command.first() else { return };
        let real = self.selection.as_ref().and_then(|selection| selection.real.path());
        let mut search = Search::new(options, &self.env.child, places, real, input);
        let program = search.first(input);
        if let Ok(Program { guard: Some(guard), .. }) = &program {
            // Known only now that the program is found.
            let reason = "the program is a script that calls hermes-exec";
            self.env.decisions.retain(|decision| decision.name != GUARD);
            self.env.decisions.push(Decision::new(GUARD, Change::Set(guard.clone()), Rule::Computed, reason));
        }
        let word = word.as_bytes();
        let word = if program.is_ok() { word } else { command::without_value(word) };
        self.command = Some(Command { word: word.to_vec(), program, search });
    }
}

/// The command's environment, and the links of its home, since each depends on the other. Also returns the user's
/// XDG_CONFIG_HOME, if it was removed.
fn environment(
    ladder: &Ladder<'_>,
    home: &mut HomePlan,
    items: &[Item],
    selection: &Selection,
    input: &Input<'_>,
) -> (Outcome, Option<PathBuf>) {
    let decided = ladder.decide(input.environ);
    let directories = ladder.directories(&decided, &|path| is_the_users(path, selection, input.world));
    let config = directories.taken[0].clone();
    let elsewhere = Elsewhere {
        claude: ladder.gives("CLAUDE_CONFIG_DIR", &decided),
        anthropic: ladder.gives("ANTHROPIC_CONFIG_DIR", &decided),
        config: config.as_ref().map(|path| Place::new(path, input.world)),
    };
    home.share(items, &elsewhere, selection, input);
    (ladder.finish(decided, &pointers(selection, home, &directories, input.world)), config)
}

/// Does a directory that rule 7 removed belong to the user, and not to a profile?
fn is_the_users(path: &Path, selection: &Selection, world: &dyn World) -> bool {
    selection.real.place().is_some_and(|real| real.holds(path, world)) && !is_in_a_profile(path, selection, world)
}

fn check_chdir(dir: Option<&Path>, world: &dyn World) -> Result<(), Failure> {
    match dir.map(|dir| world.stat(dir)) {
        Some(Err(error)) => Err(cannot_change_dir(&os_message(&error))),
        Some(Ok(stat)) if stat.kind != Kind::Directory => Err(cannot_change_dir("it is not a directory")),
        _ => Ok(()),
    }
}

pub fn cannot_change_dir(why: &str) -> Failure {
    Failure::new(format!("--chdir: cannot change to that directory: {why}"))
        .hint("give --chdir a directory that exists")
}

pub struct Unlink {
    pub redirect: Redirect,
    /// Where our links can be, below the home.
    pub places: Vec<PathBuf>,
    real: Place,
    root: Place,
}

impl Unlink {
    /// The plan of `--unlink`; `None` if there is no home. The links of earlier runs are in the home, whatever HOME this run
    /// would choose; and since any run may have created them, the items of the whole policy file count besides the default
    /// ones. Errors: 125 as for a run, and if the real home is unknown.
    pub fn build(options: &Options, input: &Input<'_>) -> Result<Option<Self>, Failure> {
        let selection = profile::select(options, input)?;
        let file = trust::load(options, &selection, input)?.unwrap_or_default();
        let of_programs = file.programs.iter().flat_map(|(_, program)| &program.share);
        let more = file.share.iter().flatten().chain(of_programs);
        let items = items::items(Some(&DEFAULT), more, &options.shares)?;
        let choice = ModeChoice { mode: HomeMode::Auto, source: Origin::Option("--unlink") };
        let redirect = HomePlan::build(choice, &selection, input)?.redirect;
        let (Some(redirect), Some(root)) = (redirect, selection.root) else { return Ok(None) };
        let real = selection.real.place().cloned().ok_or_else(|| {
            Failure::new("cannot tell which links are ours: the real home is unknown").hint("set HOME to it")
        })?;
        Ok(Some(Self { redirect, places: items::places(&items), real, root }))
    }

    pub fn context<'a>(&'a self, world: &'a dyn World) -> LinkContext<'a> {
        self.redirect.sharing(&self.real, &self.root, world)
    }
}
