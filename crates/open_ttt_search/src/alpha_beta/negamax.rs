use crate::{Evaluator, Score};
use open_ttt_lib::rules::TwoPlayerGame;

/// The score of a position by looking at every line `depth` plies ahead.
///
/// What is best for one side is worst for the other, so the score of a
/// position is the best of its successors' negated scores. Plain and slow: the
/// yardstick that every other searcher is held to.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_search::{Score, WinLoss, negamax};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 b1 a2 b2")?;
/// assert_eq!(negamax(&game, 9, &WinLoss), Score::win_in(1));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn negamax<G, E>(game: &G, depth: u32, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    walk(game, depth, 0, evaluator)
}

fn walk<G, E>(game: &G, depth: u32, plies: u32, evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    if let Some(outcome) = game.outcome() {
        return evaluator.finished(game, outcome, plies);
    }
    if depth == 0 {
        return evaluator.unfinished(game);
    }
    game.moves()
        .map(|m| -walk(&game.after(m), depth - 1, plies + 1, evaluator))
        .max()
        .unwrap_or(Score::DRAW)
}
