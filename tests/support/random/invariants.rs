//! What holds of every plan, whatever the command line, the environment and the files: the child's block is what the
//! outcomes say, each outcome is that of the first rule that matches (see `judge`), a run within a run changes nothing, and a
//! further option does what it says and no more. Each function panics where that is broken.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use hermes_exec::cli::{Grants, Options};
use hermes_exec::environ::{Environ, split};
use hermes_exec::error::Failure;
use hermes_exec::output::Page;
use hermes_exec::plan::Draft;
use hermes_exec::plan::catalogue;
use hermes_exec::plan::env::decision::{Change, Decision, Rule};
use hermes_exec::plan::env::pointers::OF_CLAUDE;
use hermes_exec::plan::home::items;
use hermes_exec::{doctor, report};

use super::case::Case;
use super::judge::judge;
use super::secret::{holds_secret, tells_no_secret};

/// All of it.
pub fn hold(case: &Case) {
    let options = match case.options() {
        Ok(Some(options)) => options,
        Ok(None) => return,
        Err(failure) => {
            let is_name = |word: &OsStr| word.as_bytes().starts_with(b"-") && holds_secret(before_equals(word));
            if !case.words.iter().any(|word| is_name(word)) {
                tells_no_secret(&of_failure(&failure));
            }
            return;
        }
    };
    let plan = case.plan(&options);
    reports(case, &options, &plan);
    if plan.error.is_some() {
        return;
    }
    agrees(&case.environ, &plan);
    judge(case, &options, &plan);
    idempotent(case, &options, &plan);
    keep_wins(case, &options);
    grants_are_monotone(case, &options, &plan);
    minimal_is_less(case, &options, &plan);
}

/// The child's block follows from the inherited one and the outcomes, byte for byte and in order: what is kept stands
/// where it stood, what is removed has no copy left, what is set stands once in the place of its first copy or at the end.
/// Each name has one outcome, in the order of the block, and what PATH has lost before it has at its end.
pub fn agrees(environ: &Environ, plan: &Draft) {
    let outcomes: HashMap<&[u8], &Decision> = plan.env.decisions.iter().map(|one| (one.name.as_slice(), one)).collect();
    assert_eq!(outcomes.len(), plan.env.decisions.len(), "a name has two outcomes");
    let mut block = plan.env.child.clone();
    // Set when it is known which program is started.
    let program = plan.command.as_ref().and_then(|command| command.program.as_ref().ok());
    if let Some(guard) = program.and_then(|program| program.guard.as_ref()) {
        block.set(b"HERMES_EXEC_GUARD", guard);
    }
    let mut child = block.entries().iter().map(|entry| entry.to_bytes()).peekable();
    let mut seen = HashSet::new();
    let names = environ.entries().iter().filter_map(|entry| split(entry.to_bytes())).map(|(name, _)| name);
    let firsts: Vec<_> = names.filter(|name| seen.insert(*name)).collect();
    let announced = plan.env.decisions.iter().map(|outcome| outcome.name.as_slice());
    assert!(announced.take(firsts.len()).eq(firsts), "outcomes in another order");
    path_agrees(environ, plan);
    seen.clear();
    for entry in environ.entries() {
        let entry = entry.to_bytes();
        let Some((name, value)) = split(entry) else {
            assert_eq!(child.next(), Some(entry), "an entry that is no assignment");
            continue;
        };
        let outcome = outcomes[name];
        let is_first = seen.insert(name);
        match &outcome.change {
            Change::Keep => assert_eq!(child.next(), Some(entry), "{outcome:?}"),
            Change::Remove => {}
            Change::Set(_) if !is_first => {}
            Change::Set(_) => assert_eq!(child.next().and_then(split).map(|(name, _)| name), Some(name), "{outcome:?}"),
            Change::Edit(_) => {
                let next = child.peek().copied().and_then(split).filter(|(known, _)| *known == name);
                let edited = next.filter(|(_, new)| is_edited(name, value, new));
                assert!(edited.is_some() || name == b"PYTHONPATH", "{outcome:?}: {next:?}");
                edited.is_some().then(|| child.next());
            }
        }
    }
    for outcome in plan.env.decisions.iter().filter(|outcome| !seen.contains(outcome.name.as_slice())) {
        assert!(matches!(outcome.change, Change::Set(_)), "{outcome:?} was not in the block");
        assert_eq!(child.next().and_then(split).map(|(name, _)| name), Some(outcome.name.as_slice()));
    }
    assert_eq!(child.next(), None);
}

