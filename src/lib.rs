//! hermes-exec: runs a command without Hermes Agent's credentials and venv markers, in the HOME of a Hermes profile.
//!
//! The command line ([`cli`]) and the [`world`] give a [`plan`]; a plan is carried out ([`act`]) or reported ([`report`],
//! [`doctor`]). Data flows one way. `run.rs` connects them; this file turns an error into an exit status.

#[cfg(not(unix))]
compile_error!("hermes-exec runs on Linux and macOS; on Windows use it inside WSL");

pub mod act;
pub mod cli;
pub mod doctor;
pub mod environ;
pub mod error;
pub mod output;
pub mod plan;
pub mod report;
mod run;
mod sys;
pub mod text;
pub mod world;

use std::ffi::{c_char, c_int};

use error::{Failure, Status};

/// Runs the program. Called once, by the C `main`, with its arguments.
pub fn start(argc: c_int, argv: *const *const c_char) -> c_int {
    sys::refuse_dumps();
    sys::on_panic_leave_with(Status::Failed as c_int, output::say);
    let args = sys::arguments(argc, argv);
    let environ = sys::environment();
    let own_name = args.first().cloned().unwrap_or_default();
    run::run(args, &environ, &own_name).unwrap_or_else(|error| {
        let failure = error.downcast().unwrap_or_else(|error| Failure::new(text::chain(&error)));
        output::complain(&failure);
        failure.status as c_int
    })
}
