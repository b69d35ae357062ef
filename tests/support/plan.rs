//! A plan made in the test's own process, to be carried out later: what changes in between is a race that a test decides.

use std::borrow::Cow;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use hermes_exec::cli::{self, Parsed};
use hermes_exec::environ::Environ;
use hermes_exec::facts::{Facts, Files, System};
use hermes_exec::home::HomePlan;
use hermes_exec::message::Failure;
use hermes_exec::plan::Plan;

use super::Sandbox;

/// What these options come to, with HOME the real home: HOME and its links, ready for `prepare`.
pub fn plan<S: AsRef<OsStr>>(sandbox: &Sandbox, options: impl IntoIterator<Item = S>) -> Result<HomePlan, Failure> {
    plan_with(&System::default(), &[("HOME", sandbox.real().as_os_str())], options)
}

/// The same, in this environment and on this file system.
pub fn plan_with<S: AsRef<OsStr>>(
    files: &dyn Files,
    env: &[(&str, &OsStr)],
    options: impl IntoIterator<Item = S>,
) -> Result<HomePlan, Failure> {
    let mut args: Vec<OsString> = vec!["hermes-exec".into()];
    args.extend(options.into_iter().map(|option| option.as_ref().to_owned()));
    args.push("true".into());
    let Parsed::Options(options) = cli::parse(&args, |_| false)? else { panic!("{args:?} ask for a text") };
    let entry = |(name, value): &(&str, &OsStr)| {
        let entry = [name.as_bytes(), b"=", value.as_bytes()].concat();
        Cow::Owned(CString::new(entry).unwrap())
    };
    let environ = Environ::new(env.iter().map(entry).collect());
    let facts = Facts::gather(&environ, OsStr::new("hermes-exec"), files);
    let mut plan = Plan::build(&options, &facts);
    match plan.error.take() {
        Some(failure) => Err(failure),
        None => Ok(plan.home.take().expect("a plan without error has settled HOME")),
    }
}
