use crate::evaluator::margin_score;
use crate::search_result::sort_best_first;
use crate::{LayerOptions, Score, SearchResult, SolveError, StopFlag, solve_by_layers};
use alloc::vec::Vec;
use open_ttt_lib::rules::{BoardFilling, OpeningBook};

/// The exact result of any position of a board-filling game: from the opening book
/// as far as it reaches, and otherwise by solving the rest of the game.
///
/// In [`SearchResult::moves`] every score is exact, and [`SearchResult::nodes`]
/// counts the positions solved.
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_search::{Score, StopFlag, analyze_by_layers};
///
/// let result = analyze_by_layers(&Pegs::new(), &StopFlag::new());
/// let result = result.expect("the flag isn't raised");
/// assert_eq!(result.score, Score::evaluation(-1)); // Red loses by one
/// assert_eq!(result.best.len(), 6); // all pegs but D and E
/// assert_eq!(result.principal_variation.len(), 24);
/// ```
///
/// # Errors
///
/// As for [`solve_by_layers`], if the position is beyond the book: [`SolveError::Stopped`] if
/// the flag is raised first, and [`SolveError::TooLarge`] if too much of the game is left.
pub fn analyze_by_layers<G>(game: &G, stop: &StopFlag) -> Result<SearchResult<G::Move>, SolveError>
where
    G: BoardFilling + OpeningBook<Value = i32> + Sync,
{
    let mut nodes = 0;
    let moves = exact_moves(game, stop, &mut nodes)?;
    let best = moves.first().map(|&(_, score)| score);
    let score = best.unwrap_or_else(|| margin_score(game, game.margin()));
    let mut pv = Vec::new();
    let mut at = game.clone();
    let mut replies = moves.clone();
    while let Some(&(m, _)) = replies.first() {
        pv.push(m);
        at.play_unchecked(m);
        replies = exact_moves(&at, stop, &mut nodes)?;
    }
    Ok(SearchResult::proved(game, score, moves, pv, nodes))
}

/// Every move with its exact score, the best first.
fn exact_moves<G>(
    game: &G,
    stop: &StopFlag,
    nodes: &mut u64,
) -> Result<Vec<(G::Move, Score)>, SolveError>
where
    G: BoardFilling + OpeningBook<Value = i32> + Sync,
{
    let book_moves = game.moves().map(|m| {
        let margin = game.after(m).book_value()?;
        Some((m, margin_score(game, margin)))
    });
    if let Some(mut moves) = book_moves.collect::<Option<Vec<_>>>() {
        sort_best_first(&mut moves);
        return Ok(moves);
    }
    let solution = solve_by_layers(game, &LayerOptions::default(), stop, |_| {})?;
    *nodes += solution.positions as u64;
    Ok(solution.moves)
}
