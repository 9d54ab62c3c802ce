use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Turn;
use open_ttt_search::Budget;

use crate::puzzle::{fastest_win, longest_defence};
use crate::{FastestWin, PositionValues};

/// Finds what every move of a position is worth, better the longer it may search.
///
/// A judge may keep what it found between positions, so one judge for a whole game is
/// faster than a new one for each position.
pub trait Judge<G: TwoPlayerGame> {
    /// Judges the moves of a position, until every value is proved, the budget is spent or
    /// the turn's flag is raised. `report` is called with the values whenever they improve,
    /// for the first time within milliseconds as a rule; the last values are returned. However
    /// small the budget, a few plies are searched.
    ///
    /// Every legal move has a value, also if the flag is raised from the start.
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move>;

    /// As [`judge`](Self::judge), for the proofs alone: estimates needn't be good. Default: as
    /// `judge`.
    fn prove(&mut self, turn: &Turn<'_, G>, budget: &Budget) -> PositionValues<G::Move> {
        self.judge(turn, budget, &mut |_| ())
    }

    /// The fastest win of the side to move, by proof that no other move wins as fast; `None`
    /// as with the function [`fastest_win`], which is the default.
    fn fastest_win(&mut self, turn: &Turn<'_, G>, budget: &Budget) -> Option<FastestWin<G::Move>> {
        fastest_win(turn, budget)
    }

    /// A move that loses as late as any, in a position that is lost within this number of
    /// moves of both sides; `None` if the budget is too small. Default: an alpha-beta search.
    fn longest_defence(
        &mut self,
        turn: &Turn<'_, G>,
        plies: u32,
        budget: &Budget,
    ) -> Option<G::Move> {
        longest_defence(turn, plies, budget)
    }
}

impl<G: TwoPlayerGame, J: Judge<G> + ?Sized> Judge<G> for Box<J> {
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        (**self).judge(turn, budget, report)
    }

    fn prove(&mut self, turn: &Turn<'_, G>, budget: &Budget) -> PositionValues<G::Move> {
        (**self).prove(turn, budget)
    }

    fn fastest_win(&mut self, turn: &Turn<'_, G>, budget: &Budget) -> Option<FastestWin<G::Move>> {
        (**self).fastest_win(turn, budget)
    }

    fn longest_defence(
        &mut self,
        turn: &Turn<'_, G>,
        plies: u32,
        budget: &Budget,
    ) -> Option<G::Move> {
        (**self).longest_defence(turn, plies, budget)
    }
}
