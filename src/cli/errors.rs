//! clap's errors in our words: clap would echo any bad value, which may be a secret, and print several lines.
#![forbid(unsafe_code)]

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::Failure;
use crate::plan::catalogue::closest;
use crate::plan::env::secrets::mistyped;
use crate::text::escaped;

/// The line that `--help` and every usage error show.
pub const USAGE: &str = "hermes-exec [OPTIONS] [--] COMMAND [ARG]...";

pub fn usage_error(error: &clap::Error) -> Failure {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    // "--home <MODE>", "--seal[=<LEVEL>]" and "--profil=x": the text starts with the option's name.
    let option = text(ContextKind::InvalidArg).unwrap_or_default();
    let option = escaped(option.split([' ', '=', '[']).next().unwrap_or_default().as_bytes());
    let usage = format!("usage: {USAGE} (see --help)");
    match error.kind() {
        ErrorKind::UnknownArgument => {
            Failure::new(format!("unknown option {option}")).hint(match text(ContextKind::SuggestedArg) {
                Some(close) => format!("did you mean {close}? Put a command that starts with '-' after --"),
                None => usage,
            })
        }
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_some_and(|value| !value.is_empty()) => {
            let value = text(ContextKind::InvalidValue).unwrap_or_default();
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) => known.as_slice(),
                _ => &[],
            };
            let close = closest(&value, known.iter().map(String::as_str));
            let close = close.map(|close| format!("did you mean '{close}'? ")).unwrap_or_default();
            let message = match mistyped(value.as_bytes()) {
                Some(value) => format!("{option}: {value} is not a valid value"),
                None => format!("{option}: invalid value"),
            };
            Failure::new(message).hint(format!("{close}valid values: {}", known.join(", ")))
        }
        ErrorKind::InvalidValue => Failure::new(format!("{option} needs a value")).hint(usage),
        ErrorKind::TooManyValues => Failure::new(format!("{option} takes no value")).hint(usage),
        ErrorKind::NoEquals => Failure::new(format!("{option} needs '=' before its value")).hint(usage),
        ErrorKind::ArgumentConflict => {
            let other = text(ContextKind::PriorArg).unwrap_or_default();
            Failure::new(format!("{option} and {other} cannot be used together")).hint("give only one of them")
        }
        kind => Failure::new(format!("wrong usage: {kind}")).hint(usage),
    }
}
