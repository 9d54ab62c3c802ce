use crate::retrograde::solve_by_layers::for_mover;
use crate::{Answer, LayerOptions, Score, StopFlag, solve_by_layers};
use open_ttt_lib::rules::{BoardFilling, OpeningBook};

/// The exact answer to any position of a game of filling that knows its opening
/// by heart: from the book where it reaches, and otherwise by solving what is
/// left of the game. `None` if the flag is raised first.
///
/// In [`Answer::moves`] every score is exact, and [`Answer::nodes`] counts the
/// positions solved.
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_search::{Score, StopFlag, answer_by_layers};
///
/// let answer = answer_by_layers(&Pegs::new(), &StopFlag::new());
/// let answer = answer.expect("nobody stops it");
/// assert_eq!(answer.score, Score::evaluation(-1)); // Red loses by one
/// assert_eq!(answer.best.len(), 6); // all pegs but D and E
/// assert_eq!(answer.line.len(), 24);
/// ```
pub fn answer_by_layers<G>(game: &G, stop: &StopFlag) -> Option<Answer<G::Move>>
where
    G: BoardFilling + OpeningBook<Value = i32> + Sync,
{
    let mut nodes = 0;
    let moves = exact_moves(game, stop, &mut nodes)?;
    let score = moves
        .first()
        .map_or_else(|| for_mover(game, game.margin()), |&(_, score)| score);
    let mut line = Vec::new();
    let mut at = game.clone();
    let mut replies = moves.clone();
    while let Some(&(m, _)) = replies.first() {
        line.push(m);
        at.play_unchecked(m);
        replies = exact_moves(&at, stop, &mut nodes)?;
    }
    Some(Answer {
        score,
        best: game
            .moves()
            .filter(|m| moves.contains(&(*m, score)))
            .collect(),
        depth: line.len() as u32,
        line,
        moves,
        nodes,
        proved: true,
    })
}

/// Every move with its exact score, the best first.
fn exact_moves<G>(game: &G, stop: &StopFlag, nodes: &mut u64) -> Option<Vec<(G::Move, Score)>>
where
    G: BoardFilling + OpeningBook<Value = i32> + Sync,
{
    let by_heart = game.moves().map(|m| {
        let margin = game.after(m).book_value()?;
        Some((m, for_mover(game, margin)))
    });
    if let Some(mut moves) = by_heart.collect::<Option<Vec<_>>>() {
        moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
        return Some(moves);
    }
    let solution = solve_by_layers(game, &LayerOptions::default(), stop, |_| {}).ok()?;
    *nodes += solution.positions as u64;
    Some(solution.moves)
}
