//! The worst-case time that [`AiMove`] blocks: the slowest of all unfinished
//! positions, in nanoseconds a move.
//!
//! ```text
//! cargo bench -p open_ttt_lib
//! ```

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use open_ttt_lib::tic_tac_toe::{AiMove, Board, Game, GameState};

/// Moves timed together, because a clock can't resolve a single one.
const BATCH: u32 = 200;
/// The shortest of this many batches counts, which leaves out interruptions.
const BATCHES: u32 = 5;

fn main() {
    let mut values = HashMap::new();
    value(&Game::new(), &mut values);
    let unfinished: Vec<Game> = values.values().map(|(game, _)| game.clone()).collect();
    assert_eq!(unfinished.len(), 4_520);
    for game in &unfinished {
        let mut after = game.clone();
        after.do_move(AiMove::new(game, 0.0).position());
        let best = value(game, &mut values);
        assert_eq!(-value(&after, &mut values), best, "{}", game.board());
    }

    let times = unfinished.iter().map(|game| (nanoseconds(game), game));
    let (slowest, game) = times
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .expect("there are 4,520 positions");
    println!("AiMove, new game: {:.1} ns", nanoseconds(&Game::new()));
    println!("AiMove, slowest of 4,520 positions: {slowest:.1} ns");
    println!("{}", game.board());
}

/// The time of a move in a position, in nanoseconds.
fn nanoseconds(game: &Game) -> f64 {
    let batch = |_| {
        let start = Instant::now();
        for _ in 0..BATCH {
            black_box(AiMove::new(black_box(game), 0.0));
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH)
    };
    (0..BATCHES).map(batch).fold(f64::INFINITY, f64::min)
}

/// The value for the player to move, 1, 0 or -1, by plain negamax. Unfinished
/// positions are added to `values`.
fn value(game: &Game, values: &mut HashMap<Board, (Game, i8)>) -> i8 {
    match game.state() {
        GameState::CatsGame => return 0,
        GameState::PlayerXWin(_) | GameState::PlayerOWin(_) => return -1,
        GameState::PlayerXMove | GameState::PlayerOMove => {}
    }
    if let Some((_, value)) = values.get(game.board()) {
        return *value;
    }
    let mut best = -1;
    for square in game.board().free_squares() {
        let mut after = game.clone();
        after.do_move(square.position);
        best = best.max(-value(&after, values));
    }
    values.insert(game.board().clone(), (game.clone(), best));
    best
}
