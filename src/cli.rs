//! The command line: clap's types, and the wording of its errors. It reads only the arguments, and echoes a value only when
//! it cannot be a secret.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, ValueEnum};

mod errors;
mod help;
mod order;
pub mod words;

use crate::error::Failure;
pub use errors::USAGE;
use errors::usage_error;
pub use order::{Assignment, Grants};

/// Which HOME the command gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HomeMode {
    /// The profile's home, but the real home for a default profile without one
    Auto,
    /// The profile's home, always
    Profile,
    /// The real home
    Real,
}

/// Which activation markers are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Markers {
    /// Every family
    #[default]
    All,
    /// Only the families that point to Hermes
    Own,
}

/// A shell with a completion script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    fn completions(self) -> &'static str {
        match self {
            Self::Bash => include_str!("../completions/hermes-exec.bash"),
            Self::Zsh => include_str!("../completions/_hermes-exec"),
            Self::Fish => include_str!("../completions/hermes-exec.fish"),
        }
    }
}

/// How much of the machine is sealed off from COMMAND.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SealLevel {
    /// Nothing
    #[default]
    Off,
    /// The environment, memory and descriptors of other processes
    On,
    /// Those, and Hermes' secret files
    Files,
}

impl SealLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Files => "files",
        }
    }
}

impl HomeMode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Profile => "profile",
            Self::Real => "real",
        }
    }
}

/// What the command line asks for.
pub enum Request {
    /// The help or the version, for standard output.
    Text(String),
    Catalogue {
        json: bool,
    },
    Explain(Box<Options>),
    Doctor(Box<Options>),
    Unlink(Box<Options>),
    /// Shims in this directory, for the words of the command.
    Shims(OsString, Box<Options>),
    /// Run the command.
    Run(Box<Options>),
}

// Plain comments: clap would keep doc comments as help text, and that is in `help.rs`.
#[derive(Clone, Debug, Parser)]
#[command(name = "hermes-exec", version, override_usage = USAGE, args_override_self = true)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub struct Options {
    // Profile to run as
    #[arg(short, long)]
    pub profile: Option<OsString>,

    // Hermes root or profile directory, like HERMES_HOME
    #[arg(long)]
    pub hermes_home: Option<OsString>,

    // HOME to give COMMAND
    #[arg(long)]
    pub home: Option<HomeMode>,

    // Grant credentials by group; without a value, every group except those granted by name only
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Append)]
    inherit_credentials: Vec<OsString>,

    // Keep variables (glob with * and ?)
    #[arg(long, allow_hyphen_values = true)]
    pub keep: Vec<OsString>,

    // Remove variables (glob with * and ?)
    #[arg(short, long, allow_hyphen_values = true)]
    pub unset: Vec<OsString>,

    // Set a variable; overrides every other rule
    #[arg(long, allow_hyphen_values = true)]
    set: Vec<OsString>,

    // Set a variable to the contents of FILE, for example /dev/fd/3
    #[arg(long, allow_hyphen_values = true)]
    set_from: Vec<OsString>,

    // Which activation markers (of venvs and similar) to remove
    #[arg(long)]
    pub markers: Option<Markers>,

    // Pass only core variables plus those named by --keep, --set, grants or env_passthrough
    #[arg(long)]
    pub minimal: bool,

    // Also link these into the home, for example .config/gh
    #[arg(long)]
    share: Vec<OsString>,

    // Do not link these: keychain, claude, a path, or `all`
    #[arg(long)]
    no_share: Vec<OsString>,

    // Remove the links that hermes-exec created in the home
    #[arg(long, group = "mode")]
    unlink: bool,

    // Stop COMMAND from reading credentials from other processes (Linux); without a value: on
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    pub seal: Option<SealLevel>,

    // Print what would be done, without doing it
    #[arg(short = 'n', long, visible_alias = "dry-run", group = "mode")]
    explain: bool,

    // With --explain: explain one variable in one line
    #[arg(long)]
    pub only: Vec<OsString>,

    // Check the setup and suggest fixes
    #[arg(long, group = "mode")]
    doctor: bool,

    // With --doctor: of every profile
    #[arg(long)]
    pub all: bool,

    // Print the built-in table of variables: name, group, class, why
    #[arg(long, group = "mode")]
    catalogue: bool,

    // Print JSON, with --explain, --doctor or --catalogue
    #[arg(long)]
    pub json: bool,

    // Print which variables are changed, and why, on stderr
    #[arg(short, long, overrides_with = "quiet")]
    pub verbose: bool,

    // Print no warnings and no notices
    #[arg(short, long, overrides_with = "verbose")]
    pub quiet: bool,

    // Use this policy file instead of hermes-exec.json
    #[arg(long, overrides_with = "no_policy")]
    pub policy: Option<OsString>,

    // Read no policy file
    #[arg(long, overrides_with = "policy")]
    pub no_policy: bool,

    // Run STRING in a shell; further words are its $0, $1 ...
    #[arg(short = 'c', allow_hyphen_values = true)]
    pub shell_string: Option<OsString>,

    // Change to DIR before COMMAND is looked up and started
    #[arg(short = 'C', long, allow_hyphen_values = true)]
    pub chdir: Option<OsString>,

    // Pass NAME as argument zero
    #[arg(short, long, allow_hyphen_values = true)]
    pub argv0: Option<OsString>,

    // Write a PATH shim into DIR for each TOOL that follows, with these options
    #[arg(long, group = "mode")]
    shims: Option<OsString>,

    // Print the completion script for a shell
    #[arg(long, group = "mode")]
    completions: Option<Shell>,

    // Print one screen (-h) or this (--help)
    #[arg(short, long, action = ArgAction::Help)]
    help: Option<bool>,

    // Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,

    // The command and its arguments
    #[arg(trailing_var_arg = true)]
    pub command: Vec<OsString>,

    /// `--share` (true) and `--no-share` (false) items in the order of the command line.
    #[arg(skip)]
    pub shares: Vec<(bool, OsString)>,

    /// `--set` and `--set-from` in the order of the command line.
    #[arg(skip)]
    pub sets: Vec<Assignment>,

    /// The groups of `--inherit-credentials`: `None` without the option, an empty list for the bare option.
    #[arg(skip)]
    pub grants: Option<Grants>,
}

