//! One function for each request. The order of a run's effects is decided here.
#![forbid(unsafe_code)]

use std::convert::Infallible;
use std::ffi::{OsStr, OsString, c_int};

use anyhow::Context;

use crate::act::seal::Seal;
use crate::act::{exec, links, shims};
use crate::cli::{self, Options, Request};
use crate::doctor;
use crate::environ::Environ;
use crate::output::{Page, print, say, stderr_is_terminal};
use crate::plan::command::Program;
use crate::plan::diagnostic::{Diagnostic, Level};
use crate::plan::shims::Shims;
use crate::plan::{Draft, Ready, Unlink, catalogue, command, shell};
use crate::report;
use crate::world::Input;
use crate::world::settings::GUARD;
use crate::world::system::System;

/// Does what the command line asks for. Returns the exit status of a request that is not a run; a run that succeeds does
/// not return.
pub fn run(mut args: Vec<OsString>, environ: &Environ, own_name: &OsStr) -> anyhow::Result<c_int> {
    if args.is_empty() {
        args.push("hermes-exec".into());
    }
    let is_group = |word: &[u8]| catalogue::groups().iter().any(|group| group.as_bytes() == word);
    let request = cli::parse(&args, is_group)?;
    let system = System::default();
    let input = || Input::gather(environ, own_name, &system);
    match request {
        Request::Text(text) => print(&text)?,
        Request::Catalogue { json } => print(&report::catalogue::print(json))?,
        Request::Explain(options) => explain(*options, &input())?,
        Request::Doctor(options) => return examine(&options, &input()),
        Request::Unlink(options) => unlink(&options, &input())?,
        Request::Shims(dir, options) => write_shims(&dir, &options, &input())?,
        Request::Run(options) => return Err(execute(*options, &input())),
    }
    Ok(0)
}

/// Prints the plan, then fails if the run would fail.
fn explain(mut options: Options, input: &Input<'_>) -> anyhow::Result<()> {
    shell::wrap(&mut options, input);
    let mut draft = Draft::build(&options, input);
    draft.findings.extend(command::shell_findings(&options.argv(), &draft.env.child));
    print(&if options.json {
        report::json::explain(&draft)
    } else if options.only.is_empty() {
        report::text::explain(&draft, options.verbose, Page::for_stdout(&input.settings))
    } else {
        options.only.iter().filter_map(|name| report::text::only(&draft, name.as_encoded_bytes())).collect()
    })?;
    Ok(draft.failure().cloned().map_or(Ok(()), Err)?)
}

/// Prints the checks. Returns 1 if there is a problem.
fn examine(options: &Options, input: &Input<'_>) -> anyhow::Result<c_int> {
    let page = || Page::for_stdout(&input.settings);
    let (text, worst) = if options.all {
        let all = doctor::all::examine_all(options, input);
        let text = if options.json { report::profiles::json(&all) } else { report::profiles::text(&all, page()) };
        (text, all.iter().filter_map(|profile| profile.worst(None)).max())
    } else {
        let checks = doctor::examine(options, input);
        let text = if options.json { report::checks::json(&checks) } else { report::checks::text(&checks, page()) };
        (text, checks.iter().map(|check| check.level).max())
    };
    print(&text)?;
    Ok((worst == Some(Level::Problem)).into())
}

fn unlink(options: &Options, input: &Input<'_>) -> anyhow::Result<()> {
    if let Some(plan) = Unlink::build(options, input)? {
        for line in links::unlink(&plan, input.world)? {
            print(&format!("{line}\n"))?;
        }
    }
    Ok(())
}

fn write_shims(dir: &OsStr, options: &Options, input: &Input<'_>) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("cannot determine the path of hermes-exec")?;
    let base = std::env::current_dir().context("cannot determine the working directory")?;
    let plan = Shims::build(dir, options, &own, &base, input)?;
    shims::write(&plan)?;
    print(&format!("{}\n", plan.lines.join("\n")))
}

/// Runs the command. Steps that can fail without an effect come first: the plan, including the search for the program, and
/// the rules of the seal. So a command that is not found leaves no home and no link behind. The notice comes before the
/// findings, which are complete only when the links have been created. The directory is changed after the links, whose paths
/// are absolute, and before the seal, which may forbid it. After the seal only `execve` follows.
fn execute(mut options: Options, input: &Input<'_>) -> anyhow::Error {
    shell::wrap(&mut options, input);
    match prepare(&options, input).and_then(|ready| start(ready, &options, input)) {
        Err(error) => error,
    }
}

/// Everything up to the `execve`.
fn prepare(options: &Options, input: &Input<'_>) -> anyhow::Result<Ready> {
    let settings = &input.settings;
    let quiet = options.quiet || (settings.quiet && !options.verbose);
    let verbose = options.verbose || (settings.verbose && !quiet);
    let warn = |diagnostic: &Diagnostic| {
        if !quiet {
            say(&format!("hermes-exec: warning: {}\n", diagnostic.message));
        }
    };
    let draft = Draft::build(options, input);
    draft.warnings.iter().for_each(warn);
    let is_warned = draft.warnings.iter().any(doctor::reports_on);
    let mut ready = draft.ready()?;
    let seal = Seal::create(&ready.seal)?;
    for notice in ready.notices.iter().filter(|_| !quiet) {
        say(&format!("hermes-exec: notice: {notice}\n"));
    }
    let failed = links::prepare(&ready.home)?;
    if verbose {
        say(&report::verbose::lines(&ready));
    }
    ready.findings.extend(failed);
    let is_read = || verbose || stderr_is_terminal();
    if (is_warned || !ready.findings.is_empty()) && !quiet && is_read() {
        ready.findings.iter().for_each(warn);
        if is_warned || ready.findings.iter().any(doctor::reports_on) {
            let doctor = doctor::command(options, ready.profile.as_ref());
            say(&format!("hermes-exec: hint: to see what fixes it: {doctor}\n"));
        }
    }
    if verbose {
        say(&report::verbose::program(&ready));
    }
    if let Some(dir) = &options.chdir {
        exec::change_dir(dir)?;
    }
    if let Some(seal) = seal {
        seal.enforce()?;
    }
    Ok(ready)
}

/// Starts the program, or the next one of that name if `execvp(3)` would try it.
fn start(mut ready: Ready, options: &Options, input: &Input<'_>) -> anyhow::Result<Infallible> {
    let mut argv = options.argv();
    loop {
        let Program { path, guard } = &ready.program;
        if let (true, None, Some(name)) = (ready.search.has_passed_a_shim(), &options.argv0, argv.first_mut()) {
            *name = path.into();
        }
        let errno = match guard {
            None => exec::start(path, &argv, &ready.child),
            Some(guard) => {
                let mut guarded = ready.child.clone();
                guarded.set(GUARD, guard);
                exec::start(path, &argv, &guarded)
            }
        };
        let failure = exec::failure(path, errno, &ready.child, input.world);
        if !exec::goes_on_after(errno) {
            return Err(failure.into());
        }
        ready.program = ready.search.next_program(input).map_err(|_| failure)?;
    }
}
