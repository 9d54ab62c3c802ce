//! Gumbel search: it is the algorithm of its paper, its answers obey its laws,
//! and neither batches nor caches make a difference.

mod laws;
mod lock_step;
mod mctx;
mod player;
mod points;
mod proofs;
mod reference;

use std::hash::{DefaultHasher, Hasher};

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_lib::search::{
    Estimates, GumbelAnswer, GumbelOptions, GumbelSearch, PolicyValue, Uninformed,
};

/// Thinks of every position something else, and of the same one always the
/// same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opinionated;

impl Opinionated {
    /// The value and the logits.
    pub(crate) fn opinion<G: TwoPlayerGame>(position: &G) -> (f32, Vec<f32>) {
        let mut hasher = DefaultHasher::new();
        position.hash(&mut hasher);
        let mut rng = Rng::new(hasher.finish());
        let mut unit = || (rng.next_u64() >> 40) as f32 / (1 << 24) as f32;
        let value = 1.6 * unit() - 0.8;
        (value, position.moves().map(|_| 3.0 * unit()).collect())
    }
}

impl<G: TwoPlayerGame> PolicyValue<G> for Opinionated {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        for &position in positions {
            let (value, logits) = Self::opinion(position);
            estimates.push(value, logits);
        }
    }
}

/// The answer of a search of its own.
pub(crate) fn answer<G: TwoPlayerGame>(
    game: &G,
    options: GumbelOptions,
    seed: u64,
    mut guide: impl PolicyValue<G>,
) -> GumbelAnswer<G::Move> {
    let mut search = GumbelSearch::new(game, options, &mut Rng::new(seed));
    search.run(&mut guide).unwrap();
    search.answer()
}

/// The same, of one that is not told anything and has no chance in it.
pub(crate) fn untaught<G: TwoPlayerGame>(game: &G, simulations: u32) -> GumbelAnswer<G::Move> {
    answer(game, GumbelOptions::playing(simulations), 1, Uninformed)
}
