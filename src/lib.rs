//! hermes-exec: runs a command without Hermes Agent's credentials and venv markers, in the HOME of a Hermes profile.
//!
//! Data moves one way: the command line ([`cli`]) and the facts of the process ([`facts`]) give a profile ([`profile`],
//! [`real_home`]), a policy ([`policy`]) and a plan ([`plan`]), all pure; the plan is either printed ([`report`]) or carried
//! out ([`prepare`], [`seal`], [`launch`]). This file wires them, and is the one place that prints an error and turns it into an exit
//! status.

#[cfg(not(unix))]
compile_error!("hermes-exec runs on Linux and macOS; on Windows use it inside WSL");

pub mod catalogue;
pub mod cli;
pub mod doctor;
pub mod environ;
pub mod facts;
pub mod home;
pub mod launch;
pub mod message;
pub mod pattern;
pub mod plan;
pub mod policy;
pub mod prepare;
pub mod profile;
pub mod real_home;
pub mod report;
pub mod seal;
pub mod search_path;
pub mod shares;
mod sys;

use std::ffi::{OsStr, OsString, c_char, c_int};
use std::os::fd::AsFd;
use std::path::Path;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use cli::{HomeMode, Mode, Options, Parsed};
use environ::Environ;
use facts::{Facts, System};
use launch::{Program, Search};
use message::{Failure, Status, shown};
use plan::Plan;
use report::Found;
use report::page::Page;
use seal::Seal;

/// Runs the program. Called by the C `main`, once, with what that was handed.
pub fn start(argc: c_int, argv: *const *const c_char) -> c_int {
    sys::on_panic_leave_with(Status::Failed as c_int, say);
    let args = sys::arguments(argc, argv);
    let environ = sys::environment();
    let own_name = args.first().cloned().unwrap_or_default();
    match run(args, &environ, &own_name) {
        Ok(status) => status,
        Err(failure) => {
            complain(&failure);
            failure.status as c_int
        }
    }
}

fn run(mut args: Vec<OsString>, environ: &Environ, own_name: &OsStr) -> Result<c_int, Failure> {
    if args.is_empty() {
        args.push("hermes-exec".into());
    }
    let mut options = match cli::parse(&args, |word| catalogue::groups().iter().any(|group| group.as_bytes() == word))?
    {
        Parsed::Text(text) => return print(&text).map(|()| 0),
        Parsed::Options(options) => options,
    };
    if options.mode() == Mode::Catalogue {
        return print(&report::catalogue::print(options.json)).map(|()| 0);
    }
    if options.mode() == Mode::Unlink {
        // The links of earlier runs are in the home, whatever this one would make of HOME.
        options.home = Some(HomeMode::Auto);
    }
    let system = System::default();
    let facts = Facts::gather(environ, own_name, &system);
    let plan = Plan::build(&options, &facts);
    match options.mode() {
        Mode::Run => execute(plan, &options, &facts)?,
        Mode::Explain => explain(plan, &options, &facts)?,
        Mode::Doctor => return examine(&plan, &options, &facts),
        Mode::Unlink => unlink(&plan, &facts)?,
        Mode::Catalogue => {}
    }
    Ok(0)
}

/// Prints the checks; 1 when there is a problem.
fn examine(plan: &Plan, options: &Options, facts: &Facts<'_>) -> Result<c_int, Failure> {
    let mut claude = options.clone();
    claude.command = vec!["claude".into()];
    let checks = doctor::examine(plan, &Plan::build(&claude, facts), options, facts);
    print(&if options.json { report::checks::json(&checks) } else { report::checks::text(&checks, page(facts)) })?;
    Ok(checks.iter().any(|check| check.level == doctor::Level::Problem).into())
}

/// An empty page, laid out for who reads standard output.
fn page(facts: &Facts<'_>) -> Page {
    Page::new(facts::is_terminal(), facts::wants_colour(facts.environ))
}

/// Does a switch of ours stand in the environment, and not as "off"?
fn is_on(facts: &Facts<'_>, name: &[u8]) -> bool {
    let off: [&[u8]; 4] = [b"0", b"false", b"no", b"off"];
    facts.environ.given(name).is_some_and(|value| !off.contains(&value.trim_ascii().to_ascii_lowercase().as_slice()))
}

fn explain(mut plan: Plan, options: &Options, facts: &Facts<'_>) -> Result<(), Failure> {
    let mut found = None;
    if let (None, Some(word)) = (&plan.error, options.command.first()) {
        let program = Search::new(word, options.chdir(), &plan.child, plan.own.as_ref(), facts).first();
        if let Ok(Program { guard: Some(_), .. }) = program {
            plan.announce(launch::GUARD, launch::GUARD_REASON);
        }
        let word = word.as_encoded_bytes();
        let word = if program.is_ok() { word } else { launch::without_value(word) };
        found = Some(Found { word: word.to_vec(), program: program.map(|program| program.path) });
    }
    let error = plan.error.clone().or_else(|| found.as_ref()?.program.as_ref().err().cloned());
    plan.findings.extend(launch::shell_findings(&options.argv(), &plan.child));
    let text = if options.json {
        report::json::explain(&plan, found.as_ref(), error.as_ref())
    } else if options.only.is_empty() {
        report::text::explain(&plan, found.as_ref(), options.verbose, page(facts))
    } else {
        options.only.iter().filter_map(|name| report::text::only(&plan, name.as_encoded_bytes())).collect()
    };
    print(&text)?;
    error.map_or(Ok(()), Err)
}

