//! Tic-tac-toe for two players in the terminal.
//!
//! ```text
//! cargo run --example two_players
//! ```

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::io::{self, BufRead, Write};

use open_ttt_lib::tic_tac_toe::{Game, GameState, Position};

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let mut game = Game::new();
    loop {
        println!("{}", game.board());
        match game.state() {
            GameState::PlayerXMove => print!("X, row and column (1 to 3): "),
            GameState::PlayerOMove => print!("O, row and column (1 to 3): "),
            over => {
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
        match position(&line) {
            None => println!("Enter two numbers, such as \"1 3\" for the top right corner."),
            Some(position) => {
                if let Err(error) = game.try_move(position) {
                    println!("Illegal move: {error}.");
                }
            }
        }
    }
}

/// Rows and columns are entered from 1.
fn position(line: &str) -> Option<Position> {
    let mut numbers = line.split_whitespace().map(str::parse::<i32>);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(row @ 1..=3)), Some(Ok(column @ 1..=3)), None) => Some(Position {
            row: row - 1,
            column: column - 1,
        }),
        _ => None,
    }
}

fn ending(state: GameState) -> String {
    let (winner, lines) = match state {
        GameState::PlayerXWin(lines) => ("X", lines),
        GameState::PlayerOWin(lines) => ("O", lines),
        _ => return "A cat's game: nobody wins.".to_owned(),
    };
    let lines: Vec<String> = lines
        .map(|[from, _, to]| {
            let (from, to) = (from.position, to.position);
            format!(
                "from {} {} to {} {}",
                from.row + 1,
                from.column + 1,
                to.row + 1,
                to.column + 1
            )
        })
        .collect();
    format!("{winner} wins {}.", lines.join(" and "))
}
