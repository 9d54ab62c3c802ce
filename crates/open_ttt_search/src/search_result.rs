use alloc::vec::Vec;

use crate::{Score, sort_moves};
use open_ttt_lib::rules::TwoPlayerGame;

/// The result of searching a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<M> {
    /// The score of the position, for the side to move.
    pub score: Score,
    /// Every move that keeps this score, in the game's order; empty exactly when
    /// the game is over.
    pub best: Vec<M>,
    /// The moves of both sides under best play, as far as the search saw. It
    /// starts with one of the best moves.
    pub principal_variation: Vec<M>,
    /// Each move searched with its score, the best first. With
    /// [`RootMoves::BestOnly`] a score below the best is an upper bound.
    pub moves: Vec<(M, Score)>,
    /// The depth completed, in plies; of a proof by [`Prover`](crate::Prover) the number
    /// of plies to the end of the game.
    pub depth: u32,
    /// The number of positions searched.
    pub nodes: u64,
    /// Whether score and best moves are certain: no deeper search changes them.
    pub proved: bool,
}

/// Which moves of the root position get an exact score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMoves {
    /// The best ones. Faster, because the others need only be shown to be worse.
    #[default]
    BestOnly,
    /// All of them.
    All,
}

impl<M: Copy + Eq> SearchResult<M> {
    /// The result of a search that is exact to the end of the game.
    pub(crate) fn proved(
        game: &impl TwoPlayerGame<Move = M>,
        score: Score,
        moves: Vec<(M, Score)>,
        principal_variation: Vec<M>,
        nodes: u64,
    ) -> Self {
        Self {
            score,
            best: best_moves(game, score, &moves),
            depth: principal_variation.len() as u32,
            principal_variation,
            moves,
            nodes,
            proved: true,
        }
    }
}

/// The moves with this score, in the game's order.
pub(crate) fn best_moves<G: TwoPlayerGame>(
    game: &G,
    score: Score,
    moves: &[(G::Move, Score)],
) -> Vec<G::Move> {
    let is_best = |&m: &G::Move| moves.contains(&(m, score));
    game.moves().filter(is_best).collect()
}

/// Sorts moves by score, the best first; equal ones keep their order.
pub(crate) fn sort_best_first<M: Copy>(moves: &mut [(M, Score)]) {
    sort_moves(moves, |(_, a), (_, b)| b.cmp(a));
}
