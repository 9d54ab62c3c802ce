//! What several benchmarks use: this library's games behind the interfaces of other
//! crates, a clock and medians.

mod arbor_board;
mod minimax_rules;

use std::cell::RefCell;
use std::sync::LazyLock;
use std::time::Instant;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};
use open_ttt_search::Clock;

pub use arbor_board::{ArborBoard, ArborMove};
pub use minimax_rules::MinimaxRules;

/// The time since the first call.
pub fn clock() -> Clock {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    Clock::new(|| START.elapsed())
}

pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The outcome of a random game, with random numbers per thread.
pub fn random_game<G: TwoPlayerGame>(game: &G) -> Outcome {
    thread_local! {
        static RNG: RefCell<Rng> = const { RefCell::new(Rng::new(1)) };
    }
    RNG.with_borrow_mut(|rng| game.clone().play_out(&mut || rng.next_u64()))
}

pub fn points(outcome: Outcome, side: Side) -> f32 {
    match outcome {
        Outcome::Win(winner) if winner == side => 1.0,
        Outcome::Win(_) => 0.0,
        Outcome::Draw => 0.5,
    }
}
