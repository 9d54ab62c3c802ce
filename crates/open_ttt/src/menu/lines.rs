//! The menu as lines of text.

use std::io::{BufRead, Write};

use open_ttt_app::{Console, Opponent, Seat, SessionEnd, sentence};
use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::rules::{Notation, Side};

use crate::app;
use crate::failure::Failure;
use crate::games::names_with_parameters;
use crate::kept_games::KeptGames;
use crate::opponents;

pub(super) fn run(catalog: &Catalog, kept: Option<&KeptGames>) -> Result<(), Failure> {
    let mut console = Console::terminal();
    let end = menu(&mut console, catalog, kept);
    Ok(console.finish(end)?)
}

/// Shows the menu until the player quits.
fn menu(
    console: &mut Console<impl BufRead, impl Write>,
    catalog: &Catalog,
    kept: Option<&KeptGames>,
) -> Result<(), SessionEnd> {
    loop {
        let title = format!("{}\n", super::title());
        match ask(console, &title, &["Play", "Rules", "Quit"])? {
            0 => play(console, catalog, kept)?,
            1 => {
                if let Some(game) = choose_game(console, catalog)? {
                    let game = game.entry();
                    console.print(&format!("{}\n\n{}\n", game.title, game.rules))?;
                }
            }
            _ => return Err(SessionEnd::Quit),
        }
    }
}

/// Sets up a series of games and plays it, unless the player goes back.
fn play(
    console: &mut Console<impl BufRead, impl Write>,
    catalog: &Catalog,
    kept: Option<&KeptGames>,
) -> Result<(), SessionEnd> {
    let Some(game) = choose_game(console, catalog)? else {
        return Ok(());
    };
    let modes = [
        "human vs human",
        "human vs computer",
        "computer vs computer",
    ];
    let humans: &[Side] = match ask_or_back(console, "Who plays?", &modes)? {
        None => return Ok(()),
        Some(0) => &Side::BOTH,
        Some(1) => {
            let [first, second] = Side::BOTH.map(|side| game.side_name(side));
            let sides = [format!("{first} (goes first)"), second.to_owned()];
            let question = "Which side do you want to play?";
            let Some(index) = ask_or_back(console, question, &sides)? else {
                return Ok(());
            };
            &Side::BOTH[index..=index]
        }
        _ => &[],
    };
    let mut app = app::without_opponents(&game);
    for side in Side::BOTH {
        let seat = if humans.contains(&side) {
            Some(Seat::Human)
        } else {
            choose_computer(console, &game, side)?
        };
        let Some(seat) = seat else {
            return Ok(());
        };
        app = app.seat(side, seat);
    }
    app::keeping(app, kept).play(console)?;
    console.print("")?;
    Ok(())
}

/// The game that the player chooses; `None` to go back.
fn choose_game(
    console: &mut Console<impl BufRead, impl Write>,
    catalog: &Catalog,
) -> Result<Option<DynGame>, SessionEnd> {
    let games = catalog.games();
    console.print("Which game?")?;
    let titles = games
        .iter()
        .map(|game| format!("{} ({})", game.title, game.key))
        .chain([BACK.to_owned()]);
    console.print_numbered(&titles.collect::<Vec<_>>())?;
    let help = match names_with_parameters(catalog) {
        Some(names) => format!("Type a number, or a key with parameters, such as {names}"),
        None => "Type a number or a key".to_owned(),
    };
    let game = console.choose(&help, |text| {
        let index = text.parse::<usize>().ok();
        if text.eq_ignore_ascii_case(BACK) || index == Some(games.len() + 1) {
            return Ok(None);
        }
        let numbered = index.and_then(|number| games.get(number.checked_sub(1)?));
        let name = numbered.map_or(text, |game| game.key);
        catalog.game(name).map(Some).map_err(sentence)
    })?;
    console.print("")?;
    Ok(game)
}

/// The computer that the player chooses for a side; `None` to go back.
fn choose_computer(
    console: &mut Console<impl BufRead, impl Write>,
    game: &DynGame,
    side: Side,
) -> Result<Option<Seat<DynGame>>, SessionEnd> {
    let mut computers = opponents::all(game);
    let question = format!("How strong should {} be?", game.side_name(side));
    let names: Vec<_> = computers.iter().map(Opponent::name).collect();
    let index = ask_or_back(console, &question, &names)?;
    Ok(index.map(|index| Seat::Computer(computers.swap_remove(index))))
}

/// The last answer to each question after the first: the menu again.
const BACK: &str = "Back";

/// Asks a question; returns the index of the answer, or `None` to go back.
fn ask_or_back(
    console: &mut Console<impl BufRead, impl Write>,
    question: &str,
    answers: &[impl AsRef<str>],
) -> Result<Option<usize>, SessionEnd> {
    let answers = answers.iter().map(AsRef::as_ref);
    let answers: Vec<&str> = answers.chain([BACK]).collect();
    let index = ask(console, question, &answers)?;
    Ok((index < answers.len() - 1).then_some(index))
}

/// Asks a question; returns the index of the answer.
fn ask(
    console: &mut Console<impl BufRead, impl Write>,
    question: &str,
    answers: &[impl AsRef<str>],
) -> Result<usize, SessionEnd> {
    console.print(question)?;
    let index = console.choose_numbered(answers)?;
    console.print("")?;
    Ok(index)
}
