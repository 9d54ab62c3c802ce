//! What the results of searches are compared with.

use open_ttt_lib::rules::{Side, TwoPlayerGame};
use open_ttt_search::{Evaluator, Score, SearchResult};

/// The score of a position by minimax, `depth` plies deep, computed for the first
/// side, which maximizes, while the second minimizes.
pub(crate) fn minimax<G, E>(game: &G, depth: u32, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    for_first(game, first_score(game, depth, 0, evaluator))
}

/// A score of the first side for the side to move, or the reverse.
fn for_first<G: TwoPlayerGame>(game: &G, score: Score) -> Score {
    match game.to_move() {
        Side::First => score,
        Side::Second => -score,
    }
}

fn first_score<G, E>(game: &G, depth: u32, ply: u32, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    if let Some(outcome) = game.outcome() {
        return for_first(game, evaluator.finished(game, outcome, ply));
    }
    if depth == 0 {
        return for_first(game, evaluator.unfinished(game));
    }
    let scores = game
        .moves()
        .map(|m| first_score(&game.after(m), depth - 1, ply + 1, evaluator));
    match game.to_move() {
        Side::First => scores.max(),
        Side::Second => scores.min(),
    }
    .unwrap()
}

/// The score of each move of a position by minimax, `depth` plies deep, which is at
/// least 1.
pub(crate) fn minimax_scores<G, E>(game: &G, depth: u32, evaluator: &E) -> Vec<(G::Move, Score)>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    game.moves()
        .map(|m| {
            let score = first_score(&game.after(m), depth - 1, 1, evaluator);
            (m, for_first(game, score))
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
    let score = for_first(game, for_first(&at, score));
    assert_eq!(score, result.score, "at the end of the line");
    assert!(at.outcome().is_some() || !result.proved && plies == result.depth);
}
