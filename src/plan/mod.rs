//! The plan of a run, complete before the first effect: which profile, which HOME and links, and what every variable comes
//! to. `--explain` prints it, a run carries it out. It has no effect itself.
#![forbid(unsafe_code)]

mod block;
mod mounts;
pub mod seal;
pub mod secrets;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::catalogue::{self, Owner};
use crate::cli::{Mode, Options};
use crate::environ::Environ;
use crate::facts::{Facts, Kind};
use crate::home::{HomePlan, ModeChoice};
use crate::message::{Failure, reason, shown};
use crate::policy::declared::Declared;
use crate::policy::file::SharedItem;
use crate::policy::{Policy, Rule, load, through_containers};
use crate::profile::{self, Selection, Wanted};
use crate::search_path::OwnVenvs;
use crate::shares::{self, Item};
use block::Block;
use seal::SealPlan;

/// What a variable comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// As it was.
    Kept,
    /// Absent.
    Removed,
    /// One entry with a value from us or from the user.
    Set,
    /// Kept, with Hermes' own venv moved or taken out.
    Edited,
}

impl Action {
    /// The action in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Removed => "removed",
            Self::Set => "set",
            Self::Edited => "edited",
        }
    }
}

/// One variable in a report. Never its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The name.
    pub name: Vec<u8>,
    /// What it comes to.
    pub action: Action,
    /// The rule that decided.
    pub rule: Rule,
    /// Catalogue group or marker family.
    pub group: Option<&'static str>,
    /// Why, for a person.
    pub reason: Cow<'static, str>,
}

/// Something that the user lets the command have, and that it would not have otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// `group`, `variable` or `share`.
    pub kind: &'static str,
    /// The group, the variable or the item; `*` for every group that is not sealed.
    pub name: String,
    /// The option that says so.
    pub by: &'static str,
}

/// See the top of this file. Where something failed, the parts that were settled before are there.
#[derive(Default)]
pub struct Plan {
    /// Root, profile and real home.
    pub selection: Option<Selection>,
    /// HOME and the links.
    pub home: Option<HomePlan>,
    /// Every variable, in the order of the block, new ones last.
    pub outcomes: Vec<Outcome>,
    /// The command's environment block.
    pub child: Environ,
    /// The items to share.
    pub items: Vec<Item>,
    /// That the program's own credentials were removed, and how to grant them.
    pub notice: Option<String>,
    /// What the user granted.
    pub grants: Vec<Grant>,
    /// Elements of PATH that were moved to its end.
    pub moved: Vec<Vec<u8>>,
    /// Hermes' own venvs, whose `pip` is refused; none where the user keeps them.
    pub own: Option<OwnVenvs>,
    /// The seal; none where the plan does not come to it.
    pub seal: Option<SealPlan>,
    /// What the user must know about the run.
    pub warnings: Vec<String>,
    /// What the user should mend in the set-up.
    pub findings: Vec<String>,
    /// Why there will be no run.
    pub error: Option<Failure>,
}

impl Plan {
    /// Makes the plan.
    pub fn build(options: &Options, facts: &Facts<'_>) -> Self {
        let mut plan = Self::default();
        plan.error = plan.fill(options, facts).err();
        plan
    }

    fn fill(&mut self, options: &Options, facts: &Facts<'_>) -> Result<(), Failure> {
        let mut policy = Policy::from_options(options)?;
        let wanted = Wanted { profile: options.profile.as_deref(), hermes_home: options.hermes_home.as_deref() };
        let selection = self.selection.insert(profile::select(wanted, facts)?);
        self.warnings.append(&mut selection.warnings);
        let program = options.command.first().and_then(|word| Path::new(word).file_name()).unwrap_or_default();
        let program = program.as_bytes();
        let file = load::load(options, selection, facts)?;
        if let Some(file) = &file {
            policy.add_file(file, program);
        }
        let choice = ModeChoice::make(options.home, file.as_ref().and_then(|file| file.home), facts)?;
        let entry = file.as_ref().and_then(|file| file.program(program));
        self.items = match options.mode() {
            Mode::Unlink => shares::every_item(file.as_ref(), &options.shares)?,
            _ => shares::items(file.as_ref().map(|file| (file, entry)), &options.shares)?,
        };
        let home = self.home.insert(HomePlan::build(choice, selection, facts)?);
        policy.add_declared(Declared::gather(selection, facts, &mut self.warnings)?);

        let mut block = Block::new(facts, &policy, selection, home, options.chdir.as_deref());
        block.compute(selection, home, options, facts, &policy);
        block.set_by_user(&policy);
        (self.child, self.outcomes, self.moved) = (block.child(), block.outcomes, block.moved);
        self.own = Some(block.own).filter(|_| !policy.keeps_venv());

        let of_file = file.iter().flat_map(|file| &file.share).chain(entry.map(|entry| &entry.share));
        self.grants = grants(&policy, &self.outcomes);
        self.grants.extend(shared(&self.items, &options.shares, &of_file.flatten().collect::<Vec<_>>()));
        self.notice = notice(program, &policy, &self.outcomes);
        let skips_claude = self.child.given(b"CLAUDE_CONFIG_DIR").is_some();
        home.share(&self.items, skips_claude, selection, facts);
        self.warnings.extend(home.warnings.iter().cloned());
        self.findings.extend(home.findings.iter().cloned());
        let dir = options.chdir.as_ref().map(Path::new);
        match dir.map(|dir| facts.files.stat(dir)) {
            Some(Err(error)) => return Err(cannot_change_dir(&reason(&error))),
            Some(Ok(stat)) if stat.kind != Kind::Directory => return Err(cannot_change_dir("it is not a directory")),
            _ => {}
        }
        if options.mode() == Mode::Unlink {
            return Ok(());
        }
        let new_home = home.redirect.as_ref().filter(|redirect| redirect.make).map(|redirect| redirect.home.as_path());
        let of_file = file.as_ref().and_then(|file| file.seal);
        let seal = self.seal.insert(SealPlan::build(options.seal, of_file, selection, new_home, facts));
        self.findings.extend(seal.findings(dir, facts.files));
        seal.refusal.clone().map_or(Ok(()), Err)
    }