fn unlink(plan: &Plan, facts: &Facts<'_>) -> Result<(), Failure> {
    if let Some(failure) = plan.error.clone() {
        return Err(failure);
    }
    let places = shares::places(&plan.items);
    let (Some(home), Some(selection)) = (&plan.home, &plan.selection) else { return Ok(()) };
    if let (Some(redirect), Some(root)) = (&home.redirect, &selection.root) {
        let real = selection.real.place().ok_or_else(|| {
            Failure::new("the real home is not known, so that no link can be told to be ours").hint("set HOME to it")
        })?;
        let sharing = redirect.sharing(real, root, facts.files);
        for line in prepare::unlink(redirect, &places, &sharing)? {
            print(&format!("{line}\n"))?;
        }
    }
    Ok(())
}

fn execute(mut plan: Plan, options: &Options, facts: &Facts<'_>) -> Result<(), Failure> {
    let quiet = options.quiet || (is_on(facts, b"HERMES_EXEC_QUIET") && !options.verbose);
    let verbose = options.verbose || (is_on(facts, b"HERMES_EXEC_VERBOSE") && !quiet);
    let warn = |text: &str| {
        if !quiet {
            say(&format!("hermes-exec: warning: {text}\n"));
        }
    };
    plan.warnings.iter().for_each(|text| warn(text));
    if let Some(failure) = plan.error {
        return Err(failure);
    }
    let Some(word) = options.command.first() else { return Ok(()) };
    let Some(home) = &plan.home else { return Ok(()) };

    let child = std::mem::take(&mut plan.child);
    let mut search = Search::new(word, options.chdir(), &child, plan.own.as_ref(), facts);
    let mut program = search.first()?;
    let seal_plan = plan.seal.take();
    let seal = seal_plan.as_ref().map_or(Ok(None), Seal::draw_up)?;
    if let Some(notice) = plan.notice.as_ref().filter(|_| !quiet) {
        say(&format!("hermes-exec: notice: {notice}\n"));
    }
    plan.findings.extend(prepare::prepare(home)?);
    if verbose || (!plan.findings.is_empty() && facts::is_watched()) {
        plan.findings.iter().for_each(|text| warn(text));
    }
    if verbose {
        let mut lines = report::text::changes(&plan.outcomes);
        if program.guard.is_some() {
            lines.push(format!("set {} ({})", shown(launch::GUARD), launch::GUARD_REASON));
        }
        lines.iter().for_each(|line| say(&format!("hermes-exec: {line}\n")));
    }
    if let Some(dir) = options.chdir() {
        nix::unistd::chdir(dir).map_err(|errno| plan::cannot_change_dir(errno.desc()))?;
    }
    if let Some(seal) = seal {
        seal.enforce()?;
    }
    let argv = options.argv();
    loop {
        let errno = match &program.guard {
            None => launch::start(&program.path, &argv, &child),
            Some(guard) => {
                let mut guarded = child.clone();
                guarded.set(launch::GUARD, guard);
                launch::start(&program.path, &argv, &guarded)
            }
        };
        let failure = launch::failure(&program.path, errno, &child, facts.files);
        if word.as_encoded_bytes().contains(&b'/') || !launch::goes_on_after(errno) {
            return Err(failure);
        }
        program = search.next_program().map_err(|_| failure)?;
    }
}

/// Prints an error and its cure; the exit status is the caller's business.
fn complain(failure: &Failure) {
    let mut text = format!("hermes-exec: error: {}\n", shown(failure.message.as_bytes()));
    if let Some(hint) = &failure.hint {
        text.push_str(&format!("hermes-exec: hint: {}\n", shown(hint.as_bytes())));
    }
    say(&text);
}

/// Writes to standard error by one call where that is possible; nobody is left to tell when it fails. A pipe that nobody
/// reads is left alone: SIGPIPE would be the end of a run that has only something to remark, and of the right exit status.
fn say(text: &str) {
    let stderr = std::io::stderr();
    let mut ready = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
    let _ = poll(&mut ready, PollTimeout::ZERO);
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP;
    if !ready[0].revents().is_some_and(|events| events.intersects(gone)) {
        let _ = write_all(&stderr, text);
    }
}

/// Writes to standard output.
fn print(text: &str) -> Result<(), Failure> {
    write_all(&std::io::stdout(), text)
        .map_err(|errno| Failure::new(format!("cannot write to standard output: {}", errno.desc())))
}

fn write_all(to: &impl AsFd, text: &str) -> nix::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match nix::unistd::write(to, rest) {
            Ok(written) => rest = &rest[written..],
            Err(nix::errno::Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

impl Options {
    /// The directory of `--chdir`.
    fn chdir(&self) -> Option<&Path> {
        self.chdir.as_deref().map(Path::new)
    }

    /// The command's `argv`: `--argv0` or the word as typed, then the arguments.
    fn argv(&self) -> Vec<OsString> {
        let mut argv = self.command.clone();
        if let (Some(first), Some(name)) = (argv.first_mut(), &self.argv0) {
            first.clone_from(name);
        }
        argv
    }
}
