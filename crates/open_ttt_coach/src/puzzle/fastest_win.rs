//! Wins by looking at everything that can happen within a few moves.

use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Turn;
use open_ttt_search::{
    Budget, Grade, RootMoves, Score, SearchOptions, SearchResult, Searcher, WinLoss,
};

/// The size of the search's table, in bytes.
const TABLE_BYTES: usize = 1 << 22;

/// The only move that wins within so few moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastestWin<M> {
    /// The move.
    pub m: M,
    /// The number of moves of both sides to the win.
    pub plies: u32,
}

/// The only move that wins within as few moves of both sides as possible. `None` if several
/// moves win as fast, or none does as far as the budget reaches. Equal budgets give equal
/// results unless they limit the time.
///
/// ```
/// use open_ttt_coach::fastest_win;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{History, Notation};
/// use open_ttt_players::Turn;
/// use open_ttt_search::Budget;
///
/// let mut game = History::new(TicTacToe::new());
/// game.play_text("a1 b1 a2 b2")?;
/// let win = fastest_win(&Turn::of(&game), &Budget::UNLIMITED).expect("a win");
/// assert_eq!((game.position().move_text(win.m).as_str(), win.plies), ("a3", 1));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn fastest_win<G: TwoPlayerGame>(
    turn: &Turn<'_, G>,
    budget: &Budget,
) -> Option<FastestWin<G::Move>> {
    let plies = |score: Score| score.plies().filter(|_| score.grade() == Grade::Win);
    // A longer win may show early, by a transposition, but not everything as fast as it.
    let is_whole = |result: &SearchResult<G::Move>| {
        plies(result.score).is_some_and(|plies| plies <= result.depth)
    };
    let result = deepen(turn, budget, is_whole)?;
    let plies = plies(result.score)?;
    match result.best[..] {
        [m] if result.moves.len() > 1 => Some(FastestWin { m, plies }),
        _ => None,
    }
}

/// A move that loses as late as any, in a position that is lost within this number of moves
/// of both sides. `None` if the budget is too small.
pub(crate) fn longest_defence<G: TwoPlayerGame>(
    turn: &Turn<'_, G>,
    plies: u32,
    budget: &Budget,
) -> Option<G::Move> {
    let result = deepen(turn, budget, |result| result.depth >= plies)?;
    result.best.first().copied()
}

/// Searches one move deeper each time until the result is enough; `None` if it never is.
///
/// Every position within the depth is looked at or refuted, so that a win found first at
/// some depth takes that number of moves, and no move wins in fewer.
fn deepen<G: TwoPlayerGame>(
    turn: &Turn<'_, G>,
    budget: &Budget,
    is_enough: impl Fn(&SearchResult<G::Move>) -> bool,
) -> Option<SearchResult<G::Move>> {
    let options = SearchOptions {
        table_bytes: TABLE_BYTES,
        root_moves: RootMoves::BestOnly,
    };
    let mut searcher = Searcher::new(turn.game, WinLoss, options);
    searcher.set_history(turn.earlier, turn.game);
    for depth in 1..=budget.depth.unwrap_or(u32::MAX) {
        let nodes = match budget.nodes {
            Some(all) => Some(all.checked_sub(searcher.result().nodes)?),
            None => None,
        };
        let next = Budget {
            depth: Some(depth),
            nodes,
            ..*budget
        };
        if !searcher.step(&next, &turn.stop) {
            return None;
        }
        let result = searcher.result();
        if is_enough(result) {
            return Some(result.clone());
        }
        if result.proved {
            return None;
        }
    }
    None
}
