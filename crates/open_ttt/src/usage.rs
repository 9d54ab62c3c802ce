//! What the argument parser found wrong, as one sentence.

use std::env;
use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use open_ttt_lib::rules::quoted;

/// What was wrong with the command line, what would be right, and which help
/// says more.
pub(crate) fn sentence(error: &Error, program: &Command) -> String {
    let command = env::args_os()
        .nth(1)
        .and_then(|word| program.find_subcommand(word.to_str()?));
    let name = match command {
        Some(command) => format!("open_ttt {}", command.get_name()),
        None => "open_ttt".to_owned(),
    };
    let wrong = wrong(error, program, command.unwrap_or(program));
    format!("{wrong} (see {name} --help)")
}

fn wrong(error: &Error, program: &Command, command: &Command) -> String {
    let name = command.get_name();
    let argument = || words(error, ContextKind::InvalidArg).concat();
    let flag = || first_word(&argument());
    let value = words(error, ContextKind::InvalidValue).concat();
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = words(error, ContextKind::InvalidSubcommand).concat();
            format!(
                "{} is no command; there is {}",
                quoted(&word),
                commands(program)
            )
        }
        ErrorKind::UnknownArgument if command.has_subcommands() => format!(
            "{} is no command; there is {}",
            quoted(&argument()),
            commands(command)
        ),
        ErrorKind::UnknownArgument => format!(
            "{name} does not know {}; it takes {}",
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
            None => format!("{} may not be {}", flag(), quoted(&value)),
        },
        ErrorKind::TooManyValues => format!("{} takes no value", flag()),
        ErrorKind::ArgumentConflict => {
            let prior = words(error, ContextKind::PriorArg).concat();
            if prior == argument() {
                format!("{} may be given only once", flag())
            } else {
                let prior = first_word(&prior);
                format!("{} and {prior} cannot go together; give one", flag())
            }
        }
        ErrorKind::InvalidUtf8 => {
            "an argument is not text in UTF-8; games, players and moves are plain letters and digits"
                .to_owned()
        }
        kind => kind.to_string(),
    }
}

/// What the parser says about one side of the matter.
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

fn commands(program: &Command) -> String {
    let names: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
    names.join(", ")
}

fn flags(command: &Command) -> String {
    let flags: Vec<_> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long())
        .map(|long| format!("--{long}"))
        .collect();
    flags.join(", ")
}
