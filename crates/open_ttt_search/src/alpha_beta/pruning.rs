use crate::alpha_beta::node_result::NodeResult;
use crate::alpha_beta::window::Window;
use crate::turns::keeps_turn;
use crate::{Evaluator, Score};
use alloc::vec::Vec;
use open_ttt_lib::rules::TwoPlayerGame;

/// The score of a position, `depth` plies deep, without the lines that cannot
/// change it: [`negamax`](super::negamax)'s score from fewer positions.
///
/// Knuth and Moore, "An analysis of alpha-beta pruning", 1975.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_search::{Score, WinLoss, alpha_beta};
///
/// assert_eq!(alpha_beta(&TicTacToe::new(), 9, &WinLoss), Score::DRAW);
/// ```
pub fn alpha_beta<G: TwoPlayerGame>(game: &G, depth: u32, evaluator: &impl Evaluator<G>) -> Score {
    search(game, depth, Window::FULL, evaluator, &mut Vec::new())
}

fn search<G: TwoPlayerGame>(
    game: &G,
    depth: u32,
    mut window: Window,
    evaluator: &impl Evaluator<G>,
    path: &mut Vec<G>,
) -> Score {
    if let Some(leaf) = NodeResult::of_leaf(game, depth, path, evaluator) {
        return leaf.score;
    }
    path.push(game.clone());
    let mut best = Score::MIN;
    for m in game.moves() {
        let next = game.after(m);
        let keeps_turn = keeps_turn(game, &next);
        let window_after = window.after_move(keeps_turn);
        let score = search(&next, depth - 1, window_after, evaluator, path);
        let score = score.for_mover(keeps_turn);
        best = best.max(score);
        window.alpha = window.alpha.max(score);
        if window.alpha >= window.beta {
            break;
        }
    }
    path.pop();
    best
}
