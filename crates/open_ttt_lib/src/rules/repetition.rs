use super::{Outcome, Side, TwoPlayerGame};

/// What ends a game when a position comes back, with the same side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repetition {
    /// The occurrence of a position, the first one counted, that ends the game: 2
    /// or more.
    pub occurrences: u32,
    /// How the game ends.
    pub result: RepetitionResult,
}

/// How a game ends when a position has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepetitionResult {
    /// A draw.
    Draw,
    /// The side whose move brought the position back loses.
    MoverLoses,
}

impl RepetitionResult {
    /// The outcome after this side's move has brought the position back.
    pub const fn outcome(self, mover: Side) -> Outcome {
        match self {
            Self::Draw => Outcome::Draw,
            Self::MoverLoses => Outcome::Win(mover.other()),
        }
    }
}

/// The positions of a game so far, for the rule about [`Repetition`].
///
/// For a game without that rule it remembers nothing.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{History, TwoPlayerGame};
///
/// let mut game = TicTacToe::new();
/// let mut history = History::from(&game);
/// let m = game.moves().next().expect("a free cell");
/// let mover = game.to_move();
/// game.play_unchecked(m);
/// history.push(mover, &game);
/// assert_eq!(history.outcome(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<G> {
    rule: Option<Repetition>,
    positions: Vec<G>,
    outcome: Option<Outcome>,
}

impl<G: TwoPlayerGame> From<&G> for History<G> {
    /// The history of a game that starts from this position.
    fn from(start: &G) -> Self {
        let rule = start.repetition();
        Self {
            rule,
            positions: rule.map(|_| start.clone()).into_iter().collect(),
            outcome: None,
        }
    }
}

impl<G: TwoPlayerGame> History<G> {
    /// Adds the position after a move of this side.
    pub fn push(&mut self, mover: Side, position: &G) {
        let Some(rule) = self.rule else {
            return;
        };
        self.positions.push(position.clone());
        let equal = self.positions.iter().filter(|&earlier| earlier == position);
        if equal.count() >= rule.occurrences as usize {
            self.outcome = Some(rule.result.outcome(mover));
        }
    }

    /// The outcome if a position has come back too often. The outcome of the
    /// position itself, [`TwoPlayerGame::outcome`], comes first.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The positions so far, the last one included; none for a game without the
    /// rule.
    pub fn positions(&self) -> &[G] {
        &self.positions
    }
}
