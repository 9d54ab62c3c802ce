use core::mem;
use core::num::NonZero;

use crate::alpha_beta::searcher::Searcher;
use crate::alpha_beta::transposition_table::TranspositionTable;
use crate::budget::BudgetMeter;
use crate::repetition::Earlier;
use crate::{Budget, Evaluator, RootMoves, SearchResult, StopFlag};
use open_ttt_lib::rules::TwoPlayerGame;

/// Iterative deepening: searches one ply deeper each time, until the budget is
/// spent, the flag is raised or the result is proved.
///
/// The result is always that of the last depth searched *completely*. Depth 1 is
/// always completed.
///
/// A win or loss is proved as soon as it is found, because the previous depth has
/// ruled out a faster win or a slower loss; any other score is proved when no line
/// is cut off at the depth limit.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_search::{Budget, RootMoves, Score, StopFlag, WinLoss, deepen};
///
/// // Three in a row on four columns of three: the first player wins.
/// let game = Mnk::new(4, 3, 3).expect("a board that exists");
/// let result = deepen(&game, RootMoves::BestOnly, &WinLoss, &Budget::UNLIMITED, &StopFlag::new());
/// assert!(result.proved);
/// assert_eq!(result.score, Score::win_in(7));
/// assert_eq!(result.principal_variation.len(), 7);
/// ```
pub fn deepen<G: TwoPlayerGame>(
    game: &G,
    root_moves: RootMoves,
    evaluator: &(impl Evaluator<G> + Clone),
    budget: &Budget,
    stop: &StopFlag,
) -> SearchResult<G::Move> {
    let meter = BudgetMeter::new(budget, stop);
    let table = TranspositionTable::growing();
    let mut searcher = Searcher::with_table(game, evaluator.clone(), root_moves, table);
    run(&mut searcher, budget, meter, Searcher::advance);
    searcher.result
}

/// [`deepen`] on several threads, with a table that is kept from one search to the
/// next. The table grows with the searches, up to 64 MiB.
///
/// Unlike a [`Searcher`] it is not bound to a game, and a search is one call.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::{TwoPlayerGame, play_text};
/// use open_ttt_search::{Budget, HeuristicEvaluator, IterativeDeepening, RootMoves, StopFlag};
///
/// let mut game = ConnectFour::new();
/// let mut deepening = IterativeDeepening::default();
/// let mut search = |game: &ConnectFour| {
///     let budget = Budget::depth(8);
///     let stop = StopFlag::new();
///     deepening.search(game, RootMoves::BestOnly, &HeuristicEvaluator, &budget, &stop)
/// };
/// let first = search(&game);
/// game.play(first.best[0])?;
/// game.play(first.principal_variation[1])?;
/// assert_eq!(search(&game).depth, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IterativeDeepening {
    table: TranspositionTable,
    threads: NonZero<usize>,
}

impl Default for IterativeDeepening {
    /// A search on one thread, with an empty table.
    fn default() -> Self {
        Self {
            table: TranspositionTable::growing(),
            threads: NonZero::<usize>::MIN,
        }
    }
}

impl IterativeDeepening {
    /// The same search on this many threads, if it is large enough. The threads end
    /// with each search.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
    }

    /// Searches a position as [`deepen`] does.
    ///
    /// Score and best moves do not depend on the number of threads if depth alone
    /// limits the search. The nodes of the budget are split evenly.
    pub fn search<G: TwoPlayerGame<Move: Send + Sync> + Send + Sync>(
        &mut self,
        game: &G,
        root_moves: RootMoves,
        evaluator: &(impl Evaluator<G> + Clone + Sync),
        budget: &Budget,
        stop: &StopFlag,
    ) -> SearchResult<G::Move> {
        self.search_with_history(&[], game, root_moves, evaluator, budget, stop)
    }

    /// [`search`](Self::search) of a position that came after `earlier` ones, the
    /// oldest first. Only a game in which positions come back needs its history.
    pub fn search_with_history<G: TwoPlayerGame<Move: Send + Sync> + Send + Sync>(
        &mut self,
        earlier: &[G],
        game: &G,
        root_moves: RootMoves,
        evaluator: &(impl Evaluator<G> + Clone + Sync),
        budget: &Budget,
        stop: &StopFlag,
    ) -> SearchResult<G::Move> {
        let threads = self.threads;
        let meter = BudgetMeter::new(budget, stop).share(threads);
        self.table.new_search();
        let table = mem::replace(&mut self.table, TranspositionTable::new(0));
        let mut searcher = Searcher::with_table(game, evaluator.clone(), root_moves, table);
        searcher.earlier = Earlier::before(game, earlier);
        run(&mut searcher, budget, meter, |searcher, depth, meter| {
            searcher.advance_parallel(threads, depth, meter)
        });
        self.table = searcher.table;
        searcher.result
    }
}

/// Deepens until the budget is spent; `advance` searches to a depth.
fn run<G: TwoPlayerGame, E: Evaluator<G>>(
    searcher: &mut Searcher<G, E>,
    budget: &Budget,
    mut meter: BudgetMeter<'_>,
    mut advance: impl FnMut(&mut Searcher<G, E>, u32, &mut BudgetMeter<'_>) -> bool,
) {
    let never = StopFlag::new();
    let mut first = BudgetMeter::new(&Budget::UNLIMITED, &never);
    searcher.advance(1, &mut first);
    meter.count(first.nodes());
    meter.poll();
    let max_depth = budget.max_depth();
    while !searcher.is_complete(max_depth) {
        let next = searcher.result.depth + 1;
        if !advance(searcher, next, &mut meter) {
            break;
        }
        searcher.table.grow_for(searcher.result.nodes);
    }
}
