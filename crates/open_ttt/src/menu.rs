//! The menu: play, rules, quit.

use std::io::{BufRead, Write};

use open_ttt_app::{App, Console, Leave, Seat};
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::{Notation, Side, quoted};

use crate::failure::Failure;
use crate::opponents;

const MENU: &str = "\
open_ttt: board games for two

1 play
2 rules
3 quit";

const MODES: &str = "\
Who plays?
1 human against human
2 human against computer
3 computer against computer";

/// What is chosen in the menu.
#[derive(Clone, Copy)]
enum Choice {
    Play,
    Rules,
    Quit,
}

/// Who plays against whom.
#[derive(Clone, Copy)]
enum Mode {
    HumanHuman,
    HumanComputer,
    ComputerComputer,
}

pub(crate) fn run() -> Result<(), Failure> {
    let mut console = Console::terminal();
    let ended = menu(&mut console);
    Ok(console.end(ended)?)
}

/// Shows the menu until somebody plays, or leaves.
fn menu(console: &mut Console<impl BufRead, impl Write>) -> Result<(), Leave> {
    loop {
        console.say(MENU)?;
        let help = "Write the number or the first letter of what you want";
        let choice = console.choose(help, |text| match &*text.to_lowercase() {
            "1" | "p" | "play" => Ok(Choice::Play),
            "2" | "r" | "rules" => Ok(Choice::Rules),
            "3" | "q" | "quit" => Ok(Choice::Quit),
            _ => Err(format!("{} is neither play, rules nor quit", quoted(text))),
        })?;
        console.say("")?;
        match choice {
            Choice::Play => return play(console),
            Choice::Rules => {
                let game = choose_game(console)?;
                console.say(&format!("{}\n\n{}\n", game.title(), game.rules()))?;
            }
            Choice::Quit => return Err(Leave::Quit),
        }
    }
}

fn play(console: &mut Console<impl BufRead, impl Write>) -> Result<(), Leave> {
    let game = choose_game(console)?;
    console.say(MODES)?;
    let mode = console.choose("Write 1, 2 or 3", |text| match text {
        "1" => Ok(Mode::HumanHuman),
        "2" => Ok(Mode::HumanComputer),
        "3" => Ok(Mode::ComputerComputer),
        _ => Err(format!("{} is neither 1, 2 nor 3", quoted(text))),
    })?;
    console.say("")?;
    let humans: &[Side] = match mode {
        Mode::HumanHuman => &Side::BOTH,
        Mode::HumanComputer => &[choose_side(console, &game)?],
        Mode::ComputerComputer => &[],
    };
    let mut app = App::new(game.clone());
    for side in Side::BOTH {
        let seat = if humans.contains(&side) {
            Seat::Human
        } else {
            choose_computer(console, &game, side)?
        };
        app = app.seat(side, seat);
    }
    app.play(console)
}

fn choose_game(console: &mut Console<impl BufRead, impl Write>) -> Result<DynGame, Leave> {
    console.say("Which game?")?;
    for (index, entry) in open_ttt_catalog::games().iter().enumerate() {
        console.say(&format!("{} {} ({})", index + 1, entry.title, entry.key))?;
    }
    let help = "Write a number, or a name with what you choose about the game, \
                such as pegs(lines=38) or mnk(m=5,n=5,k=4)";
    let game = console.choose(help, |text| {
        let by_number = || {
            let index = text.parse::<usize>().ok()?.checked_sub(1)?;
            open_ttt_catalog::games().get(index)
        };
        let name = by_number().map_or(text, |entry| entry.key);
        open_ttt_catalog::game(name).map_err(|error| error.to_string())
    })?;
    console.say("")?;
    Ok(game)
}

fn choose_side(
    console: &mut Console<impl BufRead, impl Write>,
    game: &DynGame,
) -> Result<Side, Leave> {
    let [first, second] = Side::BOTH.map(|side| game.side_name(side));
    console.say(&format!(
        "Which side are you?\n1 {first}, who moves first\n2 {second}"
    ))?;
    let side = console.choose("Write the number or the name of a side", |text| {
        let is = |number: &str, name: &str| {
            let text = text.to_lowercase();
            let name = name.to_lowercase();
            text == number || text == name || (text.len() == 1 && name.starts_with(&text))
        };
        match () {
            () if is("1", first) => Ok(Side::First),
            () if is("2", second) => Ok(Side::Second),
            () => Err(format!("{} is neither {first} nor {second}", quoted(text))),
        }
    })?;
    console.say("")?;
    Ok(side)
}

fn choose_computer(
    console: &mut Console<impl BufRead, impl Write>,
    game: &DynGame,
    side: Side,
) -> Result<Seat<DynGame>, Leave> {
    let mut roster = opponents::roster(game);
    console.say(&format!("How strong is {}?", game.side_name(side)))?;
    for (index, opponent) in roster.iter().enumerate() {
        console.say(&format!("{} {}", index + 1, opponent.name()))?;
    }
    let count = roster.len();
    let index = console.choose("Write the number of a computer above", |text| {
        let number = text.parse::<usize>().ok();
        number
            .and_then(|number| number.checked_sub(1))
            .filter(|&index| index < count)
            .ok_or_else(|| format!("{} is no number from 1 to {count}", quoted(text)))
    })?;
    console.say("")?;
    Ok(Seat::Computer(roster.swap_remove(index)))
}
