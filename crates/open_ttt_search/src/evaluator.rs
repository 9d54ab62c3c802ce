use crate::{Grade, Score};
use open_ttt_lib::rules::{Heuristic, Margin, Outcome, Side, TwoPlayerGame};

/// What a position is worth to the side to move.
pub trait Evaluator<G: TwoPlayerGame> {
    /// The worth of a game that ended with `outcome`, `plies` after the
    /// position the search began with.
    ///
    /// A win or loss must be one in that many `plies`; any other worth must not
    /// depend on them, for the same position is met after different numbers of
    /// plies.
    fn finished(&self, game: &G, outcome: Outcome, plies: u32) -> Score;

    /// The worth of an unfinished game in which the search may look no
    /// further. It must be a judgement, neither a win nor a loss.
    fn unfinished(&self, game: &G) -> Score;

    /// The final margin that a proved score stands for, seen from the side to
    /// move; `None` where games are not decided by points.
    fn margin(&self, proved: Score) -> Option<i32>;
}

impl<G: TwoPlayerGame, E: Evaluator<G>> Evaluator<G> for &E {
    fn finished(&self, game: &G, outcome: Outcome, plies: u32) -> Score {
        E::finished(self, game, outcome, plies)
    }

    fn unfinished(&self, game: &G) -> Score {
        E::unfinished(self, game)
    }

    fn margin(&self, proved: Score) -> Option<i32> {
        E::margin(self, proved)
    }
}

/// Judges by the outcome alone, the sooner a win the better; what is not
/// finished is even.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinLoss;

impl<G: TwoPlayerGame> Evaluator<G> for WinLoss {
    fn finished(&self, game: &G, outcome: Outcome, plies: u32) -> Score {
        match outcome {
            Outcome::Win(side) if side == game.to_move() => Score::win_in(plies),
            Outcome::Win(_) => Score::loss_in(plies),
            Outcome::Draw => Score::DRAW,
        }
    }

    fn unfinished(&self, _: &G) -> Score {
        Score::DRAW
    }

    fn margin(&self, _: Score) -> Option<i32> {
        None
    }
}

/// Judges by the outcome, and unfinished games by the game's own
/// [`Heuristic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged;

impl<G: Heuristic> Evaluator<G> for Judged {
    fn finished(&self, game: &G, outcome: Outcome, plies: u32) -> Score {
        WinLoss.finished(game, outcome, plies)
    }

    fn unfinished(&self, game: &G) -> Score {
        Score::judged(game.heuristic())
    }

    fn margin(&self, _: Score) -> Option<i32> {
        None
    }
}

/// Judges by the difference of points, at the end and before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points;

impl<G: Margin> Evaluator<G> for Points {
    fn finished(&self, game: &G, _: Outcome, _: u32) -> Score {
        Evaluator::<G>::unfinished(self, game)
    }

    fn unfinished(&self, game: &G) -> Score {
        Score::judged(match game.to_move() {
            Side::First => game.margin(),
            Side::Second => -game.margin(),
        })
    }

    fn margin(&self, proved: Score) -> Option<i32> {
        match proved.grade() {
            Grade::Judged(margin) => Some(margin),
            Grade::Win | Grade::Loss => None,
        }
    }
}
