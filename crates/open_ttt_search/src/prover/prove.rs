use alloc::vec::Vec;
use core::num::NonZero;

use crate::budget::BudgetMeter;
use crate::prover::driver::{Driver, plies_left, score, value_of_outcome};
use crate::prover::null_window::{Buffers, Value};
use crate::prover::table::Table;
use crate::search_result::sort_best_first;
use crate::turns::RequiresAlternation;
use crate::{Budget, Score, SearchResult, StopFlag};
use open_ttt_lib::rules::{OpeningBook, Outcome, Tactics};

/// Proves the exact score of positions: who wins, and how soon.
///
/// The score is found by null-window searches from the extremes inward: the
/// nearest wins and losses are ruled out first, which is cheap and fills the table
/// for the later searches. The steps inward grow, so a value in the middle takes
/// no more searches than bisection. The table is kept from one proof to the next,
/// until [`clear`](Self::clear).
///
/// The game's [`Tactics`] exclude moves that lose at once, order the others, and see some
/// wins with the second move, some draws that can be held and some wins by zugzwang. The
/// design is that of Pascal Pons' solver for Connect Four (2015), for any game with
/// such tactics; driving null-window searches with a table is MTD (Plaat and
/// others, "Best-first fixed-depth minimax algorithms", 1996).
///
/// On one [thread](Self::with_threads) the same proofs in the same order search
/// the same number of positions.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_search::{Budget, Prover, Score, StopFlag};
///
/// let mut game = ConnectFour::new();
/// play_text(&mut game, "12345671234567")?;
/// let mut prover = Prover::new(1 << 20);
/// let proof = prover.score(&game, &Budget::UNLIMITED, &StopFlag::new());
/// assert_eq!(proof.map(|(score, _)| score), Some(Score::win_in(7)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Debug)]
pub struct Prover<G> {
    table: Table,
    threads: NonZero<usize>,
    /// The game's opening book, if it is used.
    book: fn(&G) -> Option<Value>,
}

/// The principal variation may take so many times the nodes of the proof: a small table may
/// have lost it, and what was seen without search has to be searched now.
const PV_FACTOR: u64 = 4;

/// The principal variation may always take so many nodes, a few hundredths of a second.
const MIN_PV_NODES: u64 = 200_000;

impl<G: Tactics> Prover<G> {
    const KEY_BITS: u32 = match G::UNIQUE_BITS {
        Some(bits) => bits,
        None => panic!("a prover needs unique keys"),
    };

    /// A prover whose table takes at most this many bytes. The table starts small
    /// and grows with the searches.
    pub fn new(bytes: usize) -> Self {
        let () = RequiresAlternation::<G>::CHECK;
        Self {
            table: Table::new(bytes, Self::KEY_BITS),
            threads: NonZero::<usize>::MIN,
            book: |_| None,
        }
    }

    /// The same prover with the game's opening book.
    pub fn with_book(self) -> Self
    where
        G: OpeningBook<Value = (Outcome, u32)>,
    {
        let book = |game: &G| {
            let (outcome, plies) = game.book_value()?;
            Some(value_of_outcome(game, outcome, plies))
        };
        Self { book, ..self }
    }

    /// The same prover on this many threads, for searches that are large enough. The
    /// threads end with each proof.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
    }

    /// Clears the table. Required before positions of the same game with other
    /// parameters, whose keys may be equal.
    pub fn clear(&mut self) {
        self.table.clear();
    }
}

impl<G: Tactics + Sync> Prover<G> {
    /// The score of a position, and the number of positions searched. `None` if the
    /// budget is spent first; its depth is ignored.
    pub fn score(&mut self, game: &G, budget: &Budget, stop: &StopFlag) -> Option<(Score, u64)> {
        let mut driver = self.driver(budget, stop);
        let value = driver.value(game)?;
        Some((score(value, plies_left(game)), driver.meter.nodes()))
    }

    /// The score of a position with all best moves and the principal variation. `None`
    /// if the budget is spent first; its depth is ignored.
    ///
    /// The principal variation leads to the end of the game, unless the opening book made
    /// the proof cheap: then only as far as some hundred thousand nodes tell. It may be shorter,
    /// or empty, if the rest of the budget doesn't suffice for it.
    ///
    /// In [`SearchResult::moves`] the scores below the best are upper bounds, as with
    /// [`RootMoves::BestOnly`](crate::RootMoves::BestOnly).
    pub fn analyze(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<SearchResult<G::Move>> {
        let mut driver = self.driver(budget, stop);
        let left = plies_left(game);
        let value = driver.value(game)?;
        let mut moves = Vec::new();
        for m in game.moves() {
            let bound = driver.value_of_move(game, m, value)?;
            moves.push((m, score(bound.min(value), left)));
        }
        sort_best_first(&mut moves);
        let proof = driver.meter.nodes();
        driver
            .meter
            .limit_nodes((PV_FACTOR * proof).max(MIN_PV_NODES));
        let pv = driver.principal_variation(game, value);
        let (score, nodes) = (score(value, left), driver.meter.nodes());
        Some(SearchResult {
            depth: score.plies().unwrap_or_else(|| game.plies_left()),
            ..SearchResult::proved(game, score, moves, pv, nodes)
        })
    }

    /// One best move and its score, found sooner than all best moves. `None` if the
    /// budget is spent first, or if the game is over.
    pub fn best_move(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<(G::Move, Score)> {
        let mut driver = self.driver(budget, stop);
        let value = driver.value(game)?;
        let m = driver.best_move(game, value)?;
        Some((m, score(value, plies_left(game))))
    }

    /// Every move with its exact score, the best first; empty if the game is over.
    /// `None` if the budget is spent first.
    pub fn moves(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Option<Vec<(G::Move, Score)>> {
        let mut moves = Vec::new();
        self.each_move(game, budget, stop, |m, score, _| moves.push((m, score)))?;
        sort_best_first(&mut moves);
        Some(moves)
    }

    /// Calls `found` with every move, its exact score and the number of positions searched
    /// so far, as soon as the move is proved. `None` if the budget is spent before the last.
    pub fn each_move(
        &mut self,
        game: &G,
        budget: &Budget,
        stop: &StopFlag,
        mut found: impl FnMut(G::Move, Score, u64),
    ) -> Option<()> {
        let mut driver = self.driver(budget, stop);
        let left = plies_left(game);
        if game.outcome().is_some() {
            return Some(());
        }
        // No move is worth more than the position, which is often in the book.
        let value = driver.value(game)?;
        for m in game.moves() {
            let worth = -driver.value_from(&game.after(m), -value)?;
            found(m, score(worth, left), driver.meter.nodes());
        }
        Some(())
    }

    fn driver<'a>(&'a mut self, budget: &Budget, stop: &'a StopFlag) -> Driver<'a, G> {
        Driver {
            table: &mut self.table,
            meter: BudgetMeter::new(budget, stop),
            threads: self.threads,
            book: self.book,
            stores: 0,
            buffers: Buffers::default(),
        }
    }
}
