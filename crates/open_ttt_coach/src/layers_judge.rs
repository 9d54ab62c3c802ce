use open_ttt_lib::rules::{BoardFilling, OpeningBook};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, Points, analyze_by_layers};

use crate::solved_judge::proved_values;
use crate::{Judge, PositionValues, SearchJudge};

/// Judges a game that fills a board by its book and by solving all that can follow: every
/// value is exact, whatever the budget.
///
/// ```
/// use open_ttt_coach::{Judge, LayersJudge};
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_players::Turn;
/// use open_ttt_search::Budget;
///
/// let mut judge = LayersJudge::default();
/// let values = judge.judge(&Turn::new(&Pegs::new()), &Budget::UNLIMITED, &mut |_| ());
/// let margins = values.moves.iter().map(|value| value.solved.margin);
/// assert_eq!(margins.filter(|&margin| margin == Some(-1)).count(), 6);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LayersJudge;

impl<G: BoardFilling + OpeningBook<Value = i32> + Sync> Judge<G> for LayersJudge {
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        _: &Budget,
        report: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        let Ok(result) = analyze_by_layers(turn.game, &turn.stop) else {
            // The flag is raised, or too much of the game is left: one ply has to do.
            let shallow = Budget::depth(1);
            return SearchJudge::new(Points, 1.0).judge(turn, &shallow, report);
        };
        let values = proved_values::<G>(&result, &Points);
        report(&values);
        values
    }
}