impl Options {
    /// Will the command run? Only then may anything be read that can be read only once.
    pub fn is_run(&self) -> bool {
        !self.explain && !self.doctor
    }

    /// The command's `argv`: `--argv0` or the word as typed, then the arguments.
    pub fn argv(&self) -> Vec<OsString> {
        let mut argv = self.command.clone();
        if let (Some(first), Some(name)) = (argv.first_mut(), &self.argv0) {
            first.clone_from(name);
        }
        argv
    }
}

/// Reads the command line. `is_group` knows the credential groups. Errors: 125 for a usage error.
pub fn parse(args: &[OsString], is_group: impl Fn(&[u8]) -> bool) -> Result<Request, Failure> {
    let mut matches = match Options::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => return Ok(Request::Text(help::text(args).to_owned())),
        Err(error) if error.kind() == ErrorKind::DisplayVersion => return Ok(Request::Text(error.to_string())),
        Err(error) => return Err(usage_error(&error)),
    };
    let (shares, sets, grants) = (order::shares(&matches), order::sets(&matches), order::grants(&matches));
    // Moves the values out of the matches, which are not needed after this.
    let mut options = Options::from_arg_matches_mut(&mut matches).map_err(|error| usage_error(&error))?;
    (options.shares, options.sets, options.grants) = (shares, sets, grants);

    // `--inherit-credentials github gh pr list` means the group, but would start a command named `github`.
    if let Some(word) = options.command.first() {
        let before = args.len() - options.command.len() - 1;
        let names_groups = || word.as_bytes().split(|&byte| byte == b',').all(&is_group);
        if args[before] == "--inherit-credentials" && names_groups() {
            return Err(Failure::new("--inherit-credentials takes its groups after '='")
                .hint(format!("write --inherit-credentials={} or put -- before the command", word.to_string_lossy())));
        }
    }
    request(options)
}

/// The request, if the options can be combined.
fn request(options: Options) -> Result<Request, Failure> {
    let inspects = options.explain || options.doctor || options.catalogue;
    if options.json && !inspects {
        return Err(Failure::new("--json needs --explain, --doctor or --catalogue")
            .hint("hermes-exec --explain --json [--] COMMAND [ARG]..."));
    }
    if !options.only.is_empty() && (!options.explain || options.json) {
        return Err(Failure::new("--only needs --explain, and cannot be combined with --json")
            .hint("hermes-exec --explain --only NAME [--] COMMAND [ARG]..."));
    }
    if options.only.iter().any(|name| name.is_empty() || name.as_bytes().contains(&b'=')) {
        return Err(
            Failure::new("--only takes the name of a variable").hint("give the name without a value: --only NAME")
        );
    }
    if options.all && !options.doctor {
        return Err(Failure::new("--all needs --doctor").hint("hermes-exec --doctor --all"));
    }
    if options.all && options.profile.is_some() {
        return Err(Failure::new("--all and --profile cannot be used together").hint("give one of them"));
    }
    let is_about_setup = options.unlink || options.catalogue || options.doctor || options.completions.is_some();
    let has_command = !options.command.is_empty() || options.shell_string.is_some();
    if is_about_setup && has_command {
        return Err(Failure::new("--unlink, --doctor, --catalogue and --completions take no command")
            .hint("run the command separately, or use --explain"));
    }
    if options.shims.is_some() && (options.command.is_empty() || options.shell_string.is_some()) {
        return Err(Failure::new("--shims needs the names of the tools").hint("hermes-exec --shims DIR TOOL..."));
    }
    // clap rejects more than one of them.
    let mut options = Box::new(options);
    match (options.shims.take(), options.completions) {
        (Some(dir), _) => Ok(Request::Shims(dir, options)),
        (_, Some(shell)) => Ok(Request::Text(shell.completions().to_owned())),
        _ if options.catalogue => Ok(Request::Catalogue { json: options.json }),
        _ if options.doctor => Ok(Request::Doctor(options)),
        _ if options.unlink => Ok(Request::Unlink(options)),
        _ if options.explain => Ok(Request::Explain(options)),
        _ if !has_command => Err(Failure::new("no command given").hint(format!("usage: {USAGE} (see --help)"))),
        _ => Ok(Request::Run(options)),
    }
}
