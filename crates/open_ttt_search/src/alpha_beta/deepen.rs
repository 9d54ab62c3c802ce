use core::num::NonZero;

use crate::alpha_beta::parallel::shared_out;
use crate::alpha_beta::searcher::{Searcher, deepest};
use crate::alpha_beta::transposition::TranspositionTable;
use crate::budget::BudgetMeter;
use crate::{Budget, Evaluator, Score, StopFlag};
use open_ttt_lib::rules::TwoPlayerGame;

/// What a search found out about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<M> {
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Every move that keeps this score, in the game's order; none exactly
    /// when the game is over.
    pub best: Vec<M>,
    /// What happens if both sides play their best: the principal variation. It
    /// begins with one of the best moves and goes as far as the search saw.
    pub line: Vec<M>,
    /// Each move looked at with its score, the best first. With
    /// [`RootMoves::BestOnly`] a score below the best is a limit: the move is
    /// worth that much at most.
    pub moves: Vec<(M, Score)>,
    /// How many plies the search looked ahead everywhere.
    pub depth: u32,
    /// How many positions it looked at.
    pub nodes: u64,
    /// Whether score and best moves are certain: no deeper search would change
    /// them.
    pub proved: bool,
}

/// Which moves of the first position get an exact score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMoves {
    /// The best ones. Fast: the rest need only be shown to be worse.
    #[default]
    BestOnly,
    /// All of them.
    All,
}

/// Searches one ply deeper each time, until the budget is spent, the flag is
/// raised or the answer is proved.
///
/// An answer is always that of the last depth searched *completely*: what a
/// deeper search left unfinished is not mixed in. Depth 1 is always completed.
///
/// A win or loss is proved as soon as it is seen, for the depth before has
/// shown that there is no faster win and no slower loss; anything else, once
/// no line is cut off by the depth.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_search::{Budget, RootMoves, Score, StopFlag, WinLoss, deepen};
///
/// // Three in a row on four columns of three: the first player wins.
/// let game = Mnk::new(4, 3, 3).expect("a board that exists");
/// let answer = deepen(&game, RootMoves::BestOnly, &WinLoss, &Budget::UNLIMITED, &StopFlag::new());
/// assert!(answer.proved);
/// assert_eq!(answer.score, Score::win_in(7));
/// assert_eq!(answer.line.len(), 7);
/// ```
pub fn deepen<G, E>(
    game: &G,
    wanted: RootMoves,
    evaluator: &E,
    budget: &Budget,
    stop: &StopFlag,
) -> Answer<G::Move>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut table = TranspositionTable::growing();
    let advance = Searcher::advance;
    deepen_by(advance, &mut table, game, wanted, evaluator, budget, stop)
}

/// [`deepen`] on several threads, with what is known from earlier searches, in
/// a table that grows with the work.
///
/// Score and best moves are those of one thread, as with
/// [`Searcher::step_together`].
pub fn deepen_together<G, E>(
    threads: NonZero<usize>,
    table: &mut TranspositionTable,
    game: &G,
    wanted: RootMoves,
    evaluator: &E,
    budget: &Budget,
    stop: &StopFlag,
) -> Answer<G::Move>
where
    G: TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    E: Evaluator<G> + Sync,
{
    let shared_out = shared_out(budget, threads);
    let advance = |searcher: &mut Searcher<G, &E>, depth, meter: &mut BudgetMeter<'_>| {
        searcher.advance_together(threads, depth, meter)
    };
    deepen_by(advance, table, game, wanted, evaluator, &shared_out, stop)
}

/// [`deepen`] with a table and a way to search to a depth.
fn deepen_by<'e, G, E>(
    mut advance: impl FnMut(&mut Searcher<G, &'e E>, u32, &mut BudgetMeter<'_>) -> bool,
    table: &mut TranspositionTable,
    game: &G,
    wanted: RootMoves,
    evaluator: &'e E,
    budget: &Budget,
    stop: &StopFlag,
) -> Answer<G::Move>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    table.grow_older();
    let known = core::mem::replace(table, TranspositionTable::new(0));
    let mut searcher = Searcher::with_table(game, evaluator, wanted, known);
    let mut meter = BudgetMeter::new(budget, stop);
    let never = StopFlag::new();
    let mut first = BudgetMeter::new(&Budget::UNLIMITED, &never);
    searcher.advance(1, &mut first);
    meter.count(first.nodes());
    meter.poll();
    let deepest = deepest(budget);
    while !searcher.is_done(deepest) {
        let next = searcher.answer.depth + 1;
        if !advance(&mut searcher, next, &mut meter) {
            break;
        }
        searcher.table.grow_to(searcher.answer.nodes);
    }
    *table = searcher.table;
    searcher.answer
}