/// PATH is edited where elements of it are moved, and ends with these.
fn path_agrees(environ: &Environ, plan: &Draft) {
    let moved = plan.env.moved.join(&b':');
    let is_edited = |outcome: &Decision| outcome.name == b"PATH" && matches!(outcome.change, Change::Edit(_));
    let edited = plan.env.decisions.iter().any(is_edited);
    assert_eq!(edited, !plan.env.moved.is_empty(), "moved are {:?}", moved.escape_ascii().to_string());
    if edited && environ.copies(b"PATH").count() == 1 {
        assert!(plan.env.child.get(b"PATH").unwrap().ends_with(&moved));
    }
}

/// PATH has its elements in another order; PYTHONPATH has lost some.
fn is_edited(name: &[u8], old: &[u8], new: &[u8]) -> bool {
    let elements = |value| <[u8]>::split(value, |&byte| byte == b':').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (mut old, mut new) = (elements(old), elements(new));
    if name == b"PATH" {
        old.sort();
        new.sort();
        return old == new;
    }
    let mut rest = old.iter();
    name == b"PYTHONPATH" && new.iter().all(|element| rest.any(|known| known == element))
}

/// The variables by which a start finds its profile and HOME. Where one of them is changed by an option, `--minimal` among
/// them, the next start is another one.
fn decides(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 9] = [
        b"HOME", b"HERMES_HOME", b"HERMES_PROFILE", b"HERMES_REAL_HOME", b"HERMES_DATA_DIR_SUFFIX",
        b"HERMES_SUPERVISED_CHILD", b"HERMES_S6_SUPERVISED_CHILD", b"HERMES_GATEWAY_EXTERNAL_SUPERVISOR",
        b"TERMINAL_HOME_MODE",
    ];
    NAMES.contains(&name) || name.starts_with(b"HERMES_EXEC_")
}

/// The same start again, from within: the same block.
pub fn idempotent(case: &Case, options: &Options, plan: &Draft) {
    let is_other = |outcome: &Decision| {
        let changes = matches!(outcome.change, Change::Set(_) | Change::Remove) && outcome.rule != Rule::Computed;
        changes && decides(&outcome.name)
    };
    let moves = options.chdir.as_ref().is_some_and(|dir| !dir.as_bytes().starts_with(b"/"));
    let strays =
        options.chdir.is_some() && options.policy.as_ref().is_some_and(|file| !file.as_bytes().starts_with(b"/"));
    if moves || strays || plan.env.decisions.iter().any(is_other) {
        return;
    }
    let next = case.after(options, plan).plan(options);
    assert_eq!(next.error, None, "the run within");
    assert_eq!(shown(&next.env.child), shown(&plan.env.child), "the run within");
}

fn shown(environ: &Environ) -> Vec<String> {
    environ.entries().iter().map(|entry| entry.to_bytes().escape_ascii().to_string()).collect()
}

/// The options with a change.
pub fn with(options: &Options, change: impl FnOnce(&mut Options)) -> Options {
    let mut options = options.clone();
    change(&mut options);
    options
}

/// `--keep '*'` keeps whatever rules 4 to 11 have a word on.
pub fn keep_wins(case: &Case, options: &Options) {
    let options = with(options, |options| options.keep.push("*".into()));
    let plan = case.plan(&options);
    judge(case, &options, &plan);
    for outcome in &plan.env.decisions {
        assert!(outcome.rule <= Rule::Keep, "{outcome:?}");
    }
}

