//! What the results of searches are compared with.

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{Evaluator, Grade, Score, SearchResult, negamax};

/// The score of each move of a position by plain negamax, `depth` plies deep, which
/// is at least 1.
pub(crate) fn negamax_scores<G, E>(game: &G, depth: u32, evaluator: &E) -> Vec<(G::Move, Score)>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    game.moves()
        .map(|m| {
            let child = -negamax(&game.after(m), depth - 1, evaluator);
            // Seen from one ply earlier a win or loss takes one ply more.
            let score = match (child.grade(), child.plies()) {
                (Grade::Win, Some(plies)) => Score::win_in(plies + 1),
                (Grade::Loss, Some(plies)) => Score::loss_in(plies + 1),
                _ => child,
            };
            (m, score)
        })
        .collect()
}

/// The moves with this score.
pub(crate) fn moves_with<M: Copy>(scores: &[(M, Score)], best: Score) -> Vec<M> {
    let moves = scores.iter().filter(|(_, score)| *score == best);
    moves.map(|&(m, _)| m).collect()
}

/// Follows the principal variation to a position that has the score: at the end of
/// the game, or at the search depth if the result is not proved.
#[track_caller]
pub(crate) fn check_principal_variation<G, E>(
    game: &G,
    result: &SearchResult<G::Move>,
    evaluator: &E,
) where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut at = game.clone();
    for &m in &result.principal_variation {
        at.play(m).unwrap_or_else(|_| panic!("{m:?} is illegal"));
    }
    let plies = result.principal_variation.len() as u32;
    let score = match at.outcome() {
        Some(outcome) => evaluator.finished(&at, outcome, plies),
        None => evaluator.unfinished(&at),
    };
    let score = if plies.is_multiple_of(2) {
        score
    } else {
        -score
    };
    assert_eq!(score, result.score, "at the end of the line");
    assert!(at.outcome().is_some() || !result.proved && plies == result.depth);
}
