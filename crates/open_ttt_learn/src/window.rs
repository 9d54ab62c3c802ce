use std::collections::VecDeque;

use open_ttt_lib::rules::{Encode, Objective, Outcome, Side};

use crate::{BadRecord, Record};

/// The latest games, and the positions in them that can be learned from.
#[derive(Clone, Debug)]
pub(crate) struct Window<G> {
    /// How many positions are kept, at least where there are so many; whole games
    /// are forgotten.
    capacity: usize,
    records: VecDeque<Record>,
    /// How many games were forgotten.
    forgotten: usize,
    positions: VecDeque<Position<G>>,
}

/// A position that can be learned from.
#[derive(Clone, Debug)]
pub(crate) struct Position<G> {
    pub(crate) game: G,
    /// The number of its game, those forgotten included.
    record: usize,
    /// Which of the game's thoughts is about it.
    thought: usize,
    /// What the game came to for the side to move, from -1 to 1: what its end is
    /// worth or, where a move was drawn by chance on the way there, what was thought
    /// of the position before that.
    pub(crate) result: f32,
    /// How many plies were left.
    pub(crate) plies: u32,
}

impl<G: Encode> Window<G> {
    pub(crate) const fn new(capacity: usize) -> Self {
        Self {
            capacity,
            records: VecDeque::new(),
            forgotten: 0,
            positions: VecDeque::new(),
        }
    }

    /// Adds a game; tells how many positions came, and how it ended.
    pub(crate) fn push(
        &mut self,
        start: &G,
        record: Record,
    ) -> Result<(usize, Outcome), BadRecord> {
        let number = self.forgotten + self.records.len();
        let mut added = Vec::new();
        let end = record.replay(start, |game, ply, _| {
            added.push(Position {
                game: game.clone(),
                record: number,
                thought: added.len(),
                result: 0.0,
                plies: u32::try_from(record.moves.len() - ply).unwrap_or(u32::MAX),
            });
        })?;
        let mut value = final_value(&end);
        for position in added.iter_mut().rev() {
            let sign = match position.game.to_move() {
                Side::First => 1.0,
                Side::Second => -1.0,
            };
            let thought = &record.thoughts[position.thought];
            if !thought.is_followed {
                value = sign * thought.value;
            }
            position.result = sign * value;
        }
        let came = added.len();
        self.positions.extend(added);
        self.records.push_back(record);
        Ok((came, end.outcome().unwrap_or(Outcome::Draw)))
    }

    /// Forgets the oldest games that are too many.
    pub(crate) fn forget(&mut self) {
        while let Some(oldest) = self.records.front()
            && self.positions.len() - oldest.thoughts.len() >= self.capacity
        {
            self.positions.drain(..oldest.thoughts.len());
            self.records.pop_front();
            self.forgotten += 1;
        }
    }

    /// Forgets the latest games, so that as many are left as there were before
    /// they came.
    pub(crate) fn keep_first(&mut self, games: usize) {
        while self.records.len() > games {
            let latest = self.records.pop_back().unwrap_or_default();
            let kept = self.positions.len() - latest.thoughts.len();
            self.positions.truncate(kept);
        }
    }

    /// How many games there are.
    pub(crate) fn games(&self) -> usize {
        self.records.len()
    }

    /// The games, the oldest first.
    pub(crate) fn records(&self) -> impl ExactSizeIterator<Item = &Record> {
        self.records.iter()
    }

    /// How many positions there are.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// A position, and what was thought of it: how good each move is, and what
    /// it is worth.
    pub(crate) fn get(&self, index: usize) -> (&Position<G>, &crate::Thought) {
        let position = &self.positions[index];
        let record = &self.records[position.record - self.forgotten];
        (position, &record.thoughts[position.thought])
    }
}

/// The value of a finished game to the first side, from -1 to 1.
fn final_value<G: Encode>(end: &G) -> f32 {
    match (G::objective(), end.outcome()) {
        (Objective::Margin(margin), _) => margin(end).clamp(-1.0, 1.0),
        (Objective::WinLoss, Some(Outcome::Win(Side::First))) => 1.0,
        (Objective::WinLoss, Some(Outcome::Win(Side::Second))) => -1.0,
        (Objective::WinLoss, Some(Outcome::Draw) | None) => 0.0,
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]
mod tests {
    use open_ttt_lib::rules::{IndexedMoves, TwoPlayerGame};

    use super::*;
    use crate::Thought;
    use crate::strip::Strip;

    #[test]
    fn what_chance_spoils_is_not_held_against_the_moves_before() {
        let start = Strip::new(9);
        let mut game = start.clone();
        let mut record = Record::default();
        while game.outcome().is_none() {
            let moves: Vec<_> = game.moves().collect();
            let ply = record.moves.len();
            record.thoughts.push(Thought {
                policy: (moves.iter())
                    .map(|&m| (game.move_index(m) as u16, 1.0 / moves.len() as f32))
                    .collect(),
                value: 0.01 * ply as f32,
                is_followed: ply != 2,
            });
            record.moves.push(game.move_index(moves[0]) as u16);
            game.play_unchecked(moves[0]);
        }
        let plies = record.moves.len();
        // Who has the last cell wins, which is the side that began.
        assert_eq!(
            (plies, game.outcome()),
            (9, Some(Outcome::Win(Side::First)))
        );
        let mut window = Window::new(100);
        let (came, outcome) = window.push(&start, record).unwrap();
        assert_eq!((came, Some(outcome)), (plies, game.outcome()));
        let results: Vec<_> = (0..plies).map(|ply| window.get(ply).0.result).collect();
        assert_eq!(results[..3], [0.02, -0.02, 0.02]);
        assert_eq!(results[3..], [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
    }
}
