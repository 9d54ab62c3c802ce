use super::four_search::ThreatResult;
use super::line_board::LineBoard;
use super::threat_search::ThreatSearch;
use crate::budget::BudgetMeter;
use crate::turns::RequiresAlternation;
use crate::{Budget, StopFlag};
use alloc::vec::Vec;
use open_ttt_lib::rules::LineGame;

/// The result of [`forced_win`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForcedWin<M> {
    /// The win, if one was found: the moves of both sides to the end, against one
    /// of the defences. The first move wins against all.
    pub line: Option<Vec<M>>,
    /// The number of positions visited.
    pub nodes: u64,
}

/// Looks for a win of the side to move by threats alone: threat-space search
/// (Allis, van den Herik and Huntjens, "Go-Moku solved by new search techniques",
/// 1994).
///
/// A win found is one against every defence, but need not be the fastest. Finding
/// none proves nothing. In a finished game none is found.
///
/// The [`Budget`]'s depth is the most *threes* in a line, moves that threaten to
/// win by fours; a four threatens to complete a line. Threes that block a five are
/// not counted. A depth of 0 allows fours alone.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_search::{Budget, StopFlag, forced_win};
///
/// // Three in a row with both ends open: a fourth makes two threats.
/// let mut game = Mnk::default();
/// play_text(&mut game, "f8 a1 g8 c1 h8 e1")?;
/// let win = forced_win(&game, &Budget::depth(0), &StopFlag::new());
/// assert_eq!(win.line.map(|line| line.len()), Some(3));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[doc(alias = "threat-space search")]
#[doc(alias = "VCF")]
pub fn forced_win<G: LineGame>(game: &G, budget: &Budget, stop: &StopFlag) -> ForcedWin<G::Move> {
    let () = RequiresAlternation::<G>::CHECK;
    let mut meter = BudgetMeter::new(budget, stop);
    let mut line = None;
    let board = LineBoard::new(game).filter(|_| game.outcome().is_none());
    if let Some(mut search) = board.map(ThreatSearch::new) {
        let max_threes = budget.depth.unwrap_or(u32::MAX);
        if search.deepen(max_threes, &mut meter) == ThreatResult::Win {
            let moves = search.line().map(|cell| game.indexed_move(cell.into()));
            line = moves.collect();
        }
    }
    ForcedWin {
        line,
        nodes: meter.nodes(),
    }
}
