use crate::alpha_beta::node_result::NodeResult;
use crate::turns::keeps_turn;
use crate::{Evaluator, Score};
use alloc::vec::Vec;
use open_ttt_lib::rules::TwoPlayerGame;

/// The score of a position by searching the full tree `depth` plies deep.
///
/// The score of a position is the maximum of its successors' scores, negated where
/// the turn passes to the other side: the minimax value (von Neumann, 1928). Slow: the reference that the other searches
/// are tested against.
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
pub fn negamax<G: TwoPlayerGame>(game: &G, depth: u32, evaluator: &impl Evaluator<G>) -> Score {
    search(game, depth, evaluator, &mut Vec::new())
}

fn search<G: TwoPlayerGame>(
    game: &G,
    depth: u32,
    evaluator: &impl Evaluator<G>,
    path: &mut Vec<G>,
) -> Score {
    if let Some(leaf) = NodeResult::of_leaf(game, depth, path, evaluator) {
        return leaf.score;
    }
    path.push(game.clone());
    let score = game
        .moves()
        .map(|m| {
            let next = game.after(m);
            search(&next, depth - 1, evaluator, path).for_mover(keeps_turn(game, &next))
        })
        .max();
    path.pop();
    score.unwrap_or(Score::DRAW)
}
