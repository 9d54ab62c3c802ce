use crate::alpha_beta::pv_search::{PvSearch, SearchContext};
use crate::alpha_beta::root_search::RootSearch;
use crate::alpha_beta::transposition_table::TranspositionTable;
use crate::budget::BudgetMeter;
use crate::repetition::Earlier;
use crate::{Budget, Evaluator, Grade, RootMoves, SearchResult, StopFlag};
use alloc::vec::Vec;
use open_ttt_lib::rules::TwoPlayerGame;

/// The options of a [`Searcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// The maximum size of the transposition table, in bytes; at least one entry
    /// of 16 bytes is allocated.
    pub table_bytes: usize,
    /// Which moves of the root position get an exact score.
    pub root_moves: RootMoves,
}

impl Default for SearchOptions {
    /// 16 MiB, and only the best moves exact.
    fn default() -> Self {
        Self {
            table_bytes: 1 << 24,
            root_moves: RootMoves::BestOnly,
        }
    }
}

/// An iterative deepening search in steps: each [`step`](Self::step) does a bounded
/// amount of work and returns, so that a program that draws frames needs no thread
/// for it.
///
/// The [`result`](Self::result) is available at any time. It is that of the last
/// depth searched *completely*, as with [`deepen`](super::deepen), and does not
/// depend on the size of the steps: many small steps search the same positions as
/// one large step.
///
/// The transposition table is kept when the searcher is
/// [moved to another position](Self::set_position), so a search after a move
/// continues with what is known.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_search::{Budget, Score, SearchOptions, Searcher, StopFlag, WinLoss};
///
/// // Three in a row on four columns of three: the first player wins.
/// let game = Mnk::new(4, 3, 3).expect("a board that exists");
/// let mut searcher = Searcher::new(&game, WinLoss, SearchOptions::default());
/// let mut frames = 0;
/// while !searcher.step(&Budget::nodes(100), &StopFlag::new()) {
///     frames += 1; // draw the board meanwhile
/// }
/// assert!(frames > 1);
/// assert_eq!(searcher.result().score, Score::win_in(7));
/// ```
#[derive(Clone, Debug)]
pub struct Searcher<G: TwoPlayerGame, E> {
    pub(crate) evaluator: E,
    root_moves: RootMoves,
    pub(crate) table: TranspositionTable,
    pub(crate) game: G,
    /// The positions before it.
    pub(crate) earlier: Earlier<G>,
    pub(crate) result: SearchResult<G::Move>,
    /// How far a score is expected from the one at the previous depth.
    aspiration_margin: Option<u32>,
    pub(crate) worker: Worker<G>,
    /// The workers of the other threads.
    pub(crate) helpers: Vec<Worker<G>>,
}

/// The state of one thread's search.
#[derive(Clone, Debug)]
pub(crate) struct Worker<G: TwoPlayerGame> {
    pub(crate) pv_search: PvSearch<G>,
    /// The search to the next depth, if it has started.
    pub(crate) root_search: Option<RootSearch<G::Move>>,
}

impl<G: TwoPlayerGame> Worker<G> {
    pub(crate) fn new() -> Self {
        Self {
            pv_search: PvSearch::new(),
            root_search: None,
        }
    }

    /// Continues the root search and returns whether it is complete.
    pub(crate) fn resume<E: Evaluator<G>>(
        &mut self,
        context: &SearchContext<'_, G, E>,
        meter: &mut BudgetMeter<'_>,
    ) -> bool {
        self.root_search
            .as_mut()
            .is_some_and(|search| search.resume(&mut self.pv_search, context, meter))
    }

    pub(crate) fn abandon(&mut self) {
        self.pv_search.abandon();
        self.root_search = None;
    }
}

impl<G: TwoPlayerGame, E: Evaluator<G>> Searcher<G, E> {
    /// A searcher that has not searched its position yet.
    ///
    /// Allocates the table; steps don't.
    pub fn new(game: &G, evaluator: E, options: SearchOptions) -> Self {
        let table = TranspositionTable::new(options.table_bytes);
        Self::with_table(game, evaluator, options.root_moves, table)
    }

    pub(crate) fn with_table(
        game: &G,
        evaluator: E,
        root_moves: RootMoves,
        table: TranspositionTable,
    ) -> Self {
        Self {
            result: static_result(game, &evaluator),
            evaluator,
            root_moves,
            table,
            game: game.clone(),
            earlier: Earlier::NONE,
            aspiration_margin: None,
            worker: Worker::new(),
            helpers: Vec::new(),
        }
    }

