//! The players as their users see them.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod arena;
mod fallible_player;
mod gumbel_player;
mod gumbel_player_margin;
mod line_player;
mod negamax;
#[path = "../../../open_ttt_search/tests/it/gumbel/opinionated.rs"]
mod opinionated;
mod perfect_retrograde;
mod players;
mod sprt;
mod text_record;
#[path = "../../../open_ttt_search/tests/it/unfinished.rs"]
mod unfinished;

use open_ttt_lib::random::{Probability, Rng};
use open_ttt_players::difficulty::Difficulty;

/// A difficulty with this probability of mistakes.
fn difficulty(mistakes: f64, seed: u64) -> Difficulty {
    Difficulty {
        mistakes: Probability::new(mistakes).unwrap(),
        rng: Rng::new(seed),
    }
}
