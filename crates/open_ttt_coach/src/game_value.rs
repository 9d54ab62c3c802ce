use open_ttt_lib::rules::{Outcome, Side};
use open_ttt_search::{Evaluator, Grade, Score};

/// The game-theoretic value of a position for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameValue {
    /// The side to move wins.
    Win,
    /// The game is drawn.
    Draw,
    /// The side to move loses.
    Loss,
    /// Not proved.
    #[default]
    Unknown,
}

/// How a game ends under best play, seen by the side to move, as far as it is proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SolvedValue {
    /// Whether it wins.
    pub result: GameValue,
    /// The number of moves to the end, if known.
    pub plies: Option<u32>,
    /// The final margin, in a scoring game.
    pub margin: Option<i32>,
}

impl GameValue {
    /// `win`, `draw`, `loss` or `unknown`, as in the program's JSON reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
            Self::Unknown => "unknown",
        }
    }

    /// The points of the side to move: 1 for a win, half for a draw, 0 for a loss. `None`
    /// if it isn't proved.
    pub const fn points(self) -> Option<f64> {
        match self {
            Self::Win => Some(1.0),
            Self::Draw => Some(0.5),
            Self::Loss => Some(0.0),
            Self::Unknown => None,
        }
    }

    /// The value of a game with this outcome, for this side.
    pub fn of_outcome(outcome: Outcome, side: Side) -> Self {
        match outcome {
            Outcome::Draw => Self::Draw,
            Outcome::Win(winner) if winner == side => Self::Win,
            Outcome::Win(_) => Self::Loss,
        }
    }

    /// The value that a proved score stands for.
    fn of_score(score: Score) -> Self {
        match score.grade() {
            Grade::Win | Grade::Evaluation(1..) => Self::Win,
            Grade::Evaluation(0) => Self::Draw,
            Grade::Loss | Grade::Evaluation(_) => Self::Loss,
        }
    }
}

impl SolvedValue {
    /// The value that a proved score of this evaluator stands for.
    pub fn of_score<G: open_ttt_lib::rules::TwoPlayerGame>(
        score: Score,
        evaluator: &impl Evaluator<G>,
    ) -> Self {
        Self {
            result: GameValue::of_score(score),
            plies: score.plies(),
            margin: evaluator.margin(score),
        }
    }

    /// The value of a game that has ended with this outcome, for this side.
    pub fn finished(outcome: Outcome, side: Side) -> Self {
        Self {
            plies: outcome.winner().map(|_| 0),
            ..Self::of_outcome(outcome, side)
        }
    }

    /// The value of a game that ends with this outcome, for this side.
    pub fn of_outcome(outcome: Outcome, side: Side) -> Self {
        Self::only(GameValue::of_outcome(outcome, side))
    }

    /// A value of which nothing else is known.
    pub const fn only(result: GameValue) -> Self {
        Self {
            result,
            plies: None,
            margin: None,
        }
    }

    /// The same value with the number of moves to the end.
    pub const fn with_plies(self, plies: Option<u32>) -> Self {
        Self { plies, ..self }
    }

    /// Whether the result is proved.
    pub fn is_proved(&self) -> bool {
        self.result != GameValue::Unknown
    }
}
