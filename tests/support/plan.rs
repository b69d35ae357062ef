//! A plan made in the test's own process, to be carried out later: what changes in between is a race that a test decides.

use std::borrow::Cow;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use hermes_exec::cli::{self, Request};
use hermes_exec::environ::Environ;
use hermes_exec::error::Failure;
use hermes_exec::plan::Draft;
use hermes_exec::plan::home::HomePlan;
use hermes_exec::world::system::System;
use hermes_exec::world::{Input, World};

use super::Sandbox;

/// What these options come to, with HOME the real home: HOME and its links, ready for `prepare`.
pub fn plan<S: AsRef<OsStr>>(sandbox: &Sandbox, options: impl IntoIterator<Item = S>) -> Result<HomePlan, Failure> {
    plan_with(&System::default(), &[("HOME", sandbox.real().as_os_str())], options)
}

/// The same, in this environment and on this file system.
pub fn plan_with<S: AsRef<OsStr>>(
    world: &dyn World,
    env: &[(&str, &OsStr)],
    options: impl IntoIterator<Item = S>,
) -> Result<HomePlan, Failure> {
    let mut args: Vec<OsString> = vec!["hermes-exec".into()];
    args.extend(options.into_iter().map(|option| option.as_ref().to_owned()));
    args.push("true".into());
    let Request::Run(options) = cli::parse(&args, |_| false)? else { panic!("{args:?} ask for something else") };
    let entry = |(name, value): &(&str, &OsStr)| {
        let entry = [name.as_bytes(), b"=", value.as_bytes()].concat();
        Cow::Owned(CString::new(entry).unwrap())
    };
    let environ = Environ::new(env.iter().map(entry).collect());
    let input = Input::gather(&environ, OsStr::new("hermes-exec"), world);
    let mut plan = Draft::build(&options, &input);
    match plan.error.take() {
        Some(failure) => Err(failure),
        None => Ok(plan.home.take().expect("a plan without error has settled HOME")),
    }
}

/// Carries a plan out as a run does: the messages of its findings, or the failure.
pub fn prepare(plan: &HomePlan) -> Result<Vec<String>, Failure> {
    match hermes_exec::act::links::prepare(plan) {
        Ok(findings) => Ok(findings.into_iter().map(|finding| finding.message).collect()),
        Err(error) => Err(error.downcast().expect("a typed failure")),
    }
}
