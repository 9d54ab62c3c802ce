//! Solves Reversi on a small board: who wins, and by how many discs.
//!
//! ```text
//! cargo run --release -p open_ttt_search --example solve_reversi -- 4
//! cargo run --release -p open_ttt_search --example solve_reversi -- 6 c2 b4 c5 d2 e4 e3
//! ```
//!
//! The arguments are the size of the board and moves to play first. The whole board of
//! 6 by 6 squares takes long; the position after the moves above takes minutes.
//!
//! It is alpha-beta search in null windows, which close in on the value from both sides
//! (MTD(f), Plaat and others 1996), with a table of positions. The moves that leave the
//! opponent the fewest replies come first.

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::env;
use std::error::Error;
use std::time::Instant;

use open_ttt_lib::games::{Reversi, ReversiMove};
use open_ttt_lib::rules::{
    CompactKey, Heuristic, Margin, Notation, Side, SpecError, Symmetry, TwoPlayerGame, play_text,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let size = arguments.next().map_or(Ok(4), |size| size.parse())?;
    let mut game = Reversi::with_size(size).ok_or_else(|| SpecError::BadValue {
        owner: "reversi".to_owned(),
        argument: "size".to_owned(),
        value: size.to_string(),
        allowed: "4, 6 or 8".to_owned(),
    })?;
    for moves in arguments {
        play_text(&mut game, &moves)?;
    }
    let started = Instant::now();
    let mut solver = Solver::new(1 << 24);
    let (mut low, mut high) = (-64, 64);
    // Most values are close to even.
    let mut guess = 0;
    while low < high {
        let beta = if guess == low { guess + 1 } else { guess };
        guess = solver.search(&game, beta - 1, beta);
        if guess < beta {
            high = guess;
        } else {
            low = guess;
        }
        println!("{low} to {high}, {} positions", solver.positions);
    }
    let side = game.side_name(game.to_move());
    let seconds = started.elapsed().as_secs_f64();
    println!("{side} is to move and ends {low:+} discs; {seconds:.1} s");
    Ok(())
}

/// What is known of the value of a position, for the side to move.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    low: i8,
    high: i8,
}

struct Solver {
    table: Vec<Entry>,
    positions: u64,
}

/// Positions with fewer free squares are searched faster than looked up.
const MIN_FREE_IN_TABLE: u32 = 6;

/// Positions with fewer free squares are searched without sorting their moves.
const MIN_FREE_SORTED: u32 = 5;

/// Images of a position are one to the table if it has more free squares.
const MIN_FREE_CANONICAL: u32 = 24;

impl Solver {
    fn new(entries: usize) -> Self {
        let unknown = Entry {
            key: 0,
            low: i8::MIN,
            high: i8::MAX,
        };
        Self {
            table: vec![unknown; entries],
            positions: 0,
        }
    }

    /// The margin for the side to move: exact within the window, a bound outside.
    fn search(&mut self, game: &Reversi, alpha: i32, beta: i32) -> i32 {
        self.positions += 1;
        if game.outcome().is_some() {
            return margin(game);
        }
        let size = u32::from(game.size());
        let free = size * size - game.discs(Side::First) - game.discs(Side::Second);
        if free < MIN_FREE_SORTED {
            return self.best_of(game.moves().map(|m| game.after(m)), alpha, beta);
        }
        if free < MIN_FREE_IN_TABLE {
            return self.best_of(sorted(game, free), alpha, beta);
        }
        let key = if free >= MIN_FREE_CANONICAL {
            game.canonical().key()
        } else {
            game.key()
        };
        let slot = key as usize % self.table.len();
        let mut entry = self.table[slot];
        if entry.key != key {
            entry = Entry {
                key,
                low: i8::MIN,
                high: i8::MAX,
            };
        }
        if i32::from(entry.low) >= beta {
            return entry.low.into();
        }
        if i32::from(entry.high) <= alpha {
            return entry.high.into();
        }
        let value = self.best_of(sorted(game, free), alpha, beta);
        if value > alpha {
            entry.low = entry.low.max(value as i8);
        }
        if value < beta {
            entry.high = entry.high.min(value as i8);
        }
        self.table[slot] = entry;
        value
    }

    fn best_of(
        &mut self,
        nexts: impl IntoIterator<Item = Reversi>,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let mut best = i32::MIN;
        for next in nexts {
            best = best.max(-self.search(&next, -beta, -alpha));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

/// The positions after each move, those first that seem worst for the opponent: by a
/// shallow search if many squares are free, otherwise by the number of replies, a corner
/// counting for several.
fn sorted(game: &Reversi, free: u32) -> Vec<Reversi> {
    let depth = match free {
        20.. => 3,
        16.. => 2,
        12.. => 1,
        _ => 0,
    };
    let mut nexts: Vec<_> = game.moves().map(|m| game.after(m)).collect();
    if depth > 0 {
        nexts.sort_by_cached_key(|next| estimate(next, depth - 1, -i32::MAX, i32::MAX));
        return nexts;
    }
    let last = game.size() - 1;
    let is_corner = |m: &ReversiMove| match m {
        ReversiMove::Disc(square) => square.column() % last == 0 && square.row() % last == 0,
        ReversiMove::Pass => false,
    };
    nexts.sort_by_cached_key(|next| {
        next.moves().count() + 2 * next.moves().filter(is_corner).count()
    });
    nexts
}

/// The value of a position for the side to move, by a search of this depth.
fn estimate(game: &Reversi, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    if game.outcome().is_some() {
        return 1000 * margin(game);
    }
    if depth == 0 {
        return game.heuristic();
    }
    let mut best = -i32::MAX;
    for m in game.moves() {
        best = best.max(-estimate(&game.after(m), depth - 1, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// The margin for the side to move.
fn margin(game: &Reversi) -> i32 {
    match game.to_move() {
        Side::First => game.margin(),
        Side::Second => -game.margin(),
    }
}
