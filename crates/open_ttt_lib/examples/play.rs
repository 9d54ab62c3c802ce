//! Tic-tac-toe in the terminal, for two players or against the computer.
//!
//! With an argument the computer plays O, with this mistake probability from 0 to 1:
//!
//! ```text
//! cargo run --example play
//! cargo run --example play -- 0.25
//! ```

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::env;
use std::error::Error;
use std::io::{self, BufRead, Write};

use open_ttt_lib::random::Probability;
use open_ttt_lib::tic_tac_toe::{AiMove, Game, GameState, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let argument = env::args().nth(1);
    let mistake_probability: Option<f64> = argument.map(|text| text.parse()).transpose()?;
    mistake_probability.map(Probability::new).transpose()?;

    let mut lines = io::stdin().lock().lines();
    let mut game = Game::new();
    println!("Squares are numbered 1 to 9, row by row.");
    loop {
        println!("{}", game.board());
        match (game.state(), mistake_probability) {
            (GameState::PlayerOMove, Some(mistake_probability)) => {
                let ai_move = AiMove::new(&game, mistake_probability);
                println!("The computer marks {}.", ai_move.position());
                game.do_move(ai_move.position());
                continue;
            }
            (GameState::PlayerXMove, _) => print!("X, your square: "),
            (GameState::PlayerOMove, _) => print!("O, your square: "),
            (over, _) => {
                println!("{}", ending(over));
                println!("The other player goes first in the next game.");
                game.start_next_game();
                continue;
            }
        }
        io::stdout().flush()?;
        let Some(line) = lines.next().transpose()? else {
            println!("\nGoodbye!");
            return Ok(());
        };
        match position(&line).map(|position| game.try_move(position)) {
            Some(Ok(())) => {}
            Some(Err(error)) => println!("Illegal move: {error}."),
            None => println!("Enter a square, 1 to 9."),
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

fn ending(state: GameState) -> String {
    let (winner, lines) = match state {
        GameState::PlayerXWin(lines) => ("X", lines),
        GameState::PlayerOWin(lines) => ("O", lines),
        _ => return "A cat's game: nobody wins.".to_owned(),
    };
    let squares = |[from, _, to]: [open_ttt_lib::Square; 3]| {
        format!("from {} to {}", from.position, to.position)
    };
    let lines: Vec<String> = lines.map(squares).collect();
    format!("{winner} wins {}.", lines.join(" and "))
}
