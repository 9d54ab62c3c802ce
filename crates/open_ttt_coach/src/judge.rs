use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Turn;
use open_ttt_search::Budget;

use crate::PositionValues;

/// Finds what every move of a position is worth, better the longer it may search.
///
/// A judge may keep what it found between positions, so one judge for a whole game is
/// faster than a new one for each position.
pub trait Judge<G: TwoPlayerGame> {
    /// Judges the moves of a position, until every value is proved, the budget is spent or
    /// the turn's flag is raised. `report` is called with the values whenever they improve,
    /// for the first time within milliseconds as a rule; the last values are returned.
    ///
    /// Every legal move has a value, also if the flag is raised from the start.
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move>;
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
}
