use super::dyn_move::{dyn_line, dyn_move};
use super::dyn_player::{own_positions, own_turn};
use super::{CatalogGame, DynGame, DynMove};
use open_ttt_coach::{FastestWin, Judge, MoveValue, PositionValues, SolvedValue};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::Turn;
use open_ttt_search::Budget;

/// Adapts a judge of the game's own type to [`DynGame`].
struct JudgeAdapter<G>(Box<dyn Judge<G> + Send>);

/// A judge of the game's own type as one of a [`DynGame`].
pub(super) fn adapt_judge<G: CatalogGame>(
    judge: Box<dyn Judge<G> + Send>,
) -> Box<dyn Judge<DynGame> + Send> {
    Box::new(JudgeAdapter(judge))
}

impl<G: CatalogGame> Judge<DynGame> for JudgeAdapter<G> {
    /// Knows nothing of the moves of a game of another type.
    fn judge(
        &mut self,
        turn: &Turn<'_, DynGame>,
        budget: &Budget,
        report: &mut dyn FnMut(&PositionValues<DynMove>),
    ) -> PositionValues<DynMove> {
        let Some(game) = turn.game.downcast_ref::<G>() else {
            let unknown = |m| MoveValue::proved(m, SolvedValue::default());
            return PositionValues::new(turn.game.moves().map(unknown).collect(), Vec::new(), 0);
        };
        let earlier = own_positions(turn.earlier);
        let own = own_turn(game, &earlier, turn);
        let dyn_values = |values: &PositionValues<G::Move>| {
            values.with_moves(|m| dyn_move(game, m), dyn_line(game, &values.line))
        };
        let mut own_report = |values: &PositionValues<G::Move>| report(&dyn_values(values));
        let values = self.0.judge(&own, budget, &mut own_report);
        dyn_values(&values)
    }

    #[cfg(not(open_ttt_small))]
    fn prove(&mut self, turn: &Turn<'_, DynGame>, budget: &Budget) -> PositionValues<DynMove> {
        let Some(game) = turn.game.downcast_ref::<G>() else {
            return self.judge(turn, budget, &mut |_| ());
        };
        let earlier = own_positions(turn.earlier);
        let values = self.0.prove(&own_turn(game, &earlier, turn), budget);
        values.with_moves(|m| dyn_move(game, m), dyn_line(game, &values.line))
    }

    #[cfg(not(open_ttt_small))]
    fn fastest_win(
        &mut self,
        turn: &Turn<'_, DynGame>,
        budget: &Budget,
    ) -> Option<FastestWin<DynMove>> {
        let game = turn.game.downcast_ref::<G>()?;
        let earlier = own_positions(turn.earlier);
        let win = self
            .0
            .fastest_win(&own_turn(game, &earlier, turn), budget)?;
        let (m, plies) = (dyn_move(game, win.m), win.plies);
        Some(FastestWin { m, plies })
    }

    #[cfg(not(open_ttt_small))]
    fn longest_defence(
        &mut self,
        turn: &Turn<'_, DynGame>,
        plies: u32,
        budget: &Budget,
    ) -> Option<DynMove> {
        let game = turn.game.downcast_ref::<G>()?;
        let earlier = own_positions(turn.earlier);
        let own = own_turn(game, &earlier, turn);
        let m = self.0.longest_defence(&own, plies, budget)?;
        Some(dyn_move(game, m))
    }
}