    /// Moves the searcher to another position and keeps the table. The position has no
    /// history, as in [`set_history`](Self::set_history).
    pub fn set_position(&mut self, game: &G) {
        self.set_history(&[], game);
    }

    /// Moves the searcher to a position that came after these, the oldest first, and
    /// keeps the table. Only a game in which positions come back needs its history.
    pub fn set_history(&mut self, earlier: &[G], game: &G) {
        self.table.new_search();
        self.earlier = Earlier::before(game, earlier);
        self.worker.abandon();
        self.helpers.clear();
        self.game = game.clone();
        self.result = static_result(game, &self.evaluator);
        self.aspiration_margin = None;
    }

    /// Clears the table and starts the position again: from here on the searcher
    /// does the same as a new one, without history.
    pub fn clear(&mut self) {
        self.table.clear();
        self.worker = Worker::new();
        self.set_position(&self.game.clone());
    }

    /// Searches until the budget is spent, the flag is raised or the search is
    /// complete. Returns whether it is complete: the result is proved, or as deep as
    /// the budget allows.
    ///
    /// Time and nodes count from the call. If either is zero, or the flag is already
    /// raised, nothing is searched. The clock is polled every few microseconds, but
    /// not during a move or an evaluation.
    pub fn step(&mut self, budget: &Budget, stop: &StopFlag) -> bool {
        let mut meter = BudgetMeter::new(budget, stop);
        meter.poll();
        self.advance(budget.max_depth(), &mut meter)
    }

    /// The result so far.
    ///
    /// Before depth 1 is complete its depth is 0: it lists all moves as equally good,
    /// and the score is the static evaluation. The result of a finished game is
    /// proved from the start.
    pub fn result(&self) -> &SearchResult<G::Move> {
        &self.result
    }

    /// The position searched.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Searches in this thread alone until the meter is spent, and returns whether
    /// the search is complete.
    pub(crate) fn advance(&mut self, max_depth: u32, meter: &mut BudgetMeter<'_>) -> bool {
        while !self.is_complete(max_depth) {
            self.start_iteration();
            let context = SearchContext {
                root: &self.game,
                earlier: &self.earlier,
                evaluator: &self.evaluator,
                table: &self.table,
                abdada: None,
            };
            let before = meter.nodes();
            let completed = self.worker.resume(&context, meter);
            self.result.nodes += meter.nodes() - before;
            if !completed {
                return false;
            }
            if let Some(root_search) = self.worker.root_search.take() {
                self.finish_iteration(root_search);
            }
            meter.poll();
        }
        true
    }

    /// Whether the result is proved or has this depth.
    pub(crate) fn is_complete(&self, max_depth: u32) -> bool {
        self.result.proved || self.result.depth >= max_depth
    }

    /// Starts the search to the next depth, unless it has started.
    pub(crate) fn start_iteration(&mut self) {
        if self.worker.root_search.is_none() {
            self.worker.root_search = Some(self.next_root_search());
        }
    }

    pub(crate) fn next_root_search(&self) -> RootSearch<G::Move> {
        RootSearch::new(
            self.result.depth + 1,
            self.root_moves,
            self.result.moves.clone(),
            self.aspiration_margin,
        )
    }

    pub(crate) fn finish_iteration(&mut self, root_search: RootSearch<G::Move>) {
        let (before, depth) = (self.result.score, self.result.depth);
        let depth_limited = root_search.depth_limited;
        // A move that returns to the root is worth what the root is, which may be more.
        let some_are_bounds = root_search.repeats && self.root_moves == RootMoves::All;
        root_search.write_result(&self.game, &mut self.result);
        // Scores are expected to change as much as they did last.
        self.aspiration_margin = (depth > 0).then(|| before.distance(self.result.score) + 1);
        let is_decided = !matches!(self.result.score.grade(), Grade::Evaluation(_));
        // If all scores are wanted, the others are certain only when no line is cut
        // off.
        self.result.proved = !some_are_bounds
            && (!depth_limited || (is_decided && self.root_moves == RootMoves::BestOnly));
    }
}

/// The result at depth 0.
fn static_result<G: TwoPlayerGame>(
    game: &G,
    evaluator: &impl Evaluator<G>,
) -> SearchResult<G::Move> {
    let (score, proved) = match game.outcome() {
        Some(outcome) => (evaluator.finished(game, outcome, 0), true),
        None => (evaluator.unfinished(game), false),
    };
    SearchResult {
        score,
        best: game.moves().collect(),
        principal_variation: Vec::new(),
        moves: game.moves().map(|m| (m, score)).collect(),
        depth: 0,
        nodes: 0,
        proved,
    }
}
