use super::board::{Board, MOST_MISSING, Worth};
use super::hunt::{Allowance, Catch, Hunt};
use crate::budget::BudgetMeter;
use crate::{Budget, StopFlag};
use open_ttt_lib::rules::LineGame;

/// What a search for a forced win found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForcedWin<M> {
    /// The win, if one was found: the moves of both sides from here to its end,
    /// against one of the defences. The first of them wins against all.
    pub line: Option<Vec<M>>,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// Looks for a win of the side to move by threats alone: what a strong player
/// of gomoku or qubic sees before anything else.
///
/// The win found is a win against every defence. It need not be the fastest
/// one. Nothing found says nothing, nor does a game that is over.
///
/// The [`Budget`]'s depth is how many *quiet* threats may follow one another,
/// those that threaten to win by threats of finishing a line. Those that meet a
/// threat of finishing a line at the same time are not counted; 0 allows no
/// others. Nodes and time hold as everywhere.
///
/// Threat-space search: Allis, van den Herik and Huntjens, "Go-Moku solved by
/// new search techniques", 1994.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::rules::play_text;
/// use open_ttt_search::{Budget, StopFlag, forced_win};
///
/// // Three in a row with both sides open: a fourth makes two threats.
/// let mut game = Mnk::default();
/// play_text(&mut game, "f8 a1 g8 c1 h8 e1")?;
/// let win = forced_win(&game, &Budget::depth(0), &StopFlag::new());
/// assert_eq!(win.line.map(|line| line.len()), Some(3));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn forced_win<G: LineGame>(game: &G, budget: &Budget, stop: &StopFlag) -> ForcedWin<G::Move> {
    let mut meter = BudgetMeter::new(budget, stop);
    let mut line = None;
    let board = Board::of(game, NEARNESS).filter(|_| game.outcome().is_none());
    if let Some(mut hunt) = board.map(Hunt::new) {
        let deepest = budget.depth.unwrap_or(u32::MAX);
        if search(&mut hunt, deepest, &mut meter) == Catch::Win {
            line = hunt
                .line()
                .map(|cell| game.indexed_move(cell.into()))
                .collect();
        }
    }
    ForcedWin {
        line,
        nodes: meter.nodes(),
    }
}

/// Looks for a win with more and more quiet threats, at most `deepest`.
pub(super) fn search(hunt: &mut Hunt, deepest: u32, meter: &mut BudgetMeter<'_>) -> Catch {
    meter.poll();
    for builds in 0..=deepest {
        hunt.look_again();
        let allowed = Allowance {
            presses: match builds {
                0 => u32::MAX,
                _ => 64 << builds.min(20),
            },
            builds,
        };
        let catch = hunt.builds(allowed, meter);
        if catch == Catch::Win || meter.is_spent() || !hunt.cut_short {
            return catch;
        }
    }
    Catch::Nothing
}

/// An open line is worth the more the fewer pieces it lacks.
pub(super) const NEARNESS: Worth = {
    let mut worth = [0; MOST_MISSING + 1];
    worth[1] = 400;
    worth[2] = 80;
    worth[3] = 20;
    worth[4] = 5;
    worth[5] = 1;
    worth
};
