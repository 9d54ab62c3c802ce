//! The errors of the argument parser as single sentences.

use std::env;
use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use open_ttt_lib::rules::quoted;

/// What is wrong with the command line, what would be right, and where to find
/// help.
pub(crate) fn sentence(error: &Error, program: &Command) -> String {
    let command = env::args_os()
        .nth(1)
        .and_then(|word| program.find_subcommand(word.to_str()?));
    let name = command.map_or_else(String::new, |command| format!(" {}", command.get_name()));
    let message = message(error, program, command.unwrap_or(program));
    format!("{message} (see open_ttt{name} --help)")
}

fn message(error: &Error, program: &Command, command: &Command) -> String {
    let name = command.get_name();
    let argument = || words(error, ContextKind::InvalidArg).concat();
    let flag = || first_word(&argument());
    let value = words(error, ContextKind::InvalidValue).concat();
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = words(error, ContextKind::InvalidSubcommand).concat();
            unknown_command(&word, program)
        }
        ErrorKind::UnknownArgument if command.has_subcommands() => {
            unknown_command(&argument(), command)
        }
        ErrorKind::UnknownArgument => format!(
            "{name} doesn't accept {}; its options are {}",
            quoted(&argument()),
            flags(command)
        ),
        ErrorKind::MissingRequiredArgument => {
            let missing = words(error, ContextKind::InvalidArg).join(", ");
            format!("{name} needs {missing}")
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("{} needs a value, as in {}", flag(), argument())
        }
        ErrorKind::ValueValidation => match error.source() {
            Some(source) => format!("{}: {source}", flag()),
            None => format!("{} can't be {}", flag(), quoted(&value)),
        },
        ErrorKind::TooManyValues => format!("{} doesn't take a value", flag()),
        ErrorKind::ArgumentConflict => {
            let prior = words(error, ContextKind::PriorArg).concat();
            if prior == argument() {
                format!("{} can only be given once", flag())
            } else {
                let prior = first_word(&prior);
                format!("{} and {prior} can't be combined", flag())
            }
        }
        ErrorKind::InvalidUtf8 => "an argument isn't valid UTF-8".to_owned(),
        kind => kind.to_string(),
    }
}

/// The strings of one kind in the error's context.
fn words(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => vec![word.clone()],
        Some(ContextValue::Strings(words)) => words.clone(),
        _ => Vec::new(),
    }
}

fn first_word(text: &str) -> String {
    text.split(' ').next().unwrap_or_default().to_owned()
}

fn unknown_command(word: &str, program: &Command) -> String {
    let names: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
    let word = quoted(word);
    format!(
        "{word} isn't a command; the commands are {}",
        names.join(", ")
    )
}

fn flags(command: &Command) -> String {
    let flags: Vec<_> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long())
        .map(|long| format!("--{long}"))
        .collect();
    flags.join(", ")
}
