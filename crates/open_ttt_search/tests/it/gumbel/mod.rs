//! Gumbel search: it is the algorithm of its paper, its answers obey its laws, and
//! neither batches nor caches change them.

mod laws;
mod lock_step;
mod mctx;
pub(crate) mod opinionated;
mod proofs;
mod reference;

pub(crate) use opinionated::Opinionated;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{GumbelAnswer, GumbelOptions, GumbelSearch, PolicyValue, UniformPolicy};

/// The answer of a new search.
pub(crate) fn answer<G: TwoPlayerGame>(
    game: &G,
    options: GumbelOptions,
    seed: u64,
    mut model: impl PolicyValue<G>,
) -> GumbelAnswer<G::Move> {
    let mut search = GumbelSearch::new(game, options, &mut Rng::new(seed));
    search.run(&mut model).unwrap();
    search.answer()
}

/// The answer of a search with a uniform policy and without noise.
pub(crate) fn uniform_answer<G: TwoPlayerGame>(
    game: &G,
    simulations: u32,
) -> GumbelAnswer<G::Move> {
    answer(game, GumbelOptions::playing(simulations), 1, UniformPolicy)
}
