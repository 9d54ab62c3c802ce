//! What the command line says about the games of a catalog.

use clap::Command;
use open_ttt_catalog::{Catalog, DynGame, GameEntry};
use open_ttt_lib::rules::{Notation, SpecError, TwoPlayerGame};

use crate::args;
use crate::examples;

/// The name of the values that are games.
pub(crate) const KEY: &str = "KEY";

/// The parser of games where the arguments are declared. [`of_catalog`] replaces it by
/// the search of a catalog, which a declaration can't have.
pub(crate) fn bundled(name: &str) -> Result<DynGame, SpecError> {
    Catalog::bundled().game(name)
}

/// The command line with the games of this catalog in its arguments and defaults.
pub(crate) fn of_catalog(program: Command, catalog: &Catalog) -> Command {
    program
        .name(crate::program_name())
        .mut_subcommands(|command| with_games(command, catalog))
}

/// The command line with the games of this catalog in its help texts.
pub(crate) fn with_help(program: Command, catalog: &Catalog) -> Command {
    let name = crate::program_name();
    let long_about = format!(
        "{}\n\nWithout a command, the menu opens. Name a game by its key and parameters, as listed \
         by {name} games. Write moves in the game's notation{}.",
        program.get_about().cloned().unwrap_or_default(),
        notations(catalog),
    );
    let computers = args::computers_help(catalog);
    let players = computers.replacen('\n', "\n  human\n", 1);
    let example = catalog.keys().next().unwrap_or(KEY);
    program.long_about(long_about).mut_subcommands(|command| {
        let command = match command.get_name() {
            "play" => command.after_help(players.clone()),
            "analyze" | "arena" | "join" => command.after_help(computers.clone()),
            _ => command,
        };
        examples::with_examples(command, &name, example)
    })
}

/// A command whose arguments are games of this catalog. The command `play` has the first
/// of them as its default.
fn with_games(command: Command, catalog: &Catalog) -> Command {
    let default = catalog
        .keys()
        .next()
        .filter(|_| command.get_name() == "play");
    command.mut_args(|argument| {
        let is_game = argument
            .get_value_names()
            .is_some_and(|names| names == [KEY]);
        if !is_game {
            return argument;
        }
        let finder = catalog.clone();
        let argument = argument.value_parser(move |name: &str| finder.game(name));
        match default {
            Some(first) => argument.default_value(first).required(false),
            None => argument,
        }
    })
}

/// A move of each game as an example: `: a1 in ttt, A in pegs`.
fn notations(catalog: &Catalog) -> String {
    let example = |entry: &GameEntry| {
        let start = catalog.game(entry.key).ok()?;
        let m = start.moves().next()?;
        Some(format!("{} in {}", start.move_text(m), entry.key))
    };
    let examples: Vec<_> = catalog.games().iter().filter_map(example).collect();
    match &*examples {
        [] => String::new(),
        examples => format!(": {}", examples.join(", ")),
    }
}

/// Names with parameters as examples: `pegs(lines=34) or mnk(m=15,n=15,k=5)`; `None` if
/// no game has parameters.
pub(crate) fn names_with_parameters(catalog: &Catalog) -> Option<String> {
    let example = |entry: &GameEntry| {
        let values = entry.parameters.iter();
        let values = values.map(|parameter| format!("{}={}", parameter.name, parameter.default));
        format!("{}({})", entry.key, values.collect::<Vec<_>>().join(","))
    };
    let entries = catalog.games().iter();
    let with_parameters = entries.filter(|entry| !entry.parameters.is_empty());
    let examples: Vec<_> = with_parameters.take(2).map(example).collect();
    (!examples.is_empty()).then(|| examples.join(" or "))
}

/// The keys of the games for which a condition holds, as `a, b and c`.
pub(crate) fn keys_where(catalog: &Catalog, condition: impl Fn(&DynGame) -> bool) -> String {
    let is_one = |key: &&str| catalog.game(key).is_ok_and(|game| condition(&game));
    let keys: Vec<_> = catalog.keys().filter(is_one).collect();
    match &*keys {
        [keys @ .., last] if !keys.is_empty() => format!("{} and {last}", keys.join(", ")),
        keys => keys.concat(),
    }
}
