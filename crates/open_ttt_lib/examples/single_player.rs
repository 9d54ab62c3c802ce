//! Tic-tac-toe against the computer in the terminal.
//!
//! The argument is the computer's mistake probability, 0 to 1:
//!
//! ```text
//! cargo run --example single_player -- 0.25
//! ```

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::env;
use std::io::{self, BufRead, Write};

use open_ttt_lib::random::Probability;
use open_ttt_lib::tic_tac_toe::{AiMove, Game, GameState, Position};

fn main() -> io::Result<()> {
    let argument = env::args().nth(1).unwrap_or("0.25".to_owned());
    let mistake_probability = argument.parse().unwrap_or(f64::NAN);
    if let Err(error) = Probability::new(mistake_probability) {
        println!("Invalid mistake probability {argument:?}: {error}.");
        return Ok(());
    }

    let mut lines = io::stdin().lock().lines();
    let mut game = Game::new();
    println!("You are X. Squares are numbered 1 to 9, row by row.");
    loop {
        match game.state() {
            GameState::PlayerXMove => {
                println!("{}", game.board());
                print!("Your square: ");
                io::stdout().flush()?;
                let Some(line) = lines.next().transpose()? else {
                    println!("\nGoodbye!");
                    return Ok(());
                };
                match position(&line) {
                    Some(position) if game.can_move(position) => game.do_move(position),
                    _ => println!("Enter a free square, 1 to 9."),
                }
            }
            GameState::PlayerOMove => {
                let ai_move = AiMove::new(&game, mistake_probability);
                println!("The computer marks {}.", ai_move.position());
                game.do_move(ai_move.position());
            }
            over => {
                println!("{}", game.board());
                println!("{}", ending(over));
                game.start_next_game();
            }
        }
    }
}

fn position(line: &str) -> Option<Position> {
    let square: i32 = line.trim().parse().ok()?;
    (1..=9).contains(&square).then(|| Position {
        row: (square - 1) / 3,
        column: (square - 1) % 3,
    })
}

fn ending(state: GameState) -> &'static str {
    match state {
        GameState::PlayerXWin(_) => "You win!",
        GameState::PlayerOWin(_) => "The computer wins.",
        _ => "A cat's game: nobody wins.",
    }
}
