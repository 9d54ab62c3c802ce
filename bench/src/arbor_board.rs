use std::fmt;

use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};

use crate::{points, random_game};

/// A game of this library for `arbor`, with this library's random games as the custom
/// evaluation.
#[derive(Clone, Copy, Debug)]
pub struct ArborBoard<G>(pub G);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArborMove<M>(pub M);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat(Side);

impl<M: Copy + fmt::Debug> arbor::Action for ArborMove<M> {}
impl arbor::Player for Seat {}

impl<G: fmt::Debug> fmt::Display for ArborBoard<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<G> arbor::GameState<Seat, ArborMove<G::Move>> for ArborBoard<G>
where
    G: TwoPlayerGame + Copy + fmt::Debug,
{
    fn actions<F: FnMut(ArborMove<G::Move>)>(&self, f: &mut F) {
        self.0.moves().for_each(|m| f(ArborMove(m)));
    }

    fn make(&self, action: ArborMove<G::Move>) -> Self {
        Self(self.0.after(action.0))
    }

    fn gameover(&self) -> Option<arbor::GameResult> {
        let side = self.0.to_move();
        self.0.outcome().map(|outcome| match outcome {
            Outcome::Win(winner) if winner == side => arbor::GameResult::Win,
            Outcome::Win(_) => arbor::GameResult::Lose,
            Outcome::Draw => arbor::GameResult::Draw,
        })
    }

    fn player(&self) -> Seat {
        Seat(self.0.to_move())
    }

    fn custom_evaluation(&self) -> f32 {
        points(random_game(&self.0), self.0.to_move())
    }
}