/// To grant more keeps variables of what is granted, and changes nothing else. The bare grant opens no group that is granted by name only.
pub fn grants_are_monotone(case: &Case, options: &Options, plan: &Draft) {
    let given = options.grants.clone().unwrap_or_default();
    let removed = |outcome: &&Decision| outcome.is_removed_by(Rule::Catalogue);
    let group = plan.env.decisions.iter().filter(removed).find_map(|outcome| outcome.group);
    let mut named = given.clone();
    named.groups.extend(group.map(Into::into));
    for (grants, group) in [(Grants { every: true, ..given }, None), (named, group)] {
        let is_bare = group.is_none();
        let more = case.plan(&with(options, |options| options.grants = Some(grants)));
        assert_eq!(more.env.decisions.len(), plan.env.decisions.len());
        for (before, after) in plan.env.decisions.iter().zip(&more.env.decisions) {
            let opened = before != after;
            let allowed = match before.group {
                Some(of) if is_bare => !catalogue::is_by_name_only(of),
                of => of == group,
            };
            let right = removed(&before) && allowed && *after == Decision { change: Change::Keep, ..before.clone() };
            assert!(!opened || right, "{before:?} became {after:?}");
        }
        agrees(&case.environ, &more);
    }
}

/// `--minimal` leaves no name that is not there without it, but for those that come with `.claude`: without CLAUDE_CONFIG_DIR
/// that is shared.
pub fn minimal_is_less(case: &Case, options: &Options, plan: &Draft) {
    let less = case.plan(&with(options, |options| options.minimal = true));
    let names = |environ: &Environ| -> HashSet<Vec<u8>> {
        environ.entries().iter().filter_map(|entry| split(entry.to_bytes())).map(|(name, _)| name.to_vec()).collect()
    };
    let all = names(&plan.env.child);
    for name in names(&less.env.child) {
        let comes_with_claude = OF_CLAUDE.iter().any(|(known, _)| known.as_bytes() == name)
            && plan.env.child.given(b"CLAUDE_CONFIG_DIR").is_some();
        assert!(all.contains(&name) || comes_with_claude, "{} is new with --minimal", name.escape_ascii());
    }
}

/// Every report can be made, and none of them tells a value.
pub fn reports(case: &Case, options: &Options, plan: &Draft) {
    let input = case.input();
    let claude = case.plan(&with(options, |options| options.command = vec!["claude".into()]));
    let checks = doctor::examine(options, &input);
    let mut texts = vec![
        report::text::explain(plan, true, Page::new(Some(80), true)),
        report::json::explain(plan),
        report::checks::text(&checks, Page::new(None, false)),
        report::checks::json(&checks),
    ];
    texts.extend(report::verbose::variables(&plan.env.decisions));
    texts.extend(plan.warnings.iter().chain(&plan.findings).map(|diagnostic| diagnostic.message.clone()));
    texts.extend(plan.notice.iter().cloned());
    texts.extend(plan.failure().map(of_failure));
    if !may_show(case, options, [&case.environ, &plan.env.child, &claude.env.child]) {
        texts.iter().for_each(|text| tells_no_secret(text));
    }
    let _ = items::places(&plan.items);
}

fn of_failure(failure: &Failure) -> String {
    format!(
        "{}\n{}\n{}",
        failure.message,
        failure.hint.as_deref().unwrap_or_default(),
        failure.cure.as_deref().unwrap_or_default()
    )
}

fn before_equals(word: &OsStr) -> &[u8] {
    word.as_bytes().split(|&byte| byte == b'=').next().unwrap_or_default()
}

/// Does what stands for a secret stand where names, paths and profiles stand, which are told? `blocks` are the environments
/// that the reports speak of.
fn may_show(case: &Case, options: &Options, blocks: [&Environ; 3]) -> bool {
    const TOLD: [&[u8]; 6] = [
        b"HOME", b"HERMES_HOME", b"HERMES_PROFILE", b"HERMES_REAL_HOME", b"HERMES_DATA_DIR_SUFFIX",
        // A place into which `--doctor` looks.
        b"CLAUDE_CONFIG_DIR",
    ];
    let is_told = |(name, value): (&[u8], &[u8])| {
        holds_secret(name) || holds_secret(value) && (TOLD.contains(&name) || value.contains(&b'/'))
    };
    let mut entries = blocks.into_iter().flat_map(Environ::entries).filter_map(|entry| split(entry.to_bytes()));
    let values = [&options.profile, &options.hermes_home, &options.policy, &options.chdir, &options.argv0];
    let words = values.into_iter().flatten().chain(options.command.first()).chain(&options.only);
    let mut words = words.chain(options.shares.iter().map(|(_, item)| item));
    entries.any(is_told) || words.any(|word| holds_secret(word.as_bytes())) || case.tells
}
