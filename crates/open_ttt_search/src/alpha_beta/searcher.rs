use crate::alpha_beta::iteration::Iteration;
use crate::alpha_beta::principal_variation::{Common, Walk};
use crate::alpha_beta::transposition::TranspositionTable;
use crate::budget::BudgetMeter;
use crate::{Answer, Budget, Evaluator, Grade, RootMoves, StopFlag};
use open_ttt_lib::rules::TwoPlayerGame;

/// How a [`Searcher`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// How many bytes its table of positions takes at most. Less than 16 count
    /// as that: the table has one entry at least.
    pub table_bytes: usize,
    /// Which moves of the position get an exact score.
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

/// A search that is driven step by step: each [`step`](Self::step) does a
/// bounded slice of the work and returns, so that a program with frames to draw
/// needs no thread for it.
///
/// The [`answer`](Self::answer) so far can be had at any time. It is that of
/// the last depth searched *completely*, as with [`deepen`](super::deepen), and
/// it does not depend on how the work was sliced: many small steps look at the
/// same positions as one large one.
///
/// What was found out about positions is kept in a table from one position to
/// the next: after a move, [`start`](Self::start) goes on with what is known,
/// whether or not the move was the expected one.
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
/// assert_eq!(searcher.answer().score, Score::win_in(7));
/// ```
#[derive(Clone, Debug)]
pub struct Searcher<G: TwoPlayerGame, E> {
    pub(crate) evaluator: E,
    root_moves: RootMoves,
    pub(crate) table: TranspositionTable,
    pub(crate) game: G,
    pub(crate) answer: Answer<G::Move>,
    /// How far from its last score a move's score is expected in the next
    /// iteration.
    leeway: Option<u32>,
    pub(crate) worker: Worker<G>,
    /// Who works beside it when there are threads.
    pub(crate) helpers: Vec<Worker<G>>,
}

/// A search of the position, and how far it has come.
#[derive(Clone, Debug)]
pub(crate) struct Worker<G: TwoPlayerGame> {
    pub(crate) walk: Walk<G>,
    pub(crate) iteration: Option<Iteration<G::Move>>,
}

impl<G: TwoPlayerGame> Worker<G> {
    pub(crate) fn new() -> Self {
        Self {
            walk: Walk::new(),
            iteration: None,
        }
    }

    /// Goes on with its iteration, and says whether it is finished.
    pub(crate) fn go_on<E: Evaluator<G>>(
        &mut self,
        common: &Common<'_, E>,
        meter: &mut BudgetMeter<'_>,
        game: &G,
    ) -> bool {
        self.iteration
            .as_mut()
            .is_some_and(|iteration| iteration.go_on(&mut self.walk, common, meter, game))
    }

    /// Gives up what it was doing.
    pub(crate) fn abandon(&mut self) {
        self.walk.abandon();
        self.iteration = None;
    }
}

impl<G: TwoPlayerGame, E: Evaluator<G>> Searcher<G, E> {
    /// A searcher at the start of its work on a position.
    ///
    /// The table's memory is taken here, and none of it in a step.
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
            answer: first_answer(game, &evaluator),
            evaluator,
            root_moves,
            table,
            game: game.clone(),
            leeway: None,
            worker: Worker::new(),
            helpers: Vec::new(),
        }
    }

    /// Turns to another position. What is known from before is kept, and used
    /// where it fits.
    pub fn start(&mut self, game: &G) {
        self.table.grow_older();
        self.worker.abandon();
        self.helpers.clear();
        self.game = game.clone();
        self.answer = first_answer(game, &self.evaluator);
        self.leeway = None;
    }

    /// Forgets what is known from before, and starts the position anew: from
    /// here on the searcher does what a new one would.
    pub fn forget(&mut self) {
        self.table.forget();
        self.worker = Worker::new();
        self.start(&self.game.clone());
    }

    /// Searches on until this budget is spent, the flag is raised, or there is
    /// nothing more to do, and says whether that is so: the answer is proved,
    /// or as deep as the budget asks.
    ///
    /// Time and nodes count from the call. With none of either, or the flag
    /// raised before, nothing is done. The clock is looked at every few
    /// microseconds, but not while a move is made or a position judged.
    pub fn step(&mut self, budget: &Budget, stop: &StopFlag) -> bool {
        let mut meter = BudgetMeter::new(budget, stop);
        meter.poll();
        self.advance(deepest(budget), &mut meter)
    }

    /// What has been found out so far.
    ///
    /// Before depth 1 has been searched its depth is 0: all moves are listed
    /// as equally good, and the score is what the position looks like by
    /// itself. A game that is over has a proved answer from the start.
    pub fn answer(&self) -> &Answer<G::Move> {
        &self.answer
    }

    /// The position it works on.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Searches on, in this thread alone, until the meter is spent (false) or
    /// the answer is proved or so deep (true).
    pub(crate) fn advance(&mut self, deepest: u32, meter: &mut BudgetMeter<'_>) -> bool {
        while !self.is_done(deepest) {
            self.prepare();
            let common = Common {
                evaluator: &self.evaluator,
                table: &self.table,
                crowd: None,
            };
            let before = meter.nodes();
            let finished = self.worker.go_on(&common, meter, &self.game);
            self.answer.nodes += meter.nodes() - before;
            if !finished {
                return false;
            }
            if let Some(iteration) = self.worker.iteration.take() {
                self.conclude(iteration);
            }
            meter.poll();
        }
        true
    }

    /// Whether the answer is proved or so deep.
    pub(crate) fn is_done(&self, deepest: u32) -> bool {
        self.answer.proved || self.answer.depth >= deepest
    }

    /// Makes sure that there is an iteration to work on.
    pub(crate) fn prepare(&mut self) {
        if self.worker.iteration.is_none() {
            self.worker.iteration = Some(self.next_iteration());
        }
    }

    pub(crate) fn next_iteration(&self) -> Iteration<G::Move> {
        let moves = self.answer.moves.clone();
        Iteration::new(self.answer.depth + 1, self.root_moves, moves, self.leeway)
    }

    /// Makes a finished iteration the answer.
    pub(crate) fn conclude(&mut self, mut iteration: Iteration<G::Move>) {
        let (before, depth) = (self.answer.score, self.answer.depth);
        iteration.tell(&self.game, &mut self.answer);
        // Scores are expected to change by as much as they last did.
        self.leeway = (depth > 0).then(|| before.distance(self.answer.score) + 1);
        let decided = !matches!(self.answer.score.grade(), Grade::Evaluation(_));
        // With every score wanted, the others are only certain once all lines
        // have been followed to their end.
        self.answer.proved =
            !iteration.saw_horizon() || (decided && self.root_moves == RootMoves::BestOnly);
    }
}

/// How many plies a budget wants to look ahead at most.
pub(crate) fn deepest(budget: &Budget) -> u32 {
    budget.depth.unwrap_or(u32::MAX)
}

/// What can be said about a position without a search.
fn first_answer<G, E>(game: &G, evaluator: &E) -> Answer<G::Move>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let (score, proved) = match game.outcome() {
        Some(outcome) => (evaluator.finished(game, outcome, 0), true),
        None => (evaluator.unfinished(game), false),
    };
    Answer {
        score,
        best: game.moves().collect(),
        line: Vec::new(),
        moves: game.moves().map(|m| (m, score)).collect(),
        depth: 0,
        nodes: 0,
        proved,
    }
}
