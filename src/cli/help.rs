//! The texts around clap's list of options. Their lines fit a terminal of 80 columns.
#![forbid(unsafe_code)]

/// The headings of `--help`.
pub const PROFILE: &str = "Profile and HOME";
pub const ENVIRONMENT: &str = "Environment";
pub const SHARING: &str = "Sharing";
pub const SEALING: &str = "Sealing";
pub const INSPECTING: &str = "Inspecting";
pub const OTHER: &str = "Other";

/// What `-h` prints: one screen of 24 lines.
pub const BRIEF: &str = "\
Usage: hermes-exec [OPTIONS] [--] COMMAND [ARG]...
Run COMMAND in place, without Hermes' credentials and venv markers, in the HOME
of a Hermes profile.

  -p, --profile NAME                   --hermes-home DIR
  --home auto|profile|real             --share ITEM,...     --no-share ITEM,...
  --inherit-credentials[=GROUP,...]    grant credentials, by group
  --keep PATTERN                       keep variables; * and ? match
  -u, --unset PATTERN                  remove variables
  --set NAME=VALUE                     --set-from NAME=FILE
  --markers all|own   --minimal        --policy FILE        --no-policy
  --seal[=off|on|files]                what is removed cannot be read back
  -c STRING                            COMMAND is a shell that runs STRING
  -C, --chdir DIR                      -a, --argv0 NAME
  -v, --verbose   -q, --quiet          name what is changed; no warnings
Instead of a run:
  -n, --explain, --dry-run             what would be done (--only NAME, --json)
  --doctor                             check the setup, suggest fixes (--json)
  --catalogue   --unlink               the table of names; remove our links
  --shims DIR TOOL...                  write PATH shims with these options
  --completions bash|zsh|fish          -h, --help           -V, --version

Exit status: 125 ours, 126 cannot run, 127 not found. --help says more.
";

/// Below the options of `--help`, and not of `-h`.
pub const EXAMPLES: &str = "\
Examples:
  hermes-exec -- uv sync
      The project's own venv, and never Hermes'
  hermes-exec -p builder --inherit-credentials=claude-code -- claude -p 'Fix'
      In the HOME of the profile builder, with the token of a subscription
  hermes-exec -n -p builder -- gh pr list
      What would be done for this command, and why

Exit status: 125 hermes-exec itself failed, 126 COMMAND cannot be started,
127 COMMAND was not found, otherwise COMMAND's own.
This is hygiene, not a security boundary: COMMAND has your uid.";
