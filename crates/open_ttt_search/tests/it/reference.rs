//! What the results of searches are compared with.

use open_ttt_lib::rules::{Repetition, Side, TwoPlayerGame};
use open_ttt_search::{Evaluator, Score, SearchResult};

/// The score of a position by minimax, `depth` plies deep, computed for the first
/// side, which maximizes, while the second minimizes.
pub(crate) fn minimax<G, E>(game: &G, depth: u32, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    minimax_after(&[], game, depth, evaluator)
}

/// The same score after earlier positions: a position that has occurred, earlier or on
/// the path, is not searched again.
pub(crate) fn minimax_after<G, E>(earlier: &[G], game: &G, depth: u32, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut path = earlier.to_vec();
    let root = path.len();
    for_first(game, first_score(game, depth, root, &mut path, evaluator))
}

/// A score of the first side for the side to move, or the reverse.
fn for_first<G: TwoPlayerGame>(game: &G, score: Score) -> Score {
    match game.to_move() {
        Side::First => score,
        Side::Second => -score,
    }
}

fn first_score<G, E>(game: &G, depth: u32, root: usize, path: &mut Vec<G>, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let ply = (path.len() - root) as u32;
    if let Some(outcome) = game.outcome() {
        return for_first(game, evaluator.finished(game, outcome, ply));
    }
    if let Some(rule) = game.repetition()
        && path.contains(game)
    {
        return match (rule, path[path.len() - 1].to_move()) {
            (Repetition::MoverLoses, Side::First) => Score::loss_in(ply),
            (Repetition::MoverLoses, Side::Second) => Score::win_in(ply),
            _ => Score::DRAW,
        };
    }
    if depth == 0 {
        return for_first(game, evaluator.unfinished(game));
    }
    path.push(game.clone());
    let scores = game
        .moves()
        .map(|m| first_score(&game.after(m), depth - 1, root, path, evaluator));
    let score = match game.to_move() {
        Side::First => scores.max(),
        Side::Second => scores.min(),
    };
    path.pop();
    score.unwrap()
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
            let mut path = vec![game.clone()];
            let score = first_score(&game.after(m), depth - 1, 0, &mut path, evaluator);
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
