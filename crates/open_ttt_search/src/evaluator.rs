use crate::{Grade, Score};
use open_ttt_lib::rules::{Heuristic, Margin, Outcome, Side, TwoPlayerGame};

/// Evaluates positions for the side to move.
pub trait Evaluator<G: TwoPlayerGame> {
    /// The score of a game that ended with `outcome`, `plies` after the root of
    /// the search.
    ///
    /// A win or loss must be one in `plies`. Any other score must not depend on
    /// `plies`, because the same position occurs at different depths.
    fn finished(&self, game: &G, outcome: Outcome, plies: u32) -> Score;

    /// The static evaluation of an unfinished game, at the depth limit of the
    /// search. It must be neither a win nor a loss.
    fn unfinished(&self, game: &G) -> Score;

    /// The final margin that a proved score stands for, for the side to move;
    /// `None`, as by default, if games are not decided by points.
    fn margin(&self, _proved: Score) -> Option<i32> {
        None
    }
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

/// Scores the outcome alone, a sooner win better; unfinished games are even.
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
}

/// Scores finished games by the outcome and unfinished ones by the game's
/// [`Heuristic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeuristicEvaluator;

impl<G: Heuristic> Evaluator<G> for HeuristicEvaluator {
    fn finished(&self, game: &G, outcome: Outcome, plies: u32) -> Score {
        WinLoss.finished(game, outcome, plies)
    }

    fn unfinished(&self, game: &G) -> Score {
        Score::evaluation(game.heuristic())
    }
}

/// Scores finished and unfinished games by the difference of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points;

impl<G: Margin> Evaluator<G> for Points {
    fn finished(&self, game: &G, _: Outcome, _: u32) -> Score {
        Evaluator::<G>::unfinished(self, game)
    }

    fn unfinished(&self, game: &G) -> Score {
        margin_score(game, game.margin())
    }

    fn margin(&self, proved: Score) -> Option<i32> {
        match proved.grade() {
            Grade::Evaluation(margin) => Some(margin),
            Grade::Win | Grade::Loss => None,
        }
    }
}

/// Scores finished games by the difference of points and unfinished ones by an estimate
/// of it: the game's [`Heuristic`], which has to be in hundredths of a point.
///
/// ```
/// use open_ttt_lib::games::DotsAndBoxes;
/// use open_ttt_search::{Budget, EstimatedPoints, Evaluator, RootMoves, StopFlag, deepen};
///
/// let game = DotsAndBoxes::new(2, 2).expect("a small board");
/// let stop = StopFlag::new();
/// let result = deepen(&game, RootMoves::BestOnly, &EstimatedPoints, &Budget::UNLIMITED, &stop);
/// assert!(result.proved);
/// let margin = Evaluator::<DotsAndBoxes>::margin(&EstimatedPoints, result.score);
/// assert_eq!(margin, Some(2)); // three boxes to one
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EstimatedPoints;

/// The heuristic's units of a point.
const UNITS: i32 = 100;

impl<G: Margin + Heuristic> Evaluator<G> for EstimatedPoints {
    fn finished(&self, game: &G, _: Outcome, _: u32) -> Score {
        margin_score(game, UNITS * game.margin())
    }

    fn unfinished(&self, game: &G) -> Score {
        Score::evaluation(game.heuristic())
    }

    fn margin(&self, proved: Score) -> Option<i32> {
        let margin = Evaluator::<G>::margin(&Points, proved)?;
        Some(margin / UNITS)
    }
}

/// The score of a margin, first side minus second, for the side to move.
pub(crate) fn margin_score<G: TwoPlayerGame>(game: &G, margin: i32) -> Score {
    Score::evaluation(match game.to_move() {
        Side::First => margin,
        Side::Second => -margin,
    })
}
