use open_ttt_lib::rules::{Outcome, Side};

use crate::score::Score;

/// A series of games between two players, who exchange sides after each game. A player is
/// the index of the side that the player has in the first game.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Series {
    /// Whether each player is a computer.
    is_computer: [bool; 2],
    /// Whether the players have exchanged the sides of the first game.
    exchanged: bool,
    score: Score,
}

impl Series {
    /// The name of the one person who plays.
    pub(crate) const YOU: &str = "You";

    pub(crate) fn new(is_computer: [bool; 2]) -> Self {
        Self {
            is_computer,
            ..Self::default()
        }
    }

    /// The player of a side.
    pub(crate) const fn player(&self, side: Side) -> usize {
        if self.exchanged {
            side.other().index()
        } else {
            side.index()
        }
    }

    /// Gives the first move to the player who didn't have it.
    pub(crate) const fn exchange_sides(&mut self) {
        self.exchanged = !self.exchanged;
    }

    /// Adds a game with this outcome to the score.
    pub(crate) fn add(&mut self, outcome: Outcome) {
        let winner = outcome.winner().map(|side| self.player(side));
        self.score.add(winner);
    }

    /// The names of the players, who don't always have the same side.
    pub(crate) const fn player_names(&self) -> [&'static str; 2] {
        match self.is_computer {
            [false, false] => ["Player 1", "Player 2"],
            [false, true] => [Self::YOU, "Computer"],
            [true, false] => ["Computer", Self::YOU],
            [true, true] => ["Computer 1", "Computer 2"],
        }
    }

    /// The score as a line of text, from the second game on.
    pub(crate) fn score_line(&self) -> Option<String> {
        (self.score.games() > 1).then(|| self.score.line(self.player_names()))
    }

    pub(crate) const fn score(&self) -> Score {
        self.score
    }
}
