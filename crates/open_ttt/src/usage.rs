//! The errors of the argument parser as single sentences.

use std::env;
use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};
use open_ttt_catalog::Catalog;
use open_ttt_lib::rules::{Named, quoted};

/// What is wrong with the command line of a program with the games of a catalog, what would
/// be right, and where to find help.
pub(crate) fn sentence(error: &Error, program: &Command, catalog: &Catalog) -> String {
    let mut command = program;
    let mut name = program.get_name().to_owned();
    let mut words = env::args_os().skip(1);
    while let Some(word) = words.next()
        && let Some(inner) = word.to_str().and_then(|word| command.find_subcommand(word))
    {
        command = inner;
        name.extend([" ", inner.get_name()]);
    }
    let message = message(error, command, catalog);
    format!("{message} (see {name} --help)")
}

fn message(error: &Error, command: &Command, catalog: &Catalog) -> String {
    let name = command.get_name();
    let word = |kind| words(error, kind).concat();
    let argument = word(ContextKind::InvalidArg);
    let flag = first_word(&argument);
    let value = word(ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            unknown_command(&word(ContextKind::InvalidSubcommand), command)
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            format!("{name} needs a command: {}", subcommands(command))
        }
        ErrorKind::UnknownArgument if command.has_subcommands() => {
            unknown_command(&argument, command)
        }
        ErrorKind::UnknownArgument => {
            let meant = match word(ContextKind::SuggestedArg) {
                flag if flag.is_empty() => game_flag(&argument, command, catalog),
                flag => Some(flag),
            };
            let right = match meant {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("its options are {}", flags(command)),
            };
            format!("{name} doesn't accept {}; {right}", quoted(&argument))
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = words(error, ContextKind::InvalidArg).join(", ");
            format!("{name} needs {missing}")
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("{flag} needs a value, as in {argument}")
        }
        ErrorKind::InvalidValue => {
            let right = words(error, ContextKind::ValidValue).join(", ");
            format!("{flag} can't be {}; it is one of {right}", quoted(&value))
        }
        ErrorKind::ValueValidation => match error.source() {
            Some(source) => format!("{flag}: {source}"),
            None => format!("{flag} can't be {}", quoted(&value)),
        },
        ErrorKind::TooManyValues => format!("{flag} doesn't take a value"),
        ErrorKind::ArgumentConflict => match word(ContextKind::PriorArg) {
            prior if prior == argument => format!("{flag} can only be given once"),
            prior => format!("{flag} and {} can't be combined", first_word(&prior)),
        },
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

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

fn unknown_command(word: &str, command: &Command) -> String {
    let (word, names) = (quoted(word), subcommands(command));
    format!("{word} isn't a command; the commands are {names}")
}

fn subcommands(command: &Command) -> String {
    let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    names.join(", ")
}

fn flags(command: &Command) -> String {
    let names = command.get_arguments().filter_map(Arg::get_long);
    let flags: Vec<_> = names.map(|name| format!("--{name}")).collect();
    flags.join(", ")
}

/// How a command that has a flag for games would be given this one.
fn game_flag(word: &str, command: &Command, catalog: &Catalog) -> Option<String> {
    command
        .get_arguments()
        .find(|argument| argument.get_long() == Some("game"))?;
    let game = catalog.game(word).ok()?.name();
    // A shell reads parentheses itself.
    let quote = if game.contains('(') { "'" } else { "" };
    Some(format!("--game {quote}{game}{quote}"))
}
