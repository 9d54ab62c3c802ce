//! Monte-Carlo tree search, from the parts up: what a game is expected to
//! bring ([`SideValue`]), who judges it ([`LeafEvaluator`]), what is proved,
//! how a line is selected, the tree, and the search that grows it.

mod answer;
mod crew;
mod expectation;
mod leaf;
mod nodes;
mod options;
mod policy;
mod search;
mod tree;
mod waiting;

pub use answer::{MoveStatistics, TreeAnswer};
pub use expectation::SideValue;
pub use leaf::{ByHeuristic, DecisivePlayout, Judgement, LeafEvaluator, Playout};
pub use options::{Selection, TreeOptions};
pub use search::TreeSearch;

use super::{Budget, StopFlag};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;

/// Grows a tree of the promising lines, judged by random games: a
/// [`TreeSearch`] in one call.
///
/// It needs nothing but the rules. On the same position, budget and random
/// numbers it gives the same answer, unless time or the flag ended it. It ends
/// early when the result is proved.
///
/// A budget's `nodes` are iterations; its `depth` is not used. However small
/// the budget, and whether or not the flag is raised, one iteration is made for
/// each possible move.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_lib::rules::{Notation, Outcome, Side, play_text};
/// use open_ttt_search::{Budget, StopFlag, TreeOptions, monte_carlo};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 b1 a2 b2")?;
/// let answer = monte_carlo(
///     &game,
///     TreeOptions::default(),
///     &Budget::nodes(1_000),
///     &StopFlag::new(),
///     &mut Rng::new(1),
/// );
/// assert_eq!(game.move_text(answer.moves[0].m), "a3");
/// assert_eq!(answer.proved, Some(Outcome::Win(Side::First)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[doc(alias = "mcts")]
#[doc(alias = "UCT")]
pub fn monte_carlo<G: TwoPlayerGame>(
    game: &G,
    options: TreeOptions,
    budget: &Budget,
    stop: &StopFlag,
    rng: &mut Rng,
) -> TreeAnswer<G::Move> {
    let rng = Rng::new(rng.next_u64());
    let mut search = TreeSearch::new(game, Playout, options, rng);
    search.answer_within(budget, stop)
}