    /// Announces a variable that is set once it is known which program is started.
    pub fn announce(&mut self, name: &[u8], reason: &'static str) {
        self.outcomes.retain(|outcome| outcome.name != name);
        self.outcomes.push(Outcome {
            name: name.to_owned(),
            action: Action::Set,
            rule: Rule::Computed,
            group: None,
            reason: reason.into(),
        });
    }
}

/// For a program that signs in with credentials of the catalogue: that they were removed, and the option that grants them.
fn notice(program: &[u8], policy: &Policy, outcomes: &[Outcome]) -> Option<String> {
    let owner = catalogue::owner(program).filter(|_| !policy.is_decided)?;
    let owns = |outcome: &&Outcome| match owner {
        Owner::Groups(groups) => outcome.group.is_some_and(|group| groups.contains(&group)),
        Owner::EveryProvider => {
            catalogue::find(through_containers(&outcome.name)).is_some_and(|row| row.is_of_a_provider())
        }
    };
    let gone = |outcome: &&Outcome| outcome.action == Action::Removed && outcome.rule == Rule::Catalogue;
    let removed: Vec<_> = outcomes.iter().filter(gone).filter(owns).collect();
    if removed.is_empty() {
        return None;
    }
    let names: Vec<_> = removed.iter().map(|outcome| shown(&outcome.name)).collect();
    let option = match owner {
        Owner::EveryProvider => "--inherit-credentials".to_owned(),
        Owner::Groups(_) => {
            let groups: BTreeSet<_> = removed.iter().filter_map(|outcome| outcome.group).collect();
            format!("--inherit-credentials={}", groups.into_iter().collect::<Vec<_>>().join(","))
        }
    };
    Some(format!("{} runs without {}; to grant: {option}", shown(program), names.join(", ")))
}

/// `--chdir` cannot be followed.
pub fn cannot_change_dir(why: &str) -> Failure {
    Failure::new(format!("--chdir: cannot change to that directory: {why}"))
        .hint("give --chdir a directory that is there")
}

/// The groups and variables among the grants.
fn grants(policy: &Policy, outcomes: &[Outcome]) -> Vec<Grant> {
    let every = policy.grants.every.then_some("*");
    let groups = every.into_iter().chain(policy.grants.groups.iter().copied());
    let groups = groups.map(|group| ("group", group.to_owned(), "--inherit-credentials"));
    let of_file = policy.grants.of_file.iter().map(|group| ("group", (*group).to_owned(), "policy file"));
    let is_credential = |outcome: &&Outcome| catalogue::find(through_containers(&outcome.name)).is_some();
    let kept = outcomes.iter().filter(|outcome| outcome.rule == Rule::Keep).filter(is_credential);
    let kept = kept.map(|outcome| {
        ("variable", shown(&outcome.name), if outcome.reason == "--keep" { "--keep" } else { "policy file" })
    });
    let all = groups.chain(of_file).chain(kept);
    all.map(|(kind, name, by)| Grant { kind, name, by }).collect()
}

/// The shared items that somebody asked for.
fn shared(items: &[Item], edits: &[(bool, OsString)], of_file: &[&SharedItem]) -> Vec<Grant> {
    let is_option = |item: &Item| {
        let mut words = edits.iter().filter(|(adds, _)| *adds).map(|(_, word)| word);
        words.any(|word| Item::parse(word, "--share").is_ok_and(|asked| asked == *item))
    };
    let granted = items.iter().filter_map(|item| {
        let by = match (is_option(item), of_file.iter().any(|asked| asked.0 == *item)) {
            (true, _) => "--share",
            (_, true) => "policy file",
            _ => return None,
        };
        Some(Grant { kind: "share", name: item.name(), by })
    });
    granted.collect()
}
